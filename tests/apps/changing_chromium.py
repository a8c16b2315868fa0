"""The controls of `changing.py` on a web page: `changing_chromium.py STATE_FILE COMMANDS`. Any Python runs it.

The page asks a small server on the loopback what to do, does it, and tells what stands in it.
"""

import json
import queue
import sys
import threading
from pathlib import Path

from changing import TABS, TITLE, WORDS, World, commands
from changing_told import Told, obey_all, told_of
from web import WaitingPages, version

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>%(title)s</title>
<style>
  * { box-sizing: border-box } body { margin: 4px; height: calc(100vh - 8px); display: flex; flex-direction: column }
  .line { display: flex; gap: 4px; min-height: 26px } h3 { font-size: 13px; margin: 0; flex: none }
  [role=tab], [role=option], td, summary { display: inline-block; padding: 2px 8px; height: 22px }
  [role=option] { display: block } td { display: table-cell } [aria-selected=true] { background: #cdf }
  .page { flex: 1; min-height: 0; display: flex; gap: 8px } .page[hidden] { display: none }
  .scrolled { overflow-y: scroll; flex: 1; position: relative } #long > * { display: block; margin-bottom: 14px }
  #long > [hidden], .line > [hidden] { display: none } input { width: 110px; flex: none }
  #popup, dialog { position: fixed; left: 300px; top: 200px; margin: 0; background: #eee; z-index: 9 }
  dialog { left: 500px } [role=menuitem], dialog button { display: block }
</style>
<div class="line" id="first"></div>
<div class="line" id="second"></div>
<div role="tablist" class="line" id="tabs"></div>
<div class="page"><div class="scrolled" id="long" tabindex="-1"></div></div>
<div class="page" hidden><div class="scrolled" id="list" role="listbox" aria-label="list" tabindex="0"></div>
<div class="scrolled" id="grid"><table aria-label="grid"><tbody></tbody></table></div></div>
<div class="page" hidden><details><summary>x1 More</summary><div class="line" id="inner"></div></details></div>
<script>
  const at = {}, $ = id => document.getElementById(id), pages = [...document.querySelectorAll(".page")];
  const more = document.querySelector("details"), body = document.querySelector("tbody");
  const TYPES = {check: "checkbox", entry: "text", slider: "range", spin: "number"};
  const rows = which => which === "list" ? [...$("list").children] : [...body.children];
  const word = (which, row) => which === "list" ? row : row.children[0];
  for (const name of %(tabs)s) {
    const tab = document.createElement("div");
    tab.setAttribute("role", "tab"); tab.textContent = name; tab.tabIndex = 0; $("tabs").append(tab);
  }
  const insert = (box, element, index) => box.insertBefore(element, box.children[index] ?? null);
  const is = (element, name, value) =>
    value === null ? element.removeAttribute(name) : element.setAttribute(name, value);
  const does = {
    title: text => document.title = text,
    make(key, kind, name) {
      const element = document.createElement({button: "button", label: "h3"}[kind] ?? "input");
      if (TYPES[kind]) { element.type = TYPES[kind]; element.value = {entry: "first", check: "on"}[kind] ?? 0 }
      at[key] = element;
      does.rename(key, kind, name);
    },
    rename(key, kind, name) {
      const element = at[key];
      if (!TYPES[kind]) element.textContent = name;
      if (TYPES[kind] || element.isContentEditable) element.setAttribute("aria-label", name);
    },
    put: (key, box, index) => insert($(box), at[key], index),
    take: key => at[key].remove(),
    destroy(key) { at[key].remove(); delete at[key] },
    text: (key, text) => at[key].value = text,
    value: (key, number) => at[key].value = number,
    enabled(key, on) { if (at[key].tagName === "H3") return; at[key].disabled = !on },
    check: key => at[key].checked = !at[key].checked,
    visible: (key, on) => at[key].hidden = !on,
    focus: key => at[key].focus(),
    turn(key, kind, form) {
      const element = at[key];
      is(element, "role", {link: "link", toggle: "switch", note: "link"}[form] ?? null);
      element.onclick = form === "clickable" ? () => {} : null;
      is(element, "contenteditable", form === "editable" ? "true" : null);  // then it is not named by its words
      if (kind === "label") is(element, "aria-label", form === "editable" ? element.textContent : null);
      if (kind === "button") is(element, "aria-expanded", form === "opener" ? "false" : null);
      if (kind === "entry") { element.type = form === "password" ? "password" : "text" }
      if (kind === "entry" || kind === "spin") element.readOnly = form === "locked";
      if (kind === "check") element.indeterminate = form === "mixed";
    },
    insert_row(which, index, text) {
      let row = document.createElement(which === "list" ? "div" : "tr");
      if (which === "list") {
        is(row, "role", "option"); is(row, "aria-selected", "false");
        row.textContent = text;
      } else row.innerHTML = `<td>${text}</td><td>no</td>`;
      insert(which === "list" ? $("list") : body, row, index);
    },
    remove_row: (which, index) => rows(which)[index].remove(),
    set_row: (which, index, text) => word(which, rows(which)[index]).textContent = text,
    order_rows(which, order) {
      const old = rows(which);
      for (const index of order) old[0].parentNode.append(old[index]);
    },
    select_row(which, index) {
      if (which === "list") rows(which).forEach((row, n) => is(row, "aria-selected", String(n === index)));
    },
    flip_row(index) {
      const cell = body.children[index].children[1];
      cell.textContent = cell.textContent === "no" ? "yes" : "no";
    },
    tab(number) {
      pages.forEach((page, n) => page.hidden = n !== number);
      [...$("tabs").children].forEach((tab, n) => is(tab, "aria-selected", String(n === number)));
    },
    expand: on => more.open = on,
    open(which, names) {
      const box = document.createElement(which === "popup" ? "div" : "dialog");
      if (which === "popup") { box.id = "popup"; box.setAttribute("role", "menu") }
      for (const name of names) {
        const part = document.createElement(which === "popup" ? "div" : "button");
        if (which === "popup") { part.setAttribute("role", "menuitem"); part.tabIndex = 0 }
        part.textContent = name; box.append(part);
      }
      document.body.append(box);
      if (which === "question") box.show();
      at[which] = box;
    },
    close(which) { at[which].remove(); delete at[which] },
    scroll(which, share) { const box = $(which); box.scrollTop = share * (box.scrollHeight - box.clientHeight) },
    resize: (width, height) => resizeTo(width, height),
    shift: (left, top) => moveTo(left, top),
  };
  function place(element) {
    const box = element.getBoundingClientRect(), edge = (outerWidth - innerWidth) / 2;
    const left = screenX + edge, top = screenY + outerHeight - innerHeight - edge;
    const rect = b => [b.left + left, b.top + top, b.right + left, b.bottom + top].map(Math.round);
    const clips = [rect({left: 0, top: 0, right: innerWidth, bottom: innerHeight})];
    const scrolled = element.closest(".scrolled");
    if (scrolled) {
      const b = scrolled.getBoundingClientRect();
      clips.push(rect({left: b.left, top: b.top, right: b.left + scrolled.clientWidth, bottom: b.bottom}));
    }
    return {mapped: element.checkVisibility(), rect: rect(box), clips};
  }
  function facts(element) {
    const {tagName, type} = element;
    return {
      ...place(element), enabled: !element.disabled, checked: !!element.checked,
      selected: element.getAttribute("aria-selected") === "true",
      focused: document.hasFocus() && document.activeElement === element,
      value: tagName === "INPUT" && type !== "checkbox" ? String(element.value) : "",
      expanded: more.open,
    };
  }
  function look() {
    return {
      parts: Object.fromEntries(Object.entries(at).map(([key, element]) => [key, facts(element)])),
      rows: {list: rows("list").map(facts), grid: rows("grid").map(row => facts(row.children[0]))},
      tabs: [...$("tabs").children].map(facts), more: facts(document.querySelector("summary")),
      extra: Object.fromEntries(["popup", "question"].filter(w => at[w]).map(w => [w, [...at[w].children].map(facts)])),
    };
  }
  does.tab(0);
  (async () => {
    for (;;) {
      const {number, orders} = await (await fetch("/next")).json();
      for (const [what, ...how] of orders) does[what](...how);
      await new Promise(done => setTimeout(done));
      await fetch("/", {method: "POST", body: JSON.stringify({number, look: look()})});
    }
  })();
</script>
"""

FORMS = {
    "button": ("link", "toggle", "opener"),
    "entry": ("password", "locked"),
    "label": ("clickable", "editable", "note"),
    "check": ("toggle", "mixed"),
    "spin": ("locked",),
}

ROLES = {"check": "checkbox", "entry": "textbox", "spin": "spinbutton", "label": "heading"}


class Toolkit(Told):
    forms = FORMS
    dialogs_are_windows = False

    def __init__(self):
        self.sent = queue.Queue()
        super().__init__(lambda number, orders: self.sent.put({"number": number, "orders": orders}))

    # what the page told

    def facts(self, part):
        told = self.told["parts"][part.key]
        role = {"link": "link", "note": "link", "password": "password"}.get(part.form)
        role = role or ROLES.get(part.kind, part.kind)
        states = ("enabled",)
        if part.kind in ("button", "entry"):
            states += ("focused",)
        if part.form == "toggle":
            role = "switch"
        if part.kind == "check" and part.form != "mixed":
            states += ("checked",)
        value = "" if part.form == "password" else told["value"]
        if part.kind == "slider":
            value = None  # now and then Chromium 156 goes on saying the number that stood there before a script's
        return told_of(told, role, *states, value=value)

    def row_facts(self, which, index):
        told = self.told["rows"][which][index]
        return told_of(told, "listitem", "selected") if which == "list" else told_of(told, "cell")

    def tab_facts(self, number):
        return told_of(self.told["tabs"][number], "tab", "selected")

    def expander_facts(self):
        return told_of(self.told["more"], "button", "expanded")

    def extra_facts(self, which, number):
        told = self.told["extra"][which][number]
        return told_of(told, "menuitem" if which == "popup" else "button")


def said(toolkit, path):
    """The page; at `/next`, what it is to do next, once there is something."""
    if path == "/next":
        return json.dumps(toolkit.sent.get())
    names = [f"{key} {WORDS[number]}" for number, key in enumerate(TABS)]
    return PAGE % {"title": TITLE, "tabs": json.dumps(names)} if path == "/" else ""


if __name__ == "__main__":
    toolkit = Toolkit()
    pages = WaitingPages(lambda path: said(toolkit, path), lambda told: toolkit.hear(told["number"], told["look"]))
    world = World(toolkit, Path(sys.argv[1]), version())
    _, lines = commands(sys.argv[2])
    threading.Thread(target=obey_all, args=(world, lines), daemon=True).start()
    pages.show()
