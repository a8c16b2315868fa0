"""The controls of `oracle.py` on a web page in Chromium: `oracle_chromium.py STATE_FILE`. Any Python runs it.

The page tells a small server on the loopback what stands in it. A page does not know where it is on the screen before
the pointer has been over it, so the pointer is put there once.
"""

import sys
from pathlib import Path

from oracle import CELL, CELLS, FRUIT, LOOK_MS, SECRET, TITLE, WORDS, Oracle
from screen import Screen
from web import Pages, chromium, version

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>%(title)s</title>
<style>p, table { margin: 6px 0 } td { padding: 4px 12px; border: 1px solid }</style>
<p><button id="button" onclick="tell({pressed: true})">%(button)s</button></p>
<p><label><input id="check" type="checkbox"> %(check)s</label></p>
<p><label for="name">%(name)s</label> <input id="name" value="Ada"></p>
<p><label for="secret">%(secret)s</label> <input id="secret" type="password" value="%(hidden_text)s"></p>
<p id="words">%(words)s</p>
<p><label for="volume">%(volume)s</label> <input id="volume" type="range" value="30"></p>
<p><button id="hidden" hidden>%(hidden)s</button></p>
<p><button id="off" disabled>%(off)s</button></p>
<p><select id="fruit" aria-label="%(fruit)s" size="3">%(options)s</select></p>
<table id="grid" aria-label="%(grid)s">%(rows)s</table>
<script>
  const controls = [...document.querySelectorAll("[id]")];
  let origin = null, last = "", queue = Promise.resolve();
  function tell(what) {
    queue = queue.then(() => fetch("/", {method: "POST", body: JSON.stringify(what)}));
  }
  function facts(element) {
    const box = element.getBoundingClientRect(), [left, top] = origin, {tagName, type} = element;
    const edges = [left + box.left, top + box.top, left + box.right, top + box.bottom];
    const typed = ["text", "password"].includes(type);
    return {  // a paragraph is one, and has no name
      ...(tagName === "P" ? {role: "paragraph", name: ""} : {}),
      rect: element.checkVisibility() ? edges.map(Math.round) : [0, 0, 0, 0],
      showing: element.checkVisibility(),
      enabled: !element.disabled,
      checked: type === "checkbox" && element.checked,
      selected: tagName === "OPTION" && element.selected,
      value: type === "range" ? element.valueAsNumber : null,
      text: typed ? element.value : tagName === "P" ? element.textContent : null,
    };
  }
  function look() {
    const {screenX, screenY, outerWidth, outerHeight} = window;
    const middle = [screenX + (outerWidth >> 1), screenY + (outerHeight >> 1)];
    const said = origin ? {look: Object.fromEntries(controls.map(c => [c.id, facts(c)]))} : {middle};
    if (origin && JSON.stringify(said) === last) return;  // until it knows, it asks for the pointer again
    last = JSON.stringify(said);
    tell(said);
  }
  function place(event) { origin = [event.screenX - event.clientX, event.screenY - event.clientY] }
  addEventListener("pointermove", place, true);
  addEventListener("pointerdown", place, true);
  addEventListener("pointerup", event => {
    const key = event.target.closest("[id]")?.id;
    if (key && !["fruit", "grid"].includes(key)) setTimeout(() => { look(); tell({clicked: key}) });
  }, true);
  setInterval(look, %(look_ms)s);
</script>
"""


def page():
    options = "".join(f'<option id="{name.lower()}">{name}</option>' for name in FRUIT)
    cells = [
        "".join(f"<td{' id=cell' * ((row, column) == CELL)}>{text}</td>" for column, text in enumerate(texts))
        for row, texts in enumerate(CELLS)
    ]
    words = {key: name for key, (_, name) in WORDS.items()}
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return PAGE % {
        **words,
        "title": TITLE,
        "hidden_text": SECRET,
        "options": options,
        "rows": rows,
        "look_ms": LOOK_MS,
    }


class Fixture:
    def __init__(self, path, browser="chromium"):
        self.screen = Screen()
        self.told = {}
        self.oracle = Oracle(path, version(browser), lambda: self.told)

    def take(self, what):
        if "middle" in what:
            self.screen.put_pointer(*what["middle"])
        elif "clicked" in what:
            self.oracle.clicked(what["clicked"])
        elif "pressed" in what:
            self.oracle.pressed()
        else:
            self.told = what["look"]
            self.oracle.write()

    def show(self, command=chromium):
        Pages(lambda path: page() if path == "/" else "", self.take).show(command)


if __name__ == "__main__":
    Fixture(Path(sys.argv[1])).show()
