"""Protocols of the services that lower rooms need from outside."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Literal, Protocol, runtime_checkable

from deskhand.core.command import Clearance, Command
from deskhand.core.events import Event
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply, ModelRequest, Passage, PictureLimits
from deskhand.core.target import TargetInfo


class Clock(Protocol):
    """Source of time."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""
        ...

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...


class Allowance(Protocol):
    """Remaining budgets of a session."""

    def spent(self) -> str:
        """The budget that is used up, in words; empty if none is."""
        ...

    def left_s(self) -> float | None:
        """Remaining seconds of work; None: no limit."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """Budgets that are used up to four fifths or more, in words for the model."""
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
    """Presence of a user on the desktop that agents act on."""

    async def free(self) -> None:
        """Return when the user is idle. Raises: PersonStays if the user is still active at the timeout."""
        ...


class Nobody:
    """Presence on a desktop without a user."""

    async def free(self) -> None:
        return


class EventSink(Protocol):
    """Destination of events; an event that must be durable is written before the call returns."""

    def emit(self, event: Event) -> None:
        """Raises: StoreError if the event could not be written."""
        ...


class Model(Protocol):
    """Source of decisions: a language model, a playbook, a script, a user."""

    @property
    def name(self) -> str: ...

    @property
    def pictures(self) -> PictureLimits | None:
        """Limits of the pictures it accepts; None: it gets text alone."""
        ...

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable, ReplyInvalid."""
        ...


@runtime_checkable
class ConnectedModel(Protocol):
    """A model that holds a connection: the session enters it as a context, and closes it so."""

    @property
    def name(self) -> str: ...

    def has_price(self) -> bool:
        """True if the cost of its calls can be computed."""
        ...

    async def __aenter__(self) -> object: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class FollowsRecord:
    """Base of a model that follows a record without reading a prompt: it does not wait for states to be final."""


class PersonAsModel:
    """Base of a model that is a user: no time budget runs while it is asked, and its errors are not counted."""


class Retriever(Protocol):
    """Retrieval of passages that may help: learned here, or from an online search."""

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """The best passages, best first, at most `limit`; empty if none fits.

        `query` is arbitrary plain language. `application` as reported by windows; empty: any.
        Raises: DeskhandError if the search failed.
        """
        ...


class Embedder(Protocol):
    """Conversion of texts to vectors; texts of similar meaning have near vectors."""

    @property
    def name(self) -> str:
        """Name of the model; vectors of different names are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """One vector per text, all of one length. Raises: DeskhandError."""
        ...


class Decision(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """Facts about an action, computed by the program, for rules and for the user.

    `hosts` are those of network addresses in the arguments; `marks` are further findings of the program, such as
    `unnamed_application` (room `policy`). `message` is the text of the message that the action answers: of a dialog
    that only asks, `request` the user's requests so far. Secrets in `arguments` are masked. `fingerprint` is equal if
    the same action (tool, arguments, application, target) is proposed again. `acts_as`: a role whose rules hold as
    well: `button` of an item or a tab that is activated.
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
    message: str = ""
    request: str = field(default="", compare=False, repr=False)
    acts_as: str = ""


class OwnPolicy(Protocol):
    """A policy of the caller's own: a function that demands an approval of an action, or denies it, with its reason.

    It is called more than once for an action, and judges equal facts equally.
    """

    def __call__(self, facts: ActionFacts, /) -> tuple[Literal["confirm", "deny"], str] | None:
        """Return the decision and its reason; None: neither is wanted."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """The policy's decision on one action, and the rule that made it.

    `digest` is the fingerprint of the command and target that were judged: a clearance made from the verdict holds for
    these alone. It is not compared: the same action proposed again has an equal verdict.
    """

    decision: Decision
    rule: str
    reason: str
    facts: ActionFacts
    call_id: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)


class Policy(Protocol):
    """Rules to verdicts, verdicts to clearances."""

    def judge(self, command: Command, target: TargetInfo | None) -> Verdict:
        """Apply the rules to this command on this target in its current state."""
        ...

    def clear(self, verdict: Verdict, *, approved: bool = False) -> Clearance:
        """Return a clearance for the command and target that were judged. `approved`: the user approved these facts.

        Raises: ClearanceMissing where the verdict denies it, or demands a confirmation that was not given.
        """
        ...

    def redeem(self, clearance: Clearance, command: Command, target: TargetInfo | None) -> None:
        """Use a clearance up. Raises: ClearanceMissing if it is foreign, for another command, or already used."""
        ...


@dataclass(frozen=True, slots=True)
class ConfirmationRequest:
    """Confirmation of actions by the user: facts computed by the program, and apart from them the model's words."""

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
    """Answers by question; an empty answer counts as none. `timed_out`: no answer came in time."""

    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    timed_out: bool = False


class AskedLater(Exception):
    """The call ends with its question, and comes again with the answer: nothing that was done may be done again."""


class Interactor(Protocol):
    """Questions to the user."""

    @property
    def reaches_person(self) -> bool:
        """True if a user can be asked."""
        ...

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        """Ask until answered; the caller bounds the wait."""
        ...

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        """True: approved, False: rejected by the user, None: not decided. Nothing but True approves.

        The caller bounds the wait. Raises: AskedLater where the user cannot be asked while the call waits.
        """
        ...


class Satisfaction(StrEnum):
    """Result of a check. An unknown result never counts as satisfied."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    UNKNOWN = "unknown"


def satisfaction(checks: Iterable["CheckResult"]) -> Satisfaction:
    """Result of checks that must all hold: an unsatisfied one decides, else an unknown one."""
    verdicts = {check.verdict for check in checks}
    for verdict in (Satisfaction.UNSATISFIED, Satisfaction.UNKNOWN):
        if verdict in verdicts:
            return verdict
    return Satisfaction.SATISFIED if verdicts else Satisfaction.UNKNOWN


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check. `known` False: it could not be made, and then `ok` is False."""

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
    """A check given with the request: a FINISH claim is accepted only if it passes."""

    @property
    def name(self) -> str: ...

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        """Examine the world, never an agent's claims. `data` are the values saved on the blackboard."""
        ...
