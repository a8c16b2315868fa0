"""Live view of a Linux desktop: the changes of its screen, its picture, and a person's pointer and keyboard."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Final

import anyio

from deskhand.core.errors import ActionDeadline, DesktopGone
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.linux.display_server import DisplayServer, Screen
from deskhand.desktop.linux.opening import RELEASE, locked
from deskhand.desktop.linux.runtime.attach import check_display
from deskhand.desktop.linux.runtime.named_desktop import list_named, open_named
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, LiveEvent, Look, PointerMoved, WheelTurned
from deskhand.desktop.user_guard import Guard

_HANDLED_S: Final = 2.0
_TYPING_S: Final = 5.0
_KEY_S: Final = 0.005
"""Additional timeout for each key of a text, far above the time of one."""
_RELEASE_S: Final = 1.0


class LinuxLive:
    """Implements `deskhand.desktop.protocols.live.LiveDesktop`, and is the `ScreenWatcher` of its display."""

    def __init__(self, name: str, display: str) -> None:
        self.name = name
        self.display = display
        self.ended = anyio.Event()
        self.on_change: Callable[[Sequence[Rect]], None] = _nothing
        self._server: DisplayServer

    async def open(self, stack: AsyncExitStack) -> None:
        """Open the connections; `stack` closes them. Raises: DesktopGone, CaptureFailed."""
        self._server = await DISPLAY_SERVER.open(self.display, Guard(), self, stack, whole_screen=True)
        stack.push_async_callback(self._restore)

    async def look(self) -> Look:
        return await self._server.connection.run(lambda screen: screen.live.look())

    async def picture(self, region: Rect) -> Picture:
        return (await self._server.camera.grab(region)).picture(hidden=())

    async def send(self, event: LiveEvent) -> None:
        if isinstance(event, KeysPressed):
            await self._press(event.chords)
        else:
            await self._server.connection.run(partial(_sent, event))

    async def release(self) -> None:
        with anyio.move_on_after(_RELEASE_S, shield=True), suppress(DesktopGone):
            await self._server.connection.run(lambda screen: screen.live.release())

    def hold(self, who: str) -> AbstractAsyncContextManager[None]:
        return locked(self.display, who, brief=False)

    def repaint(self, surface: int, corner: tuple[int, int], rects: Sequence[Rect]) -> None:  # noqa: ARG002
        self.on_change([rect.moved(*corner) for rect in rects])

    def window(self, surface: int, what: str) -> None: ...

    def created(self, surface: int) -> None: ...

    def changed(self) -> None: ...

    def hung_up(self) -> None:
        self.ended.set()

    async def _press(self, chords: Sequence[Chord]) -> None:
        """Raises: ActionRefused, ActionDeadline, DesktopGone."""
        connection = self._server.connection
        await connection.run(lambda screen: screen.live.lift())
        while chords:
            batch = await connection.run(lambda screen, chords=chords: screen.input.prepare(chords))
            if batch.borrowed and await self._server.has_handled_keys(_HANDLED_S) is False:
                raise ActionDeadline(
                    "The window with the keyboard takes no keys.", fix="Wait until it answers, or click another window."
                )
            deadline_s = _TYPING_S + batch.count * _KEY_S
            if await connection.run(lambda screen, batch=batch: screen.input.press(batch), deadline_s=deadline_s):
                chords = chords[batch.count :]

    async def _restore(self) -> None:
        def restore(screen: Screen) -> None:
            screen.live.release()
            screen.input.restore()

        with anyio.move_on_after(_RELEASE_S, shield=True), suppress(DesktopGone):
            await self._server.connection.run(restore)


@asynccontextmanager
async def open_running_live(choice: str) -> AsyncGenerator[LinuxLive]:
    """Open a desktop by its name or its display (`:N`), which needs no session bus.

    If this process is killed, the guardian of a named one has keys and buttons released that it left down.
    Raises: UsageError (there is none), DesktopGone.
    """
    named = next((each for each in await list_named() if choice in {each.name, each.display}), None)
    async with AsyncExitStack() as stack:
        if named is None and choice.startswith(":"):
            await check_display(choice)
            desktop = LinuxLive(choice, choice)
        else:
            kept = await open_named(named.name if named else choice, when_lost=RELEASE)
            stack.push_async_callback(kept.close)
            desktop = LinuxLive(kept.name, kept.display)
        await desktop.open(stack)
        yield desktop


def _sent(event: PointerMoved | ButtonChanged | WheelTurned, screen: Screen) -> None:
    match event:
        case PointerMoved():
            screen.live.move(event.point, event.held)
        case ButtonChanged():
            screen.live.change_button(event.point, event.button, event.held, is_down=event.is_down)
        case WheelTurned():
            screen.live.turn_wheel(event.point, event.across, event.down, event.held)


def _nothing(_: Sequence[Rect]) -> None: ...
