"""The CLIPBOARD selection: offering contents in several forms, and reading (ICCCM, with INCR for large ones)."""

import select
import socket
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeVar

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import BadAtom, ConnectionClosedError, XError
from Xlib.protocol import rq
from Xlib.protocol.event import SelectionNotify
from Xlib.protocol.request import SetSelectionOwner
from Xlib.xobject.drawable import Window

from deskhand.core.errors import ActionRefused, DesktopGone
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.clipboard_watch import clipboard_taken
from deskhand.desktop.linux.x11.connection import (
    close_display,
    cut_display,
    display_device,
    open_display,
    x_server_gone,
)

T = TypeVar("T")

_CHUNK: Final = 200_000
"""Bytes per property: below the 262140 of the largest request."""

_NO_CONTENTS: Final = frozenset(
    {"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY"}
)

_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of one form that is asked for by itself."""

_OWN_DEADLINE_S: Final = 2.0
_OWNER_S: Final = 5.0
_LATE_S: Final = 3.0
"""By how much a server may be late where it should have answered that nobody offers anything."""


@dataclass(slots=True)
class _Transfer:
    """The rest of a large content on its way to one requestor; an empty chunk ends it."""

    requestor: Window
    target: int
    chunks: deque[bytes]


@dataclass(slots=True)
class _Offer:
    formats: Mapping[str, bytes]
    owned: threading.Event = field(default_factory=threading.Event)
    ok: bool = False


class ClipboardOwner:
    """Answers for the clipboard from a thread of its own, so that other programs never wait for our event loop."""

    def __init__(self, name: str) -> None:
        """Opens a connection. Raises: DesktopGone."""
        self._display = open_display(name)
        self._window = _window_on(self._display)
        self._wake, self._woken = socket.socketpair()
        self._offers: deque[_Offer] = deque()
        self._contents: dict[int, bytes] = {}
        self.fetches = 0
        self._transfers: dict[tuple[int, int], _Transfer] = {}
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="deskhand-clipboard", daemon=True)
        self._thread.start()

    def offer(self, formats: Mapping[str, bytes]) -> None:
        """Owns the clipboard with these contents, lets go of it without; blocks until then. Raises: DesktopGone."""
        offer = _Offer(dict(formats))
        self._offers.append(offer)
        self._wake.send(b"o")
        if not offer.owned.wait(_OWN_DEADLINE_S) or not offer.ok:
            raise DesktopGone("The clipboard could not be taken over.", fix="Start the desktop again.")

    @property
    def unfinished(self) -> int:
        """Number of large contents being transferred."""
        return len(self._transfers)

    def cut(self) -> None:
        """End the connection at once; a pending wait for the server fails."""
        cut_display(self._display)

    def close(self) -> None:
        """Lets go of the clipboard."""
        self._closing = True
        self._wake.send(b"c")
        self._thread.join(_OWN_DEADLINE_S)
        close_display(self._display)
        self._wake.close()
        self._woken.close()

    def _serve(self) -> None:
        try:
            while not self._closing:
                while self._display.pending_events():
                    self._handle(self._display.next_event())
                readable, _, _ = select.select([self._display.fileno(), self._woken], [], [])
                if self._woken in readable:
                    self._woken.recv(64)
                    self._take_over()
        except (ConnectionClosedError, OSError):
            return  # the server is gone, and the clipboard with it

    def _take_over(self) -> None:
        while self._offers:
            offer = self._offers.popleft()
            intern = self._display.intern_atom
            clipboard = intern("CLIPBOARD")
            self._contents = {intern(name): data for name, data in offer.formats.items()}
            self.fetches = 0
            if offer.formats:
                self._window.set_selection_owner(clipboard, X.CurrentTime)
                offer.ok = self._display.get_selection_owner(clipboard) == self._window
            else:
                if self._display.get_selection_owner(clipboard) == self._window:
                    SetSelectionOwner(
                        display=self._display.display, window=X.NONE, selection=clipboard, time=X.CurrentTime
                    )
                    self._display.sync()
                offer.ok = True
            offer.owned.set()

    def _handle(self, event: rq.Event) -> None:
        if event.type == X.SelectionRequest:
            self._answer(event)
        elif event.type == X.SelectionClear:
            if self._display.get_selection_owner(event.atom) != self._window:  # else it tells of an offer before
                self._contents = {}
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            transfer = self._transfers.get((event.window.id, event.atom))
            if transfer:
                self._send_next(event.atom, transfer)
        elif event.type == X.DestroyNotify:
            self._drop(event.window.id)

    def _drop(self, requestor: int) -> None:
        """Drop the rest of the contents for a window that is gone."""
        self._transfers = {place: rest for place, rest in self._transfers.items() if place[0] != requestor}

    def _answer(self, event: rq.Event) -> None:
        prop = event.property or event.target
        data = self._contents.get(event.target)
        if event.target == self._display.intern_atom("TARGETS"):
            atoms = [event.target, *self._contents]
            event.requestor.change_property(prop, Xatom.ATOM, 32, atoms, onerror=_ignore)
        elif data is None:
            prop = X.NONE
        elif len(data) <= _CHUNK:
            self.fetches += 1
            event.requestor.change_property(prop, event.target, 8, data, onerror=_ignore)
        else:
            self._begin(event.requestor, prop, event.target, data)
        event.requestor.send_event(
            SelectionNotify(
                time=event.time,
                requestor=event.requestor,
                selection=event.selection,
                target=event.target,
                property=prop,
            ),
            onerror=_ignore,
        )
        self._display.flush()

    def _begin(self, requestor: Window, prop: int, target: int, data: bytes) -> None:
        chunks = deque(data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK))
        chunks.append(b"")
        self._transfers[requestor.id, prop] = _Transfer(requestor, target, chunks)

        def gone(error: XError, request: object) -> None:  # noqa: ARG001 - as `_ignore`
            self._drop(requestor.id)

        told = X.PropertyChangeMask | X.StructureNotifyMask
        requestor.change_attributes(event_mask=told, onerror=gone)
        requestor.change_property(prop, self._display.intern_atom("INCR"), 32, [len(data)], onerror=_ignore)

    def _send_next(self, prop: int, transfer: _Transfer) -> None:
        chunk = transfer.chunks.popleft()
        transfer.requestor.change_property(prop, transfer.target, 8, chunk, onerror=_ignore)
        if not transfer.chunks:
            del self._transfers[transfer.requestor.id, prop]
            self.fetches += 1
        self._display.flush()


class XClipboard:
    """Implements `display_server.Clipboard`. Its owner is made with the first offer, each read has a connection."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._owner = Device(lambda _: ClipboardOwner(name), ClipboardOwner.close, ClipboardOwner.cut)

    async def close(self) -> None:
        """Release the clipboard."""
        await self._owner.close()

    async def offer(self, formats: Mapping[str, bytes]) -> None:
        await self._with_owner(lambda owner: owner.offer(formats))

    async def fetches(self) -> int:
        return await self._with_owner(lambda owner: owner.fetches)

    async def read(self, form: str, deadline_s: float) -> bytes | None:
        return await self._with_reader(lambda reader: reader.read(form, _MOST_BYTES), deadline_s)

    async def read_all(self, most_bytes: int, deadline_s: float) -> Mapping[str, bytes] | None:
        return await self._with_reader(lambda reader: reader.read_all(most_bytes), deadline_s)

    async def taken(self, act: Callable[[], Awaitable[None]], deadline_s: float) -> bool:
        return await clipboard_taken(self._name, act, deadline_s)

    async def _with_owner(self, work: Callable[[ClipboardOwner], T]) -> T:
        try:
            return await self._owner.run(work, deadline_s=_OWNER_S)
        except TimeoutError as error:
            raise x_server_gone(self._name) from error

    async def _with_reader(self, work: "Callable[[_Reader], T]", deadline_s: float) -> T:
        device = display_device(self._name)
        end = monotonic() + deadline_s
        try:
            return await device.run(lambda display: work(_Reader(display, end)), deadline_s=deadline_s + _LATE_S)
        except (ConnectionClosedError, OSError) as error:  # TimeoutError is an OSError
            raise x_server_gone(self._name) from error
        finally:
            await device.close()


