"""Lossless PNG, fast: no row filter and one deflate stream at the lowest level.

A screen is large flat areas, so filters and higher levels cost far more time than they save bytes; isal's deflate is
an order of magnitude faster than zlib's and is used where it is installed.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Final, TypeAlias

from PIL import Image

from deskhand.core.observation import Picture

Deflate: TypeAlias = Callable[[bytes, int], bytes]

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_FASTEST: Final = 1
_EIGHT_BIT_RGB: Final = (8, 2, 0, 0, 0)
_NO_FILTER: Final = b"\0"


def fastest_deflate() -> Deflate:
    """The fastest compressor installed: isal's where there is one for this platform."""
    try:
        from isal import isal_zlib  # noqa: PLC0415 - not on every platform
    except ImportError:
        return zlib.compress
    return isal_zlib.compress  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped data


def encode_png(picture: Picture | Image.Image, *, deflate: Deflate | None = None) -> bytes:
    """A picture as a PNG file, 8-bit RGB; transparency is dropped.

    Raises: ValueError where a Picture's bytes do not fit its size, or it has none.
    """
    deflate = deflate or fastest_deflate()
    if isinstance(picture, Image.Image):
        return _encode(picture.convert("RGB").tobytes(), picture.width, picture.height, deflate)
    return _encode(picture.rgb, picture.rect.width, picture.rect.height, deflate)


def _encode(rgb: bytes, width: int, height: int, deflate: Deflate) -> bytes:
    if width <= 0 or height <= 0 or len(rgb) != width * height * 3:
        raise ValueError(f"{len(rgb)} bytes are no RGB picture of {width}x{height}")
    header = struct.pack(">IIBBBBB", width, height, *_EIGHT_BIT_RGB)
    rows = memoryview(rgb)
    stride = width * 3
    # The empty first part gives the first row its filter byte too.
    lines = _NO_FILTER.join([b"", *(rows[start : start + stride] for start in range(0, len(rgb), stride))])
    return b"".join(
        (_SIGNATURE, *_chunk(b"IHDR", header), *_chunk(b"IDAT", deflate(lines, _FASTEST)), *_chunk(b"IEND"))
    )


def _chunk(name: bytes, data: bytes = b"") -> tuple[bytes, ...]:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)
