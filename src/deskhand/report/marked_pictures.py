"""Pictures with numbered frames, for pages that list findings."""

from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect

_RED = (200, 20, 20)
_WHITE = (255, 255, 255)
_FONT_PX = 13
_PAD_PX = 2


def marked(picture: Image.Image, frames: Iterable[tuple[int, Rect]]) -> Image.Image:
    """A copy with a frame around each place, relative to the picture, and its number at the frame's corner."""
    drawn = picture.convert("RGB")
    draw = ImageDraw.Draw(drawn)
    font = ImageFont.load_default(_FONT_PX)
    bounds = Rect(0, 0, drawn.width, drawn.height)
    for number, place in frames:
        seen = place.grown(_PAD_PX).intersection(bounds)
        if not seen.empty:
            _frame(draw, font, str(number), seen)
    return drawn


def _frame(draw: ImageDraw.ImageDraw, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, label: str, at: Rect) -> None:
    draw.rectangle((at.left, at.top, at.right - 1, at.bottom - 1), outline=_RED, width=2)
    width, height = round(draw.textlength(label, font=font)) + 2 * _PAD_PX, _FONT_PX + 2 * _PAD_PX
    top = at.top - height if at.top >= height else at.top
    draw.rectangle((at.left, top, at.left + width, top + height), fill=_RED)
    draw.text((at.left + _PAD_PX, top), label, fill=_WHITE, font=font)
