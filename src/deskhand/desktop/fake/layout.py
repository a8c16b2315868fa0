"""Layout of a fake window: places of its controls."""

from functools import cache, lru_cache
from math import ceil
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.desktop.fake.control import FakeControl, FakeWindow

TITLE_HEIGHT: Final = 16
_LINE: Final = 18
_GAP: Final = 2
_SIDE_BY_SIDE: Final = frozenset({Role.MENUBAR, Role.TOOLBAR, Role.TABLIST, Role.ROW})
_COLOURS: Final = {
    Role.BUTTON: (214, 220, 228),
    Role.TEXTBOX: (255, 255, 255),
    Role.PASSWORD: (250, 240, 210),
    Role.MENU: (226, 226, 226),
    Role.MENUBAR: (226, 226, 226),
    Role.MENUITEM: (236, 236, 236),
    Role.LIST: (250, 250, 250),
    Role.TABLE: (250, 250, 250),
    Role.CELL: (255, 255, 255),
}
_GROUND: Final = (240, 240, 240)
_INK: Final = (20, 20, 20)
_EDGE: Final = (150, 150, 150)
_DESK: Final = (52, 84, 110)

Placed = list[tuple[FakeControl, Rect]]


def shown(window: FakeWindow) -> list[FakeControl]:
    """Return the controls of an observation, parents before children, in reading order."""
    out: list[FakeControl] = []

    def add(controls: list[FakeControl]) -> None:
        for control in controls:
            if not control.hidden:
                out.append(control)
                add(control.shown_children())

    add(window.controls)
    return out


def placed(window: FakeWindow) -> Placed:
    """Yield every visible control with its rectangle, in painting order: later ones are on top."""
    inside = Rect(
        window.rect.left + _GAP, window.rect.top + TITLE_HEIGHT, window.rect.right - _GAP, window.rect.bottom - _GAP
    )
    below: Placed = []
    on_top: Placed = []
    _stack([control for control in window.controls if not control.hidden], inside, below, on_top)
    return below + on_top


def _stack(controls: list[FakeControl], inside: Rect, below: Placed, on_top: Placed) -> int:
    """Places controls one under the other; returns where the next one would start."""
    top = inside.top
    for control in controls:
        free = Rect(inside.left, top, inside.right, inside.bottom)
        bottom = _place(control, free, below, on_top)
        top = top if not control.rect.empty else bottom + _GAP
    return top


def _place(control: FakeControl, free: Rect, below: Placed, on_top: Placed) -> int:
    """Place one control and its children, in the free space or at its own rectangle; return its bottom."""
    own = control.rect if not control.rect.empty else Rect(free.left, free.top, free.right, free.top + _LINE)
    index = len(below)
    below.append((control, own))
    children = control.shown_children()
    bottom = own.bottom
    if control.role is Role.MENU:
        popup = Rect(own.left, own.bottom, own.left + 120, free.bottom)
        _stack(children, popup, on_top, on_top)
    elif control.table:
        columns = min(control.table.columns, control.table.visible[1]) if children else 1
        columns = control.table.columns if control.table.columns * control.table.rows == len(children) else columns
        bottom = _grid(children, own, max(1, columns), below)
    elif control.role in _SIDE_BY_SIDE:
        _row(children, own, below, on_top)
    elif children:
        within = Rect(own.left + _GAP, own.top + (_LINE if control.name else _GAP), own.right - _GAP, free.bottom)
        bottom = _stack(children, within, below, on_top)
    if control.rect.empty:
        own = Rect(own.left, own.top, own.right, max(own.bottom, bottom))
    below[index] = (control, own)
    return own.bottom


def _row(controls: list[FakeControl], inside: Rect, below: Placed, on_top: Placed) -> None:
    width = min(80, max(1, inside.width // max(1, len(controls))))
    for number, control in enumerate(controls):
        left = inside.left + number * width
        _place(control, Rect(left, inside.top, left + width - _GAP, inside.bottom), below, on_top)


def _grid(cells: list[FakeControl], inside: Rect, columns: int, below: Placed) -> int:
    width = max(1, inside.width // columns)
    bottom = inside.top
    for number, cell in enumerate(cells):
        row, column = divmod(number, columns)
        left, top = inside.left + column * width, inside.top + row * _LINE
        bottom = top + _LINE
        below.append((cell, cell.rect if not cell.rect.empty else Rect(left, top, left + width, bottom)))
    return bottom


def hit(window: FakeWindow, point: Point) -> FakeControl | None:
    """The topmost, deepest showing control at a point; None on the window's own ground."""
    return next((control for control, rect in reversed(placed(window)) if rect.contains(point)), None)


class Painter:
    """Draws windows as plain rectangles with their texts; a password's text is never drawn."""

    def screen(self, screen: Rect, windows_front_first: list[FakeWindow]) -> Picture:
        """The whole desktop."""
        image = Image.new("RGB", (screen.width, screen.height), _DESK)
        for window in reversed(windows_front_first):
            self._paint(image, window, Point(screen.left, screen.top))
        return Picture(image.tobytes(), screen)

    def window(self, window: FakeWindow, screen: Rect) -> Picture:
        """One window, as far as it lies on the screen."""
        seen = window.rect.intersection(screen)
        image = Image.new("RGB", (seen.width, seen.height), _DESK)
        self._paint(image, window, Point(seen.left, seen.top))
        return Picture(image.tobytes(), seen)

    def _paint(self, image: Image.Image, window: FakeWindow, origin: Point) -> None:
        self._box(image, window.rect.moved(-origin.x, -origin.y), _GROUND, window.title)
        for control, rect in placed(window):
            text = control.name or control.value
            if control.role is Role.PASSWORD:
                text = ""
            elif control.name and control.value and control.role is not Role.CELL:
                text = f"{control.name}: {control.value}"
            elif control.role is Role.CELL:
                text = control.value
            if "checked" in control.states:
                text = f"[x] {text}"
            colour = (255, 236, 170) if "selected" in control.states else _COLOURS.get(control.role, _GROUND)
            self._box(image, rect.moved(-origin.x, -origin.y), colour, text)

    def _box(self, image: Image.Image, rect: Rect, colour: tuple[int, int, int], text: str) -> None:
        if rect.empty:
            return
        draw = ImageDraw.Draw(image)
        draw.rectangle((rect.left, rect.top, rect.right - 1, rect.bottom - 1), fill=colour, outline=_EDGE)
        if text:
            line = text.splitlines()[0][: max(1, rect.width // 5)] if text.splitlines() else ""
            image.paste(_INK, (rect.left + 3, rect.top + 2), mask=_text(line))


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(10)


@lru_cache(maxsize=2000)
def _text(line: str) -> Image.Image:
    """A line of text as a mask: setting it takes most of the time of painting, and every picture repeats it."""
    right, bottom = (max(1, ceil(edge)) for edge in _font().getbbox(line)[2:])
    mask = Image.new("L", (right, bottom), 0)
    ImageDraw.Draw(mask).text((0, 0), line, fill=255, font=_font())
    return mask


def cropped(picture: Picture, region: Rect) -> Picture:
    """Crop a picture; a part outside of it is left out."""
    seen = picture.rect.intersection(region)
    image = Image.frombytes("RGB", (picture.rect.width, picture.rect.height), picture.pixels)
    part = seen.moved(-picture.rect.left, -picture.rect.top)
    return Picture(image.crop((part.left, part.top, part.right, part.bottom)).tobytes(), seen)
