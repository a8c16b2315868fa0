"""Reading the texts of windows from their pictures, in a thread, once for each picture."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread

from deskhand.core.errors import MissingRequirement, TextsUnread
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.core.target import TargetInfo
from deskhand.desktop.picture_text.lines import Line, followed
from deskhand.desktop.picture_text.model_process import ModelProcess
from deskhand.desktop.picture_text.models import FIX, Models, ReadLine

if TYPE_CHECKING:
    from deskhand.desktop.picture_text.models import Pixels

K = TypeVar("K")
V = TypeVar("V")

_WINDOWS: Final = 8
"""Windows whose lines are kept."""
_CONTRAST: Final = 16
"""Difference of brightness below which a picture is empty."""
_LINES: Final = 1024
"""Lines whose text is kept, by their pixels."""


@dataclass(slots=True)
class _Window:
    """The parts of a window as they were read last, by their place from its corner."""

    size: tuple[int, int]
    parts: dict[Rect, tuple[bytes, tuple[Line, ...]]] = field(
        default_factory=dict[Rect, tuple[bytes, tuple[Line, ...]]]
    )


class _Recent(OrderedDict[K, V]):
    """The values used last."""

    def keep(self, key: K, value: V, most: int) -> V:
        self[key] = value
        self.move_to_end(key)
        while len(self) > most:
            self.popitem(last=False)
        return value


class PictureTexts:
    """The reader of one desktop. The models are loaded with the first picture; one picture is read at a time."""

    def __init__(self, load: Callable[[], Models] = ModelProcess) -> None:
        self._load = load
        self._models: Models | None = None
        self._alone = Lock()
        self._windows = _Recent[str, _Window]()
        self._read = _Recent[bytes, ReadLine]()

    def close(self) -> None:
        """Let go of the models; no picture is read any more."""
        if self._models is not None:
            self._models.close()

    async def read(
        self, window: TargetInfo, picture: Picture, parts: Sequence[Rect], *, deadline_s: float
    ) -> tuple[Line, ...]:
        """Return the lines in parts of a window's picture, with places on the screen; those that another window covers
        now as they were.

        Raises: MissingRequirement (the extra `vision` is not installed), TextsUnread (not in time).
        """
        stop = Event()
        try:
            with anyio.fail_after(deadline_s):
                lines = await to_thread.run_sync(
                    lambda: self._read_parts(window, picture, parts, stop), abandon_on_cancel=True
                )
        except TimeoutError as error:
            raise TextsUnread(
                f"the texts of the picture were not read within {deadline_s:g} s", fix="observe it again"
            ) from error
        finally:
            stop.set()
        return lines

    def _read_parts(self, window: TargetInfo, picture: Picture, parts: Sequence[Rect], stop: Event) -> tuple[Line, ...]:
        with self._alone:
            known = self._known(window)
            corner = window.rect.left, window.rect.top
            lines = list[Line]()
            for part in parts:
                shown = part.intersection(picture.rect)
                if not shown.empty:
                    lines += self._read_part(known, picture, shown, corner, stop)
            return tuple(lines)

    def _known(self, window: TargetInfo) -> _Window:
        """The window as it was read last; anew in another size."""
        size = window.rect.width, window.rect.height
        known = self._windows.get(window.handle)
        same = known if known and known.size == size else _Window(size)
        return self._windows.keep(window.handle, same, _WINDOWS)

    def _read_part(
        self, known: _Window, picture: Picture, part: Rect, corner: tuple[int, int], stop: Event
    ) -> list[Line]:
        pixels = _pixels_of(picture, part)
        inside = part.moved(-corner[0], -corner[1])
        over = [window.rect.moved(-corner[0], -corner[1]) for window in picture.over]
        digest = _digest(pixels) + repr(over).encode()
        before, lines = known.parts.get(inside, (b"", ()))
        if digest != before:
            found = self._lines_in(pixels, stop)
            now = [Line(each.text, each.rect.moved(inside.left, inside.top), each.score) for each in found]
            own = Rect(0, 0, inside.width, inside.height)

            def look(place: Rect) -> bytes:
                at = place.moved(-inside.left, -inside.top).intersection(own)
                return _digest(pixels[at.top : at.bottom, at.left : at.right])

            lines = followed(lines, now, look, over)
            known.parts[inside] = digest, lines
        return [_moved(line, corner) for line in lines]

    def _lines_in(self, pixels: "Pixels", stop: Event) -> list[ReadLine]:
        if not pixels.size or int(pixels.max()) - int(pixels.min()) < _CONTRAST:
            return []
        models = self._loaded()
        found = list[ReadLine]()
        for place in models.find(pixels):
            if stop.is_set():
                raise TextsUnread("reading the texts of the picture was given up")
            part = pixels[place.top : place.bottom, place.left : place.right]
            look = _digest(part)
            known = self._read.get(look) or _at(models.read(pixels, place), -place.left, -place.top)
            found.append(_at(self._read.keep(look, known, _LINES), place.left, place.top))
        return found

    def _loaded(self) -> Models:
        """Raises: MissingRequirement."""
        if self._models is None:
            try:
                self._models = self._load()
            except ImportError as error:
                raise MissingRequirement(f"the extra `vision` cannot be loaded: {error}", fix=FIX) from error
        return self._models


def _pixels_of(picture: Picture, part: Rect) -> "Pixels":
    """A part of a picture: rows, columns, BGR."""
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingRequirement(
            "texts of pictures cannot be read: the extra `vision` is not installed", fix=FIX
        ) from error
    depth = 3 if picture.order is PixelOrder.RGB else 4
    whole = np.frombuffer(picture.pixels, np.uint8).reshape(picture.rect.height, picture.rect.width, depth)
    at = part.moved(-picture.rect.left, -picture.rect.top)
    shown = whole[at.top : at.bottom, at.left : at.right]
    return np.ascontiguousarray(shown[:, :, ::-1] if depth == 3 else shown[:, :, :3])


def _digest(pixels: "Pixels") -> bytes:
    own = hashlib.blake2b(repr(pixels.shape).encode(), digest_size=16)
    own.update(pixels.tobytes())
    return own.digest()


def _at(line: ReadLine, dx: int, dy: int) -> ReadLine:
    return ReadLine(line.text, line.rect.moved(dx, dy), line.score)


def _moved(line: Line, corner: tuple[int, int]) -> Line:
    return Line(line.text, line.rect.moved(*corner), line.score, line.look, line.handle)
