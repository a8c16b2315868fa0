"""Pictures for models and users: numbered labels, the selected control, clean and annotated side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.core.target import TargetInfo
from deskhand.perception.box_kinds import Kind, kind_of
from deskhand.perception.label_placement import InkMap, Place, Spot, Weight, place_labels
from deskhand.perception.merge import merge_target_info_list
from deskhand.perception.occlusion import layers

Colour = tuple[int, int, int]

COLOURS: Final[dict[Kind, Colour]] = {
    Kind.PRESS: (200, 30, 45),
    Kind.ENTER: (20, 90, 200),
    Kind.CHOOSE: (10, 120, 60),
    Kind.NAVIGATE: (125, 45, 165),
    Kind.READ: (95, 95, 95),
    Kind.CONTAIN: (140, 90, 20),
    Kind.OTHER_SOURCE: (190, 70, 0),
}
_WHITE: Final[Colour] = (255, 255, 255)
_SELECTED: Final[Colour] = (235, 20, 20)
_GAP: Final = 8
_MARGIN: Final = 2
LABEL_SIZE: Final = 12
"""Font height of a label in pixels that a model still reads well."""
_SMALL: Final = 0.8  # of that, where room is short
_HOLDING: Final = frozenset({Kind.CHOOSE, Kind.READ})
"""Kinds that may only contain others: a row or a cell with controls of its own."""

Image.core.set_blocks_max(12)
"""Retain the memory of the twelve pictures that labels take at once, most of them small: releasing and allocating it
again takes a quarter of the time from the grab to the PNG (ADR 0053).
"""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A target as drawn: its place in the picture, its colour, and its label with its place, if any."""

    rect: Rect
    colour: Colour
    label: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Marks on a picture, in the picture's own pixels.

    `left_out` are the ids of targets that are outlined without a label, for lack of room.
    """

    below: tuple[_Mark, ...]
    menus: tuple[Rect, ...]
    above: tuple[_Mark, ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(mark.label for mark in (*self.below, *self.above) if mark.place is None)

    @property
    def note(self) -> str:
        """Note for the reader of the picture, in a few words; empty if every label is drawn."""
        return f"no room for the labels of {len(self.left_out)} of its controls" if self.left_out else ""

    def label_boxes(self, scale: float = 1.0) -> tuple[Rect, ...]:
        """Places of the labels on the scaled picture."""
        marks = (*self.below, *self.above)
        return tuple(_scaled(mark.place.rect, scale) for mark in marks if mark.place is not None)


class _Digits:
    """Characters of labels in one size, each rendered once: rendering every label takes half of the time."""

    def __init__(self, font_size: int) -> None:
        self._font = ImageFont.load_default(font_size)
        self._top, self._bottom = (round(edge) for edge in self._font.getbbox("0123456789")[1::2])
        self._glyphs: dict[str, Image.Image] = {}
        for character in "0123456789":
            self._glyph(character)

    def _glyph(self, character: str) -> Image.Image:
        if character not in self._glyphs:
            width = max(1, round(self._font.getlength(character)))
            glyph = Image.new("L", (width, self._bottom - self._top), 0)
            ImageDraw.Draw(glyph).text((0, -self._top), character, fill=255, font=self._font)
            self._glyphs[character] = glyph
        return self._glyphs[character]

    def _width(self, label: str) -> int:
        return sum(self._glyph(c).width for c in label)

    def size(self, label: str) -> tuple[int, int]:
        """Width and height of a label with its margin."""
        return self._width(label) + 2 * _MARGIN, self._bottom - self._top + 2 * _MARGIN

    def write(self, image: Image.Image, label: str, box: Rect) -> None:
        """Write a label in the middle of a box; on a scaled picture it may be a pixel wider than the box."""
        left = box.left + (box.width - self._width(label)) // 2
        top = box.top + (box.height - (self._bottom - self._top)) // 2
        for glyph in map(self._glyph, label):
            image.paste(_WHITE, (left, top), glyph)
            left += glyph.width


class PhotographerFacade:
    """Draws on copies; its arguments are not modified. Safe for use from several threads.

    The font comes with Pillow, so that a picture is the same on every machine.
    """

    merge_target_info_list = staticmethod(merge_target_info_list)

    def __init__(self, *, font_size: int = LABEL_SIZE) -> None:
        """`font_size`: largest height of a label's digits, in pixels."""
        self._font_size = font_size
        self._digits = {size: _Digits(size) for size in _steps(font_size)}

    def capture_with_target_list(self, picture: Picture, targets: Sequence[TargetInfo]) -> Image.Image:
        """The picture with every labelled target outlined and numbered, coloured by kind.

        Labels do not hide each other, nor the text of controls if there is another place. Targets without a label,
        outside the picture, or below an open menu, and empty cells of a spreadsheet, are not drawn.
        """
        return self.drawn(image_of(picture), self.arranged(picture, targets))

    def arranged(self, picture: Picture, targets: Sequence[TargetInfo]) -> Arrangement:
        """Arrangement of the marks on a picture."""
        frame = Rect(0, 0, picture.rect.width, picture.rect.height)
        seen = layers(targets)
        parents = {target.parent for target in targets}
        below, above = self._shown(picture, seen.below), self._shown(picture, seen.above)
        menus = tuple(_in_picture(menu, picture) for menu in seen.menus)
        ink = InkMap(glanced(picture), (rect for _, rect in (*below, *above)))
        over = place_labels([self._spot(shown, parents) for shown in above], frame, ink)
        taken = (*menus, *(place.rect for place in over if place is not None))
        under = place_labels([self._spot(shown, parents) for shown in below], frame, ink, taken=taken)
        return Arrangement(_marks(below, under), tuple(menu for menu in menus if not menu.empty), _marks(above, over))

    def drawn(self, image: Image.Image, arrangement: Arrangement, scale: float = 1.0) -> Image.Image:
        """Draw on an RGB image of the picture that is scaled by `scale`, and return it."""
        kept = [(menu, image.crop(_box(menu))) for menu in (_scaled(menu, scale) for menu in arrangement.menus)]
        draw = ImageDraw.Draw(image)
        _outline_all(draw, arrangement.below, scale)
        for menu, patch in kept:  # frames below a menu must not show through it
            image.paste(patch, (menu.left, menu.top))
        _outline_all(draw, arrangement.above, scale)
        digits = [self._digits_of(max(1, int(size * scale))) for size in _steps(self._font_size)]
        for mark in (*arrangement.below, *arrangement.above):
            if mark.place is not None:
                box = _scaled(mark.place.rect, scale)
                draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=mark.colour)
                digits[mark.place.size].write(image, mark.label, box)
        return image

    def _digits_of(self, font_size: int) -> _Digits:
        """Digits of another size than the arranged one; made once per size (by two threads at most twice)."""
        if font_size not in self._digits:
            self._digits[font_size] = _Digits(font_size)
        return self._digits[font_size]

    def _shown(self, picture: Picture, targets: Sequence[TargetInfo]) -> list[tuple[TargetInfo, Rect]]:
        """The targets that are drawn, each with its visible place in the picture; none whose centre is occluded."""
        drawn = ((t, _in_picture(t.rect, picture)) for t in targets if t.id and "empty" not in t.states)
        over = [_in_picture(window.rect, picture) for window in picture.over]
        return [(t, rect) for t, rect in drawn if not rect.empty and not any(o.contains(rect.center) for o in over)]

    def _spot(self, shown: tuple[TargetInfo, Rect], parents: set[str]) -> Spot:
        target, rect = shown
        kind = kind_of(target)
        if kind is Kind.CONTAIN or (target.handle in parents and kind in _HOLDING):
            weight = Weight.CONTAIN
        else:
            weight = Weight.READ if kind is Kind.READ else Weight.ACT
        return Spot(rect, tuple(self._digits[size].size(target.id) for size in _steps(self._font_size)), weight)

    def highlight(self, picture: Picture, *targets: TargetInfo) -> Image.Image:
        """The picture with these targets framed in red; unchanged if they lie outside it."""
        return framed(image_of(picture), picture.rect, targets)

    def concat(self, clean: Picture | Image.Image, annotated: Picture | Image.Image) -> Image.Image:
        """Clean on the left, annotated on the right, a white gap between."""
        left, right = image_of(clean), image_of(annotated)
        both = Image.new("RGB", (left.width + _GAP + right.width, max(left.height, right.height)), _WHITE)
        both.paste(left, (0, 0))
        both.paste(right, (left.width + _GAP, 0))
        return both


