"""A drag in stages: the press is taken in before the application hears of the way, and the way before the release.

A drag and drop begins only after the first motions, and is then a conversation: source and target agree by messages
(XDND), and a page is asked for its answer. A release that is there before they are done drops nothing.
"""

from collections.abc import Awaitable, Callable, Sequence
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
"""Timeout at each stage for the application to handle the input."""

_PRESSED_S: Final = 0.2
"""Quiet time after the press: LibreOffice shows a slide that was pressed in its list 0.1 s later."""

_QUIET_S: Final = 0.1
"""Quiet time at the other stages: a page that computes its answer in a drag and drop shows no change."""

_HOVERS: Final = 2
"""Number of times the pointer is moved once more at the end of the drag: motions are ignored while source and target
still negotiate the one before, and Chromium answers each with its page's answer to the one before it.
"""


_DROPPED_S: Final = 0.8
"""Timeout after a drop: for 0.5 s GTK 3.24 shows and hides the picture of the dragged item over its source every 16 ms,
and a press there goes to that picture.
"""


class Settle(Protocol):
    """As `Desktop.settle`."""

    async def __call__(self, window: TargetInfo | None, *, quiet_s: float, deadline_s: float) -> Settled: ...


class Drag:
    """A drag along a path, `held` modifiers down. The caller releases the button where it raises.

    Raises: the errors of a press, before anything is sent; PersonActs and ActionDeadline, with `sent` after that.
    """

    def __init__(
        self, connection: Connection, settle: Settle, path: Sequence[Point | Aim], held: Sequence[str] = ()
    ) -> None:
        self._connection = connection
        self._settle = settle
        self._path = [point_of(each) for each in path]
        self._held = held
        self._aims = [each for each in path if isinstance(each, Aim)]
        self._window = path[0].window if isinstance(path[0], Aim) else None

    async def run(self, button: MouseButton, begun: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `begun`, which is called once the press and the first motions have been handled."""
        await self._connection.run(lambda screen: self._press(screen, button))
        dropping = await self._taken_in(_PRESSED_S, dropping=False)
        found = await begun()
        await self._move(lambda pointer: pointer.drag_on(self._path), dropping=dropping)
        dropping = await self._taken_in(_QUIET_S, dropping=dropping)
        if dropping:
            for _ in range(_HOVERS):
                await self._move(lambda pointer: pointer.hover(self._path), dropping=True)
                await self._taken_in(_QUIET_S, dropping=True)
        await self._connection.run(lambda screen: screen.input.end_drag())
        if dropping:
            await self._settle(self._window, quiet_s=_QUIET_S, deadline_s=_DROPPED_S)
        return found

    def _press(self, screen: Screen, button: MouseButton) -> None:
        """While nothing else can happen on the screen, where all aims hold."""
        screen.dnd.listen()
        with screen.stack.held(self._aims) if self._aims else nullcontext():
            screen.input.begin_drag(self._path, button, self._held)

    async def _move(self, how: Callable[[PointerAndKeyboard], None], *, dropping: bool) -> None:
        def move(screen: Screen) -> None:
            if dropping:
                self._require_windows(screen)
            how(screen.input)

        await self._connection.run(move)

    def _require_windows(self, screen: Screen) -> None:
        """Check that the windows of the aims have not moved: a drop goes to the one at the end, and a drag that moves
        the window itself drops nothing.
        """
        for aim in self._aims:
            try:
                stays = screen.windows.get(aim.window).rect == aim.window.rect
            except ApplicationGone:
                stays = False
            if not stays:
                raise _broken_off(f'"{aim.window.name}" moved, or is gone,')

    async def _taken_in(self, quiet_s: float, *, dropping: bool) -> bool:
        """Wait until the application has handled the input; True if a drag and drop is under way."""
        settled = await self._settle(self._window, quiet_s=quiet_s, deadline_s=_STAGE_S)
        if settled.reason is Quiet.GONE and self._window is not None:
            raise _broken_off(f'The application of "{self._window.name}" ended')
        return dropping or await self._connection.run(lambda screen: screen.dnd.began())


def _broken_off(why: str) -> ActionDeadline:
    return ActionDeadline(
        f"{why} in the middle of a drag; the button was released there.", fix="Observe the window.", sent=DRAG_BEGUN
    )
