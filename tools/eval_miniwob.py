"""Solves MiniWoB++ pages in Chromium by a script, as proof that pages, tools and rewards work: no model, no DOM.

`eval_miniwob.py [--only TASK,…] [--seeds N] [--moves]`: prints for each task how many episodes had the whole reward.
"""

import argparse
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic

import anyio

import deskhand
from deskhand.config.sections import ApplicationEntry, Configuration
from deskhand.core.errors import DeskhandError
from deskhand.eval.miniwob.pages import installed_pages
from deskhand.eval.miniwob.server import Episode, Server, serving
from deskhand.session.interactors import ScriptedInteractor
from tools.miniwob.page import Move, Page, Unsolved
from tools.miniwob.rules import solve

_SIZE = (1280, 800)
_LIMIT_S = 90.0
_REWARD_S = 3.0
_MOST_APPROVED = 200
"""Actions that our rules ask about, as of buttons named Submit: the request orders them, and the page is our own."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One episode: what came of it, and its moves."""

    episode: Episode
    request: str
    moves: tuple[Move, ...]
    problem: str
    seconds: float

    @property
    def passed(self) -> bool:
        return self.episode.ending is not None and self.episode.ending.passed


async def tried(server: Server, task: str, seed: int) -> Tried:
    """Solve one episode in a browser of its own, on a desktop of its own."""
    episode = server.episode(task, seed)
    entry = ApplicationEntry(argv=("chromium", f"--app={episode.url}"))
    started, page, problem, request = monotonic(), None, "", ""
    try:
        with anyio.fail_after(_LIMIT_S):
            configuration = Configuration(applications={"miniwob": entry})
            approving = ScriptedInteractor({}, [True] * _MOST_APPROVED)
            opening = deskhand.open_desktop(configuration=configuration, size=_SIZE, interactor=approving)
            async with opening as desktop:
                window = await desktop.launch("miniwob")
                request = await episode.utterance()
                page = Page(window, episode, request)
                await solve(page)
                await episode.ended(_REWARD_S)
    except Unsolved as unsolved:
        problem = str(unsolved)
    except TimeoutError:
        problem = f"not done in {_LIMIT_S:g} s"
    except (DeskhandError, LookupError, StopIteration, ValueError, RuntimeError) as error:
        problem = "".join(traceback.format_exception_only(error)).strip() + " " + _where(error)
    server.drop(episode)
    moves = tuple(page.moves) if page else ()
    return Tried(episode, request, moves, problem or ("" if episode.ending else episode.reason), monotonic() - started)


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return next((f"({frame.name}:{frame.lineno})" for frame in reversed(frames) if "miniwob" in frame.filename), "")


async def run(tasks: Sequence[str], seeds: Iterable[int], *, moves: bool) -> int:
    """Print the table; return how many tasks have the full reward with every seed."""
    seeds = tuple(seeds)
    all_tried = list[Tried]()
    with serving(installed_pages()) as server:
        for task in server.pages.require(tasks) or server.pages.tasks:
            for seed in seeds:
                one = await tried(server, task, seed)
                all_tried.append(one)
                if moves or not one.passed:
                    print(f"  {task} {seed}: {one.episode.reason}; {one.problem}; {one.request}", flush=True)
                for move in one.moves if moves else ():
                    print(f"    {move.seconds:5.2f} s {move.tool} {move.target}: {move.effect}: {move.evidence}")
    print("\nsolved  task                            seconds  actions  not confirmed")
    whole = 0
    for task, group in groupby(all_tried, key=lambda one: one.episode.task):
        each = list(group)
        solved = sum(one.passed for one in each)
        whole += solved == len(seeds)
        actions = [move for one in each for move in one.moves]
        doubtful = sum(move.effect != "confirmed" for one in each if one.passed for move in one.moves)
        seconds = sum(one.seconds for one in each) / len(each)
        print(f"{solved:2} of {len(each)} {task:32} {seconds:6.1f}  {len(actions):7}  {doubtful:13}")
    print(
        f"\n{whole} of {len({one.episode.task for one in all_tried})} tasks with all of {len(seeds)} seeds;"
        f" {sum(one.passed for one in all_tried)} of {len(all_tried)} episodes"
    )
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--moves", action="store_true")
    given = parser.parse_args()
    tasks = [task for task in given.only.split(",") if task]
    seeds = range(given.first, given.first + given.seeds)
    anyio.run(lambda: run(tasks, seeds, moves=given.moves))


if __name__ == "__main__":
    sys.exit(main())
