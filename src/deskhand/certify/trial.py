"""One run of a playbook on a simulation, with at most one fault."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio
from anyio.abc import TaskGroup

from deskhand.certify.effects import AppEffect
from deskhand.certify.plan import Key, Plan, PlannedStep, plan_of
from deskhand.certify.simulated_desktop import SimulatedDesktop
from deskhand.certify.simulated_tools import LAUNCH
from deskhand.certify.simulation import Later, Simulation
from deskhand.config.sections import ApplicationEntry, Configuration, GroundingSection, KnowledgeSection, SystemSection
from deskhand.core.errors import DeskhandError
from deskhand.core.events import ActionFinished, ActionsHeld, Event, PhaseFinished, StepRemembered
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.models.parameters import selector_parameter
from deskhand.models.placeholder_values import filled_selector
from deskhand.models.playbook import PlaybookModel
from deskhand.models.selectors import Mismatch, find
from deskhand.models.steps import HOST, Playbook
from deskhand.session.build import Listeners, SessionPlan, run_on
from deskhand.session.clock import SystemClock
from deskhand.session.round import Ending
from deskhand.store.image_writer import ImageWriter, MakeFile
from deskhand.store.journal import Journal

_LONGEST_S: Final = 600.0
_STEPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at one step. `after`: the number of steps carried out before it; `strikes`: the change that it is."""

    key: Key
    after: int
    strikes: Callable[[Simulation, PlannedStep], None]


@dataclass(frozen=True, slots=True)
class Run:
    """A run that ended. `ended` False: not within its time. `finished`: the steps carried out, in order; `owners`: the
    step of each effect.
    """

    success: bool
    reason: str
    effects: tuple[AppEffect, ...]
    finished: tuple[Key, ...]
    owners: tuple[Key | None, ...] = ()
    ended: bool = True

    def without(self, key: Key) -> tuple[AppEffect, ...]:
        """The effects but those of a step."""
        return tuple(effect for effect, owner in zip(self.effects, self.owners, strict=True) if owner != key)


class _Agrees:
    """A person who approves every action: the certificate is about the time after that."""

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - it knows nothing
        return Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:  # noqa: ARG002 - it approves
        return True


class _Watched(PlaybookModel):
    """The playbook; the simulation is notified of the step that each reply is made from."""

    def __init__(self, plan: Plan, simulation: Simulation) -> None:
        super().__init__(plan.playbook, plan.parameters)
        self._plan = plan
        self._simulation = simulation
        self._assigned = -1

    async def respond(self, request: ModelRequest) -> ModelReply:
        reply = await super().respond(request)
        step = self._step_of(request, reply)
        self._simulation.begin(step, _args_of(reply))
        return reply

    def _step_of(self, request: ModelRequest, reply: ModelReply) -> PlannedStep | None:
        """The step of the playbook that a reply carries out; None for a menu that is opened on the way, or an end."""
        if reply.position is None:
            return None
        if request.agent == AgentKind.HOST:
            step = self._plan.by_key.get((HOST, -1, reply.position))
            if step is not None and step.step.status == "ASSIGN":
                self._assigned = reply.position
        else:
            assigned = self._plan.by_key[HOST, -1, self._assigned].step.agent
            step = self._plan.by_key.get((assigned, self._assigned, reply.position))
        if step is None or not step.tool or reply.content.get("function") != step.tool:
            return None
        return None if step.step.on is not None and self._is_on_the_way(step, request) else step

    def _is_on_the_way(self, step: PlannedStep, request: ModelRequest) -> bool:
        on = step.step.on
        if on is None or step.key[0] == HOST:
            return False
        written = selector_parameter(self._plan.parameters[on]) if isinstance(on, str) else on
        selector = filled_selector(written, step.place.values)
        return isinstance(find(selector, request.controls, request.window), Mismatch)


