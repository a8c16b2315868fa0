"""Pictures for models and people: numbered labels, the selected control, clean and annotated side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo
from deskhand.perception.covered import layers
from deskhand.perception.kinds import Kind, kind_of
from deskhand.perception.merge import merge_target_info_list
from deskhand.perception.placement import InkMap, Spot, place_labels

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


@dataclass(frozen=True, slots=True)
class _Mark:
    target: TargetInfo
    spot: Spot
    colour: Colour


class _Digits:
    """The characters of labels, rendered once each; text set for every label anew takes half of the time."""

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

    def size(self, label: str) -> tuple[int, int]:
        """Width and height of a label with its margin."""
        return sum(self._glyph(c).width for c in label) + 2 * _MARGIN, self._bottom - self._top + 2 * _MARGIN

    def write(self, image: Image.Image, label: str, place: Rect) -> None:
        left = place.left + _MARGIN
        for glyph in map(self._glyph, label):
            image.paste(_WHITE, (left, place.top + _MARGIN), glyph)
            left += glyph.width


class PhotographerFacade:
    """Draws on copies; what it is given stays as it is. One may be used from several threads.

    The font comes with Pillow, so that a picture looks the same on every machine.
    """

    merge_target_info_list = staticmethod(merge_target_info_list)

    def __init__(self, *, font_size: int = 12) -> None:
        self._digits = _Digits(font_size)

    def capture_with_target_list(self, picture: Picture, targets: Sequence[TargetInfo]) -> Image.Image:
        """The picture with every labelled target outlined and numbered, coloured by kind (SPEC 3.2).

        Labels do not hide each other or the text of controls where there is another place. Targets without a label,
        outside the picture, or below an open menu, and empty cells of a spreadsheet, are not drawn.
        """
        image = image_of(picture)
        frame = Rect(0, 0, picture.rect.width, picture.rect.height)
        seen = layers(targets)
        below, above = self._marks(picture, seen.below), self._marks(picture, seen.above)
        menus = [_in_picture(menu, picture) for menu in seen.menus]
        ink = InkMap(image, (mark.spot.rect for mark in (*below, *above)))
        over = place_labels([mark.spot for mark in above], frame, ink)
        under = place_labels([mark.spot for mark in below], frame, ink, taken=(*menus, *over))
        kept = [(menu, image.crop(_box(menu))) for menu in menus if not menu.empty]
        draw = ImageDraw.Draw(image)
        _outline_all(draw, below)
        for menu, patch in kept:  # what is framed below a menu does not show through it
            image.paste(patch, (menu.left, menu.top))
        _outline_all(draw, above)
        for mark, place in zip((*below, *above), (*under, *over), strict=True):
            draw.rectangle((place.left, place.top, place.right - 1, place.bottom - 1), fill=mark.colour)
            self._digits.write(image, mark.target.id, place)
        return image

    def _marks(self, picture: Picture, targets: Sequence[TargetInfo]) -> list[_Mark]:
        parents = {target.parent for target in targets}
        marks: list[_Mark] = []
        for target in targets:
            seen = target.rect.intersection(picture.rect)
            if target.id and not seen.empty and "empty" not in target.states:
                rect = seen.moved(-picture.rect.left, -picture.rect.top)
                spot = Spot(rect, *self._digits.size(target.id), target.handle in parents)
                marks.append(_Mark(target, spot, COLOURS[kind_of(target)]))
        return marks

    def highlight(self, picture: Picture, *targets: TargetInfo) -> Image.Image:
        """The picture with these targets framed in red; as it is where they lie outside it."""
        image = image_of(picture)
        draw = ImageDraw.Draw(image)
        for target in targets:
            seen = target.rect.intersection(picture.rect)
            if seen.empty:
                continue
            rect = seen.moved(-picture.rect.left, -picture.rect.top)
            box = (rect.left - 4, rect.top - 4, rect.right + 3, rect.bottom + 3)
            draw.rectangle(box, outline=_WHITE, width=1)
            draw.rectangle((box[0] + 1, box[1] + 1, box[2] - 1, box[3] - 1), outline=_SELECTED, width=3)
        return image

    def concat(self, clean: Picture | Image.Image, annotated: Picture | Image.Image) -> Image.Image:
        """Clean on the left, annotated on the right, a white gap between."""
        left, right = image_of(clean), image_of(annotated)
        both = Image.new("RGB", (left.width + _GAP + right.width, max(left.height, right.height)), _WHITE)
        both.paste(left, (0, 0))
        both.paste(right, (left.width + _GAP, 0))
        return both


def image_of(picture: Picture | Image.Image) -> Image.Image:
    """A copy that may be drawn on."""
    if isinstance(picture, Image.Image):
        return picture.convert("RGB") if picture.mode != "RGB" else picture.copy()
    size = (picture.rect.width, picture.rect.height)
    return Image.frombytes("RGB", size, picture.pixels, "raw", picture.order.value)


def _in_picture(rect: Rect, picture: Picture) -> Rect:
    return rect.intersection(picture.rect).moved(-picture.rect.left, -picture.rect.top)


def _box(rect: Rect) -> tuple[int, int, int, int]:
    return rect.left, rect.top, rect.right, rect.bottom


def _outline_all(draw: ImageDraw.ImageDraw, marks: Sequence[_Mark]) -> None:
    """The large ones first, so that the small ones stay whole."""
    for mark in sorted(marks, key=lambda mark: -mark.spot.rect.area):
        _outline(draw, mark.spot.rect, mark.colour)


def _outline(draw: ImageDraw.ImageDraw, rect: Rect, colour: Colour) -> None:
    draw.rectangle((rect.left, rect.top, rect.right - 1, rect.bottom - 1), outline=colour)