class _Reader:
    def __init__(self, display: Display, end: float) -> None:
        self._display = display
        self._end = end
        self._window = _window_on(display)
        self._property = display.intern_atom("DESKHAND_CLIPBOARD")

    def read(self, target: str, most_bytes: int) -> bytes | None:
        """None where it does not come in time.

        Raises: ActionRefused where it is more; little beyond that is taken in.
        """
        intern = self._display.intern_atom
        self._window.convert_selection(intern("CLIPBOARD"), intern(target), self._property, X.CurrentTime)
        notify = self._wait(lambda event: event.type == X.SelectionNotify)
        if notify is None:
            return None
        if notify.property == X.NONE:
            return b""
        kind, taken = self._take()
        data = self._read_chunks(most_bytes) if kind == intern("INCR") else taken
        if data is not None and len(data) > most_bytes:
            raise ActionRefused(f"The clipboard holds more than {most_bytes} bytes of {target}.", fix="Copy less.")
        return data

    def read_all(self, most_bytes: int) -> dict[str, bytes] | None:
        """Read every form that is offered, except those that describe the others or cause an action."""
        if self._display.get_selection_owner(self._display.intern_atom("CLIPBOARD")) == X.NONE:
            return {}
        contents: dict[str, bytes] = {}
        try:
            names = (self.read("TARGETS", most_bytes) or b"").decode().split("\n")
            for name in names:
                if name and name not in _NO_CONTENTS:
                    content = self.read(name, most_bytes - sum(map(len, contents.values())))
                    if content is None:
                        return None
                    contents[name] = content
        except ActionRefused:
            return None
        return contents if any(contents.values()) else None

    def _read_chunks(self, most_bytes: int) -> bytes | None:
        """All of them, or the first ones that are more than `most_bytes`; None where they do not come in time."""
        data = bytearray()
        while len(data) <= most_bytes:
            if not self._wait(self._is_new_chunk):
                return None
            _, chunk = self._take()
            if not chunk:
                break
            data += chunk
        return bytes(data)

    def _is_new_chunk(self, event: rq.Event) -> bool:
        new = event.type == X.PropertyNotify and event.state == X.PropertyNewValue
        return bool(new and event.atom == self._property)

    def _take(self) -> tuple[int, bytes]:
        found = self._window.get_full_property(self._property, X.AnyPropertyType, sizehint=_CHUNK)
        self._window.delete_property(self._property)
        self._display.flush()
        if found is None:
            return X.NONE, b""
        value: object = found.value
        if isinstance(value, bytes):
            return found.property_type, value
        if found.property_type == Xatom.ATOM:
            names = filter(None, map(self._atom_name, found.value))
            return found.property_type, "\n".join(names).encode()
        return found.property_type, b""

    def _atom_name(self, atom: int) -> str:
        """Return the name of an atom, empty for an invalid one: the owner of a clipboard may report anything."""
        try:
            return self._display.get_atom_name(atom)
        except BadAtom:
            return ""

    def _wait(self, wanted: Callable[[rq.Event], bool]) -> rq.Event | None:
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if wanted(event):
                    return event
            left = self._end - monotonic()
            if left <= 0 or not select.select([self._display.fileno()], [], [], left)[0]:
                return None


def _window_on(display: Display) -> Window:
    """An invisible window that hears of its own properties."""
    root: Window = display.screen().root
    return root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)


def _ignore(error: XError, request: object) -> None:
    """A requestor that vanished in the meantime asks for nothing any more."""
