"""Pictures as bytes for a model: PNG as they were taken, JPEG where they were made smaller.

Blended pixels pack badly without loss: half as large again and slower to pack. Colours are not thinned out, or labels
would bleed.
"""

from io import BytesIO
from typing import Final

from PIL import Image

from deskhand.core.observation import Picture
from deskhand.store.png import encode_png

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
_QUALITY: Final = 85


def encode_for_model(picture: Picture | Image.Image, *, blended: bool) -> tuple[bytes, str]:
    """The file's bytes and its media type."""
    if not blended or isinstance(picture, Picture):
        return encode_png(picture), PNG
    file = BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY, subsampling=0)
    return file.getvalue(), JPEG
