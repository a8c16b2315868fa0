"""Sessions in processes of their own that are killed at a write of their journal, and resumed in another one.

As a program: FOLDER POINT…, each being NUMBER:before or NUMBER:after one of the journal's writes (of one kind:
KIND@NUMBER:after), several of them with `+` between: then the resumed session is killed too. With `:lost` or `:torn` at
its end the power is cut as well (`lost_commits.py`); with `:stopped` its user presses Ctrl+C instead. Prints one JSON
object for each point. The parent imports everything once, and forks.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio

from deskhand.cli.signals import run_until_signal
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import DeskhandError
from deskhand.core.events import Event, SessionFinished
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Clock
from deskhand.session.build import SessionPlan, carry_out
from deskhand.session.clock import SystemClock
from deskhand.session.resume import resume_session, to_resume
from deskhand.store.journal import JOURNAL_NAME, Journal, read_events
from session.lost_commits import lose_commits
from stage import Person
from two_applications import Applications, effects, model


class KilledAt(Journal):
    """A journal whose process is killed, or stopped by its user, right before or after one of its writes."""

    def __init__(self, session_dir: Path, clock: Clock, point: str) -> None:
        super().__init__(session_dir, clock)
        number, self._when, *more = point.split(":")
        self._signal = signal.SIGINT if more == ["stopped"] else signal.SIGKILL
        self._kind, _, number = number.rpartition("@")
        self._left = int(number)

    def emit(self, event: Event) -> None:
        counts = self._kind in {"", event.kind}
        self._left -= counts
        if counts and self._left == 0 and self._when == "before":
            os.kill(os.getpid(), self._signal)
        super().emit(event)
        if counts and self._left == 0 and self._when == "after":
            os.kill(os.getpid(), self._signal)


def plan(folder: Path) -> SessionPlan:
    """The session; its applications live on in the folder's file of effects."""
    apps = Applications(folder / "effects.log")
    return SessionPlan(
        session_id="s1",
        session_dir=folder / "log",
        requests=("Write it and send it",),
        model=model(folder),
        configuration=Configuration(system=SystemSection(save_ui_tree=False, effect_hold_s=0.0)),
        interactor=Person(decides=[True, True, True]),
        opens=apps.desktop.opened,
    )


async def run(folder: Path, point: str) -> None:
    """Begin or continue the session until it is killed at a point."""
    clock, it = SystemClock(), plan(folder)
    if (folder / "log" / JOURNAL_NAME).exists():
        known, _ = to_resume(it.session_dir, it.configuration.system.history_keys)
        it = replace(it, resumes=known)
    with KilledAt(it.session_dir, clock, point) as journal:
        await run_until_signal(partial(carry_out, it, journal, clock), lambda _: None)


async def resume(folder: Path) -> None:
    """Continue it, and write down how it ended."""
    try:
        ending = await resume_session(plan(folder))
        told = {"outcome": ending.outcome.value, "reason": ending.reason}
    except DeskhandError as error:
        told = {"outcome": type(error).__name__, "reason": error.message}
    (folder / "ending.json").write_text(json.dumps(told))


def in_a_process(work: Callable[..., Awaitable[None]], *arguments: object) -> int:
    """Run an async function in a process of its own and return that process's status."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        anyio.run(work, *arguments)
        os._exit(0)
    finally:  # of an error alone
        traceback.print_exc()
        os._exit(1)


def killed_at(folder: Path, point: str) -> bool:
    """Return whether the session was killed or stopped there; a power cut follows where the point says so."""
    killed = in_a_process(run, folder, point) == signal.SIGKILL
    match point.split(":")[2:]:
        case ["lost" | "torn" as loss]:
            lose_commits(folder / "log", torn=loss == "torn")
        case ["stopped"]:
            last = list(read_events(folder / "log"))[-1]
            return isinstance(last, SessionFinished) and last.outcome == Outcome.CANCELLED
        case _:
            pass
    return killed


def at(folder: Path, points: str) -> dict[str, object]:
    """Kill a session at these points, resume it each time, and return what is left at the end."""
    folder.mkdir(parents=True)
    killed = [killed_at(folder, point) for point in points.split("+")]
    before = effects(folder / "effects.log")
    resumed = in_a_process(resume, folder)
    ending: dict[str, object] = json.loads((folder / "ending.json").read_text()) if resumed == 0 else {}
    return {
        "points": points,
        "killed": all(killed),
        "before": before,
        "effects": effects(folder / "effects.log"),
        "kinds": [event.kind for event in read_events(folder / "log")],
        **ending,
    }


if __name__ == "__main__":
    root = Path(sys.argv[1])
    (root / "first").mkdir(parents=True)
    anyio.run(run, root / "first", "0:after")  # what it has read and cached, the others have too
    for each in sys.argv[2:]:
        sys.stdout.write(f"{json.dumps(at(root / each.replace(':', '-'), each))}\n")
        sys.stdout.flush()
