"""A Windows program on the accessibility bus: one connection, which answers for all of its windows."""

import asyncio
import sys
from dataclasses import replace
from time import monotonic
from typing import Final, Self

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.bulk import CACHE, CACHE_PATH
from deskhand.desktop.linux.atspi.client import HUNG
from deskhand.desktop.linux.wine import accessible
from deskhand.desktop.linux.wine.accessible import ROOT, Answer, Asked, NoSuchMember, Program, key_of, path_of
from deskhand.desktop.linux.wine.events import Told
from deskhand.desktop.linux.wine.helper import Helper, HelperRefusal
from deskhand.desktop.linux.wine.operations import changes_nothing, is_operation, operate
from deskhand.desktop.linux.wine.window_tree import TopWindow, Tree, top_windows, tree_of

_FRESH_S: Final = 0.01
_MOST_FRESH_S: Final = 0.5
"""Age up to which a tree answers further calls: an observation makes hundreds. The time that reading it took, if that
is longer than the first and shorter than the second. After the first without a call it is read again: the next one may
be about what changed."""

_SOCKET: Final = "org.a11y.atspi.Socket"
_EVENT: Final = "org.a11y.atspi.Event."
_REFUSED: Final = "org.deskhand.Error.Refused"
_UNKNOWN_OBJECT: Final = "org.freedesktop.DBus.Error.UnknownObject"
_UNKNOWN_METHOD: Final = "org.freedesktop.DBus.Error.UnknownMethod"
_ERRORS: Final = {"gone": _UNKNOWN_OBJECT, "hung": HUNG}
_OF_WINDOWS: Final = frozenset({"GetChildren", "GetChildAtIndex", "Get", "GetAll"})
"""Calls to the application that depend on its windows; the others are answered while it hangs, too."""

