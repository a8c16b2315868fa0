"""The live view of one desktop: its viewers, and which of them has pointer and keyboard."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from time import monotonic
from typing import Final, Protocol, TypeAlias

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from deskhand.core.errors import ActionDeadline, ActionRefused, DeskhandError, DesktopGone, UsageError
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.desktop.protocols.live import LiveDesktop, LiveEvent, Look, PointerMoved
from deskhand.serve.view.hands import Hands
from deskhand.serve.view.messages import Command, HandBack, Message, Release, Shown, Take, parse_message
from deskhand.serve.view.viewer import Page, Viewer

_WAITING: Final = 256
"""Events of a viewer that wait to be sent; then its page has to wait, too."""
_POINTER_S: Final = 0.1
_STILL_POINTER_S: Final = 0.5
"""Interval at which the pointer is queried, and the same where nothing has moved for `_STILL_S`."""
_STILL_S: Final = 2.0
_FAREWELL_S: Final = 2.0

_Event: TypeAlias = LiveEvent | Release

Commands: TypeAlias = Callable[[str, JsonObject, str], Awaitable[None]]
"""Carries out a command of the page for the session: its name, its fields, and whose it is. Raises: DeskhandError."""


Farewell: TypeAlias = Callable[[], Awaitable[str]]


class Connection(Page, Protocol):
    """A page's connection."""

    async def receive_text(self) -> str | None:
        """Return the next message; None when the page is gone."""
        ...


async def no_session(name: str, fields: JsonObject, who: str) -> None:  # noqa: ARG001
    """Raises: UsageError."""
    raise UsageError(f"there is no session here to {name}", fix="use this page of a session: deskhand view ID")


