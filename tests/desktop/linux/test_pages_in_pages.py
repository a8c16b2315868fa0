"""A page in another page, of the same site and of another, is seen where it is, however both were scrolled.

Chromium tells late of each of them by itself (ADR 0066). The pages say what is true, asked over the loopback.
"""

import random
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Final

import pytest
from anyio import to_thread
from pydantic import BaseModel, ConfigDict

from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.reobservation", "observe.chromium")]

TURNS: Final = 24
TELLS_S: Final = 20.0
SIZE: Final = (600, 400)
OUTER, INNER = "outer", "inner"

TELLS: Final = """<script>
  async function tell(name, look) {
    for (;;) {
      const asked = await (await fetch("/ask/" + name)).text();
      await fetch("/" + name, {method: "POST", body: JSON.stringify(look(asked))});
    }
  }
  const place = part => { const r = part.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
</script>"""

OUTER_PAGE: Final = """<!doctype html><meta charset=utf-8><title>Outer</title><body style="margin:0">@TELLS@
<div style="height:100px"><button>Top</button></div>
<iframe id=frame src="@INNER@" style="border:0;width:600px;height:400px"></iframe>
<p>Below</p><div style="height:1500px">End</div>
<div style="position:fixed;top:0;left:0;width:600px;height:@COVER@px;background:#ddd;overflow:hidden">Over</div>
<script>tell("outer", () => ({places: {frame: place(document.getElementById("frame"))}}));</script>"""

INNER_PAGE: Final = """<!doctype html><meta charset=utf-8><title>Inner</title><body style="margin:0">@TELLS@
<h1 id=head>Asked</h1>
<script>
  let clicked = "";
  for (let number = 0; number < 40; number++) {
    const button = document.createElement("button");
    button.textContent = "Button " + number;
    button.style.cssText = "display:block;height:30px;width:160px;margin:6px";
    button.onclick = () => { clicked = button.textContent; };
    document.body.append(button);
  }
  tell("inner", asked => {
    document.getElementById("head").textContent = "Asked " + asked;
    const told = [...document.querySelectorAll("button")].map(button => [button.textContent, place(button)]);
    return {clicked, places: Object.fromEntries(told)};
  });
</script>"""


class Told(BaseModel):
    """What a page says: places within it by name, and what was clicked last."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    places: Mapping[str, tuple[float, float, float, float]]
    clicked: str = ""


class Pages(ThreadingHTTPServer):
    """Serves both pages; asks each of them, and takes what it tells. Numbers tell what is asked apart."""

    daemon_threads = True

    def __init__(self, host: str, cover: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        inner = f"http://{host}:{self.server_port}/{INNER}"
        outer = OUTER_PAGE.replace("@INNER@", inner).replace("@COVER@", str(cover))
        self.pages = {f"/{OUTER}": outer.replace("@TELLS@", TELLS), f"/{INNER}": INNER_PAGE.replace("@TELLS@", TELLS)}
        self.asked = {name: Queue[str]() for name in (OUTER, INNER)}
        self.told = {name: Queue[str]() for name in (OUTER, INNER)}
        self._number = 0

    def ask(self, name: str) -> Told:
        self._number += 1
        self.asked[name].put(str(self._number))
        return Told.model_validate_json(self.told[name].get(timeout=TELLS_S))


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Pages)
        last = self.path.rpartition("/")[2]
        self._answer(self.server.asked[last].get() if "/ask/" in self.path else self.server.pages.get(self.path, ""))

    def do_POST(self) -> None:
        assert isinstance(self.server, Pages)
        told = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.told[self.path.strip("/")].put(told)
        self._answer("")

    def _answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called
        pass


async def asked(pages: Pages, name: str) -> Told:
    return await to_thread.run_sync(pages.ask, name)


@asynccontextmanager
async def serving(host: str, cover: int) -> AsyncGenerator[Pages]:
    pages = Pages(host, cover)
    thread = threading.Thread(target=pages.serve_forever, daemon=True)
    thread.start()
    try:
        yield pages
    finally:
        for asked in pages.asked.values():
            asked.put("")
        pages.shutdown()
        pages.server_close()


def judged(seen: Sequence[TargetInfo], frame: Rect, told: Told, view: Rect) -> list[str]:
    """What is not as the pages say it. `frame`: the inner page on the screen; `view`: what shows of the outer one."""
    found: list[str] = []
    buttons = {control.name: control for control in seen if control.name.startswith("Button")}
    for name, place in told.places.items():
        whole = Rect(*map(round, place)).moved(frame.left, frame.top)
        shown = whole.intersection(frame).intersection(view)
        control = buttons.get(name)
        if control is None:
            found += [f"{name} is not seen at {whole}"] if shown == whole else []
        elif shown.empty or any(abs(a - b) > 1 for a, b in zip(edges(control.rect), edges(shown), strict=True)):
            found.append(f"{name} is seen at {control.rect} for {shown}")
    return found


def edges(rect: Rect) -> tuple[int, int, int, int]:
    return rect.left, rect.top, rect.right, rect.bottom


@pytest.mark.parametrize(("host", "cover"), [("127.0.0.1", 0), ("localhost", 0), ("localhost", 260)])
async def test_a_page_in_another_is_seen_where_it_is_right_after_either_was_scrolled(
    host: str, cover: int, tmp_path: Path
) -> None:
    """Both have changed just before. Of another host, a page is in a process of its own."""
    rng = random.Random(3)  # noqa: S311 - the same turns each time
    async with serving(host, cover) as pages, linux_desktop(tmp_path) as desktop:
        argv = ("chromium", "--site-per-process", f"--app=http://127.0.0.1:{pages.server_port}/{OUTER}")
        window = await desktop.launch(Application("chromium", argv, window="Outer"))
        tools = Tools(desktop)
        await tools.find(window, "Button 3", Role.BUTTON)
        seen = await desktop.observe(window, picture=False)
        view = next(control.rect for control in seen.controls if control.type is Role.DOCUMENT)
        inner, beside = Point(view.left + 300, view.top + 350), Point(view.left + 800, view.top + 300)
        for turn in range(TURNS):
            await asked(pages, INNER)
            await desktop.scroll(rng.choice((inner, beside)), rng.choice((-3, -2, -1, 1, 2, 3)))
            await desktop.settle(window)
            seen = await desktop.observe(window, picture=False)
            (place,) = (await asked(pages, OUTER)).places.values()
            told = await asked(pages, INNER)
            frame = Rect(*map(round, place)).moved(view.left, view.top)
            assert judged(seen.controls, frame, told, view) == [], f"turn {turn}"
            open_to_clicks = Rect(view.left, view.top + cover, view.right, view.bottom)
            reachable = [
                c for c in seen.controls if c.name in told.places and c.rect.intersection(open_to_clicks) == c.rect
            ]
            if turn % 4 == 0 and reachable:
                target = replace(rng.choice(reachable), id="1")
                result = await tools.run(window, "click_input", target)
                assert result.error is None, result
                assert (await asked(pages, INNER)).clicked == target.name
