"""Whether a session becomes slower or larger with its length: `bench_long.py [STEPS] [DESKTOPS]`.

A session of STEPS steps (default 1000) types another text into a field and presses a button in turns, on a desktop in
memory, with pictures and journal; then DESKTOPS (default 8) such sessions run at once in this process. Printed are the
processor time of a step by its number, of it that in the journal, and the resident memory.
"""

import json
import resource
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.events import Event, StepStarted
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.build import Listeners, SessionPlan, run_on
from deskhand.session.clock import SystemClock
from deskhand.session.resume import to_resume
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import Journal

PART: Final = 50
"""Number of steps that one median is of."""


class Steps:
    """The processor time at the beginning of each step, and the time in the journal by step."""

    def __init__(self, journal: Journal, desktop: FakeDesktop, name: str = "") -> None:
        self.began: list[float] = []
        self.journal_s = defaultdict[int, float](float)
        self._journal, self._desktop, self._name = journal, desktop, name

    def emit(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self.began.append(time.process_time())
            self._desktop.calls.clear()  # a record for tests, which grows
            if self._name and len(self.began) % 200 == 0:
                print(f"{self._name} at step {len(self.began):5}: {_rss_mb():6.1f} MB resident", flush=True)
        began = time.thread_time()  # the encoders of pictures run beside it, and take turns with it
        self._journal.emit(event)
        self.journal_s[len(self.began)] += time.thread_time() - began


def editor(_desktop: FakeDesktop, _file: Path | None) -> FakeWindow:
    """A form of 40 controls, whose button counts what was entered."""
    entered = FakeControl(Role.STATUS, "Entered", "0")
    field = FakeControl(Role.TEXTBOX, "Name", states={"editable"})

    def add() -> None:
        entered.value = str(int(entered.value) + 1)

    others = [FakeControl(Role.CHECKBOX, f"Option {number}") for number in range(37)]
    return FakeWindow("Form", [field, FakeControl(Role.BUTTON, "Add", on_click=add), entered, *others])


class Filling:
    """A model that fills the form for a number of steps and keeps nothing."""

    name = "filling"
    pictures = None

    def __init__(self, steps: int) -> None:
        self._steps = steps

    async def respond(self, request: ModelRequest) -> ModelReply:
        content = answer(request, self._steps)
        return ModelReply(content, json.dumps(content), model=self.name)


def answer(request: ModelRequest, steps: int) -> JsonObject:
    """A text for the field, then its button, and so on."""
    if request.agent == AgentKind.HOST:
        if request.previous_subtasks:
            return {"status": "FINISH", "result": "done"}
        return {"status": "ASSIGN", "control_label": request.controls[0].id, "current_subtask": "fill the form"}
    done = len(request.steps_done)
    if done == steps - 3:
        return {"status": "FINISH", "thought": "all are entered", "result": "done"}
    presses = bool(done % 2)
    name = "Add" if presses else "Name"
    control = next(each for each in request.controls if each.name == name)
    return {
        "status": "CONTINUE",
        "thought": f"entry {done}",
        "plan": ["go on"],
        "function": "invoke" if presses else "set_edit_text",
        "args": {} if presses else {"text": f"Name {done}"},
        "control_label": control.id,
        "control_text": name,
    }


async def session(number: int, folder: Path, steps: int, name: str = "") -> Steps:
    desktop = FakeDesktop([FakeApplication("writer", editor)])
    clock = SystemClock()
    plan = SessionPlan(
        session_id=f"s{number}",
        session_dir=folder,
        requests=("Fill the form",),
        model=Filling(steps),
        applications=("writer",),
        configuration=Configuration(system=SystemSection(max_step=steps + 1)),
    )
    with Journal(folder, clock) as journal:
        measured = Steps(journal, desktop, name)
        events = Listeners((measured,), clock)
        async with ImageWriter(events) as images:
            ending = await run_on(plan, desktop, events, clock, images)
    if ending.outcome is not Outcome.SUCCESS:
        raise SystemExit(f"session {number} ended as {ending}")
    return measured


def report_steps(measured: Steps) -> None:
    seconds = [end - began for began, end in zip(measured.began, measured.began[1:], strict=False)]
    medians: list[float] = []
    for start in range(0, len(seconds) - PART + 1, max(PART, len(seconds) // 5)):
        part = seconds[start : start + PART]
        medians.append(statistics.median(part))
        print(f"steps {start + 1:5} to {start + PART:5}: {medians[-1] * 1e3:6.2f} ms of processor time a step")
    last = statistics.median(seconds[-PART:])
    print(f"the last {PART} to the first {PART}: {last / medians[0]:.2f}")
    journal = sorted(measured.journal_s[step] for step in range(1, len(measured.began)))
    print(
        f"in the journal, a step: median {statistics.median(journal) * 1e3:.2f} ms, longest {journal[-1] * 1e3:.2f} ms"
    )


def report_reading(folder: Path) -> None:
    """Size of a session's folder, and the time to read its journal."""
    print(f"the folder of the session: {sum(file.stat().st_size for file in folder.rglob('*')) / 1e6:.1f} MB")
    began = time.perf_counter()
    try:
        to_resume(folder)
    except Exception as error:  # noqa: BLE001 - a session that ended is read as a whole, and then refused
        print(f"read and refused as {type(error).__name__} in {time.perf_counter() - began:.2f} s")


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


async def bench(steps: int, desktops: int) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-long-") as name:
        report_steps(await session(0, Path(name) / "0", steps, "one session"))
        report_reading(Path(name) / "0")
        async with anyio.create_task_group() as group:
            for number in range(1, desktops + 1):
                told = f"{desktops} sessions" if number == desktops else ""
                group.start_soon(session, number, Path(name) / str(number), steps, told)
        print(f"after them: {_rss_mb():6.1f} MB resident")


def main(arguments: Sequence[str]) -> None:
    steps, desktops = (*map(int, arguments), *(1000, 8)[len(arguments) :])
    anyio.run(bench, steps, desktops)


main(sys.argv[1:])
