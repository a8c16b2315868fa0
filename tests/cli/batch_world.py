"""Tasks for processes of their own: each works in two small applications in memory, whose effects stay in its folder.

The processes import this module, as they get its objects from the one that starts them.
"""

import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio

from deskhand.cli.run_options import Preparation, Prepared
from deskhand.config.sections import Configuration
from deskhand.core.ports import Interactor
from deskhand.desktop.backends import VIRTUAL
from deskhand.desktop.fake import FakeDesktop
from deskhand.models.playbook_file import parse_playbook
from deskhand.session.interactors import ScriptedInteractor
from two_applications import PLAYBOOK, Applications


@dataclass(frozen=True)
class Remote(Preparation):
    """Prepares sessions in the two applications.

    `deaths`: the number of times that the process of the task `mortal` is killed, each time before it types the body of
    the mail. `hangs`: the task `idle` never ends by itself. `stalls`: a folder; the tasks `stalls-before…` never begin,
    and `stalls-after…` go no further than the mail, both the first time alone, of which the folder takes note.
    """

    deaths: int = 0
    hangs: bool = False
    stalls: Path | None = None

    def session(self, requests: Sequence[str], out: Path | None, *, base: Path, session_id: str = "") -> Prepared:
        assert out is not None
        prepared = Preparation.session(self, requests, out, base=base, session_id=session_id)
        return replace(prepared, plan=replace(prepared.plan, opens=partial(self._opens, out)))

    @asynccontextmanager
    async def _opens(self, out: Path, choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:
        with (out / "processes").open("a") as file:
            file.write(f"{os.getpid()}\n")
        desktop = Applications(out / "effects.log").desktop
        lives = len(processes(out))
        names = {self._task_of(out), out.parent.name}  # a trial of an evaluation has a folder below that of its task
        if "mortal" in names and lives <= self.deaths:
            desktop.faults.before(
                "set_text", partial(os.kill, os.getpid(), signal.SIGKILL), on_call=2 if lives == 1 else 1
            )
        if "idle" in names and self.hangs:
            _hang(desktop)
        name = self._task_of(out)
        if self.stalls is not None and name.startswith("stalls") and not (self.stalls / name).exists():
            (self.stalls / name).touch()
            if "before" in name:
                await anyio.sleep_forever()
            desktop.faults.before("set_text", partial(_hang, desktop), on_call=2)
        yield desktop

    @staticmethod
    def _task_of(out: Path) -> str:
        """The id of the task: on a node its folder has another name."""
        return out.parent.name.rpartition("-")[0] if out.name == "out" else out.name


def _hang(desktop: FakeDesktop) -> None:
    """From now on no window can be observed; each attempt ends at its deadline."""
    for call in range(1, 10):
        desktop.faults.hang("observe", on_call=call)


def remote(
    *, deaths: int = 0, hangs: bool = False, stalls: Path | None = None, interactor: Interactor | None = None
) -> Remote:
    return Remote(
        model_source=parse_playbook(PLAYBOOK, "two.yaml"),
        parameters=(),
        table="",
        files=(),
        applications=(),
        opens_with="",
        in_place=False,
        desktop=VIRTUAL,
        configuration=Configuration(),
        interactor=interactor or ScriptedInteractor({}, [True] * 9),
        deaths=deaths,
        hangs=hangs,
        stalls=stalls,
    )


def processes(folder: Path) -> list[int]:
    """The processes that worked in the folder of a task, in order."""
    file = folder / "processes"
    return [int(line) for line in file.read_text().split()] if file.exists() else []
