"""The rows of `recycling.py` on a web page. Any Python runs it."""

import json
import sys
from pathlib import Path

from recycling import PEOPLE, SIZE, TITLE, write
from web import Pages

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>%s</title>
<p id="done">Done 0</p><ul id="people"></ul>
<script>
  const people = %s, labels = []
  let first = 0, count = 0
  for (let row = 0; row < %d; row++) {
    const line = document.createElement("li"), label = document.createElement("span")
    const button = document.createElement("button")
    button.textContent = "Edit"
    button.onclick = () => {
      fetch("/", {method: "POST", body: JSON.stringify({pressed: label.textContent})})
      done.textContent = `Done ${++count}`
    }
    line.append(label, " ", button)
    labels.push(label)
    document.getElementById("people").append(line)
  }
  const show = () => labels.forEach((label, row) => {
    const number = first + row
    label.textContent = `${people[number %% people.length]} ${number}`
  })
  show()
  setInterval(() => { first++; show() }, %d)
</script>"""

path, pressed = Path(sys.argv[1]), []
write(path, pressed)


def hear(told):
    pressed.append(told["pressed"])
    write(path, pressed)


page = PAGE % (TITLE, json.dumps(PEOPLE), SIZE, round(float(sys.argv[2]) * 1000))
Pages(lambda _: page, hear).show()
