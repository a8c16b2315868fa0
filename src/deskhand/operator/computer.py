"""A desktop from Python that the loop of a vendor's own SDK acts on."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from deskhand import Desktop, Result, Window
from deskhand.agent_parts import encoded_part
from deskhand.core.command import ResultStatus
from deskhand.core.errors import ApplicationGone, DeskhandError, ReplyDefect, StateError, UsageError
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.observation import Picture as Pixels
from deskhand.core.target import TargetInfo, same_window
from deskhand.core.text import as_line
from deskhand.operator.actions import Action, ActionOutcome, Codec, CursorPosition, Picture, Screenshot, Size, Zoom
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.places import Places
from deskhand.operator.planning import Plan, Planner, require_seen

T = TypeVar("T")

_LONGEST: Final = 600
"""Characters of an outcome."""


class BlockingDesktop(Protocol):
    """A desktop of `deskhand.sync`."""

    @property
    def asynchronous(self) -> Desktop: ...

    def run(self, work: Callable[[], Awaitable[T]]) -> T: ...


class Computer:
    """Carries out neutral actions one at a time, by the rules of the desktop, and shows its screen.

    All windows of the desktop may be acted in. The codec chooses the size of the pictures; coordinates are those of
    the last one.
    """

    def __init__(self, desktop: Desktop, codec: Codec) -> None:
        self._desktop = desktop
        self._codec = codec
        self._last: ShownScreen | None = None

    async def screenshot(self) -> Picture:
        """The screen once its front window is quiet. Raises: CaptureFailed, DesktopGone."""
        if front := await self._desktop.windows():
            await front[0].settle()
        picture = await self._desktop.screenshot()
        size = self._codec.fit(Size(picture.rect.width, picture.rect.height))
        windows = tuple(window.info for window in await self._desktop.windows())
        self._last = ShownScreen(picture.rect, size, self._codec.space, windows)
        return _encoded(picture, picture.rect, size)

    async def carry_out(self, action: Action) -> ActionOutcome:
        """Carry out one action; a failure is its outcome.

        Raises: DeskhandError that is not recoverable, such as DesktopGone.
        """
        try:
            return await self._carried_out(action)
        except DeskhandError as error:
            if not error.recoverable and not isinstance(error, ReplyDefect | UsageError):
                raise
            return _failed(error.message, error.fix)

    async def _carried_out(self, action: Action) -> ActionOutcome:
        sight, shown = DesktopSight(self._desktop), await self._shown()
        places = Places(sight, shown)
        match action:
            case Screenshot():
                return ActionOutcome("", await self.screenshot())
            case Zoom(corner, opposite):
                return await self._zoomed(places, shown.place(corner, opposite))
            case CursorPosition():
                spot = shown.spot(await sight.pointer())
                return ActionOutcome(f"X={spot.x},Y={spot.y}")
            case _:
                plan = await Planner(places, shown).plan(action)
                require_seen(plan, shown)
                return _outcome(plan, await sight.call(plan))

    async def _shown(self) -> ShownScreen:
        if self._last is None:
            await self.screenshot()
        return self._last or await self._shown()

    async def _zoomed(self, places: Places, part: Rect) -> ActionOutcome:
        picture, lines = await self._desktop.screenshot(), await places.listed(part)
        size = self._codec.fit(Size(part.width, part.height), enlarge=True)
        return ActionOutcome("\n".join(lines), _encoded(picture, part, size))


class DesktopSight:
    """The `Sight` of a plan on a desktop, whose windows are all its own."""

    own = "this desktop"
    root = None

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    async def windows(self) -> Sequence[TargetInfo]:
        return [window.info for window in await self._desktop.windows()]

    async def observe(self, window: TargetInfo) -> Observation:
        return await (await self._window(window)).observe()

    async def pointer(self) -> Point:
        found = (await self._desktop.act("get_pointer_position")).result
        if not isinstance(found, Point):
            raise StateError("get_pointer_position gave no point")
        return found

    def is_own(self, window: TargetInfo) -> bool:  # noqa: ARG002 - of a whole desktop
        return True

    async def call(self, plan: Plan) -> Result:
        """Call the tool of a plan."""
        if plan.window is not None:
            window = await self._window(plan.window)
            seen = plan.seen or await window.observe()
            return await window.act_on(plan.control, seen, plan.tool, plan.arguments, check=False)
        return await self._desktop.act(plan.tool, plan.arguments, check=False)

    async def _window(self, info: TargetInfo) -> Window:
        found = next((each for each in await self._desktop.windows() if same_window(each.info, info)), None)
        if found is None:
            raise ApplicationGone(f'the window "{info.name}" is gone', fix="take a screenshot")
        return found


def _outcome(plan: Plan, result: Result) -> ActionOutcome:
    error = result.error
    if result.status in {ResultStatus.FAILURE, ResultStatus.SKIPPED}:
        return _failed(error.message if error else result.evidence, error.fix if error else "")
    effect = "" if result.effect is None or not result.evidence else f"{result.effect.replace('_', ' ')}: "
    return ActionOutcome(as_line(f"{plan.words}. {effect}{result.evidence}".rstrip(" ."), _LONGEST))


def _failed(message: str, fix: str) -> ActionOutcome:
    return ActionOutcome(as_line(". ".join(filter(None, (message, fix))), _LONGEST), failed=True)


def _encoded(picture: Pixels, place: Rect, size: Size) -> Picture:
    made = encoded_part(picture, place, (size.width, size.height))
    return Picture(made.data, size, made.media_type)
