"""A session whose surroundings are all choices: what a step comes to, what a person says, whether a window is there.

The machine is the product's own: `Round`, `Budgets`, agents, managers, states, the processor that counts failed
steps, the gate that holds actions, the dispatcher, the rules. Scripted are the reply of the model, what looking and
acting come to, the person and the making of an agent. Wherever the product waits, it can also be cancelled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from deskhand.agents import AgentFactory, AppAgent, BasicAgent, HostAgent
from deskhand.commands import CommandDispatcher, ToolContext
from deskhand.commands.call import Call, ToolOutcome
from deskhand.commands.catalogue import PROGRAM, Arguments, Catalogue, action, data
from deskhand.commands.tools import windows as window_tools
from deskhand.config.sections import SystemSection
from deskhand.core.command import Effect, EffectClass
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import ActionRefused, ApplicationGone, CaptureFailed, DesktopGone
from deskhand.core.events import Event, RoundFinished, SubtaskArchived, SubtaskAssigned, TransitionTaken
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Picture
from deskhand.core.outcomes import Outcome
from deskhand.core.outside_events import ExternalEvents
from deskhand.core.ports import Answers, CheckResult, ConfirmationRequest
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.memory import Blackboard
from deskhand.pipeline.services import Services
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.policy.rules import parse_rules
from deskhand.session.budgets import Budgets
from deskhand.session.round import Ending, Round
from deskhand.store.image_writer import MakeFile
from stage import Clock, rule
from states.explorer import END, Choices, Path, PathEnded, State, Stop
from states.happenings import Happening, Setting
from states.small_agents import SmallApp, SmallHost, SmallT, noting_states

T = TypeVar("T")

DOT = Picture(b"\0\0\0", Rect(0, 0, 1, 1))
BOTH: frozenset[str] = frozenset({AgentKind.HOST, AgentKind.APP})
FOR_EVER_S = 1e9


@dataclass(frozen=True, slots=True)
class Handled:
    """The `handle` of a state began."""

    agent: str
    machine: str
    state: str


Noted = Handled | Happening | TransitionTaken | SubtaskAssigned | SubtaskArchived


@dataclass(slots=True)
class Play:
    """What one play left behind.

    `outcome` is what the round said at its end. `open`: it was stopped at an open question, not by the product.
    `steps` is how many steps began, `spent` the budget that a step used up.
    """

    setting: Setting
    trace: list[Noted] = field(default_factory=list[Noted])
    outcome: str = ""
    ending: Ending | None = None
    open: bool = False
    cancelled: bool = False
    spent: str = ""
    steps: int = 0

    def emit(self, event: Event) -> None:
        if isinstance(event, TransitionTaken | SubtaskAssigned | SubtaskArchived):
            self.trace.append(event)
        elif isinstance(event, RoundFinished):
            assert not self.outcome, "a round finishes once"
            self.outcome = event.outcome


class Press(Arguments):
    """`number` makes one press another action than the next."""

    number: int = 0


class SmallWorld:
    """One setting with everything that can happen in it. `play` is what `explore` wants."""

    def __init__(self, setting: Setting, log_path: FilePath, when_played: Callable[[Play], None]) -> None:
        self.setting = setting
        self._log_path = log_path
        self._when_played = when_played
        self._system = SystemSection.model_validate({"max_step": 10**6, "max_repeats": 0, **setting.settings})
        self._desktop = FakeDesktop()
        for title in setting.windows:
            self._desktop.open(FakeWindow(title, list[FakeControl](), title))
        select = next(tool for tool in window_tools.TOOLS if tool.spec.name == "select_application_window")
        actions = (
            action(Press, run, effect_class=EffectClass.EDIT, audience=BOTH) for run in (self.press, self.delete)
        )
        looks = (self.get_desktop_app_target_info, self.capture_window_screenshot, self.capture_desktop_screenshot)
        self._catalogue = Catalogue((select, *actions, *(data(Arguments, look, audience=PROGRAM) for look in looks)))
        self._rules = parse_rules(rule("{tool: delete}", "confirm"), "test.yaml")
        self._noting = {kind: noting_states(kind.manager_class) for kind in (HostAgent, AppAgent)}

    async def play(self, path: Path) -> Stop:
        """Plays one round along a path, and hands what it left behind to `when_played`."""
        self.played = Play(self.setting)
        self._choices = Choices(path, self._state)
        self.clock = Clock()
        self.happening: Happening | None = None
        self._desktop.calls.clear()
        self.shown = await self._desktop.windows()
        self._wire()
        budgets = Budgets(self._system, self.clock.monotonic())
        self._scope = anyio.CancelScope()
        try:
            with anyio.fail_after(FOR_EVER_S), self._scope:
                self.played.ending = await Round(1, "Do it", self._agent, self._context, budgets).run()
        except PathEnded:
            pass
        played, choices = self.played, self._choices
        played.cancelled, played.open = self._scope.cancelled_caught, choices.open_state is not None
        played.steps = self._context.session_step
        self._when_played(played)
        if choices.open_state is not None:
            return Stop(choices.open_state, choices.options)
        return Stop((END, played.outcome), 0)

    def _wire(self) -> None:
        def spec_of(name: str) -> Any:  # Any: what the catalogue gives
            tool = self._catalogue.get(name)
            return tool.spec if tool else None

        self._external = ExternalEvents()
        policy = RulePolicy(self._rules, Surroundings(tool=spec_of))
        services = Services(
            dispatcher=CommandDispatcher(
                self._catalogue,
                ToolContext(self._desktop, effect_hold_s=0.0, external=self._external),
                policy,
                self.clock,
            ),
            policy=policy,
            images=NoPictures(),
            settings=self._system,
            blackboard=Blackboard(),
            checkers=(WorldChecker(self),),
            external=self._external,
        )
        mode = RunMode(self._system.mode)
        self._context = Context("s", self._log_path, self.played, self.clock, WorldPerson(self), mode=mode)
        if self.setting.with_host:
            factory = AgentFactory(services, (), mode=mode, kinds={"app": self._make_app})
            host = SmallHost("HostAgent", services, (), mode=mode, factory=factory, desktop="fake")
            self._agent: BasicAgent = self._taking_part(host)
        else:
            window = self.shown[0]
            app = SmallApp("AppAgent", services, (), mode=mode, target=window, process_name=window.application)
            self._agent = self._taking_part(app)

    def _make_app(self, name: str, services: Services, models: object, **given: Any) -> AppAgent:  # Any: passed on
        if self.choose("making the agent", ("works", "fails")) == "fails":
            raise ValueError("it cannot be made")
        return self._taking_part(SmallApp(name, services, (), **given))

    def _taking_part(self, agent: SmallT) -> SmallT:
        agent.world = self
        for state in self._noting[HostAgent if isinstance(agent, HostAgent) else AppAgent]:
            agent.state_manager.add_state(state.name(), state)
        return agent

    def _state(self, question: str) -> State:
        """What decides how it goes on from an open question."""
        context, agent = self._context, self._agent
        agents: Sequence[BasicAgent] = (agent,)
        if isinstance(agent, HostAgent):
            agents = (agent, *sorted(agent.appagent_dict.values(), key=lambda app: app.name))
        active = agent.get_active_appagent()
        subtasks, is_open = context.previous_subtasks, bool(context.subtask)
        return (
            question,
            *(_remembered(agent) for agent in agents),
            active.name if active else "",
            is_open,
            context.fails_of_round,
            self.setting.repeats and bool(agent.blackboard.questions),
            self.setting.repeats and bool(context.rejected_actions),
            None if is_open or not subtasks else subtasks[-1].outcome,
            self._external.outstanding,
            self.happening.announces if question == "asking" and self.happening else "",
            tuple(sorted(_not_made_good(context))),
            context.session_step if "max_step" in self.setting.settings else -1,
            self.played.spent,
        )

    def note_handle(self, agent: str, machine: str, state: str) -> None:
        self.played.trace.append(Handled(agent, machine, state))

    def choose(self, question: str, options: Sequence[T]) -> T:
        return self._choices.choose(question, options)

    async def choose_or_cancel(self, question: str, options: Sequence[T]) -> T:
        """One of the options, unless the round is cancelled here."""
        chosen = self._choices.choose(question, (*options, None))
        if chosen is None:
            self._scope.cancel()
            await anyio.lowlevel.checkpoint()
            raise AssertionError("what is cancelled does not go on")
        return chosen

    def begin(self, happening: Happening) -> None:
        """What the present step comes to; it may use up one of the session's budgets."""
        self.happening, what = happening, happening.spends
        self.played.trace.append(happening)
        if happening.announces:
            arrive = self._external.announce("the download")
            if happening.announces == "arrives":
                arrive("it is there")
        self.played.spent = self.played.spent or what
        self._context.tokens += 1000 if what == "tokens" else 0
        self._context.cost_usd += 1000 if what == "dollars" else 0
        self.clock.time_s += 1000 if what == "seconds" else 0

    # The tools.

    async def press(self, tools: ToolContext, call: Call, arguments: Press) -> ToolOutcome:
        """Changes something."""
        if self.happening is None:
            options = ("works", "is refused", "raises")
            acting = await self.choose_or_cancel("running what was held", options)
        else:
            acting = self.happening.acting
        match acting:
            case "is refused":
                raise ActionRefused("it is disabled")
            case "raises":
                raise ValueError("it broke")
            case "is gone":
                raise ApplicationGone("gone")
            case _:
                return ToolOutcome(effect=Effect.CONFIRMED if acting == "works" else Effect.UNVERIFIABLE)

    async def delete(self, tools: ToolContext, call: Call, arguments: Press) -> ToolOutcome:
        """Changes something that wants to be confirmed."""
        return await self.press(tools, call, arguments)

    async def get_desktop_app_target_info(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        """Looks for the window of the hand-over."""
        match await self.choose_or_cancel("handing over", ("it is there", "it vanished", "looking fails")):
            case "it is there":
                return ToolOutcome(self.shown)
            case "it vanished":
                return ToolOutcome(())
            case _:
                raise CaptureFailed("nothing is to be seen")

    async def capture_window_screenshot(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        """Takes the last picture of a subtask."""
        if await self.choose_or_cancel("the last picture", ("works", "fails")) == "fails":
            raise DesktopGone("lost")
        return ToolOutcome(DOT)

    async def capture_desktop_screenshot(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        """Takes the last picture of the round."""
        return ToolOutcome(DOT)


def _remembered(agent: BasicAgent) -> State:
    """What an agent carries from step to step."""
    held = tuple(item.planned.spec.name for item in agent.held)
    row = (*(deed.tool for deed in agent.repetition.deeds), agent.repetition.times)
    return agent.state.name(), agent.failed_steps, agent.fails, held, row


def _not_made_good(context: Context) -> set[str]:
    """The agents with a rejection and no success since."""
    lost: set[str] = set()
    for record in context.previous_subtasks:
        if record.outcome is Outcome.REJECTED:
            lost.add(record.agent)
        elif record.outcome is Outcome.SUCCESS:
            lost.discard(record.agent)
    return lost


class NoPictures:
    """Keeps none."""

    async def submit(self, path: FilePath, make: MakeFile) -> None:
        """Forgets it."""


class WorldPerson:
    """The person of a small world."""

    reaches_person = True

    def __init__(self, world: SmallWorld) -> None:
        self._world = world

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        match await self._world.choose_or_cancel("asking", ("answers", "says nothing", "never answers", "raises")):
            case "answers":
                return Answers(dict.fromkeys(questions, "the first"))
            case "says nothing":
                return Answers()
            case "never answers":
                await anyio.sleep_forever()
                raise AssertionError("nobody woke it")
            case _:
                raise ConnectionError("the line is dead")

    async def confirm(self, request: ConfirmationRequest) -> bool:
        match await self._world.choose_or_cancel("confirming", ("approves", "rejects", "never decides", "raises")):
            case "approves":
                return True
            case "rejects":
                return False
            case "never decides":
                await anyio.sleep_forever()
                raise AssertionError("nobody woke it")
            case _:
                raise ConnectionError("the line is dead")


class WorldChecker:
    """The caller's check, which holds or not as the step says."""

    name = "check"

    def __init__(self, world: SmallWorld) -> None:
        self._world = world

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        happening = self._world.happening
        return (CheckResult(self.name, ok=happening is not None and happening.checks),)