_FAULTS: Final = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors in an answer, after which the next call is answered."""

_OWN: Final = frozenset({"org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable"})
"""Interfaces that the D-Bus library answers."""


class ProgramBus:
    """Use `enter`. Calls about windows are answered one after the other, as a program does, until `serving` is done."""

    def __init__(self, bus: MessageBus, helper: Helper, window: TopWindow, process: int) -> None:
        """`process`: that of the program on Linux."""
        self._bus = bus
        self._helper = helper
        self._windows_pid = window.pid
        self._program = Program(bus.unique_name or "", window.program, process, {})
        self._read_at, self._took, self._answered_at = 0.0, 0.0, 0.0
        self._refusal: HelperRefusal | None = None
        self._calls: asyncio.Queue[Message] = asyncio.Queue()
        self._answering: set[asyncio.Future[None]] = set()
        self.serving = asyncio.ensure_future(self._serve())

    @classmethod
    async def enter(cls, address: str, helper: Helper, window: TopWindow, process: int) -> Self:
        """Join the accessibility bus and its registry. Raises: OSError."""
        bus = await MessageBus(bus_address=address).connect()
        program = cls(bus, helper, window, process)
        bus.add_message_handler(program._hear)
        application = [bus.unique_name, path_of(ROOT)]
        await bus.call(
            Message(
                destination=calls.REGISTRY,
                path=calls.ROOT_PATH,
                interface=_SOCKET,
                member="Embed",
                signature="(so)",
                body=[application],
            )
        )
        return program

    def leave(self) -> None:
        """Leave the bus; the registry forgets the program."""
        for each in (self.serving, *self._answering):
            each.cancel()
        self._bus.disconnect()

    def forget(self) -> None:
        """Read everything again at the next call."""
        self._read_at = 0.0

    def happened(self, event: Told, hwnd: int) -> None:
        """Report a change of a window or control; what was read before is stale."""
        self.forget()
        interface, _, member = event.member.partition(".")
        key = str(hwnd) if self._program.control(str(hwnd)) else ROOT
        self._send(
            Message(
                message_type=MessageType.SIGNAL,
                path=path_of(key),
                interface=_EVENT + interface,
                member=member,
                signature="siiva{sv}",
                body=[event.detail, event.value, 0, Variant("s", ""), {}],
            )
        )

    def _send(self, message: Message) -> None:
        self._bus.send(message)  # pyright: ignore[reportUnknownMemberType] - the library does not say of what its future is

    def _hear(self, message: Message) -> bool | None:
        """Take a call; None: it is left to the library."""
        if message.message_type is not MessageType.METHOD_CALL or message.interface in _OWN:
            return None
        if _is_of_application(message):
            answering = asyncio.ensure_future(self._reply(message))
            self._answering.add(answering)
            answering.add_done_callback(self._answering.discard)
        else:
            self._calls.put_nowait(message)
        return True

    async def _serve(self) -> None:
        while True:
            await self._reply(await self._calls.get())
            self._answered_at = monotonic()

    async def _reply(self, message: Message) -> None:
        reply = await self._reply_to(message)
        try:
            self._send(reply)
        except _FAULTS as error:  # such as a text with a zero
            self._send(_error(message, _REFUSED, f"D-Bus does not carry the answer to {message.member}: {error}"))

    async def _reply_to(self, message: Message) -> Message:
        try:
            signature, body = await self._answer(message)
        except NoSuchMember:
            return _error(message, _UNKNOWN_METHOD, f"{message.path} has no {message.interface}.{message.member}")
        except HelperRefusal as refusal:
            return _error(message, _ERRORS.get(refusal.reason, _REFUSED), str(refusal))
        except _FAULTS as fault:  # of ours, or of who asks
            sys.stderr.write(f"{message.path} {message.interface}.{message.member} {message.body}: {fault!r}\n")
            return _error(message, _REFUSED, f"{message.member} was not answered: {fault!r}")
        return Message.new_method_return(message, signature, body)

    async def _answer(self, message: Message) -> Answer:
        """Raises: NoSuchMember, HelperRefusal, DesktopGone."""
        interface, member = message.interface or "", message.member or ""
        if not _is_of_application(message):
            await self._refresh()
        if (message.path, interface, member) == (CACHE_PATH, CACHE, "GetItems"):
            return accessible.items(self._program)
        asked = self._asked(message)
        if not is_operation(asked, interface, member):
            return accessible.read(asked, interface, member)
        try:
            return await operate(self._helper.ask, asked, interface, member)
        finally:
            self._read_at = self._read_at if changes_nothing(member) else 0.0

    def _asked(self, message: Message) -> Asked:
        """Raises: HelperRefusal (there is no such control now)."""
        key = key_of(message.path or "")
        if key == ROOT:
            return Asked(self._program, None, None, message.body)
        found = self._program.control(key)
        if found is None:
            raise HelperRefusal("gone", f"{message.path} no longer exists")
        return Asked(self._program, *found, message.body)

    async def _refresh(self) -> None:
        """Read all windows again, unless they were read a moment ago. Raises: HelperRefusal, DesktopGone."""
        if self._is_fresh(monotonic()):
            if self._refusal is not None:
                raise self._refusal
            return
        start = monotonic()
        try:
            await self._read()
            self._refusal = None
        except HelperRefusal as refusal:
            self._refusal = refusal
        except _FAULTS as fault:
            self._refusal = HelperRefusal("refused", f"its windows were not read: {fault!r}")
        self._read_at = monotonic()
        self._took = self._read_at - start
        if self._refusal is not None:
            raise self._refusal

    def _is_fresh(self, now: float) -> bool:
        most_s = min(max(_FRESH_S, self._took), _MOST_FRESH_S)
        return now - self._read_at <= most_s and now - max(self._read_at, self._answered_at) <= _FRESH_S

    async def _read(self) -> None:
        windows = top_windows(await self._helper.ask("windows"))
        own = [window for window in windows if window.pid == self._windows_pid]
        trees: dict[int, Tree] = {}
        for window in own:
            try:
                trees[window.hwnd] = tree_of(await self._helper.ask("tree", hwnd=window.hwnd))
            except HelperRefusal as refusal:
                if refusal.reason != "gone":  # a window may close between the two requests
                    raise
        inside = {popup for tree in trees.values() for popup in tree.popups}
        shown = {hwnd: tree for hwnd, tree in trees.items() if hwnd not in inside}
        self._program = replace(self._program, trees=shown)


def _is_of_application(message: Message) -> bool:
    """True for a call that no window is needed for: it does not wait behind those that read windows."""
    return key_of(message.path or "") == ROOT and message.member not in _OF_WINDOWS


def _error(message: Message, name: str, text: str) -> Message:
    return Message.new_error(message, name, text)
