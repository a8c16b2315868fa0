"""Pictures made small enough to live inside a page."""

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

PAGE_BYTES: Final = 3_400_000  # of all pictures together; base64 makes 4.5 MB of it, and the page stays under 5 MB
_LARGEST_BYTES: Final = 300_000
_HOPELESS: Final = 8  # times the budget: no palette makes a file that much smaller, and trying is slow


@dataclass(frozen=True, slots=True)
class Embedded:
    """A picture as a `data:` address; `width` and `height` in its own pixels."""

    uri: str
    width: int
    height: int


def budget_for(count: int) -> int:
    """Byte budget of each of `count` pictures."""
    return min(_LARGEST_BYTES, PAGE_BYTES // max(1, count))


def embed(path: Path, budget: int) -> Embedded | None:
    """The picture at `path` in at most `budget` bytes if possible, else in the smallest encoding.

    Screens are mostly flat, so a palette keeps them sharp at full size in few bytes; only if that is too large the
    picture is scaled and compressed with loss. None if there is no readable picture.
    """
    try:
        with Image.open(path) as image:
            picture = image.convert("RGB")
        ways = _WAYS[1:] if path.stat().st_size > budget * _HOPELESS else _WAYS
    except (OSError, Image.DecompressionBombError):
        return None
    return _embedded(picture, budget, ways)


def embed_image(picture: Image.Image, budget: int) -> Embedded:
    """An RGB picture in at most `budget` bytes if possible, else in the smallest encoding."""
    return _embedded(picture, budget, _WAYS)


def _embedded(picture: Image.Image, budget: int, ways: Sequence[Callable[[Image.Image], "_Encoded"]]) -> Embedded:
    for encode in ways[:-1]:
        data, media_type, size = encode(picture)
        if len(data) <= budget:
            return _as_uri(data, media_type, size)
    return _as_uri(*ways[-1](picture))


def _as_uri(data: bytes, media_type: str, size: tuple[int, int]) -> Embedded:
    return Embedded(f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}", *size)


_Encoded = tuple[bytes, str, tuple[int, int]]


def _palette(picture: Image.Image) -> _Encoded:
    reduced = picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    reduced.save(buffer, "PNG", compress_level=6)
    return buffer.getvalue(), "image/png", picture.size


def _lossy(width: int, quality: int) -> Callable[[Image.Image], _Encoded]:
    def encode(picture: Image.Image) -> _Encoded:
        scaled = picture
        if picture.width > width:
            height = max(1, picture.height * width // picture.width)
            scaled = picture.copy()
            scaled.thumbnail((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
        buffer = io.BytesIO()
        scaled.save(buffer, "WEBP", quality=quality, method=1)
        return buffer.getvalue(), "image/webp", scaled.size

    return encode


_WAYS: Final[tuple[Callable[[Image.Image], _Encoded], ...]] = (
    _palette,
    _lossy(1280, 70),
    _lossy(960, 55),
    _lossy(640, 40),
)
