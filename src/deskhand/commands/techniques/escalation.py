"""Escalation of a click (contract 4.3): with the window left in place, then with it raised, else refused."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.control_kinds import TEXTS, is_shape
from deskhand.commands.effects.diff import MENUS
from deskhand.commands.effects.same_record import require_same_record
from deskhand.commands.effects.snapshot import WAIT_S, Before, before, painted_outside
from deskhand.commands.techniques.cells import go_to, open_sheet
from deskhand.commands.techniques.sheets import end_editing, free_cells, is_of_sheet, selected_shape, shape_on_sheet
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
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.screen import Aim

_STEADY_S: Final = 0.1
"""A target that moved has to stay in place for this long."""

_TAKES_S: Final = 1.0
"""Timeout for a clicked field to report the keyboard focus."""
_EDIT: Final = (Chord("f2"),)
"""Edits the text of a selected shape."""
_END_EDITING: Final = (Chord("esc"), Chord("esc"))
"""Ends the editing of a text, then the tool for texts, with which a click would begin a new frame."""

_STIRS_S: Final = 0.15
"""Timeout for a window's reaction to the pointer's arrival."""

_LARGE: Final = 4
"""A control larger than this part of a window is not recoloured by hovering."""

_TEXTS: Final = frozenset({Role.CELL, Role.HEADING, Role.PARAGRAPH})
_RESTS_S: Final = 0.3
"""Time for the cover of a target to go away before the next aim."""

_TRIES: Final = 3
"""Attempts to aim while the aim no longer holds at the press."""


class Spot(Protocol):
    """Something to point at."""

    async def __call__(self, owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        """Return its current place in a window, and the control there.

        Raises: ActionRefused (it cannot be pointed at now), ElementStale and other errors of resolving.
        """
        ...


def control_spot(desktop: Desktop, call: Call, target: TargetInfo) -> Spot:
    """A control, or a window's middle: resolved at each call, and refused while it moves.

    A target that moved in its window since the observation has to stay in place for a moment.
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
    """A point of a window, refused if the window's size has changed since the point was chosen."""
    seen = call.command.seen

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        known = seen.window.rect if seen and seen.window.handle == owner.handle else owner.rect
        if (known.width, known.height) != (owner.rect.width, owner.rect.height):
            raise TargetMoving(
                f'"{owner.name}" changed its size since the observation: its points have moved',
                fix="observe the window again",
            )
        at = point.on(owner.rect)
        return Rect.from_extents(at.x, at.y, 1, 1), None

    return spot


def pointed_spot(desktop: Desktop, call: Call, point: WindowPoint) -> Spot:
    """A point of a window that has to lie on the call's target, if it has one: the control that was judged."""
    bare, target = point_spot(call, point), call.target

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        place, _ = await bare(owner)
        if target is None or target.kind is not TargetKind.CONTROL:
            return place, None
        now = await found(desktop, target)
        require_place(now)
        if now.rect.intersection(place).empty:
            raise TargetMoving(f"{target.describe} is no longer at that point", fix="observe the window again")
        return place, None

    return spot


def require_place(target: TargetInfo) -> None:
    """Raises: TargetHidden if it cannot be pointed at now."""
    if target.rect.empty or (target.kind is TargetKind.CONTROL and not target.states & {"showing", "visible"}):
        raise TargetHidden(f"{target.describe} has no place on the screen", fix="scroll to it, or use invoke")


async def owner_of(desktop: Desktop, call: Call) -> TargetInfo:
    """The current window of a call's places: the observed one, else the front one.

    Raises: ApplicationGone if the observed one is gone.
    """
    seen = call.command.seen
    if seen is None:
        return await front_window(desktop, call.need_window())
    known = await listed(desktop, seen.window)
    if known is None:
        raise ApplicationGone(f'the window "{seen.window.name}" is gone', fix="observe the windows that are open now")
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
    """Aim at each of the spots, leaving the window in place if possible, and act there.

    Returns the snapshot right before; except for menus it is taken after the pointer has arrived, whose effects do not
    count.
    `target`: as for `before`. `button`: the one pressed at the first spot; the press is held back until it cannot join
    an earlier one into a double click. The spots are resolved once more after all that.
    Raises: ActionRefused and its subclasses with the reason, before anything was sent; and as the spots.
    """
    desktop, target = tools.desktop, target or call.target
    left, moves, stirred, delivered = _TRIES, _TRIES, False, tools.delivered
    while True:
        aims, _ = await _aims(desktop, call, spots)
        if button:
            await desktop.wait_out_double_click(aims[0].point, button=button)
        earlier, known = await before(tools, call, target, window=None if target else aims[0].window), aims
        aims, pressed = await _aims(desktop, call, spots)
        if moves and [aim.point for aim in aims] != [aim.point for aim in known]:
            moves -= 1  # a move is no effect
            continue
        try:
            if not stirred and not _opens_on_hover(target):
                earlier = replace(earlier, mark=await desktop.paint_mark())
                stirred = await _stirs(desktop, aims[0], earlier)
                if stirred:
                    continue
            await require_same_record(desktop, pressed)
            tools.delivered = True
            await act(aims)
        except (TargetCovered, TargetMoving, ApplicationGone):
            tools.delivered = delivered  # an aim that no longer holds is not pressed
            left -= 1
            if not left:
                raise
            await desktop.settle(aims[0].window, deadline_s=_RESTS_S)  # such as a list that is still scrolling
        else:
            return replace(earlier, stirred=stirred, pressed=pressed)


def _opens_on_hover(target: TargetInfo | None) -> bool:
    return target is not None and target.type in MENUS