def framed(image: Image.Image, place: Rect, targets: Sequence[TargetInfo], scale: float = 1.0) -> Image.Image:
    """Frame targets in red on an RGB image of a place on the screen, scaled by `scale`; return it."""
    draw = ImageDraw.Draw(image)
    for target in targets:
        seen = target.rect.intersection(place)
        if seen.empty:
            continue
        rect = _scaled(seen.moved(-place.left, -place.top), scale)
        box = (rect.left - 4, rect.top - 4, rect.right + 3, rect.bottom + 3)
        draw.rectangle(box, outline=_WHITE, width=1)
        draw.rectangle((box[0] + 1, box[1] + 1, box[2] - 1, box[3] - 1), outline=_SELECTED, width=3)
    return image


def image_of(picture: Picture | Image.Image) -> Image.Image:
    """A copy for drawing."""
    if isinstance(picture, Image.Image):
        return picture.convert("RGB") if picture.mode != "RGB" else picture.copy()
    size = (picture.rect.width, picture.rect.height)
    return Image.frombytes("RGB", size, picture.pixels, "raw", picture.order.value)


def rows_of(picture: Picture | Image.Image, top: int, bottom: int) -> Image.Image:
    """A copy of some of its rows."""
    if isinstance(picture, Image.Image):
        return picture.crop((0, top, picture.width, bottom)).convert("RGB")
    width, order = picture.rect.width, picture.order
    stride = width * (3 if order is PixelOrder.RGB else 4)
    part = bytes(memoryview(picture.pixels)[top * stride : bottom * stride])
    return Image.frombuffer("RGB", (width, bottom - top), part, "raw", order.value, 0, 1)


