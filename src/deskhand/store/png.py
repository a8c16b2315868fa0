"""Lossless PNG, fast: no row filter and one deflate stream at the lowest level.

A screen is large flat areas, so filters and higher levels cost far more time than they save bytes; isal's deflate is
an order of magnitude faster than zlib's and is used where it is installed. Rows are turned and packed a few at a time,
which stays in the processor's cache and needs no second copy of the picture.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeAlias

from PIL import Image

from deskhand.core.observation import Picture, PixelOrder


class Compressor(Protocol):
    """One deflate stream."""

    def compress(self, data: bytes | memoryview, /) -> bytes: ...

    def flush(self) -> bytes: ...


Deflate: TypeAlias = Callable[[int], Compressor]
"""Opens a stream of a level."""

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_FASTEST: Final = 1
_EIGHT_BIT_RGB: Final = (8, 2, 0, 0, 0)
_NO_FILTER: Final = b"\0"
_ROWS: Final = 64
_BYTES: Final = {PixelOrder.RGB: 3, PixelOrder.BGRX: 4}


def fastest_deflate() -> Deflate:
    """The fastest installed compressor: isal's if it exists for this platform."""
    try:
        from isal import isal_zlib  # noqa: PLC0415 - not on every platform
    except ImportError:
        return zlib.compressobj
    return isal_zlib.compressobj  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped data


def encode_png(picture: Picture | Image.Image, *, deflate: Deflate | None = None) -> bytes:
    """A picture as a PNG file, 8-bit RGB; transparency is dropped.

    Raises: ValueError if a Picture's bytes do not fit its size, or it is empty.
    """
    stream = (deflate or fastest_deflate())(_FASTEST)
    if isinstance(picture, Image.Image):
        image = picture if picture.mode == "RGB" else picture.convert("RGB")
        return _encode(_rows_of_image(image), image.width, image.height, stream)
    width, height = picture.rect.width, picture.rect.height
    if width <= 0 or height <= 0 or len(picture.pixels) != width * height * _BYTES[picture.order]:
        raise ValueError(f"{len(picture.pixels)} bytes are no {picture.order} picture of {width}x{height}")
    return _encode(_rows_of_picture(picture), width, height, stream)


def _rows_of_picture(picture: Picture) -> Iterator[bytes]:
    width, height = picture.rect.width, picture.rect.height
    pixels, stride = memoryview(picture.pixels), width * _BYTES[picture.order]
    for top in range(0, height, _ROWS):
        bottom = min(top + _ROWS, height)
        part, size = pixels[top * stride : bottom * stride], (width, bottom - top)
        if picture.order is PixelOrder.BGRX:
            yield _packed(_in_place(part, size), "BGR")
        else:
            yield _packed(Image.frombuffer("RGB", size, bytes(part), "raw", "RGB", 0, 1), "RGB")


def _in_place(pixels: memoryview, size: tuple[int, int]) -> Image.Image:
    """Pixels of a screen in place, with red and blue swapped: they are swapped back during packing, without a copy."""
    return Image.frombuffer("RGBX", size, pixels, "raw", "RGBX", 0, 1)  # pyright: ignore[reportArgumentType] - any buffer


def _rows_of_image(image: Image.Image) -> Iterator[bytes]:
    for top in range(0, image.height, _ROWS):
        yield _packed(image.crop((0, top, image.width, min(top + _ROWS, image.height))), "RGB")


def _packed(image: Image.Image, order: str) -> bytes:
    """Rows of three bytes per pixel in this order, each followed by a 0 byte: the filter of the next row."""
    return image.tobytes("raw", order, image.width * 3 + 1, 1)


def _encode(rows: Iterator[bytes], width: int, height: int, stream: Compressor) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, *_EIGHT_BIT_RGB)
    data = [stream.compress(_NO_FILTER)]
    last = b""
    for part in rows:
        data.append(stream.compress(last))
        last = part
    data += [stream.compress(memoryview(last)[:-1]), stream.flush()]
    return b"".join((_SIGNATURE, *_chunk(b"IHDR", header), *_chunk(b"IDAT", b"".join(data)), *_chunk(b"IEND")))


def _chunk(name: bytes, data: bytes = b"") -> tuple[bytes, ...]:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)
