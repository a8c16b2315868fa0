"""Escalation of a click (contract 4.3): aimed with the window left in place, then with it raised, else refused."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from deskhand.commands.catalogue import Call, ToolContext
from deskhand.commands.effects.repaint import painted_outside
from deskhand.commands.effects.snapshot import WAIT_S, Before, before
from deskhand.commands.expectation import SHAPES, in_document
from deskhand.commands.techniques.sheets import free_cells, is_of_sheet
from deskhand.commands.window_lookup import found, front_window, listed
from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    DeskhandError,
    TargetCovered,
    TargetHidden,
    TargetMoving,
)
from deskhand.core.geometry import NOWHERE, Rect, WindowPoint
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import MouseButton
from deskhand.desktop.protocols.screen import Aim

_STEADY_S: Final = 0.1
"""How long what was seen to move has to stay where it is."""

_TAKES_S: Final = 1.0
"""How long a field that was clicked may take until it says that it has the keyboard."""

_STIRS_S: Final = 0.15
"""So long at most a page may take for what it does as the pointer comes."""

_LARGE: Final = 4
"""What takes this part of a window is no control that takes another colour below the pointer."""

_TEXTS: Final = frozenset({Role.CELL, Role.HEADING, Role.PARAGRAPH})
_RESTS_S: Final = 0.3
"""So long at most what covered a press may take to come to rest, before that is aimed anew."""

_TRIES: Final = 3
"""How often a press is aimed anew where its aim no longer held when it was to be pressed."""


class Spot(Protocol):
    """Something to point at."""

    async def __call__(self, owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        """Its place in a window as it is now, and the control that it is the place of.

        Raises: ActionRefused (it cannot be pointed at now), ElementStale and what else keeps it from being found.
        """
        ...


def control_spot(desktop: Desktop, call: Call, target: TargetInfo) -> Spot:
    """A control, or a window's middle: found again at each look, and refused while it does not stay in one place.

    What stands elsewhere in its window than when it was seen has to stay there for a moment.
    """
    last, rested = target.rect, NOWHERE

    def where_seen(owner: TargetInfo) -> Rect:
        seen, shown = call.command.seen, call.command.target
        if seen is None or shown is None or shown.handle != target.handle or seen.window.handle != owner.handle:
            return last
        return shown.rect.moved(owner.rect.left - seen.window.rect.left, owner.rect.top - seen.window.rect.top)

    async def stays(seen: TargetInfo) -> TargetInfo:
        async def moved() -> TargetInfo | None:
            now = await found(desktop, target)
            return now if now.rect != seen.rect else None

        if await desktop.wait_until(moved, deadline_s=_STEADY_S):
            raise TargetMoving(f"{target.describe} does not stay in one place", fix="wait until it has come to rest")
        return seen

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        nonlocal last, rested
        now = await found(desktop, target)
        require_place(now)
        if now.rect != last or now.rect not in {rested, where_seen(owner)}:
            last, rested = now.rect, NOWHERE
            rested = (await stays(now)).rect
        return now.rect, now if now.kind is TargetKind.CONTROL else None

    return spot


def point_spot(call: Call, point: WindowPoint) -> Spot:
    """A point of a window, refused where the window is of another size than it was when the point was chosen."""
    seen = call.command.seen

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        known = seen.window.rect if seen and seen.window.handle == owner.handle else owner.rect
        if (known.width, known.height) != (owner.rect.width, owner.rect.height):
            raise TargetMoving(
                f'"{owner.name}" changed its size since it was looked at: its points are others now',
                fix="observe the window again",
            )
        at = point.on(owner.rect)
        return Rect.from_extents(at.x, at.y, 1, 1), None

    return spot


def require_place(target: TargetInfo) -> None:
    """Raises: TargetHidden where it cannot be pointed at now."""
    if target.rect.empty or (target.kind is TargetKind.CONTROL and not target.states & {"showing", "visible"}):
        raise TargetHidden(f"{target.describe} has no place on the screen", fix="scroll to it, or use invoke")


async def owner_of(desktop: Desktop, call: Call) -> TargetInfo:
    """The window that a call's places are in, as it is now: the one that was seen, else the one in front.

    Raises: ApplicationGone where the one that was seen is gone.
    """
    seen = call.command.seen
    if seen is None:
        return await front_window(desktop, call.need_window())
    known = await listed(desktop, seen.window)
    if known is None:
        raise ApplicationGone(f'the window "{seen.window.name}" is gone', fix="observe what is there now")
    return known


async def point_at(
    tools: ToolContext,
    call: Call,
    spots: Sequence[Spot],
    act: Callable[[Sequence[Aim]], Awaitable[None]],
    *,
    button: MouseButton | None = None,
    target: TargetInfo | None = None,
) -> Before:
    """Aims at each of the spots, the window left as it is where that is enough, and acts there.

    What stood right before is returned, in a page once the pointer is there: what a page does of that is no effect.
    `target`: as for `before`. `button`: what is pressed at the first of them; it is held back until it stands for
    itself. The spots are looked at once more when all that has been done.
    Raises: ActionRefused and those below it with the reason, nothing was sent then; what finding the spots raises.
    """
    desktop, target = tools.desktop, target or call.target
    left, moves, stirred, delivered = _TRIES, _TRIES, False, tools.delivered
    while True:
        aims = await _aims(desktop, call, spots)
        if button:
            await desktop.apart(aims[0].point, button=button)
        earlier = await before(tools, call, target, window=None if target else aims[0].window)
        aims, known = await _aims(desktop, call, spots), [aim.point for aim in aims]
        if moves and [aim.point for aim in aims] != known:
            moves -= 1  # what moved since is no effect
            continue
        try:
            if target is not None and Trait.CHANGES_ON_HOVER in target.traits and not stirred:
                earlier = replace(earlier, mark=await desktop.paint_mark())
                stirred = await _stirs(desktop, aims[0], earlier)
                if stirred:
                    continue
            tools.delivered = True
            await act(aims)
        except (TargetCovered, TargetMoving, ApplicationGone):
            tools.delivered = delivered  # an aim that no longer holds is not pressed at
            left -= 1
            if not left:
                raise
            await desktop.settle(aims[0].window, deadline_s=_RESTS_S)  # as a list that scrolls on
        else:
            return replace(earlier, stirred=stirred)


async def _stirs(desktop: Desktop, aim: Aim, earlier: Before) -> bool:
    """Whether a page shows something else once the pointer is there: beside what is there and what it leaves, which
    may take other colours. Raises: as `Desktop.hover`.
    """
    seen, mark = earlier.seen, earlier.mark
    if seen is None or mark is None:
        return False
    left = await desktop.hover(aim)
    await desktop.settle(aim.window, deadline_s=_STIRS_S)
    small = [control.rect for control in seen.controls if control.rect.area < aim.window.rect.area / _LARGE]
    own = [rect for rect in small if rect.contains(aim.point) or rect.contains(left)]
    return await painted_outside(desktop, mark, aim.window, own)


def text_spot(whole: Spot) -> Spot:
    """The part of a number field where its text begins: its buttons stand in the rest, and an icon after a mistake."""

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        place, control = await whole(owner)
        beside = 0 if control is not None and "vertical" in control.states else place.width - place.height
        return replace(place, right=place.right - max(0, beside)), control

    return spot


async def click_once(tools: ToolContext, call: Call, target: TargetInfo) -> Before:
    """Clicks a control, a number field where its text is; what stood right before. Raises: as `point_at`."""

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.click(aims[0])

    spot = control_spot(tools.desktop, call, target)
    spot = text_spot(spot) if target.type is Role.SPINBUTTON else spot
    return await point_at(tools, call, [spot], act, button=MouseButton.LEFT, target=target)


async def take_keyboard(tools: ToolContext, call: Call, target: TargetInfo, *, sure: bool) -> None:
    """Gives a control the keyboard, its window in front.

    `sure`: it is clicked where asking for it does not help, as in GTK 4, and refused where it does not say then that it
    has the keyboard. Else it has to take it when asked; not every control ever says that it has it. What stands in a
    document of LibreOffice and is no text, as cells of tables and shapes, takes it by a click alone.
    Raises: ActionRefused; as `point_at`.
    """
    desktop = tools.desktop
    tools.delivered = True
    await desktop.activate(await front_window(desktop, call.need_window()))
    if target.type is Role.CELL and await is_of_sheet(desktop, call, target):
        await free_cells(desktop, call)
    elif Trait.FOCUS_BY_CLICK in target.traits:
        await _click_into(tools, call, target)
        return
    try:
        if await desktop.focus(target) or not sure:
            return
    except ActionRefused:
        if not sure:
            raise

    async def has_it() -> bool | None:
        return True if "focused" in (await desktop.resolve(target)).states else None

    if await has_it():
        return
    await click_once(tools, call, target)
    if not await desktop.wait_until(has_it, deadline_s=_TAKES_S):
        raise ActionRefused(f"{target.describe} does not take the keyboard", fix="observe the window")


async def _click_into(tools: ToolContext, call: Call, target: TargetInfo) -> None:
    """Clicks what stands in a document, unless the keyboard is in it and says to be nowhere else. Raises: as
    `take_keyboard`.
    """
    desktop, window = tools.desktop, await front_window(tools.desktop, call.need_window())

    async def having() -> tuple[bool, bool]:
        """Whether it is said to be there, and elsewhere: LibreOffice leaves the word with what had it before."""
        seen = await desktop.observe(window, picture=False)
        inside = {target.handle, *(control.handle for control in seen.inside_of(target))}
        said = {control.handle in inside for control in seen.controls if _takes_keys(control)}
        return True in said, False in said

    async def has_it() -> bool | None:
        return (await having())[0] or None

    if await having() == (True, False):
        return
    for _ in range(2 if target.type is Role.CELL else 1):  # the first may only select the table
        await click_once(tools, call, target)
    if not await desktop.wait_until(has_it, deadline_s=_TAKES_S):
        raise ActionRefused(f"{target.describe} does not take the keyboard", fix="observe the window")


def _takes_keys(control: TargetInfo) -> bool:
    """Whether what stands in a document of LibreOffice says that keys go to it: a text, or a shape that is selected."""
    if not in_document(control):
        return False
    return (control.type in _TEXTS and "focused" in control.states) or (
        control.type in SHAPES and "selected" in control.states
    )


async def _aims(desktop: Desktop, call: Call, spots: Sequence[Spot]) -> list[Aim]:
    refused: list[ActionRefused] = []

    async def look() -> list[Aim] | DeskhandError | None:
        try:
            owner = await owner_of(desktop, call)
            return [await desktop.aim(owner, *await spot(owner)) for spot in spots]
        except ActionRefused as error:
            refused[:] = [error]
            return None
        except DeskhandError as error:
            return error

    aims = await look()
    if aims is None:
        if isinstance(refused[-1], TargetCovered):
            await desktop.activate(await front_window(desktop, call.need_window()))
        aims = await desktop.wait_until(look, deadline_s=WAIT_S)
    if aims is None:
        raise refused[-1]
    if isinstance(aims, DeskhandError):
        raise aims
    return aims