class _Listener:
    """Notifies the simulation that the action of a step is over; one that is held for approval is not."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._ok = True
        self._is_held = False

    def emit(self, event: Event) -> None:
        match event:
            case ActionsHeld():
                self._is_held = True
            case ActionFinished():
                self._ok, self._is_held = event.status != "failure", False
            case PhaseFinished(ok=False):
                self._ok = False
            case StepRemembered() if not self._is_held:
                self._simulation.finish(ok=self._ok)
                self._ok = True
            case _:
                pass


class _NoPictures(ImageWriter):
    """Drops all pictures."""

    async def submit(self, path: Path, make: MakeFile) -> None:
        """Drop a picture."""


async def run_trial(playbook: Playbook, given: Mapping[str, object], fault: Fault | None = None) -> Run:
    """Run a playbook as a session does, in folders that are removed afterwards. Raises: UsageError."""
    with _own_folders() as (files, session):
        plan = plan_of(playbook, given, files)
        runs: list[Run] = []
        async with anyio.create_task_group() as tasks:
            runs.append(await _run(plan, session, _later(tasks), fault))
            tasks.cancel_scope.cancel()
    return runs[0]


@contextmanager
def _own_folders() -> Generator[tuple[Path, Path]]:
    """A folder for files, which is there, and one for the session, in memory where the machine has a place for that."""
    memory = Path("/dev/shm")  # noqa: S108 - a fresh folder of this user in it
    with TemporaryDirectory(prefix="deskhand-certify-", dir=memory if os.access(memory, os.W_OK) else None) as name:
        files = Path(name, "files")
        files.mkdir()
        yield files, Path(name, "session")


def _later(tasks: TaskGroup) -> Later:
    async def wait(seconds: float, do: Callable[[], None]) -> None:
        with anyio.move_on_after(seconds):
            await anyio.Event().wait()
        do()

    def later(seconds: float, do: Callable[[], None]) -> None:
        tasks.start_soon(wait, seconds, do)

    return later


async def _run(plan: Plan, session_dir: Path, later: Later, fault: Fault | None) -> Run:
    desktop = SimulatedDesktop()
    simulation = Simulation(plan, desktop, later)
    desktop.simulation = simulation

    def strike() -> None:
        if fault is not None and len(simulation.finished) == fault.after:
            fault.strikes(simulation, plan.by_key[fault.key])
            desktop.touch()

    simulation.on_finish = strike
    strike()
    model = _Watched(plan, simulation)
    session = SessionPlan(
        session_id="certificate",
        session_dir=session_dir,
        requests=("Carry out the playbook",),
        model=model,
        configuration=_configuration(plan),
        interactor=_Agrees(),
    )
    with anyio.move_on_after(_LONGEST_S):
        ending = await _ending_of(session, desktop, _Listener(simulation))
        simulation.catch_up()
        keys = tuple(step.key for step in simulation.finished)
        owners = tuple(None if step is None else step.key for step in simulation.owners())
        return Run(ending.outcome is Outcome.SUCCESS, ending.reason, tuple(simulation.effects.all), keys, owners)
    return Run(success=False, reason="it took too long", effects=(), finished=(), ended=False)


async def _ending_of(session: SessionPlan, desktop: SimulatedDesktop, listener: _Listener) -> Ending:
    """Run a session as `run_session` does, without plug-ins, which differ, and without pictures, which show nothing."""
    clock = SystemClock()
    with Journal(session.session_dir, clock) as journal:
        events = Listeners((journal, listener), clock)
        try:
            return await run_on(session, desktop, events, clock, _NoPictures(events))
        except DeskhandError as error:
            return Ending(Outcome.ERROR, error.message)


def _configuration(plan: Plan) -> Configuration:
    """The settings as they are shipped: those of this machine change no certificate."""
    launched = {str(step.args.get("application")) for step in plan.steps if step.tool == LAUNCH}
    return Configuration(
        system=SystemSection(max_step=_STEPS, save_ui_tree=False, include_last_screenshot=False, person="ignore"),
        knowledge=KnowledgeSection(enabled=False),
        grounding=GroundingSection(read_texts=False),
        applications={name: ApplicationEntry(argv=("true",)) for name in launched if name != "None"},
    )


def _args_of(reply: ModelReply) -> JsonObject:
    args = reply.content.get("args")
    return args if isinstance(args, dict) else {}
