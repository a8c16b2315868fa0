"""Pictures as bytes for a model: PNG, but for what packs badly without loss, such as photographs: JPEG.

A window is packed twice as fast as PNG and is half as large, also where it was made smaller. Colours are not thinned
out in JPEG, or labels would bleed.
"""

from io import BytesIO
from typing import Final

from PIL import Image

from deskhand.core.observation import Picture
from deskhand.store.png import encode_png

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
_QUALITY: Final = 85
_MUCH: Final = 4  # bits a pixel: a window with all of its texts takes two


def encode_for_model(picture: Picture | Image.Image) -> tuple[bytes, str]:
    """The file's bytes and its media type."""
    data = encode_png(picture)
    if isinstance(picture, Picture):
        size = (picture.rect.width, picture.rect.height)
        if not _much(data, size):
            return data, PNG
        picture = Image.frombytes("RGB", size, picture.pixels, "raw", picture.order.value)
    if not _much(data, picture.size):
        return data, PNG
    file = BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY, subsampling=0)
    packed = file.getvalue()
    return (packed, JPEG) if len(packed) < len(data) else (data, PNG)


def _much(data: bytes, size: tuple[int, int]) -> bool:
    return len(data) * 8 > size[0] * size[1] * _MUCH
