"""Events of a session that are moments in a span, without the texts in them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from deskhand.core.events import (
    ActionsHeld,
    AnsweredFrom,
    CheckRun,
    ConfirmationAsked,
    ConfirmationDecided,
    DocumentLeft,
    DocumentOpened,
    Event,
    EventArrived,
    HandedBack,
    KnowledgeRetrieved,
    ObservationTaken,
    OutputWritten,
    PauseBegan,
    PauseEnded,
    PlaybookHealed,
    ProblemMet,
    QuestionsAnswered,
    QuestionsAsked,
    ReplyAccepted,
    RoundEvaluated,
    SubtaskArchived,
    SubtaskAssigned,
    TakenOver,
    TransitionTaken,
    VerdictGiven,
    WindowFollowed,
)
from deskhand.telemetry import names
from deskhand.telemetry.content import Content
from deskhand.telemetry.names import ours

Attributes: TypeAlias = Mapping[str, str | bool | int | float]

_FACTS: Final[Mapping[type[Event], Callable[[Any], Attributes]]] = {  # Any: of the type that is its key
    ObservationTaken: lambda e: {"controls": e.controls, "seconds": e.seconds, "provisional": e.provisional},
    KnowledgeRetrieved: lambda e: {"passages": len(e.passages), "seconds": e.seconds},
    ReplyAccepted: lambda e: {"status": e.status},
    ActionsHeld: lambda e: {"actions": len(e.call_ids)},
    QuestionsAsked: lambda e: {"questions": len(e.questions)},
    QuestionsAnswered: lambda e: {"how": e.how, "answers": len(e.answers)},
    EventArrived: lambda _: {},
    ConfirmationAsked: lambda e: {"actions": len(e.facts)},
    ConfirmationDecided: lambda e: {"decision": e.decision, "seconds": e.seconds},
    PauseBegan: lambda _: {},
    PauseEnded: lambda e: {"how": e.how, "seconds": e.seconds},
    TakenOver: lambda _: {},
    HandedBack: lambda e: {"changes": len(e.changes), "seconds": e.seconds},
    AnsweredFrom: lambda e: {"asked": e.what},
    CheckRun: lambda e: {"ok": e.ok},
    TransitionTaken: lambda e: {
        "machine": e.machine,
        "source": e.source,
        "to": e.to,
        "cause": e.cause,
        "trigger": e.trigger,
    },
    SubtaskAssigned: lambda e: {"application": e.application, "reused": e.reused},
    SubtaskArchived: lambda e: {"application": e.application, "outcome": e.outcome, "status": e.status},
    WindowFollowed: lambda _: {},
    DocumentOpened: lambda _: {},
    DocumentLeft: lambda e: {} if e.changed is None else {"changed": e.changed},
    OutputWritten: lambda _: {},
    PlaybookHealed: lambda e: {"steps": len(e.steps)},
    RoundEvaluated: lambda e: {"complete": e.complete},
}


def note_of(event: Event, content: Content) -> tuple[str, Attributes] | None:
    """Return the name and the attributes of an event of a span; None for one that is none."""
    if isinstance(event, VerdictGiven):
        return _verdict(event)
    if isinstance(event, ProblemMet):
        return "problem", _problem(event, content)
    facts = _FACTS.get(type(event))
    return None if facts is None else (event.kind, {ours(name): value for name, value in facts(event).items()})


def _verdict(event: VerdictGiven) -> tuple[str, Attributes] | None:
    """Return the decision of the policy where it is another one than to allow."""
    if event.decision == "allow":
        return None
    return event.kind, {names.TOOL: event.tool, ours("decision"): event.decision, ours("rule"): event.rule}


def _problem(event: ProblemMet, content: Content) -> Attributes:
    facts = {ours("where"): event.where, names.ERROR_TYPE: event.error.type}
    message = content.text(event.error.message)
    return facts if message is None else {**facts, names.EXCEPTION_MESSAGE: message}
