"""The present state of a running session, made from its events as they come: what a live display shows."""

import shlex
from collections import deque
from dataclasses import asdict, dataclass, field, replace
from typing import Final, cast

from deskhand.commands.secret_texts import arguments_of, without_passwords
from deskhand.core.events import (
    ActionEvent,
    ActionFinished,
    ActionIntended,
    ConfirmationAsked,
    ConfirmationDecided,
    Event,
    HandedBack,
    ModelAnswered,
    ModelAsked,
    ObservationTaken,
    PauseBegan,
    PauseEnded,
    PhaseFinished,
    PictureSaved,
    ProblemMet,
    QuestionsAnswered,
    QuestionsAsked,
    ReplyAccepted,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepFinished,
    StepStarted,
    SubtaskAssigned,
    TakenOver,
    TransitionTaken,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.report.costs import Spent

PHASES: Final = ("data_collection", "llm_interaction", "action_execution", "memory_update")
_MOST_ACTIONS: Final = 40
_MOST_PROBLEMS: Final = 5
_LIMITS: Final = (("steps", "max_step"), ("seconds", "max_seconds"), ("tokens", "max_tokens"), ("dollars", "max_usd"))


@dataclass(frozen=True, slots=True)
class Machine:
    """An agent's state machine. `cause` and `reason` are those of the transition into `state`."""

    agent: str
    state: str
    cause: str = ""
    reason: str = ""
    active: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of the current step. `seconds` None: it is under way."""

    name: str
    seconds: float | None = None
    ok: bool = True


@dataclass(frozen=True, slots=True)
class LiveAction:
    """An action. `effect` is empty while it runs."""

    step: int
    agent: str
    words: str
    call_id: str
    effect: str = ""
    evidence: str = ""
    problem: str = ""
    seconds: float = 0.0
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit of the session. `limit` None: there is none."""

    name: str
    used: float
    limit: float | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait for the user since `since` (seconds since 1970): `questions`, or an approval of actions by `facts`.

    `model_says`: the model's own words, unchecked. `picture`: of the screen, in the session's folder.
    """

    agent: str
    since: float
    questions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    model_says: str = ""
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """The desktop is a user's since `since` (seconds since 1970). `by` empty: their input paused the agent."""

    since: float
    by: str = ""
    reason: str = ""


@dataclass(slots=True)
class LiveState:
    """The state after the events so far. Texts that went to password fields are replaced.

    `began`, `ended`: seconds since 1970, 0 if unknown. `outcome` is empty while the session runs. `waited_s`: time
    spent waiting for the user, which does not count as the session's.
    """

    session: str = ""
    request: str = ""
    model: str = ""
    desktop: str = ""
    began: float = 0.0
    ended: float = 0.0
    outcome: str = ""
    reason: str = ""
    round: int = 0
    step: int = 0
    subtask: str = ""
    window: str = ""
    controls: int = 0
    status: str = ""
    thought: str = ""
    machines: dict[str, Machine] = field(default_factory=dict[str, Machine])
    phases: list[Phase] = field(default_factory=list[Phase])
    actions: deque[LiveAction] = field(default_factory=lambda: deque[LiveAction](maxlen=_MOST_ACTIONS))
    problems: deque[str] = field(default_factory=lambda: deque[str](maxlen=_MOST_PROBLEMS))
    spent: Spent = field(default_factory=Spent)
    asked_model: str = ""
    waiting: Waiting | None = None
    hold: Hold | None = None
    waited_s: float = 0.0
    changes: int = 0
    """Number of events taken."""
    _limits: dict[str, float | None] = field(default_factory=dict[str, float | None])
    _secrets: list[ActionEvent] = field(default_factory=list[ActionEvent])
    _picture: str = ""
    _paused_at: float = 0.0

    def take(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, ActionEvent) and event.is_secret:
            self._secrets.append(event)
        if self._secrets:
            *_, event = without_passwords([*cast("list[Event]", self._secrets), event])
        self.changes += 1
        self._session(event)
        self._step(event)
        self._action(event)
        self._person(event)

    def budgets(self, now: float) -> list[Budget]:
        """The limits and their use. `now`: seconds since 1970."""
        used = {
            "steps": float(self.step),
            "seconds": self.seconds(now),
            "tokens": float(self.spent.input + self.spent.output),
            "dollars": self.spent.cost_usd or 0.0,
        }
        return [Budget(name, used[name], self._limits.get(name)) for name, _ in _LIMITS]

    def seconds(self, now: float) -> float:
        """Seconds of work so far, without the time spent waiting for the user."""
        if not self.began:
            return 0.0
        until = self.ended or now
        open_wait = until - self._waits_since if self._waits_since else 0.0
        return max(0.0, until - self.began - self.waited_s - open_wait)

    @property
    def _waits_since(self) -> float:
        return self.waiting.since if self.waiting else self._paused_at

    def to_json(self, now: float) -> JsonObject:
        """The state as an object for a page. `now`: seconds since 1970."""
        value = cast(
            "dict[str, JsonValue]",
            asdict(replace(self, actions=deque(self.actions), problems=deque(self.problems))),
        )
        for name in [name for name in value if name.startswith("_")]:
            del value[name]
        shown = {
            "machines": [asdict(machine) for machine in self.machines.values()],
            "actions": [asdict(action) for action in self.actions],
            "problems": list(self.problems),
            "budgets": [asdict(budget) for budget in self.budgets(now)],
            "seconds": round(self.seconds(now), 1),
            "now": now,
        }
        return {**value, **cast("dict[str, JsonValue]", shown)}

    def _session(self, event: Event) -> None:
        match event:
            case SessionStarted():
                self.session, self.request, self.model = event.session_id, event.request, event.model
                self.desktop, self.began = event.desktop, event.at
                settings = event.options.system if event.options else {}
                for name, setting in _LIMITS:
                    limit = settings.get(setting)
                    self._limits[name] = float(limit) if isinstance(limit, int | float) else None
            case SessionResumed():
                self.began, self.waited_s = event.at - event.seconds, 0.0
                self.ended, self.outcome, self.reason = 0.0, "", ""
                self.waiting, self.hold, self._paused_at = None, None, 0.0
            case SessionFinished():
                self.ended, self.outcome, self.reason = event.at, event.outcome, event.reason
                self.waiting, self.hold = None, None
                self.phases = [replace(phase, seconds=phase.seconds or 0.0) for phase in self.phases]
            case RoundStarted():
                self.round = event.round
            case _:
                self._model(event)

    def _model(self, event: Event) -> None:
        match event:
            case ProblemMet():
                self.problems.append(f"{event.where}: {event.error.message}")
            case ModelAsked():
                self.asked_model = event.model
            case ModelAnswered():
                self.asked_model = ""
                self.spent.add(event)
                if event.error:
                    self.problems.append(event.error.message)
            case _:
                pass

    def _step(self, event: Event) -> None:
        match event:
            case StepStarted():
                self.step, self.subtask = event.step, event.subtask
                self.status = self.thought = ""
                self.phases = [Phase(PHASES[0])]
                self._activate(event.agent, event.state)
            case PhaseFinished():
                self._finish(event)
            case ObservationTaken():
                self.window, self.controls = event.window, event.controls
            case ReplyAccepted():
                self.status, self.thought = event.status, event.comment or event.thought
            case StepFinished():
                self.phases = [phase for phase in self.phases if phase.seconds is not None]
                if event.problem:
                    self.problems.append(event.problem)
            case TransitionTaken():
                self._transition(event)
            case SubtaskAssigned():
                self._activate(event.agent, "")
            case _:
                pass

    def _finish(self, event: PhaseFinished) -> None:
        names = [phase.name for phase in self.phases]
        done = self.phases[: names.index(event.phase)] if event.phase in names else self.phases
        self.phases = [*done, Phase(event.phase, event.seconds, event.ok)]
        after = PHASES.index(event.phase) + 1 if event.phase in PHASES else len(PHASES)
        if event.ok and after < len(PHASES):
            self.phases.append(Phase(PHASES[after]))

    def _activate(self, agent: str, state: str) -> None:
        for name, machine in self.machines.items():
            self.machines[name] = replace(machine, active=False)
        known = self.machines.get(agent, Machine(agent, state))
        self.machines[agent] = replace(known, state=state or known.state, active=True)

    def _transition(self, event: TransitionTaken) -> None:
        machine, _, state = event.to.rpartition(":")
        known = self.machines.get(event.agent, Machine(event.agent, event.source))
        moved = event.source if machine else state
        self.machines[event.agent] = replace(known, state=moved, cause=event.cause, reason=event.reason)

    def _action(self, event: Event) -> None:
        match event:
            case ActionIntended():
                self.actions.append(
                    LiveAction(event.step, event.agent, action_words(event), event.call_id, is_running=True)
                )
            case ActionFinished():
                done = LiveAction(
                    event.step,
                    event.agent,
                    action_words(event),
                    event.call_id,
                    event.effect or event.status,
                    event.evidence,
                    event.error.message if event.error else "",
                    event.seconds,
                )
                if self.actions and self.actions[-1].is_running and self.actions[-1].call_id == event.call_id:
                    self.actions.pop()
                self.actions.append(done)
            case _:
                pass

    def _person(self, event: Event) -> None:
        match event:
            case PictureSaved() if event.what == "confirm":
                self._picture = event.path
            case QuestionsAsked() if event.questions:
                self.waiting = Waiting(event.agent, event.at, questions=tuple(event.questions))
            case ConfirmationAsked():
                facts = tuple(event.facts)
                self.waiting = Waiting(event.agent, event.at, (), facts, event.model_says, self._picture)
                self.phases = [phase for phase in self.phases if phase.seconds is not None]
            case QuestionsAnswered() | ConfirmationDecided():
                if self.waiting is not None:
                    self.waited_s += max(0.0, event.at - self.waiting.since)
                self.waiting, self._picture = None, ""
            case _:
                self._held(event)

    def _held(self, event: Event) -> None:
        match event:
            case TakenOver():
                self.hold = Hold(event.at, event.by)
            case HandedBack():
                self.hold = None
            case PauseBegan():
                self._paused_at = event.at
                if self.hold is None:
                    self.hold = Hold(event.at, reason=event.reason)
            case PauseEnded():
                self.waited_s += event.seconds
                self._paused_at = 0.0
                if self.hold is not None and not self.hold.by:
                    self.hold = None
            case _:
                pass


def action_words(event: ActionFinished | ActionIntended) -> str:
    """An action in a few words, without a password."""
    if event.target is not None:
        return f'{event.tool} {event.target.role} "{event.target.name}"'
    told = [(name, _words(value)) for name, value in arguments_of(event).items()]
    return f"{event.tool} {', '.join(f'{name}={words}' for name, words in told if words)}"


def _words(value: JsonValue) -> str:
    """A text, or a list of words as typed in a shell; empty for other values."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(str(word) for word in value)
    return value if isinstance(value, str) else ""
