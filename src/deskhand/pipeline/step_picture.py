"""A picture of a step: drawn once for the log, scaled and encoded once for the models that take it."""

from dataclasses import dataclass
from threading import Lock
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.model import PictureLimits
from deskhand.core.observation import Picture
from deskhand.perception.canvas import Drawing, Drawn, cut, size_of
from deskhand.store.image_encoding import encode_for_model
from deskhand.store.image_writer import MakePicture

PICTURES_HELD: Final = 2


@dataclass(frozen=True, slots=True, repr=False)
class Encoded:
    """A picture encoded for a model; `scale` is 1 where it was not reduced."""

    data: bytes
    media_type: str
    size: tuple[int, int]
    scale: float


class Shelf:
    """The pictures that agents saved for later steps: the newest ones, for prompts. All of them are files as well."""

    def __init__(self) -> None:
        self._held: dict[str, StepPicture] = {}

    def put(self, path: str, picture: "StepPicture") -> None:
        self._held.pop(path, None)
        self._held[path] = picture
        while len(self._held) > PICTURES_HELD:
            del self._held[next(iter(self._held))]

    def get(self, path: str) -> "StepPicture | None":
        return self._held.get(path)


class StepPicture:
    """A picture that is drawn and encoded once. Thread-safe: the first caller does the work, the others wait for it."""

    def __init__(self, make: Drawing | MakePicture) -> None:
        self.drawing = make if isinstance(make, Drawing) else Drawing(make)
        self._encoded: dict[PictureLimits, Encoded] = {}
        self._encoding = Lock()

    def __call__(self) -> Drawn:
        return self.drawing()

    def for_model(self, limits: PictureLimits) -> Encoded:
        """Return the picture within the limits, in a format that compresses it well."""
        with self._encoding:
            if limits not in self._encoded:
                picture, scale = self.drawing.scaled(limits)
                data, media_type = encode_for_model(picture)
                self._encoded[limits] = Encoded(data, media_type, size_of(picture), scale)
            return self._encoded[limits]

    def ahead_for(self, limits: PictureLimits | None) -> MakePicture:
        """Return the picture for its file, and encode it for the next prompt at the same time where a model takes
        pictures.
        """
        if limits is None:
            return self

        return lambda: (self.for_model(limits), self())[1]


def encoded_part(picture: Picture, part: Rect, size: tuple[int, int]) -> Encoded:
    """Return a part of the screen, in screen pixels, in another size, in a format that compresses it well."""
    drawn = cut(picture, part.moved(-picture.rect.left, -picture.rect.top), size)
    data, media_type = encode_for_model(drawn)
    return Encoded(data, media_type, size, size[0] / max(1, part.width))
