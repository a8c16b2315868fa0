"""Pictures of the screen, blocking. Places are in screen pixels."""

import ctypes
from typing import Final

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.desktop.windows import system
from deskhand.desktop.windows.reader import PlacesIn, password_places

_LEFT, _TOP, _WIDTH, _HEIGHT = 76, 77, 78, 79  # SM_XVIRTUALSCREEN and so on
_PRIMARY_WIDTH, _PRIMARY_HEIGHT = 0, 1
_COPY: Final = 0x40CC0020  # SRCCOPY with layered windows
_BLANK: Final = b"\xc0\xc0\xc0\x00"
"""The colour of a password field in a picture, as BGRX."""


def screen_rect() -> Rect:
    """Return the rectangle around all screens."""
    left, top = system.metric(_LEFT), system.metric(_TOP)
    return Rect.from_extents(left, top, system.metric(_WIDTH), system.metric(_HEIGHT))


def primary_rect() -> Rect:
    """Return the primary screen, whose left top is the origin."""
    return Rect(0, 0, system.metric(_PRIMARY_WIDTH), system.metric(_PRIMARY_HEIGHT))


def take(region: Rect | None, passwords: PlacesIn) -> Picture:
    """Return a picture of the part of a region that is on the screen, without what password fields show.

    `passwords`: those in a window that are no fields of Win32.

    Raises: CaptureFailed.
    """
    whole = screen_rect()
    place = whole if region is None else region.intersection(whole)
    if place.empty:
        raise CaptureFailed(f"{region} lies outside the screen {whole}.", fix="Ask for a part of the screen.")
    pixels = _pixels(place)
    for hidden in password_places(passwords):
        _blank(pixels, place, hidden.intersection(place))
    return Picture(bytes(pixels), place, PixelOrder.BGRX)


def _pixels(place: Rect) -> bytearray:
    screen = system.screen_context(0)
    memory = system.memory_context(screen)
    header = system.BitmapInfo(size=40, width=place.width, height=-place.height, planes=1, bits=32)
    address = ctypes.c_void_p()
    bitmap = system.make_bitmap(screen, ctypes.byref(header), 0, ctypes.byref(address), 0, 0)
    try:
        if not bitmap or not address.value:
            raise CaptureFailed(f"The system gave no memory for a picture of {place}.", fix="Close some programs.")
        before = system.select_object(memory, bitmap)
        copied = system.copy_bits(memory, 0, 0, place.width, place.height, screen, place.left, place.top, _COPY)
        system.flush_drawing()
        system.select_object(memory, before)
        if not copied:
            raise CaptureFailed(
                f"The system refused a picture of {place}.", fix="Unlock the screen: a locked one shows nothing."
            )
        return bytearray(ctypes.string_at(address.value, place.width * place.height * 4))
    finally:
        system.delete_object(bitmap)
        system.delete_context(memory)
        system.release_context(0, screen)


def _blank(pixels: bytearray, place: Rect, hidden: Rect) -> None:
    for y in range(hidden.top - place.top, hidden.bottom - place.top):
        start = (y * place.width + hidden.left - place.left) * 4
        pixels[start : start + hidden.width * 4] = _BLANK * hidden.width


def part_of(picture: Picture, region: Rect) -> bytes:
    """Return the pixels of a part of a picture, row by row."""
    place = region.intersection(picture.rect)
    width, left = picture.rect.width, place.left - picture.rect.left
    rows = range(place.top - picture.rect.top, place.bottom - picture.rect.top)
    starts = ((y * width + left) * 4 for y in rows)
    return b"".join(bytes(picture.pixels[start : start + place.width * 4]) for start in starts)