def glanced(picture: Picture) -> Image.Image:
    """A rough picture of the drawn parts: grey, at half its size.

    Of a screen's pixels every other row is read in place: strokes of letters are as dense in them.
    """
    width, height, pixels = picture.rect.width, picture.rect.height // 2, picture.pixels
    if picture.order is PixelOrder.RGB or not height:
        return image_of(picture).convert("L").reduce(2)
    two_rows = width * 8
    rows = Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", two_rows, 1)  # pyright: ignore[reportArgumentType] - any buffer
    return rows.convert("L").reduce((2, 1))


def _in_picture(rect: Rect, picture: Picture) -> Rect:
    return rect.intersection(picture.rect).moved(-picture.rect.left, -picture.rect.top)


def _box(rect: Rect) -> tuple[int, int, int, int]:
    return rect.left, rect.top, rect.right, rect.bottom


def _marks(shown: Sequence[tuple[TargetInfo, Rect]], places: Sequence[Place | None]) -> tuple[_Mark, ...]:
    return tuple(
        _Mark(rect, COLOURS[kind_of(target)], target.id, place)
        for (target, rect), place in zip(shown, places, strict=True)
    )


def _steps(font_size: int) -> tuple[int, int]:
    """Sizes of a label, the best first."""
    return font_size, max(1, round(font_size * _SMALL))


def _scaled(rect: Rect, scale: float) -> Rect:
    """A rectangle of the picture on the scaled picture; rectangles that do not overlap do not overlap there."""
    if scale == 1.0:
        return rect
    return Rect(*(round(edge * scale) for edge in (rect.left, rect.top, rect.right, rect.bottom)))


def _outline_all(draw: ImageDraw.ImageDraw, marks: Sequence[_Mark], scale: float) -> None:
    """Outline the large marks first, so that the small ones stay whole."""
    for mark in sorted(marks, key=lambda mark: -mark.rect.area):
        rect = _scaled(mark.rect, scale)
        if not rect.empty:
            draw.rectangle((rect.left, rect.top, rect.right - 1, rect.bottom - 1), outline=mark.colour)
