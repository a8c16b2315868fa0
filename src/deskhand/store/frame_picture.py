"""A picture as the bytes of a file that a browser shows, whichever is smaller for its kind of content."""

from io import BytesIO
from typing import Final

from PIL import Image

from deskhand.core.observation import Picture
from deskhand.store.png import encode_png

_EVERY: Final = 8
"""One of so many pixels, each way, is looked at."""
_COLOURS: Final = 512
"""A picture with more of them is a photograph; windows of applications have 200, and small parts too few pixels."""
_QUALITY: Final = 85


def encode_frame(picture: Picture) -> bytes:
    """PNG, which is exact, and for windows also smaller and faster; JPEG for photographs and films."""
    return _jpeg(picture) if _is_photograph(picture) else encode_png(picture)


def _is_photograph(picture: Picture) -> bool:
    size = (max(1, picture.rect.width // _EVERY), max(1, picture.rect.height // _EVERY))
    return _image(picture).resize(size, Image.Resampling.NEAREST).getcolors(_COLOURS) is None


def _jpeg(picture: Picture) -> bytes:
    file = BytesIO()
    _image(picture).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _image(picture: Picture) -> Image.Image:
    size, raw = (picture.rect.width, picture.rect.height), picture.order.value
    return Image.frombuffer("RGB", size, picture.pixels, "raw", raw, 0, 1)  # pyright: ignore[reportArgumentType] - any buffer
