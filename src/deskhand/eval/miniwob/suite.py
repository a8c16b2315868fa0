"""MiniWoB++ as a suite: a trial opens a page in Chromium, and the page has its request and its reward."""

import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deskhand.config.sections import ApplicationEntry
from deskhand.core.errors import MissingRequirement
from deskhand.eval.miniwob.pages import Pages, installed_pages
from deskhand.eval.miniwob.server import Episode, Server, serving
from deskhand.eval.suite import Judgement, Setup, Suite, SuiteTask, TaskDetails, Verdict

NAME: Final = "miniwob"
DRAWN: Final = "drawn"
"""Tag of tasks about colours, shapes or pictures, which are not exposed through accessibility."""

_DRAWN: Final = frozenset(
    {
        "bisect-angle",
        "chase-circle",
        "circle-center",
        "click-color",
        "click-pie",
        "click-pie-nodelay",
        "click-shades",
        "click-shape",
        "count-shape",
        "count-sides",
        "drag-cube",
        "drag-shapes",
        "drag-shapes-2",
        "draw-circle",
        "draw-line",
        "find-midpoint",
        "hot-cold",
        "hover-shape",
        "identify-shape",
        "moving-items",
        "number-checkboxes",
        "right-angle",
        "simon-says",
        "use-colorwheel-2",
        "visual-addition",
    }
)
_DESCRIPTION: Final = "small web pages that reward what their request asks for, in Chromium (MiniWoB++)"
_REQUEST: Final = "Do what the open page asks for."
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_PREVIEW: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
_REWARD_S: Final = 1.0
"""Time for a reward to come after the end of a session."""


def miniwob_suite() -> Suite:
    """Return all tasks of the installed package. Raises: MissingRequirement."""
    pages = installed_pages()
    tasks: tuple[SuiteTask, ...] = tuple(MiniwobTask(pages, name) for name in pages.tasks)
    return Suite(NAME, _DESCRIPTION, _digest(pages), tasks)


@dataclass(frozen=True, slots=True)
class MiniwobTask:
    """One page. The number of the trial is the seed of its problem."""

    pages: Pages
    name: str

    @property
    def details(self) -> TaskDetails:
        """Its buttons named Submit are approved: the page sends nothing but its reward, to us."""
        tags = (DRAWN,) if self.name in _DRAWN else ()
        return TaskDetails(self.name, _REQUEST, tags, approves=True)

    @asynccontextmanager
    async def set_up(self, work: Path, number: int) -> AsyncGenerator[Setup]:  # noqa: ARG002 - a page has no files
        """Serve the page of a trial. Raises: MissingRequirement."""
        browser = _browser()
        with serving(self.pages) as server:
            episode = server.episode(self.name, number)
            entry = ApplicationEntry(argv=(browser, f"--app={episode.url}"))
            yield Setup(
                partial(_verdict, episode),
                applications=(NAME,),
                commands={NAME: entry},
                request=partial(_request, server, browser, episode),
            )


async def _request(server: Server, browser: str, episode: Episode) -> str:
    """Return an episode's request, from a page of its seed in a browser without a window. Raises: UsageError."""
    preview = server.episode(episode.task, episode.seed)
    with _opened(browser, preview.url):
        return await preview.utterance()


@contextmanager
def _opened(browser: str, url: str) -> Generator[None]:
    """Open a page without a window, in a profile of its own, as long as the context lasts."""
    with TemporaryDirectory(prefix="deskhand-", ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [browser, *_PREVIEW, f"--user-data-dir={home}", url],
            env={**os.environ, "HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


async def _verdict(episode: Episode, _summary: Path) -> Verdict:
    ending = await episode.ended(_REWARD_S if episode.is_open else 0)
    if ending is not None:
        return Verdict(Judgement.PASSED) if ending.passed else Verdict(Judgement.FAILED, episode.reason)
    return Verdict(Judgement.ERROR if episode.faults else Judgement.FAILED, episode.reason)


def _browser() -> str:
    found = next((name for name in _BROWSERS if shutil.which(name)), "")
    if not found:
        raise MissingRequirement("chromium is not installed", fix="sudo apt-get install -y chromium")
    return found


def _digest(pages: Pages) -> str:
    """Return the digest of all pages and of the script that starts them."""
    total = hashlib.sha256(Path(__file__).with_name("episode.js").read_bytes())
    for file in sorted(pages.root.rglob("*")):
        if file.is_file():
            total.update(str(file.relative_to(pages.root)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()
