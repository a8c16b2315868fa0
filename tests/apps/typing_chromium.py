"""The fields of `texts.py` on a web page in Chromium: `typing_chromium.py STATE_FILE`. Any Python runs it."""

import sys
from pathlib import Path

from texts import LABELS, LOOK_MS, TITLE, Texts
from web import Pages

PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{TITLE}</title>
<p><label for="line">{LABELS["line"]}</label> <input id="line" size="60"></p>
<p><label for="page">{LABELS["page"]}</label> <textarea id="page" rows="8" cols="60"></textarea></p>
<p><label for="secret">{LABELS["secret"]}</label> <input id="secret" type="password"></p>
<script>
  let last = "", queue = Promise.resolve();
  function look() {{
    const active = document.hasFocus() ? document.activeElement : null;
    const told = Object.fromEntries(["line", "page", "secret"].map(key => [key, document.getElementById(key).value]));
    const said = JSON.stringify({{...told, focus: active?.id ?? ""}});
    if (said === last) return;
    last = said;
    queue = queue.then(() => fetch("/", {{method: "POST", body: said}}));
  }}
  setInterval(look, {LOOK_MS});
</script>
"""


class Fixture:
    def __init__(self, path):
        self.told = {}
        self.texts = Texts(path, lambda: self.told)

    def take(self, told):
        self.told = told
        self.texts.write()


if __name__ == "__main__":
    fixture = Fixture(Path(sys.argv[1]))
    Pages(lambda path: PAGE if path == "/" else "", fixture.take).show()
