"""Pictures as bytes for a model: PNG, or JPEG for pictures that PNG hardly compresses, such as photographs.

A window as PNG is encoded twice as fast and is half as large, also after scaling. JPEG uses no chroma subsampling, or
labels would bleed.
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