async def _stirs(desktop: Desktop, aim: Aim, earlier: Before) -> bool:
    """True if a window changes as the pointer arrives, apart from the hovered control and the one left, which may be
    recoloured. Raises: as `Desktop.hover`.
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
    """The part of a number field where its text begins: the rest has its buttons, and an icon after a mistake."""

    async def spot(owner: TargetInfo) -> tuple[Rect, TargetInfo | None]:
        place, control = await whole(owner)
        beside = 0 if control is not None and "vertical" in control.states else place.width - place.height
        return replace(place, right=place.right - max(0, beside)), control

    return spot


async def click_once(tools: ToolContext, call: Call, target: TargetInfo) -> Before:
    """Click a control, a number field at its text; return the snapshot before. Raises: as `point_at`."""

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.click(aims[0])

    spot = control_spot(tools.desktop, call, target)
    spot = text_spot(spot) if target.type is Role.SPINBUTTON else spot
    return await point_at(tools, call, [spot], act, button=MouseButton.LEFT, target=target)


async def take_keyboard(tools: ToolContext, call: Call, target: TargetInfo, *, sure: bool) -> None:
    """Give a control the keyboard, with its window in front.

    `sure`: it is clicked if a focus request fails, as in GTK 4, and refused unless it then reports the focus. Otherwise
    it has to accept the request; not every control reports the focus. Cells of tables and shapes in a document of
    LibreOffice take it by a click only.
    Raises: ActionRefused; as `point_at`.
    """
    desktop = tools.desktop
    tools.delivered = True
    await desktop.activate(await front_window(desktop, call.need_window()))
    if target.type is Role.CELL and await is_of_sheet(desktop, call, target):
        await free_cells(tools, call)
        # the focus alone leaves other cells selected, and a paste goes to those
        await go_to(desktop, call, await open_sheet(desktop, call), target.name, single=False)
    elif (shape := shape_on_sheet(call, target)) is not None:
        await _take_on_sheet(tools, call, shape, target)
        return
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
    """Click a control of a document, unless it alone has the keyboard. Raises: as `take_keyboard`."""
    desktop, window = tools.desktop, await front_window(tools.desktop, call.need_window())

    async def having() -> tuple[bool, bool]:
        """Focus reported inside, and outside: LibreOffice leaves the state at the control that had it before."""
        seen = await desktop.observe(window, picture=False)
        inside = {target.handle, *(control.handle for control in seen.inside_of(target))}
        exposed = {control.handle in inside for control in seen.controls if _takes_keys(control, target)}
        return True in exposed, False in exposed

    async def has_it() -> bool | None:
        return (await having())[0] or None

    if await having() == (True, False):
        return
    if is_shape(target):
        # a text that is edited in another shape would get the keys, and does not always report the focus
        await desktop.press(_END_EDITING)
        await desktop.settle(window)
    for _ in range(2 if target.type is Role.CELL else 1):  # the first click may only select the table
        await click_once(tools, call, target)
    if not await desktop.wait_until(has_it, deadline_s=_TAKES_S):
        raise ActionRefused(f"{target.describe} does not take the keyboard", fix="observe the window")


async def _take_on_sheet(tools: ToolContext, call: Call, shape: TargetInfo, target: TargetInfo) -> None:
    """Select a shape of a spreadsheet alone, and edit the target if it is a text in it. Raises: as `take_keyboard`.

    The focus proves nothing: LibreOffice leaves it at the texts of all shapes that had it. A text that is given the
    focus by accessibility takes the keys for other shapes from then on, and Calc can end by it.
    """
    # upstream: not reported
    # seen in: 7.4.7
    desktop, window = tools.desktop, await front_window(tools.desktop, call.need_window())

    async def is_selected() -> bool | None:
        selected = selected_shape(await desktop.observe(window, picture=False))
        return True if selected and selected.handle == shape.handle else None

    await end_editing(desktop, window)
    for _ in range(2):  # the first click may only end what was typed into a cell
        await click_once(tools, call, shape)
        if await desktop.wait_until(is_selected, deadline_s=_TAKES_S):
            break
    else:
        raise ActionRefused(f"{shape.describe} does not take the keyboard", fix="observe the window")
    if shape.handle != target.handle:
        await desktop.press(_EDIT)
        await desktop.settle(window)
        end = (await desktop.caret(target)).length
        await desktop.put_caret(target, end, end)


def _takes_keys(control: TargetInfo, target: TargetInfo) -> bool:
    """True if a control reports to receive keys: in the target's document a focused text or a selected shape, outside
    of it a focused field, as in a toolbar.
    """
    own, others = control.fingerprint, target.fingerprint
    if own is None or others is None:
        return False
    if not own.in_document:
        return control.type in TEXTS and control.states >= {"focused", "editable"}
    if own.path[:1] != others.path[:1]:
        return False
    return (control.type in _TEXTS and "focused" in control.states) or (
        is_shape(control) and "selected" in control.states
    )


async def aims_at(desktop: Desktop, call: Call, spots: Sequence[Spot]) -> list[Aim]:
    """Aim at each of the spots, in front of all other windows where they are covered. Raises: as `point_at`."""
    return (await _aims(desktop, call, spots))[0]


async def _aims(desktop: Desktop, call: Call, spots: Sequence[Spot]) -> tuple[list[Aim], TargetInfo | None]:
    """Aim at each of the spots; also the control at the first of them."""
    refused: list[ActionRefused] = []
    control: TargetInfo | None = None

    async def look() -> list[Aim] | DeskhandError | None:
        nonlocal control
        try:
            owner = await owner_of(desktop, call)
            places = [await spot(owner) for spot in spots]
            control = places[0][1]
            return [await desktop.aim(owner, *place) for place in places]
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
    return aims, control