class View:
    """`commands` carries out those of the session's part of the page."""

    def __init__(
        self,
        desktop: LiveDesktop,
        hands: Hands,
        commands: Commands = no_session,
        *,
        title: str = "",
        farewell: Farewell | None = None,
    ) -> None:
        """`title`: of the page, by default the desktop's name. `farewell`: waits for the words at the desktop's end."""
        self._desktop = desktop
        self._title = title or desktop.name
        self._hands = hands
        self._commands = commands
        self._farewell = farewell
        self._viewers: list[Viewer] = []
        self._count = 0
        self._holder: Viewer | None = None
        self._acts = False
        self._seen: Look | None = None
        self._session: JsonObject | None = None
        self._moved_at = 0.0
        self._changed_viewers = anyio.Event()
        desktop.on_change = self._changed

    async def run(self) -> None:
        """Follow the pointer and the size of the screen until the desktop ends, and report that to all viewers."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow_pointer)
            await self._desktop.ended.wait()
            group.cancel_scope.cancel()
        text = await self._farewell() if self._farewell else f"The desktop {self._desktop.name} has ended."
        for viewer in self._viewers:
            viewer.post({"kind": "ended", "text": text})
            viewer.end()
        with anyio.move_on_after(_FAREWELL_S):
            while self._viewers:
                await self._changed_viewers.wait()

    def show_session(self, state: JsonObject) -> None:
        """Show the state of the session to all viewers, present and later ones."""
        self._session = {**state, "kind": "session"}
        for viewer in self._viewers:
            viewer.post(self._session)

    @property
    def viewers(self) -> int:
        """Number of pages."""
        return len(self._viewers)

    async def viewers_changed(self) -> None:
        """Return when a page comes or goes, or the hands change."""
        await self._changed_viewers.wait()

    async def lose_hands(self, why: str) -> None:
        """Take the hands from their viewer: they were handed back elsewhere."""
        viewer = self._holder
        if viewer is not None and self._acts:
            self._acts, self._holder = False, None
            await self._desktop.release()
            viewer.post({"kind": "notice", "text": why})
            self._tell_viewers()

    async def attend(self, connection: Connection, browser: str) -> None:
        """Show the desktop to one page until it or the desktop is gone; all that it held down is released then."""
        self._count += 1
        viewer = Viewer(self._count, browser)
        events, event = anyio.create_memory_object_stream[_Event](_WAITING)
        try:
            await self._welcome(viewer)
            async with anyio.create_task_group() as group, events, event:
                group.start_soon(self._act, viewer, event)
                group.start_soon(self._receive, viewer, connection, events, group)
                await viewer.send(connection, self._desktop.picture)
                group.cancel_scope.cancel()
        except DesktopGone:
            return
        finally:
            with anyio.CancelScope(shield=True):
                await self._leave(viewer)

    async def _welcome(self, viewer: Viewer) -> None:
        """Raises: DesktopGone."""
        seen = self._seen = await self._desktop.look()
        self._viewers.append(viewer)
        viewer.post({"kind": "desktop", "name": self._title, "you": viewer.label})
        viewer.resize(seen.screen)
        viewer.post(_pointer(seen))
        if self._session is not None:
            viewer.post(self._session)
        self._tell_viewers()

    async def _leave(self, viewer: Viewer) -> None:
        if viewer in self._viewers:
            self._viewers.remove(viewer)
        if viewer is self._holder and self._acts:
            self._acts = False
            await self._desktop.release()
            with suppress(DeskhandError):
                await self._hands.leave()
            self._holder = None
        self._tell_viewers()

    def _tell_viewers(self) -> None:
        """Tell all of them who has the hands, and how many they are."""
        changed, self._changed_viewers = self._changed_viewers, anyio.Event()
        changed.set()
        holder = self._holder.label if self._holder else ""
        for viewer in self._viewers:
            mine = viewer is self._holder
            state = "taking" if mine and not self._acts else "mine" if mine else "other" if holder else "free"
            viewer.post({"kind": "hands", "state": state, "holder": holder, "viewers": len(self._viewers)})

    def _changed(self, rects: Sequence[Rect]) -> None:
        self._moved_at = monotonic()
        for viewer in self._viewers:
            viewer.change(rects)

    async def _follow_pointer(self) -> None:
        while True:
            if not self._viewers:
                await self._changed_viewers.wait()
                continue
            still = monotonic() - self._moved_at > _STILL_S
            with anyio.move_on_after(_STILL_POINTER_S if still else _POINTER_S):  # the server reports no motion
                await self._desktop.ended.wait()
            try:
                seen = await self._desktop.look()
            except DesktopGone:
                return
            before, self._seen = self._seen, seen
            for viewer in self._viewers if before else ():
                if before and seen.screen != before.screen:
                    viewer.resize(seen.screen)
                if before and seen.pointer != before.pointer:
                    self._moved_at = monotonic()
                    viewer.post(_pointer(seen))

    async def _receive(
        self, viewer: Viewer, connection: Connection, events: MemoryObjectSendStream[_Event], group: TaskGroup
    ) -> None:
        while (text := await connection.receive_text()) is not None:
            message = parse_message(text)
            if message is None:
                viewer.post({"kind": "notice", "text": "A message of this page was not understood: reload it."})
            else:
                await self._take_in(viewer, message, events, group)
        group.cancel_scope.cancel()

    async def _take_in(
        self, viewer: Viewer, message: Message, events: MemoryObjectSendStream[_Event], group: TaskGroup
    ) -> None:
        match message:
            case Shown():
                viewer.shown(message.sequence)
            case Take():
                group.start_soon(self._take, viewer)
            case HandBack():
                await self._hand_back(viewer, message.note)
            case Command():
                group.start_soon(self._command, viewer, message)
            case Release():
                await events.send(message)
            case _:
                await events.send(message.event)

    async def _act(self, viewer: Viewer, events: MemoryObjectReceiveStream[_Event]) -> None:
        """Send events to the desktop in order; of motions that wait only the last."""
        async for first in events:
            for event in _without_passed_motions((first, *_waiting(events))):
                if viewer is self._holder and self._acts:
                    await self._send(viewer, event)

    async def _send(self, viewer: Viewer, event: _Event) -> None:
        self._moved_at = monotonic()
        try:
            if isinstance(event, Release):
                await self._desktop.release()
            else:
                await self._desktop.send(event)
        except (ActionRefused, ActionDeadline) as error:
            viewer.post({"kind": "notice", "text": _sentence(error)})
        except DesktopGone:
            return  # all viewers are told

    async def _take(self, viewer: Viewer) -> None:
        if self._holder is not None:
            if self._holder is not viewer:
                text = f"{self._holder.label} has pointer and keyboard: ask that person to hand them back."
                viewer.post({"kind": "notice", "text": text})
            return
        self._holder = viewer
        self._tell_viewers()
        try:
            await self._hands.take(viewer.label)
            self._acts = True
        except DeskhandError as error:
            viewer.post({"kind": "notice", "text": _sentence(error)})
        finally:
            if not self._acts:
                self._holder = None
            self._tell_viewers()

    async def _hand_back(self, viewer: Viewer, note: str) -> None:
        if viewer is not self._holder or not self._acts:
            return
        self._acts = False
        await self._desktop.release()
        try:
            await self._hands.hand_back(note)
        except DeskhandError as error:
            viewer.post({"kind": "notice", "text": _sentence(error)})
        self._holder = None
        self._tell_viewers()

    async def _command(self, viewer: Viewer, command: Command) -> None:
        if command.name == "hand_back" and viewer is self._holder:
            await self._hand_back(viewer, str(command.fields.get("note", "")))
            return
        try:
            await self._commands(command.name, command.fields, viewer.label)
        except DeskhandError as error:
            viewer.post({"kind": "notice", "text": _sentence(error)})


def _waiting(events: MemoryObjectReceiveStream[_Event]) -> Iterator[_Event]:
    with suppress(anyio.WouldBlock, anyio.EndOfStream):
        while True:
            yield events.receive_nowait()


def _without_passed_motions(events: Sequence[_Event]) -> Iterator[_Event]:
    """Yield the events but for motions that another one follows."""
    for event, following in pairwise((*events, None)):
        if event is not None and not (isinstance(event, PointerMoved) and isinstance(following, PointerMoved)):
            yield event


def _pointer(seen: Look) -> JsonObject:
    return {"kind": "pointer", "x": seen.pointer.x, "y": seen.pointer.y}


def _sentence(error: DeskhandError) -> str:
    return f"{error.message.rstrip('.')}. {error.fix}".strip()
