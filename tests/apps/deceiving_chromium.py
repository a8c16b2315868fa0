"""The widgets of `deceiving.py` on a web page in Chromium: `deceiving_chromium.py STATE_FILE [restless]`.

Any Python runs it. The page has the truth, and tells it to a small server on the loopback, which writes the file.
"""

import json
import sys
from pathlib import Path

from deceiving import HANG_S, KINDS, LATE_MS, LIES, REVERT_MS, ROWS, START, TICK_MS, TITLE, keys
from web import Pages, chromium

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>%(title)s</title>
<style>
  td { padding: 1px 6px } input[type=text] { width: 9em }
  .veneer { color: transparent; caret-color: transparent; outline: none; user-select: none }
  .veneer::selection { background: transparent }
  [role=checkbox] { background: #ccd; color: black }
</style>
<table>%(rows)s</table>
%(restless)s
<script>
  const HANG = %(hang_ms)s, REVERT = %(revert_ms)s, LATE = %(late_ms)s;
  const model = %(model)s, $ = key => document.getElementById(key);
  let pending = 0, done = 0, queue = Promise.resolve();
  function save() {
    const body = JSON.stringify({model, pending, done});
    queue = queue.then(() => fetch("/", {method: "POST", body}));
  }
  function later(ms, what) {
    pending++;
    setTimeout(() => { pending--; what(); save() }, ms);
  }
  function shown(key) {
    const one = $(key);
    if (one.getAttribute("role")) return one.getAttribute("aria-checked") === "true";
    return one.type === "checkbox" ? one.checked : one.tagName === "BUTTON" ? null : one.value;
  }
  function show(key, value) {
    const one = $(key);
    if (one.getAttribute("role")) one.setAttribute("aria-checked", String(value));
    else if (one.type === "checkbox") one.checked = value;
    else if (one.tagName === "BUTTON") {
      $(key + " label").textContent = value + " times";
      tell(key, value + " times");
    }
    else one.value = value;
  }
  function tell(key, text) { $(key + " label").setAttribute("aria-label", text) }
  function take(key, value) { model[key] = value; show(key, value) }
  function changed(key) {
    done++;
    const [lie, kind, beside] = key.split(" "), before = model[key];
    const wanted = kind === "press" ? before + 1 : shown(key);
    if (wanted === before) return;
    try {
      switch (beside ? "honest" : lie) {
        case "honest": take(key, wanted); break;
        case "noop": show(key, before); break;
        case "revert": show(key, wanted); later(REVERT, () => show(key, before)); break;
        case "neighbour":
          show(key, before);
          if (kind !== "press") take(key + " beside", kind === "box" ? !model[key + " beside"] : wanted);
          break;
        case "veneer":
          if (kind === "press") tell(key, key + " " + done);
          break;
        case "late": show(key, before); later(LATE, () => take(key, wanted)); break;
        case "raise": show(key, before); throw new Error("on purpose");
        case "hang":
          for (const end = performance.now() + HANG; performance.now() < end;);
          show(key, before);
      }
    } finally { save() }
  }
  function flip(one) {
    one.setAttribute("aria-checked", String(one.getAttribute("aria-checked") !== "true"));
    changed(one.id);
  }
  save();
</script>
"""
RESTLESS = """<span id="clock"></span> <progress id="bar" max="20"></progress> <ul id="list"></ul>
<script>
  let turns = 0;
  setInterval(() => {
    turns++;
    clock.textContent = Math.floor(turns / 60) + ":" + turns %% 60;
    bar.value = turns %% 20;
    const row = turns %% %(most)s, item = document.createElement("li");
    if (!row) list.replaceChildren();
    item.textContent = "row " + row;
    list.append(item);
  }, %(tick_ms)s);
</script>
"""


def cell(key, kind):
    lie, beside = key.split()[0], key.endswith("beside")
    if kind == "press":
        if beside:
            return f'<span id="{key.removesuffix(" beside")} label" role="img" aria-label="0 times">0 times</span>'
        return f'<button id="{key}" onclick="changed(this.id)">{key}</button>'
    if kind == "text":
        veneer = " class=veneer" * (lie == "veneer" and not beside)
        return f'<input type="text" id="{key}" aria-label="{key}" value="{START}"{veneer} oninput="changed(this.id)">'
    if lie == "veneer" and not beside:
        return f'<span id="{key}" role="checkbox" aria-checked="false" onclick="flip(this)">{key}</span>'
    return f'<label><input type="checkbox" id="{key}" onchange="changed(this.id)">{key}</label>'


def page(restless):
    starts = {"box": False, "press": 0, "text": START}
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{cell(key, kind)}" for kind in KINDS for key in (f"{lie} {kind}", f"{lie} {kind} beside"))
        for lie in LIES
    )
    return PAGE % {
        "title": TITLE,
        "rows": rows,
        "restless": RESTLESS % {"most": ROWS, "tick_ms": TICK_MS} if restless else "",
        "model": json.dumps({key: starts[key.split()[1]] for key in keys()}),
        "hang_ms": int(HANG_S * 1000),
        "revert_ms": REVERT_MS,
        "late_ms": LATE_MS,
    }


def write(path, state):
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(state), encoding="utf-8")
    temporary.replace(path)


def show(command=chromium):
    Pages(
        lambda path: page("restless" in sys.argv[2:]) if path == "/" else "",
        lambda state: write(Path(sys.argv[1]), state),
    ).show(command)


if __name__ == "__main__":
    show()
