"""Stacking order of windows on the screen, and hit tests. The methods block."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.error import BadWindow, XError
from Xlib.ext import randr, res, shape
from Xlib.xobject.drawable import Window

from deskhand.core.errors import ActionRefused, TargetCovered, TargetMoving
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.linux.x11.properties import read_text
from deskhand.desktop.linux.x11.windows import XWindows, window_gone, window_id
from deskhand.desktop.protocols.screen import Aim, ScreenInfo
from deskhand.desktop.visibility import point_in, visible_parts

_USUAL_DPI = 96
_WHOLE_SCREEN = "screen"
_FAR = 1 << 15
"""Pixels beyond which no window reaches."""

_ROUNDED = 2
"""Pixels by which an item of a menu may reach out of it, where it is scaled."""


@dataclass(frozen=True, slots=True)
class _Cover:
    """A window above another: the parts of the screen where it takes clicks, and its title."""

    parts: tuple[Rect, ...]
    name: str


def _tells_monitors(display: Display) -> bool:
    """Since version 1.5; old servers of VNC have an older one."""
    version = randr.query_version(display)
    return (version.major_version, version.minor_version) >= (1, 5)


class XStack:
    """Implements `display_server.Stacking`: the screens of a display, and the order of its windows."""

    def __init__(self, display: Display, windows: XWindows) -> None:
        self._display = display
        self._windows = windows
        self._root: Window = display.screen().root
        self._shapes = bool(display.has_extension("SHAPE"))
        self._processes = bool(display.has_extension("X-Resource"))
        self._outputs = bool(display.has_extension("RANDR")) and _tells_monitors(display)

    def screens(self) -> tuple[ScreenInfo, ...]:
        """The screens, the primary one first; without RANDR the whole display is one."""
        scale = self._scale()
        found = [
            ScreenInfo(
                self._display.get_atom_name(monitor.name),
                Rect.from_extents(monitor.x, monitor.y, monitor.width_in_pixels, monitor.height_in_pixels),
                bool(monitor.primary),
                scale,
            )
            for monitor in (randr.get_monitors(self._root).monitors if self._outputs else ())
        ]
        if not found:
            whole = self._root.get_geometry()
            return (ScreenInfo(_WHOLE_SCREEN, Rect.from_extents(0, 0, whole.width, whole.height), True, scale),)
        if not any(screen.primary for screen in found):
            found[0] = ScreenInfo(found[0].name, found[0].rect, True, scale)
        return tuple(sorted(found, key=lambda screen: not screen.primary))

    def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        """See `Screen.aim`; X knows no elements inside a window. `taken_by` is the id of a child of the root.

        Raises: TargetCovered, ActionRefused, ApplicationGone.
        """
        top = self._toplevel(window)
        screens = [screen.rect for screen in self.screens()]
        middle = place.center
        if any(screen.contains(middle) for screen in screens) and not place.empty:
            hit = self._hit(middle)
            if hit == top or hit in self._own_popups(window, top, place):
                return Aim(middle, window, str(hit))
        covers = list(self._covers(top, place))
        ground = self._rect(self._window(top))
        within = place.intersection(ground) if ground else place
        parts = visible_parts(within, screens, (part for cover in covers for part in cover.parts))
        point = point_in(place, parts)
        if point is not None and self._hit(point) == top:
            return Aim(point, window, str(top))
        on_screen = point_in(place, visible_parts(within, screens, ())) is not None
        what = f'{control.describe if control else _spoken(place)} of "{window.name}"'
        raise _covered(what, covers) if on_screen else out_of_sight(what, place, window.rect)

    @contextmanager
    def held(self, aims: Sequence[Aim]) -> Generator[None]:
        """Nothing moves and nothing comes to lie over anything meanwhile: the server serves nobody else.

        Raises: TargetCovered, TargetMoving, ApplicationGone where an aim no longer holds.
        """
        self._display.grab_server()
        try:
            for aim in aims:
                self._require(aim)
            yield
        finally:
            self._display.ungrab_server()
            self._display.sync()

    def _require(self, aim: Aim) -> None:
        now = self._windows.get(aim.window)
        hit = 0 if MINIMIZED in now.states else self._hit(aim.point)
        if str(hit) != aim.taken_by:
            over = (self._name(self._window(hit)) or "a window without a name") if hit else "nothing"
            raise TargetCovered(
                f'"{now.name}" takes no click at {aim.point} any more; it would go to {over}.',
                fix="Observe the window again.",
            )
        if now.rect != aim.window.rect:
            raise TargetMoving(
                f'"{now.name}" moved or changed its size while it was aimed at.', fix="Observe the window again."
            )

    def is_popup(self, window: TargetInfo, taken_by: str) -> Rect | None:
        """Return the rectangle of the window that takes a click, if it is a popup of the window's program."""
        xid = int(taken_by)
        return self._rect(self._window(xid)) if self._is_popup_of(window, xid) else None

    def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the rectangles of all popups of the window's program, front first.

        GTK 3 parks the windows of dragged items off the screen, left of it.
        """
        return self._places(self._popups(window))

    def menus(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the rectangles of those that declare themselves menus."""
        return self._places(xid for xid in self._popups(window) if self._windows.is_menu(xid))

    def reaching_into(self, place: Rect, windows: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
        """Those of these windows whose program shows a menu, popover or the like in a place of the screen."""
        shown = [
            xid
            for xid in self._order()
            if self._is_free(xid) and (rect := self._rect(self._window(xid))) and not rect.intersection(place).empty
        ]
        return tuple(each for each in windows if any(self._same_client(xid, window_id(each)) for xid in shown))

    def _popups(self, window: TargetInfo) -> Iterator[int]:
        return (xid for xid in reversed(self._order()) if self._is_popup_of(window, xid))

    def _places(self, windows: Iterable[int]) -> tuple[Rect, ...]:
        places = (self._rect(self._window(xid)) for xid in windows)
        return tuple(place for place in places if place and place.right > 0 and place.bottom > 0)

    def menu_of_another(self, window: TargetInfo) -> str | None:
        """The program of another window whose menu is open, which has the keyboard then; None where none is."""
        for xid in reversed(self._order()):
            other = not self._same_client(xid, window_id(window))
            if (
                other
                and self._is_free(xid)
                and self._rect(self._window(xid))
                and self._windows.is_menu(xid, or_list=True)
            ):
                owners = (each for each in self._windows.list() if self._same_client(xid, window_id(each)))
                return next((f'"{each.name}"' for each in owners), "another program")
        return None

    def shown_of(self, window: TargetInfo, place: Rect) -> tuple[Rect, ...]:
        """Return the visible parts of a place in a window or the menus of its program, as rectangles that do not
        overlap.

        Raises: ApplicationGone.
        """
        top = self._toplevel(window)
        over = {xid: rect for xid in self._over(top) if (rect := self._rect(self._window(xid)))}
        menus = [xid for xid in over if self._is_popup_of(window, xid)]
        grounds = [rect for rect in (self._rect(self._window(top)), *(over[xid] for xid in menus)) if rect]
        covers = [rect for xid, rect in over.items() if xid not in menus]
        within = (place.intersection(ground) for ground in grounds)
        return visible_parts(place, [part for part in within if not part.empty], covers)

    def under_none(self, place: Rect, window: TargetInfo, covers: Sequence[TargetInfo]) -> tuple[Rect, ...]:
        """Return the parts of a place in a window, or in a menu of its program, that none of the other windows
        occludes.

        The whole place where windows may be translucent. A shaped window occludes by its shape.
        """
        top = self._toplevel(window)
        over = self._over(top)
        menus = [rect for xid in over if self._is_popup_of(window, xid) and (rect := self._rect(self._window(xid)))]
        if self._is_composited() or any(not menu.intersection(place).empty for menu in menus):
            return (place,)
        frames = {self._toplevel(cover) for cover in covers}
        parts = [part for xid in over if xid in frames for part in self._painted(self._window(xid))]
        return visible_parts(place, [place], parts)

    def _is_composited(self) -> bool:
        """True if a compositor runs, which may show one window through another."""
        manager = self._display.intern_atom(f"_NET_WM_CM_S{self._display.get_default_screen()}")
        return self._display.get_selection_owner(manager) != X.NONE

    def _painted(self, window: Window) -> tuple[Rect, ...]:
        """Return the region of a window on the screen, by its shape."""
        rect = self._rect(window)
        if rect is None:
            return ()
        return self._shaped(window, rect, shape.SK.Bounding) if self._shapes else (rect,)

    def over(self, window: TargetInfo) -> tuple[Rect, ...]:
        """The places of all that lies over a window, whoever's it is. Raises: ApplicationGone."""
        places = (self._rect(self._window(xid)) for xid in self._over(self._toplevel(window)))
        return tuple(place for place in places if place)

    def beyond(self) -> tuple[Rect, ...]:
        """Return the regions outside the display, where no paint is observed."""
        size = self._root.get_geometry()
        right, bottom = size.width, size.height
        return (
            Rect(-_FAR, -_FAR, 0, _FAR),
            Rect(right, -_FAR, _FAR, _FAR),
            Rect(0, -_FAR, right, 0),
            Rect(0, bottom, right, _FAR),
        )

    def toplevel(self, window: TargetInfo) -> int:
        """Return the id of the root's child that contains a window. Raises: ApplicationGone."""
        return self._toplevel(window)

    def _scale(self) -> float | None:
        """Return the scale of the whole display: X11 has no setting for one screen."""
        for line in read_text(self._root, self._display.intern_atom("RESOURCE_MANAGER")).splitlines():
            name, _, number = line.partition(":")
            if name.strip() == "Xft.dpi" and number.strip().replace(".", "", 1).isdecimal():
                return float(number) / _USUAL_DPI
        return None

    def _toplevel(self, window: TargetInfo) -> int:
        xid = window_id(window)
        try:
            while (parent := self._window(xid).query_tree().parent) and parent.id != self._root.id:
                xid = parent.id
        except (BadWindow, XError) as error:
            raise window_gone(window) from error
        return xid

    def _order(self) -> list[int]:
        """Return the children of the root, the lowest first."""
        return [child.id for child in self._root.query_tree().children]

    def _hit(self, point: Point) -> int:
        """Which window on the root a click at a point goes to, 0 for none; the server knows shapes."""
        child: object = self._root.translate_coords(self._root.id, point.x, point.y).child
        return child.id if isinstance(child, Window) else 0

    def _own_popups(self, window: TargetInfo, top: int, place: Rect) -> Iterator[int]:
        """Yield popups of the same program that hold the whole place: it may well be inside one of them."""
        for xid in self._over(top):
            rect = self._rect(self._window(xid))
            if self._is_popup_of(window, xid) and rect and rect.grown(_ROUNDED).intersection(place) == place:
                yield xid

    def _covers(self, top: int, place: Rect) -> Iterator[_Cover]:
        for xid in self._over(top):
            other = self._window(xid)
            rect = self._rect(other)
            if rect is None or rect.intersection(place).empty:
                continue
            yield _Cover(self._taking_clicks(other, rect), self._name(other))

    def _over(self, top: int) -> list[int]:
        order = self._order()
        return order[order.index(top) + 1 :] if top in order else []

    def _is_popup_of(self, window: TargetInfo, xid: int) -> bool:
        own = window_id(window)
        return (self._same_client(xid, own) or self._same_process(xid, own)) and self._is_free(xid)

    def _same_client(self, one: int, other: int) -> bool:
        """True if one connection to the server made both windows: the server gives each its own range of ids."""
        mask: int = self._display.display.info.resource_id_mask
        return one & ~mask == other & ~mask

    def _same_process(self, one: int, other: int) -> bool:
        """True if two connections of one process made the windows, as far as the server knows processes."""
        pid = self._process(one)
        return pid is not None and pid == self._process(other)

    def _process(self, xid: int) -> int | None:
        """Return the process that made a window; None for one of another machine, or where the server does not know."""
        if not self._processes:
            return None
        try:
            asked = [(xid, res.LocalClientPIDMask)]
            found = res.query_client_ids(self._display, asked).ids
        except XError:
            return None
        return next((int(pid) for each in found for pid in each.value), None)

    def _is_free(self, xid: int) -> bool:
        """True if no window manager places the window, as with menus; False where it is gone."""
        try:
            return bool(self._window(xid).get_attributes().override_redirect)
        except (BadWindow, XError):
            return False

    def _rect(self, window: Window) -> Rect | None:
        """Return the rectangle of a window, with its border; None where it is not visible."""
        try:
            if window.get_attributes().map_state != X.IsViewable:
                return None
            found = window.get_geometry()
        except (BadWindow, XError):
            return None
        border = 2 * found.border_width
        return Rect.from_extents(found.x, found.y, found.width + border, found.height + border)

    def _taking_clicks(self, window: Window, rect: Rect) -> tuple[Rect, ...]:
        return self._shaped(window, rect, shape.SK.Input) if self._shapes else (rect,)

    def _shaped(self, window: Window, rect: Rect, kind: int) -> tuple[Rect, ...]:
        try:
            found = shape.get_rectangles(window, kind).rectangles
        except (BadWindow, XError):
            return ()
        return tuple(
            Rect.from_extents(part.x, part.y, part.width, part.height).moved(rect.left, rect.top) for part in found
        )

    def _name(self, window: Window) -> str:
        """Return the title of a window, or of the one that its window manager's frame contains."""
        try:
            for each in (window, *window.query_tree().children):
                if name := self._windows.title(each):
                    return name
        except (BadWindow, XError):
            return ""
        return ""

    def _window(self, xid: int) -> Window:
        return self._display.create_resource_object("window", xid)


def out_of_sight(what: str, place: Rect, window: Rect) -> ActionRefused:
    """Why a place in a window cannot be pointed at, though nothing lies over it; both on the screen."""
    if place.bottom <= window.top or place.top >= window.bottom:
        way = "above" if place.bottom <= window.top else "below"
        return ActionRefused(
            f"{what} is not in sight: it lies {way} the visible part of the window.",
            fix=f"Scroll {'up' if way == 'above' else 'down'} to it and observe the window again, or use invoke.",
        )
    return ActionRefused(
        f"{what} is not in sight: all but its edge lies off the screen or outside its window.",
        fix="Scroll to it, move the window, or use invoke.",
    )


def _covered(what: str, covers: list[_Cover]) -> TargetCovered:
    names = ", ".join(dict.fromkeys(f'"{cover.name}"' if cover.name else "a window without a name" for cover in covers))
    return TargetCovered(
        f"{what} is covered by {names or 'another window'}, all but its edge.",
        fix="Bring its window to the front, close the window that covers it, or use invoke.",
    )


def _spoken(place: Rect) -> str:
    if place.width <= 1 and place.height <= 1:
        return f"The point ({place.left}, {place.top})"
    return f"The place from ({place.left}, {place.top}) to ({place.right}, {place.bottom})"
