"""The messages of a session, made from its events."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from deskhand.core.errors import ErrorInfo, StoreError
from deskhand.core.events import (
    ConfirmationAsked,
    ConfirmationDecided,
    ErrorData,
    Event,
    ProblemMet,
    QuestionsAnswered,
    QuestionsAsked,
    SessionFinished,
)
from deskhand.core.ports import EventSink
from deskhand.notify.channels import Notifications
from deskhand.notify.message import confirmation, end, question
from deskhand.notify.outbox import Outbox, opened


@asynccontextmanager
async def notified(wanted: Notifications, session_id: str, events: EventSink) -> AsyncGenerator[tuple[EventSink, ...]]:
    """Return the listeners that send a session's messages. The first failure of each channel becomes an event.

    On leaving, messages under way have a few seconds more.
    """
    if not wanted.channels():
        yield ()
        return

    def report(channel: str, error: ErrorInfo) -> None:
        with suppress(StoreError):  # the session meets it at its next event
            events.emit(ProblemMet(where=f"notifying by {channel}", error=ErrorData.of(error)))

    async with opened(wanted, report) as outbox:
        yield (SessionMessages(session_id, outbox),)


class SessionMessages:
    """Sends a message where a session waits for its user, or has ended; implements `core.ports.EventSink`."""

    def __init__(self, session_id: str, outbox: Outbox) -> None:
        self._session_id = session_id
        self._outbox = outbox

    def emit(self, event: Event) -> None:
        match event:
            case QuestionsAsked() if event.questions:
                self._outbox.send_unless_answered(question(self._session_id, event.agent, event.questions))
            case ConfirmationAsked():
                self._outbox.send_unless_answered(confirmation(self._session_id, event.agent, len(event.facts)))
            case QuestionsAnswered() | ConfirmationDecided():
                self._outbox.answered()
            case SessionFinished():
                self._outbox.answered()
                self._outbox.send_end(end(self._session_id, event.outcome, event.seconds), event.seconds)
            case _:
                pass
