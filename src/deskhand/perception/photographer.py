"""Pictures for models and people: numbered labels, the selected control, clean and annotated side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo
from deskhand.perception.kinds import Kind, kind_of
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


@dataclass(frozen=True, slots=True)
class _Mark:
    target: TargetInfo
    spot: Spot
    colour: Colour


class PhotographerFacade:
    """Draws on copies; what it is given stays as it is. One may be used from several threads.

    The font comes with Pillow, so that a picture looks the same on every machine.
    """

    def __init__(self, *, font_size: int = 12) -> None:
        self._font_size = font_size

    def capture_with_target_list(self, picture: Picture, targets: Sequence[TargetInfo]) -> Image.Image:
        """The picture with every labelled target outlined and numbered, coloured by kind (SPEC 3.2).

        Labels do not hide each other or the text of controls where there is another place. Targets without a label,
        or outside the picture, are not drawn.
        """
        image = image_of(picture)
        font = ImageFont.load_default(self._font_size)
        marks = [mark for target in targets if (mark := self._mark(picture, targets, target, font))]
        frame = Rect(0, 0, picture.rect.width, picture.rect.height)
        places = place_labels([mark.spot for mark in marks], frame, InkMap(image))
        draw = ImageDraw.Draw(image)
        for mark in sorted(marks, key=lambda mark: -mark.spot.rect.area):
            _outline(draw, mark.spot.rect, mark.colour)
        for mark, place in zip(marks, places, strict=True):
            draw.rectangle((place.left, place.top, place.right - 1, place.bottom - 1), fill=mark.colour)
            draw.text(
                ((place.left + place.right) / 2, (place.top + place.bottom) / 2),
                mark.target.id,
                fill=_WHITE,
                font=font,
                anchor="mm",
            )
        return image

    def _mark(
        self,
        picture: Picture,
        targets: Sequence[TargetInfo],
        target: TargetInfo,
        font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    ) -> _Mark | None:
        seen = target.rect.intersection(picture.rect)
        if not target.id or seen.empty:
            return None
        parents = {other.parent for other in targets}
        width = round(font.getlength(target.id)) + 4
        spot = Spot(
            seen.moved(-picture.rect.left, -picture.rect.top), width, self._font_size + 1, target.handle in parents
        )
        return _Mark(target, spot, COLOURS[kind_of(target)])

    def highlight(self, picture: Picture, target: TargetInfo) -> Image.Image:
        """The picture with one target framed in red; as it is where the target lies outside it."""
        image = image_of(picture)
        seen = target.rect.intersection(picture.rect)
        if not seen.empty:
            rect = seen.moved(-picture.rect.left, -picture.rect.top)
            draw = ImageDraw.Draw(image)
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
    return Image.frombytes("RGB", (picture.rect.width, picture.rect.height), picture.rgb)


def _outline(draw: ImageDraw.ImageDraw, rect: Rect, colour: Colour) -> None:
    draw.rectangle((rect.left, rect.top, rect.right - 1, rect.bottom - 1), outline=colour)
