"""What the layers above the desktop cost: `bench_states.py [SESSIONS]` (default 1000) prints a transition's time, and
that of whole sessions of 10 steps on the in-memory desktop, all in this process, with pictures and journal.

A transition is what the round does from the end of one state's `handle` to the beginning of the next one's: the lookup
of the next state and agent, the guard, the event made and handed to the session's sinks, the new state set, the
budgets asked. With the journal, the event is committed to the file too.
"""

import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio

from deskhand.agents import AppAgent
from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.config.sections import SystemSection
from deskhand.core.context import Context, RunMode
from deskhand.core.events import Event, StepStarted
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import EventSink
from deskhand.core.roles import Role
from deskhand.core.statuses import Cause
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.memory import Blackboard
from deskhand.models.scripted import ScriptedModel
from deskhand.pipeline.services import Services
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.budgets import Budgets
from deskhand.session.build import Listeners, SessionPlan, run_on
from deskhand.session.clock import SystemClock
from deskhand.session.interactors import AutoInteractor
from deskhand.session.round import Round
from deskhand.states import AppAgentState, redirect
from deskhand.states.base import StateAgent
from deskhand.store.image_writer import ImageWriter, MakeFile
from deskhand.store.journal import Journal

TURNS = 20_000
STEPS = 10
MARKS = (100, 500, 1000)


class Listening:
    """A sink that looks at each event and keeps none."""

    def __init__(self) -> None:
        self.steps = 0

    def emit(self, event: Event) -> None:
        self.steps += isinstance(event, StepStarted)


class NoPictures:
    async def submit(self, path: Path, make: MakeFile) -> None: ...


class Turning(AppAgentState, status="CONTINUE"):
    """Leads to itself and does nothing else, until it has done so often enough."""

    began: list[float]
    ended: list[float]

    async def handle(self, agent: StateAgent, context: Context) -> None:  # noqa: ARG002 - a state's own signature
        self.began.append(time.perf_counter())
        to = "CONTINUE" if len(self.began) < TURNS else "FINISH"
        redirect(agent, to, Cause.LLM, "the model says so", trigger="reply")
        self.ended.append(time.perf_counter())


async def bench_transitions(what: str, folder: Path, sinks: Sequence[EventSink]) -> None:
    clock, system, catalogue = SystemClock(), SystemSection(), standard_catalogue()
    policy = RulePolicy((), Surroundings(tool=lambda name: tool.spec if (tool := catalogue.get(name)) else None))
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Notes", [FakeControl(Role.BUTTON, "Save")], "notes"))
    services = Services(
        dispatcher=CommandDispatcher(catalogue, ToolContext(desktop), policy, clock),
        policy=policy,
        images=NoPictures(),
        settings=system,
        blackboard=Blackboard(),
    )
    (window,) = await desktop.windows()
    agent = AppAgent("AppAgent", services, (), mode=RunMode.NORMAL, target=window, process_name="notes")
    Turning.began, Turning.ended = [], []
    agent.state_manager.add_state("CONTINUE", Turning())
    context = Context("bench", folder, Listeners(sinks, clock), clock, AutoInteractor())
    await Round(1, "turn", agent, context, Budgets(system, clock.monotonic())).run()
    _report(what, [begin - end for end, begin in zip(Turning.ended, Turning.began[1:], strict=False)])


def _report(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    median, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    print(f"{what:52} median {median * 1e6:8.2f} µs   p99 {p99 * 1e6:8.2f} µs")


def editor(_desktop: FakeDesktop, _file: Path | None) -> FakeWindow:
    """Nine buttons, of which each shows that it was pressed, and a few more controls to look at."""
    boxes = [FakeControl(Role.CHECKBOX, f"Option {number}") for number in range(STEPS)]
    fields = [FakeControl(Role.TEXTBOX, f"Field {number}", value=f"value {number}") for number in range(STEPS)]

    def pressing(box: FakeControl) -> FakeControl:
        return FakeControl(Role.BUTTON, f"Press {box.name}", on_click=lambda: box.states.add("checked"))

    return FakeWindow("Document", [*(pressing(box) for box in boxes), *boxes, *fields])


def answer(request: ModelRequest) -> JsonObject:
    """The host hands over, the other presses a button a step, and both say when they are done."""
    if request.agent == AgentKind.HOST:
        if request.previous_subtasks:
            return {"status": "FINISH", "result": "done"}
        return {"status": "ASSIGN", "control_label": request.controls[0].id, "current_subtask": "press the buttons"}
    done = len(request.steps_done)
    if done == STEPS - 3:
        return {"status": "FINISH", "thought": "all are pressed", "result": "done"}
    button = [control for control in request.controls if control.type is Role.BUTTON][done]
    said: JsonObject = {"status": "CONTINUE", "function": "invoke", "thought": "the next one", "plan": ["go on"]}
    return {**said, "control_label": button.id, "control_text": button.name}


async def one_session(number: int, folder: Path) -> int:
    """Runs a session; how many steps it had."""
    desktop = FakeDesktop([FakeApplication("writer", editor)])
    clock, listening = SystemClock(), Listening()
    plan = SessionPlan(f"s{number}", folder, ("Press the buttons",), ScriptedModel(answer), applications=("writer",))
    with Journal(folder, clock) as journal:
        events = Listeners((journal, listening), clock)
        async with ImageWriter(events) as images:
            ending = await run_on(plan, desktop, events, clock, images)
    if ending.outcome is not Outcome.SUCCESS:
        raise SystemExit(f"session {number} ended as {ending}")
    return listening.steps


async def bench_sessions(count: int) -> None:
    began = time.perf_counter()
    cpu = time.process_time()
    steps = 0
    for number in range(1, count + 1):
        folder = Path(tempfile.mkdtemp(prefix="bench-states-"))
        try:
            steps += await one_session(number, folder)
        finally:
            shutil.rmtree(folder)
        if number in MARKS or number == count:
            print(f"after session {number:5}: {_rss_mb():6.1f} MB resident")
    seconds = time.perf_counter() - began
    print(f"{count} sessions, {steps} steps: {seconds:.1f} s, {seconds / steps * 1e3:.2f} ms a step", end=" ")
    print(f"(processor {time.process_time() - cpu:.1f} s)")


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


async def bench(sessions: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        await bench_transitions("a transition", folder, (Listening(),))
        with Journal(folder, SystemClock()) as journal:
            await bench_transitions("a transition, journal included", folder, (journal, Listening()))
    await bench_sessions(sessions)


anyio.run(bench, int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
