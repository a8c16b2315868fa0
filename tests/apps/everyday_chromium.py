"""The everyday form on a web page in Chromium: `everyday_chromium.py STATE_FILE`. The page posts its own state."""

import json
import sys
from pathlib import Path

from everyday import FRUIT, LOOK_MS, SIZES, TITLE
from web import Pages

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>%(title)s</title>
<style>p { margin: 4px 0 } #notes { height: 3em } body { height: 3000px }
[aria-pressed=true], [aria-selected=true] { font-weight: bold; background: gold }</style>
<p><button id="press">Press me</button> <button id="silent">Silent</button>
<button id="mark" aria-pressed="false">Mark</button> <span id="result">none</span></p>
<p><label><input id="agree" type="checkbox"> Agree</label>
<label><input id="small" name="kind" type="radio"> Small</label>
<label><input id="large" name="kind" type="radio"> Large</label></p>
<p><label>Name <input id="name" value="Ada"></label></p>
<p><label>Notes <textarea id="notes"></textarea></label></p>
<p><label>Secret <input id="secret" type="password" value="xyzzy"></label></p>
<p><label>Filter <input id="filter"></label></p>
<ul id="shown">%(fruit)s</ul>
<p><label>Many <select id="fruit" multiple size="4">%(options)s</select></label></p>
<p><label>Size <select id="size">%(sizes)s</select></label>
<label>Count <input id="count" type="number" value="0"></label>
<label>Volume <input id="volume" type="range" value="0"></label></p>
<div role="tablist"><button id="one" role="tab" aria-selected="true">One</button>
<button id="two" role="tab" aria-selected="false">Two</button></div>
<div id="editor" contenteditable role="textbox" aria-label="Editor">old</div>
<details id="more"><summary>More</summary><p>Details text</p></details>
<p><a href="#below">Below</a> <button id="reload">Reload</button> <button id="ask">Ask</button></p>
<form id="form" action="/"><label>Search <input id="search" name="q"></label></form>
<p><input id="file" type="file" aria-label="Upload"></p>
<dialog id="dialog" aria-label="Question"><form method="dialog"><label>Answer <input id="answer"></label>
<button id="take">Take</button></form></dialog>
<p id="below" style="margin-top: 1500px">Below text</p>
<script>
  const at = id => document.getElementById(id), counts = {pressed: 0, silent: 0, asked: 0};
  let last = "", queue = Promise.resolve();
  function press(key) { at("result").textContent = `${key} ${++counts[key]}` }
  at("press").onclick = () => press("pressed");
  at("silent").onclick = () => { counts.silent++ };
  at("mark").onclick = () => { at("mark").ariaPressed = String(at("mark").ariaPressed !== "true") };
  at("filter").oninput = () => {
    for (const item of at("shown").children) item.hidden = !item.textContent.includes(at("filter").value);
  };
  for (const tab of ["one", "two"]) at(tab).onclick = () => {
    for (const other of ["one", "two"]) at(other).ariaSelected = String(other === tab);
  };
  at("reload").onclick = () => location.reload();
  at("ask").onclick = () => at("dialog").showModal();
  at("take").onclick = () => press("asked");
  function look() {
    const name = at("name"), chosen = getSelection();
    const state = {
      ...counts,
      loaded: performance.timeOrigin,
      query: location.search,
      hash: location.hash,
      scrolled: Math.round(scrollY),
      mark: at("mark").ariaPressed === "true",
      agree: at("agree").checked,
      radio: ["small", "large"].filter(id => at(id).checked).map(id => id[0].toUpperCase() + id.slice(1)),
      name: name.value,
      caret: [name.selectionStart, name.selectionEnd],
      notes: at("notes").value,
      notes_selected: at("notes").selectionStart !== at("notes").selectionEnd,
      secret: at("secret").value,
      filter: at("filter").value,
      shown: [...at("shown").children].filter(item => !item.hidden).map(item => item.textContent),
      fruit: [...at("fruit").selectedOptions].map(item => item.textContent),
      size: at("size").value,
      count: at("count").valueAsNumber,
      volume: at("volume").valueAsNumber,
      tab: at("one").ariaSelected === "true" ? "One" : "Two",
      editor: at("editor").textContent,
      more: at("more").open,
      dialog: at("dialog").open,
      answer: at("answer").value,
      search: at("search").value,
      picked: at("file").files[0]?.name ?? "",
      focus: document.activeElement.id,
    };
    const text = JSON.stringify(state);
    if (text === last) return;
    last = text;
    queue = queue.then(() => fetch("/", {method: "POST", body: text}));
  }
  setInterval(look, %(look_ms)s);
</script></html>
"""


def page():
    return PAGE % {
        "title": TITLE,
        "fruit": "".join(f"<li>{name}</li>" for name in FRUIT),
        "options": "".join(f"<option>{name}</option>" for name in FRUIT),
        "sizes": "".join(f"<option>{name}</option>" for name in SIZES),
        "look_ms": LOOK_MS,
    }


if __name__ == "__main__":
    path = Path(sys.argv[1])

    def hear(state):
        new = path.with_suffix(".new")
        new.write_text(json.dumps(state), encoding="utf-8")
        new.replace(path)

    Pages(lambda asked: page() if asked.split("?")[0] == "/" else "", hear).show()
