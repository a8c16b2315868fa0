"""The controls of `mutating.py` on a web page: `mutating_chromium.py STATE_FILE COMMANDS`. Any Python runs it.

The page asks a small server on the loopback what to do, does it, and tells where everything stands. It has no second
window: nothing is asked in a dialog.
"""

import json
import os
import queue
import sys
import threading
from pathlib import Path

from mutating import IN_ROW, TITLE, World
from told import Told
from web import WaitingPages, version

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>%s</title>
<style>
  body { margin: 4px } .row { display: flex; gap: 4px } .column { display: flex; flex-direction: column; gap: 2px }
  .grid { display: grid; gap: 2px } fieldset { display: flex; margin: 0; padding: 2px } [hidden] { display: none }
</style>
<script>
  const at = {}, $ = id => at[id].box ?? at[id];
  const make = (id, tag, kind) => {
    at[id] = document.createElement(tag);
    at[id].className = kind ?? "";
    return at[id];
  };
  const tell = what => fetch("/", {method: "POST", body: JSON.stringify(what)});
  const insert = (parent, child, index) =>
    parent.insertBefore(child, (index < 0 ? null : [...parent.children].filter(one => one !== child)[index]) ?? null);
  const does = {
    window: (_, id) => { at[id] = document.body; document.body.className = "column" },
    shown: () => {},
    title: (_, text) => document.title = text,
    // a plain box is none for accessibility, which would see columns that stand side by side as one
    box(id, kind) { make(id, "div", kind); if (kind !== "row") at[id].setAttribute("role", "group") },
    group(id, name) {
      const legend = document.createElement("legend");
      make(id, "fieldset").append(legend);
      legend.textContent = name;
      at[id].box = document.createElement("div");
      at[id].box.className = "row";
      at[id].append(at[id].box);
    },
    rename_group: (id, name) => at[id].firstChild.textContent = name,
    rows: id => make(id, "div", "column").setAttribute("role", "list"),
    row: id => make(id, "div", "row").setAttribute("role", "listitem"),
    button(id, text) { make(id, "button").textContent = text; at[id].onclick = () => tell({pressed: id}) },
    label: (id, text) => make(id, "span").textContent = text,
    add: (container, id, index) => insert($(container), at[id], index),
    place(grid, id, row, column) {
      const index = row * %d + column;
      if (at[grid].children[index] !== at[id]) insert(at[grid], at[id], index);
      at[id].style.gridArea = `${row + 1} / ${column + 1}`;
    },
    remove: id => at[id].remove(),
    destroy(id) { at[id].remove(); delete at[id] },
    text: (id, text) => at[id].textContent = text,
    enabled: (id, on) => at[id].disabled = !on,
    visible: (id, on) => at[id].hidden = !on,
    table(id, name) {
      make(id, "table").setAttribute("aria-label", name);
      at[id].setAttribute("role", "table");  // one without a head is laid out with it only, Chromium thinks
      at[id].style.width = "240px";
    },
    fill(id, ...words) {
      const table = at[id], lines = [];
      while (words.length) lines.push(words.splice(0, 2));
      while (table.rows.length > lines.length) table.deleteRow(-1);
      lines.forEach((texts, number) => {
        const row = table.rows[number] ?? table.insertRow();
        texts.forEach((text, column) => {
          const cell = row.cells[column] ?? row.insertCell();
          cell.onclick = () => tell({cell: [number, column]});
          if (cell.textContent !== text) cell.textContent = text;
        });
      });
    },
  };
  function rect(element) {
    const b = element.getBoundingClientRect(), edge = (outerWidth - innerWidth) / 2;
    const left = screenX + edge, top = screenY + outerHeight - innerHeight - edge;
    return [b.left + left, b.top + top, b.right + left, b.bottom + top].map(Math.round);
  }
  const places = () => ({
    rects: Object.fromEntries(Object.entries(at).map(([id, element]) => [id, rect(element)])),
    cells: [...document.querySelectorAll("tr")].map(row => [...row.cells].map(rect)),
  });
  addEventListener("load", async () => {
    for (;;) {
      const {number, orders} = await (await fetch("/next")).json();
      for (const [what, ...how] of orders) does[what](...how);
      await tell({number, ...places()});
    }
  });
</script>
"""


class Toolkit(Told):
    rows_are_rows = True

    def __init__(self):
        self.sent = queue.Queue()
        super().__init__(lambda number, orders: self.sent.put({"number": number, "orders": orders}))

    def hear(self, said):
        if "pressed" in said:
            self.pressed[said["pressed"]]()
        elif "cell" in said:
            self.pressed_cell(*said["cell"])
        else:
            self.placed(**said)


def obey_all(world, lines):
    for line in lines:
        with LOCK:
            world.obey(line)


def said(toolkit, path):
    """The page; at `/next`, what it is to do next, once there is something."""
    if path == "/next":
        return json.dumps(toolkit.sent.get())
    return PAGE % (TITLE, len(IN_ROW) + 1) if path == "/" else ""


def heard(toolkit, told):
    with LOCK:
        toolkit.hear(told)


LOCK = threading.Lock()

if __name__ == "__main__":
    toolkit = Toolkit()
    pages = WaitingPages(
        lambda path: said(toolkit, path),
        lambda told: heard(toolkit, told),
    )
    world = World(toolkit, Path(sys.argv[1]), version())
    lines = os.fdopen(os.open(sys.argv[2], os.O_RDWR), "r", encoding="utf-8")
    threading.Thread(target=obey_all, args=(world, lines), daemon=True).start()
    pages.show()
