"""The models that find and read lines of text in a picture: those in the wheel of `rapidocr`, run by `onnxruntime`.

They are run here and not by `rapidocr` itself, which takes three times as long for small texts, and downloads models
that it does not find. Latin, Chinese and Japanese script, from left to right.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# - OpenCV has types for a part of it, and onnxruntime none.

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from deskhand.core.errors import MissingRequirement
from deskhand.core.geometry import Rect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Scores = NDArray[np.float32]

PACKAGES: Final = ("cv2", "numpy", "onnxruntime", "rapidocr")
FIX: Final = 'python -m pip install "deskhand[vision]"'

_FINDER: Final = "PP-OCRv6_det_small.onnx"
_READER: Final = "PP-OCRv6_rec_small.onnx"
_THREADS: Final = 2

_STEP: Final = 32
"""Width and height of a picture for the finder are multiples of this."""
_INK: Final = 0.3
"""Score from which on a pixel belongs to a text."""
_LINE: Final = 0.5
"""Mean score of a line's pixels from which on it is one."""
_SMALLEST: Final = 3
"""Pixels across and down of the found part of a text."""
_GROWS: Final = 0.65
"""The found part is the middle of a line: it is grown on all sides by this part of its area over half its outline."""
_MARGIN: Final = 0.2
"""Contrast with the background, of the greatest one in the line, from which on a pixel is ink."""
_HEIGHT: Final = 48
"""Height of a line for the reader."""
_NARROWEST: Final = 16
_MOST_LINES: Final = 400


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of text: its place in the picture, close around its ink, and how sure the reader is of it, 0..1."""

    text: str
    rect: Rect
    score: float


class Models(Protocol):
    """Finds and reads lines; see `TextModels`."""

    def find(self, pixels: "Pixels") -> list[Rect]: ...

    def read(self, pixels: "Pixels", place: Rect) -> ReadLine: ...

    def close(self) -> None: ...


class _Session(Protocol):
    """The part of `onnxruntime.InferenceSession` that is used; the package has no types."""

    def run(self, output_names: None, input_feed: "dict[str, Scores]") -> "list[Scores]": ...


def is_installed() -> bool:
    """True if the extra `vision` is installed."""
    return all(find_spec(package) is not None for package in PACKAGES)


class TextModels:
    """Both models, loaded. Used by one thread at a time."""

    def __init__(self) -> None:
        """Raises: MissingRequirement if the extra `vision` is not installed, or has other models."""
        if not is_installed():
            raise MissingRequirement("texts of pictures cannot be read: the extra `vision` is not installed", fix=FIX)
        import cv2  # noqa: PLC0415 - an extra, and heavy

        cv2.setNumThreads(1)
        folder = _folder_of_models()
        self._finder, _ = _session(folder / _FINDER)
        self._reader, characters = _session(folder / _READER)
        self._characters = ("", *characters.splitlines(), " ")

    def find(self, pixels: "Pixels") -> list[Rect]:
        """Return the places of lines in a picture (rows, columns, BGR), from top to bottom."""
        import cv2  # noqa: PLC0415
        import numpy as np  # noqa: PLC0415

        height, width = pixels.shape[:2]
        below, beside = -height % _STEP, -width % _STEP
        padded = np.pad(pixels, ((0, below), (0, beside), (0, 0)), mode="edge")
        (scores,) = self._finder.run(None, {"x": _normalised(padded)})
        score = scores[0, 0]
        count, labels, stats, _ = cv2.connectedComponentsWithStats((score > _INK).astype(np.uint8))
        found = list[Rect]()
        for number in range(1, count):
            left, top, across, down = map(int, stats[number][:4])
            part = slice(top, top + down), slice(left, left + across)
            if min(across, down) < _SMALLEST or float(score[part][labels[part] == number].mean()) < _LINE:
                continue
            margin = round(_GROWS * across * down / (across + down))
            grown = Rect.from_extents(left, top, across, down).grown(margin)
            found.append(grown.intersection(Rect(0, 0, width, height)))
        return sorted(found, key=lambda rect: (rect.top, rect.left))[:_MOST_LINES]

    def read(self, pixels: "Pixels", place: Rect) -> ReadLine:
        """Read one line of a picture."""
        import cv2  # noqa: PLC0415
        import numpy as np  # noqa: PLC0415

        part = pixels[place.top : place.bottom, place.left : place.right]
        width = max(_NARROWEST, -(-_HEIGHT * place.width // place.height))
        line = np.asarray(cv2.resize(part, (width, _HEIGHT)), np.uint8)
        (scores,) = self._reader.run(None, {"x": _normalised(line)})
        best = scores[0].argmax(axis=1)
        new = np.concatenate(([True], best[1:] != best[:-1]))
        taken = np.flatnonzero(new & (best != 0))
        text = "".join(self._characters[int(best[at])] for at in taken)
        score = float(scores[0][taken, best[taken]].mean()) if len(taken) else 0.0
        ink = ink_of(part).moved(place.left, place.top)
        return ReadLine(" ".join(text.split()), ink, score)

    def close(self) -> None:
        """Let go of the models; they are not used any more."""
        del self._finder, self._reader


def ink_of(pixels: "Pixels") -> Rect:
    """Return the place of what differs from the background in a picture; all of it if nothing does."""
    import numpy as np  # noqa: PLC0415

    grey = pixels.mean(axis=2)
    contrast = np.abs(grey - np.median(grey))
    ink = contrast > max(1.0, float(contrast.max()) * _MARGIN)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return Rect(0, 0, pixels.shape[1], pixels.shape[0])
    return Rect(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def _normalised(pixels: "Pixels") -> "Scores":
    import numpy as np  # noqa: PLC0415

    scaled = pixels.astype(np.float32) / 127.5 - 1.0
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[np.newaxis])


def _folder_of_models() -> Path:
    spec = find_spec("rapidocr")
    folder = Path(spec.origin).parent / "models" if spec and spec.origin else Path()
    lacking = [name for name in (_FINDER, _READER) if not (folder / name).is_file()]
    if lacking:
        raise MissingRequirement(f"the installed rapidocr has no model {lacking[0]}", fix=FIX)
    return folder


def _session(model: Path) -> tuple[_Session, str]:
    """A model, and the characters that it reads, one a line."""
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = _THREADS, 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    characters = session.get_modelmeta().custom_metadata_map.get("character", "")
    return cast("_Session", session), cast("str", characters)
