"""The words of `words.py` on the canvas of a web page in Chromium: `words_chromium.py STATE_FILE THEME`."""

import json
import sys

from web import Pages
from words import COLOURS, LEFT, SIZE, TITLE, Words

words = Words(sys.argv[1])
back, front = COLOURS[sys.argv[2]]
PAGE = f"""<!doctype html><title>{TITLE}</title><style>body {{ margin: 0; background: {back} }}</style>
<canvas id=c width={SIZE[0]} height={SIZE[1]}></canvas><script>
const canvas = document.getElementById("c"), pen = canvas.getContext("2d");
async function draw() {{
  const seen = await (await fetch("/lines")).json(), boxes = {{}};
  pen.fillStyle = "{back}"; pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = pen.strokeStyle = "{front}"; pen.font = "13px sans-serif"; pen.textBaseline = "top";
  for (const [text, top] of seen.lines) {{
    const size = pen.measureText(text);
    pen.fillText(text, {LEFT}, top);
    boxes[text] = [{LEFT}, top - size.fontBoundingBoxAscent, {LEFT} + size.width, top + size.fontBoundingBoxDescent];
  }}
  if (seen.frame) {{
    const [left, top, right, bottom] = seen.frame;
    pen.strokeRect(left + .5, top + .5, right - left, bottom - top);
  }}
  const origin = [window.screenX, window.screenY + window.outerHeight - window.innerHeight];
  await fetch("/", {{method: "POST", body: JSON.stringify({{boxes, origin}})}});
}}
canvas.onmousedown = async event => {{
  await fetch("/", {{method: "POST", body: JSON.stringify({{click: [event.offsetX, event.offsetY]}})}});
  draw();
}};
draw();
setInterval(() => fetch("/", {{method: "POST", body: JSON.stringify({{
  origin: [window.screenX, window.screenY + window.outerHeight - window.innerHeight]}})}}), 200);
</script>"""
origin = [0, 0]


def say(path):
    return json.dumps({"lines": words.lines, "frame": words.frame}) if path == "/lines" else PAGE


def hear(said):
    global origin  # noqa: PLW0603 - the page tells it with its boxes
    words.boxes = said.get("boxes", words.boxes)
    origin = said.get("origin", origin)
    if "click" in said:
        words.click(*said["click"])
    words.save(origin)


Pages(say, hear).show()
