"""A page in another page, of the same site and of another, is seen where it is, however both were scrolled.

Chromium reports changes of each of them late. The pages return the true places, over the loopback.
"""

import random
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from queue import Queue
from typing import Final

import pytest
from anyio import to_thread
from pydantic import BaseModel, ConfigDict

from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from wire.serving import LoopbackServer, QuietHandler, serving

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
  let scrolled = [];
  document.addEventListener("scroll", () => { scrolled = [...scrolled.slice(-5), Date.now() / 1000]; });
  const place = part => { const r = part.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
</script>"""

OUTER_PAGE: Final = """<!doctype html><meta charset=utf-8><title>Outer</title><body style="margin:0">@TELLS@
<div style="height:100px"><button>Top</button></div>
<iframe id=frame src="@INNER@" style="border:0;width:600px;height:400px"></iframe>
<p>Below</p><div style="height:1500px">End</div>
<div style="position:fixed;top:0;left:0;width:600px;height:@COVER@px;background:#ddd;overflow:hidden">Over</div>
<script>tell("outer", () => ({scrolled, places: {frame: place(document.getElementById("frame"))}}));</script>"""

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
    return {clicked, scrolled, places: Object.fromEntries(told)};
  });
</script>"""


class Told(BaseModel):
    """What a page says: places within it by name, when it was scrolled, lately, and what was clicked last."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    places: Mapping[str, tuple[float, float, float, float]]
    scrolled: tuple[float, ...]
    clicked: str = ""


class Pages(LoopbackServer):
    """Serves both pages; asks each of them, and takes what it tells. Numbers tell what is asked apart."""

    def __init__(self, host: str, cover: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        inner = f"http://{host}:{self.server_port}/{INNER}"
        outer = OUTER_PAGE.replace("@INNER@", inner).replace("@COVER@", str(cover))
        self.pages = {f"/{OUTER}": outer.replace("@TELLS@", TELLS), f"/{INNER}": INNER_PAGE.replace("@TELLS@", TELLS)}
        self.asked = {name: Queue[str]() for name in (OUTER, INNER)}
        self.told = {name: Queue[str]() for name in (OUTER, INNER)}
        self._number = 0

    async def ask(self, name: str) -> Told:
        self._number += 1
        self.asked[name].put(str(self._number))
        return Told.model_validate_json(await to_thread.run_sync(partial(self.told[name].get, timeout=TELLS_S)))


class Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - the name is the base class's
        assert isinstance(self.server, Pages)
        last = self.path.rpartition("/")[2]
        self._answer(self.server.asked[last].get() if "/ask/" in self.path else self.server.pages.get(self.path, ""))

    def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
        assert isinstance(self.server, Pages)
        told = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.told[self.path.strip("/")].put(told)
        self._answer("")

    def _answer(self, text: str) -> None:
        body = text.encode()
        with suppress(ConnectionError):  # the page is closed
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


@contextmanager
def pages_of(host: str, cover: int) -> Generator[Pages]:
    pages, gone = Pages(host, cover), threading.Event()
    with serving(pages, gone):
        try:
            yield pages
        finally:
            for asked in pages.asked.values():
                asked.put("")


@dataclass(frozen=True, slots=True)
class Judged:
    """One look, and what is not as the pages say it. `late`: what the wheel did was done after the look began."""

    seen: Sequence[TargetInfo]
    told: Told
    wrong: Sequence[str]
    late: bool
    scrolled: str


async def look(desktop: LinuxDesktop, window: TargetInfo, pages: Pages, view: Rect) -> Judged:
    await desktop.settle(window)
    began = time.time()  # on the clock of the pages
    seen = (await desktop.observe(window, picture=False)).controls
    outer, inner = await pages.ask(OUTER), await pages.ask(INNER)
    (place,) = outer.places.values()
    wrong = judged(seen, Rect(*map(round, place)).moved(view.left, view.top), inner, view)
    after = [round(at - began, 3) for at in (*outer.scrolled, *inner.scrolled)]
    return Judged(seen, inner, wrong, any(at > 0 for at in after), f"scrolled {after} s after the look began")


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


@pytest.mark.full("the others take the same way", but=["localhost-260"])
@pytest.mark.parametrize(("host", "cover"), [("127.0.0.1", 0), ("localhost", 0), ("localhost", 260)])
async def test_a_page_in_another_is_seen_where_it_is_right_after_either_was_scrolled(
    host: str, cover: int, tmp_path: Path
) -> None:
    """Both have changed just before. Of another host, a page is in a process of its own."""
    rng, late = random.Random(3), 0  # noqa: S311 - the same turns each time
    with pages_of(host, cover) as pages:
        async with linux_desktop(tmp_path) as desktop:
            argv = ("chromium", "--site-per-process", f"--app=http://127.0.0.1:{pages.server_port}/{OUTER}")
            window = await desktop.launch(Application("chromium", argv, window="Outer"))
            tools = Tools(desktop)
            await tools.find(window, "Button 3", Role.BUTTON)
            seen = await desktop.observe(window, picture=False)
            view = next(control.rect for control in seen.controls if control.type is Role.DOCUMENT)
            inner, beside = Point(view.left + 300, view.top + 350), Point(view.left + 800, view.top + 300)
            for turn in range(TURNS):
                await pages.ask(INNER)
                await desktop.scroll(rng.choice((inner, beside)), rng.choice((-3, -2, -1, 1, 2, 3)))
                it = await look(desktop, window, pages, view)
                if it.late:
                    late += 1
                    it = await look(desktop, window, pages, view)
                assert it.wrong == [], f"turn {turn}, {it.scrolled}"
                open_to_clicks = Rect(view.left, view.top + cover, view.right, view.bottom)
                named = [control for control in it.seen if control.name in it.told.places]
                reachable = [control for control in named if control.rect.intersection(open_to_clicks) == control.rect]
                if turn % 4 == 0 and reachable:
                    target = replace(rng.choice(reachable), id="1")
                    result = await tools.run(window, "click_input", target)
                    assert result.error is None, result
                    assert (await pages.ask(INNER)).clicked == target.name
            assert late <= TURNS // 8, f"{late} looks began before what the wheel did was done"
