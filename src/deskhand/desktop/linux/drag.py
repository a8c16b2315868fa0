"""A drag in stages: the press is taken in before the application hears of the way, and the way before the release.

A drag and drop begins only after the first motions, and is then a conversation: source and target agree by messages
(XDND), and a page is asked for its answer. A release that is there before they are done drops nothing.
"""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Final, Protocol, TypeVar

from deskhand.core.errors import ActionDeadline, ApplicationGone
from deskhand.core.geometry import Point
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.display_server import DRAG_BEGUN, Connection, PointerAndKeyboard, Screen
from deskhand.desktop.protocols.input import MouseButton
from deskhand.desktop.protocols.screen import Aim, point_of
from deskhand.desktop.protocols.windows import Quiet, Settled

T = TypeVar("T")

_STAGE_S: Final = 0.5
"""So long at most is waited at each stage for what was sent to be taken in."""

_PRESSED_S: Final = 0.2
"""How long it has to be quiet after the press: LibreOffice shows a slide that was pressed in its list 0.1 s later."""

_QUIET_S: Final = 0.1
"""How long at the other stages: nothing is seen of a page that thinks about its answer in a drag and drop."""

_HOVERS: Final = 2
"""So many times the pointer is moved once more where the drag ends: motions are passed over while source and target
still talk of the one before, and Chromium answers each with what its page said to the one before it.
"""


_DROPPED_S: Final = 0.8
"""Timeout after a drop: for 0.5 s GTK 3.24 shows and hides the picture of what was dragged over its source
every 16 ms, and a press there goes to that picture.
"""


class Settle(Protocol):
    """As `Desktop.settle`."""

    async def __call__(self, window: TargetInfo | None, *, quiet_s: float, deadline_s: float) -> Settled: ...


class Drag:
    """From one point to another. Whoever runs it lets go of the button where it does not end well.

    Raises: what pressing raises, before anything is sent; PersonActs and ActionDeadline, `sent` then says so.
    """

    def __init__(self, connection: Connection, settle: Settle, start: Point | Aim, end: Point | Aim) -> None:
        self._connection = connection
        self._settle = settle
        self._start, self._end = point_of(start), point_of(end)
        self._aims = [each for each in (start, end) if isinstance(each, Aim)]
        self._window = start.window if isinstance(start, Aim) else None

    async def run(self, button: MouseButton, begun: Callable[[], Awaitable[T]]) -> T:
        """What `begun` returns, which is called once the press and the first motions have been taken in."""
        await self._connection.run(lambda screen: self._press(screen, button))
        dropping = await self._taken_in(_PRESSED_S, dropping=False)
        found = await begun()
        await self._move(lambda pointer: pointer.drag_on(self._start, self._end), dropping=dropping)
        dropping = await self._taken_in(_QUIET_S, dropping=dropping)
        if dropping:
            for _ in range(_HOVERS):
                await self._move(lambda pointer: pointer.hover(self._start, self._end), dropping=True)
                await self._taken_in(_QUIET_S, dropping=True)
        await self._connection.run(lambda screen: screen.input.end_drag())
        if dropping:
            await self._settle(self._window, quiet_s=_QUIET_S, deadline_s=_DROPPED_S)
        return found

    def _press(self, screen: Screen, button: MouseButton) -> None:
        """While nothing else can happen on the screen, where all aims hold."""
        screen.dnd.listen()
        with screen.stack.held(self._aims) if self._aims else nullcontext():
            screen.input.begin_drag(self._start, self._end, button)

    async def _move(self, how: Callable[[PointerAndKeyboard], None], *, dropping: bool) -> None:
        def move(screen: Screen) -> None:
            if dropping:
                self._require_windows(screen)
            how(screen.input)

        await self._connection.run(move)

    def _require_windows(self, screen: Screen) -> None:
        """What is dropped goes to what stands at the end; a drag that moves the window itself drops nothing."""
        for aim in self._aims:
            try:
                stays = screen.windows.get(aim.window).rect == aim.window.rect
            except ApplicationGone:
                stays = False
            if not stays:
                raise _broken_off(f'"{aim.window.name}" moved, or is gone,')

    async def _taken_in(self, quiet_s: float, *, dropping: bool) -> bool:
        """Whether a drag and drop is under way, once the application has taken in what was sent."""
        settled = await self._settle(self._window, quiet_s=quiet_s, deadline_s=_STAGE_S)
        if settled.reason is Quiet.GONE and self._window is not None:
            raise _broken_off(f'The application of "{self._window.name}" ended')
        return dropping or await self._connection.run(lambda screen: screen.dnd.began())


def _broken_off(why: str) -> ActionDeadline:
    return ActionDeadline(
        f"{why} in the middle of a drag; the button was released there.", fix="Observe the window.", sent=DRAG_BEGUN
    )
