"""The session's part of a view: its state from its journal, and what its pages ask of it."""

import getpass
from contextlib import suppress
from time import time
from typing import Final

import anyio

from deskhand.core.errors import DeskhandError, StoreError, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.type_checks import pairs_of
from deskhand.report.live import LiveState
from deskhand.serve.view.view import View
from deskhand.session.control_client import RunningSession, running_session
from deskhand.store.journal_tail import JournalTail

_EVERY_S: Final = 0.1
"""Interval at which the journal is read."""
_STAYS_S: Final = 10.0
"""Time for which questions still wait for a page after the last one was closed: it may be reloaded."""
_END_S: Final = 20.0
"""Time in which a session whose desktop has ended records its outcome."""


class SessionPanel:
    """A running session, for the pages of one view. It is the `Hands` of its desktop: who takes them pauses the agent.

    A page that is closed while it has them leaves the session paused.
    """

    def __init__(self, running: RunningSession) -> None:
        self._running = running
        self._tail = JournalTail(running.session_dir)
        self._live = LiveState()
        self._number = 0
        self._view: View | None = None
        self._has_hands = False

    async def take(self, who: str) -> None:
        """Raises: DesktopBusy (a user elsewhere has them), UsageError (the session has ended)."""
        del who  # they are one user's pages, of which the view lets one have them
        await self._running.pause()
        self._has_hands = True

    async def hand_back(self, note: str) -> None:
        """Raises: UsageError (handed back elsewhere, or the session has ended)."""
        self._has_hands = False
        await self._running.hand_back(note)

    async def leave(self) -> None:
        """Leave the session paused."""
        self._has_hands = False

    async def command(self, name: str, fields: JsonObject, who: str) -> None:
        """Carry out a command of a page. Raises: UsageError, DesktopBusy."""
        running = self._running.by(_user(who))
        match name:
            case "answer":
                answers = {question: str(text) for question, text in pairs_of(fields.get("answers"))}
                await running.answer(_number(fields), answers)
            case "decide":
                await running.decide(_number(fields), approve=fields.get("approve") is True)
            case "hand_back":
                await running.hand_back(str(fields.get("note", "")))
            case "stop":
                await running.stop()
            case _:
                raise UsageError(f"a session cannot {name}", fix="reload the page")

    async def follow(self, view: View) -> None:
        """Show each new state, and be reached for questions while there are pages; until cancelled."""
        self._view = view
        async with anyio.create_task_group() as group:
            group.start_soon(self._attend, view)
            while True:
                await self._take_new(view)
                with anyio.move_on_after(_EVERY_S):
                    await anyio.sleep_forever()

    async def farewell(self) -> str:
        """Wait for the outcome of a session whose desktop has ended; return it in words."""
        with anyio.move_on_after(_END_S):
            while not self._live.outcome and self._view is not None:
                await self._take_new(self._view)
                with anyio.move_on_after(_EVERY_S):
                    await anyio.sleep_forever()
        outcome = self._live.outcome or "without an outcome"
        return f"The session has ended: {outcome}{f' ({self._live.reason})' if self._live.reason else ''}."

    def close(self) -> None:
        """Let go of the journal."""
        self._tail.close()

    async def _take_new(self, view: View) -> None:
        try:
            events = self._tail.read()
        except StoreError as error:
            view.show_session({"problems": [error.message]})
            return
        for event in events:
            self._live.take(event)
        if not events:
            return
        if self._live.waiting is not None:
            with suppress(DeskhandError):
                self._number = (await self._running.state()).waits
        if self._has_hands and self._live.hold is None:
            held_by = ""
            with suppress(DeskhandError):  # the session has ended
                held_by = (await self._running.state()).held_by
            if not held_by:
                self._has_hands = False
                await view.lose_hands("The desktop was handed back elsewhere.")
        view.show_session({**self._live.to_json(time()), "number": self._number})

    async def _attend(self, view: View) -> None:
        while True:
            while not view.viewers:
                await view.viewers_changed()
            with suppress(DeskhandError):
                async with running_session(self._running.session_dir, self._running.who) as attending:
                    await attending.attend()
                    await _all_gone(view)
            if view.viewers:  # the session has ended
                return


async def _all_gone(view: View) -> None:
    """Return when there has been no page for a while."""
    while True:
        while view.viewers:
            await view.viewers_changed()
        with anyio.move_on_after(_STAYS_S):
            while not view.viewers:
                await view.viewers_changed()
        if not view.viewers:
            return


def _number(fields: JsonObject) -> int:
    number = fields.get("number")
    return number if isinstance(number, int) else 0


def user_of_view() -> str:
    """The user, in the journals of sessions that are taken over in a view."""
    return f"{getpass.getuser()} (page)"


def _user(label: str) -> str:
    return f"{getpass.getuser()} ({label})"
