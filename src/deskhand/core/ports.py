"""The seams: what lower rooms need from the outside, as protocols."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from deskhand.core.command import Clearance, Command
from deskhand.core.events import Event
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply, ModelRequest, Passage, PictureLimits
from deskhand.core.target import TargetInfo


class Clock(Protocol):
    """Where time comes from."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""
        ...

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...


class Allowance(Protocol):
    """What a session may still spend (SPEC 2.3)."""

    def spent(self) -> str:
        """Which budget is used up, in words; empty where none is."""
        ...

    def left_s(self) -> float | None:
        """Seconds of work that are left; None: no limit."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """What is nearly used up, for the model: from four fifths of a budget on."""
        ...


class Unlimited:
    """An allowance without limits."""

    def spent(self) -> str:
        return ""

    def left_s(self) -> float | None:
        return None

    def warnings(self) -> tuple[str, ...]:
        return ()


class Presence(Protocol):
    """Whether a person uses the desktop that agents act on."""

    async def free(self) -> None:
        """Returns once nobody does. Raises: PersonStays where somebody still did after as long as is waited."""
        ...


class Nobody:
    """Nobody is there whom an agent could disturb."""

    async def free(self) -> None:
        return


class EventSink(Protocol):
    """Where events go; writing one is durable before the call returns where the event says so."""

    def emit(self, event: Event) -> None:
        """Raises: StoreError where the event could not be kept."""
        ...


class Model(Protocol):
    """Anything that decides: a language model, a playbook, a script, a person."""

    @property
    def name(self) -> str: ...

    @property
    def pictures(self) -> PictureLimits | None:
        """What pictures it takes; None: it is given text alone."""
        ...

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable, ReplyInvalid."""
        ...


class PersonAsModel:
    """Base of a model that is a person: while one thinks no budget of time runs (SPEC 2.3), and one may err at will."""


class Retriever(Protocol):
    """Where what may help is looked up: what was learned here, or an online search."""

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """The passages that fit best, best first, at most `limit`; none where nothing fits.

        `query` is plain language, whatever stands in it. `application` as windows report it; empty: of any.
        Raises: DeskhandError where nothing could be looked up.
        """
        ...


class Embedder(Protocol):
    """Texts to vectors in which likeness of meaning is nearness."""

    @property
    def name(self) -> str:
        """What made a vector: those of another name are never compared with it."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """One vector a text, all of one length. Raises: DeskhandError."""
        ...


class Decision(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """What the program knows about an action: what a rule matches on and a person is shown (SPEC 2.4).

    `hosts` are those of network addresses in the arguments; `marks` what the program found out besides, such as
    `unnamed_application` (room `policy`). Secrets in `arguments` are masked. `fingerprint` is the same where the same
    action (tool, arguments, application, target) is proposed again.
    """

    tool: str
    arguments: Mapping[str, object]
    effect_class: str
    application: str = ""
    window: str = ""
    control_role: str = ""
    control_name: str = ""
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The policy's decision on one action, and the rule that made it.

    `digest` is the fingerprint of the command and target that were judged: a clearance made from the verdict holds for
    these alone.
    """

    decision: Decision
    rule: str
    reason: str
    facts: ActionFacts
    call_id: str = ""
    digest: str = ""


class Policy(Protocol):
    """Rules to verdicts, verdicts to clearances (SPEC 4.1, 4.6)."""

    def judge(self, command: Command, target: TargetInfo | None) -> Verdict:
        """What the rules say of this command on this target as it is now."""
        ...

    def clear(self, verdict: Verdict, *, approved: bool = False) -> Clearance:
        """Return a clearance for the command and target that were judged. `approved`: the user approved these facts.

        Raises: ClearanceMissing where the verdict denies it, or demands a confirmation that was not given.
        """
        ...

    def redeem(self, clearance: Clearance, command: Command, target: TargetInfo | None) -> None:
        """Uses a clearance up. Raises: ClearanceMissing where it is not ours, not for this, or used before."""
        ...


@dataclass(frozen=True, slots=True)
class ConfirmationRequest:
    """What a person is shown before an action: facts computed by the program, and the model's words apart from them."""

    agent: str
    facts: tuple[Verdict, ...]
    model_says: str
    picture: str = ""


class Decided(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers by question; an empty answer is none. `timed_out`: nobody answered in time."""

    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    timed_out: bool = False


class Interactor(Protocol):
    """How a person is asked (SPEC 2.4)."""

    @property
    def reaches_person(self) -> bool:
        """Whether anybody can be asked at all."""
        ...

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        """Asks until answered; the caller bounds the wait."""
        ...

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        """True: approved, False: rejected by somebody who saw it, None: nobody decided, which approves nothing.

        The caller bounds the wait.
        """
        ...


class Satisfaction(StrEnum):
    """Whether something holds. What is not known never counts as holding."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    UNKNOWN = "unknown"


def satisfaction(checks: Iterable["CheckResult"]) -> Satisfaction:
    """Of several that all have to hold: one that does not hold decides, else one that is unknown."""
    verdicts = {check.verdict for check in checks}
    for verdict in (Satisfaction.UNSATISFIED, Satisfaction.UNKNOWN):
        if verdict in verdicts:
            return verdict
    return Satisfaction.SATISFIED if verdicts else Satisfaction.UNKNOWN


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing looked at. `known` False: it could not be looked, and then nothing is `ok`."""

    name: str
    ok: bool
    detail: str = ""
    known: bool = True

    @property
    def verdict(self) -> "Satisfaction":
        if not self.known:
            return Satisfaction.UNKNOWN
        return Satisfaction.SATISFIED if self.ok else Satisfaction.UNSATISFIED


class Checker(Protocol):
    """A check the caller gave with the request: a FINISH claim stands only if it holds (SPEC 2.3)."""

    @property
    def name(self) -> str: ...

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        """Looks at the world, never at what an agent claims. `data` is what was saved on the blackboard."""
        ...
