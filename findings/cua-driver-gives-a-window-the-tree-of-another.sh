#!/bin/bash
# cua-driver 0.37.0: the elements of a window that exposes nothing are those of another program's window.
#
# Valid input: two windows on one display, "Form" of a GTK 3 program with a button, and "Drawn" of a Tk program, which
# exposes nothing to accessibility; the processes of both are named python3. `get_window_state` is called with the pid
# and window_id that `list_windows` gives. Seen: for "Form" its button; for "Drawn" the button of "Form" too, as a
# complete tree that is not degraded, so that a client presses a button of the wrong program. Alone on the display,
# "Drawn" has one element, its window, and is said to be degraded; so it is beside "Form" if its process has another
# name.
#
# Needs the system's Xvfb, dbus, at-spi2-core, python3-gi with GTK 3, and python3-tk.
#
# Run: findings/cua-driver-gives-a-window-the-tree-of-another.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'cua-driver==0.37.0'
cat > "$folder/form.py" <<'PY'
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Form")
window.add(Gtk.Button(label="Pay"))
window.show_all()
Gtk.main()
PY
cat > "$folder/drawn.py" <<'PY'
import tkinter
window = tkinter.Tk()
window.title("Drawn")
window.geometry("300x200+400+100")
window.mainloop()
PY
cat > "$folder/seen.py" <<'PY'
import json, subprocess, sys, time
driver, form, drawn = sys.argv[1:]

def call(tool, **arguments):
    done = subprocess.run([driver, "call", tool, json.dumps(arguments)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}

def look(title):
    """The labels of its elements, once the window is there and has some."""
    for _ in range(100):
        for window in call("list_windows").get("windows", []):
            if window["title"] == title:
                where = {"pid": window["pid"], "window_id": window["window_id"]}
                state = call("get_window_state", include_screenshot=False, tree_format="elements", **where)
                if state.get("elements"):
                    labels = [element.get("label") for element in state["elements"]]
                    return f"{title}: {labels} complete={state['elements_complete']} degraded={'degraded' in state}"
        time.sleep(0.1)
    return f"{title}: not found"

started = [subprocess.Popen(["/usr/bin/python3", drawn])]
print("alone", look("Drawn"))
started.append(subprocess.Popen(["/usr/bin/python3", form]))
print(look("Form"))
print("beside it", look("Drawn"))
for process in started:
    process.kill()
PY
cat > "$folder/expected" <<'TEXT'
alone Drawn: ['Drawn'] complete=False degraded=True
Form: ['Pay'] complete=True degraded=False
beside it Drawn: ['Pay'] complete=True degraded=False
TEXT
cat > "$folder/session" <<'SH'
set -euo pipefail
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
/usr/libexec/at-spi-bus-launcher --launch-immediately > /dev/null &
"$driver" serve --no-overlay 2> "$folder/served" &
until grep -q listening "$folder/served"; do sleep 0.1; done
python3 "$folder/seen.py" "$driver" "$folder/form.py" "$folder/drawn.py" > "$folder/seen"
SH
mkfifo "$folder/display"
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp 3> "$folder/display" 2> /dev/null &
DISPLAY=:$(head -n 1 "$folder/display")
mkdir -m 700 "$folder/run"
export DISPLAY folder driver="$(echo "$folder"/venv/lib/python3*/site-packages/cua_driver/bin/cua-driver)"
export HOME="$folder" XDG_RUNTIME_DIR="$folder/run" XDG_CACHE_HOME="$folder/cache" LANG=C.UTF-8
export DO_NOT_TRACK=1 CUA_DRIVER_RS_TELEMETRY_ENABLED=false CUA_DRIVER_RS_UPDATE_CHECK=false
export GTK_MODULES=gail:atk-bridge GDK_BACKEND=x11 NO_AT_BRIDGE=0
timeout 120 dbus-run-session -- bash "$folder/session" 2> "$folder/errors" || { cat "$folder/errors"; exit 2; }
cat "$folder/seen"
diff "$folder/expected" "$folder/seen"
