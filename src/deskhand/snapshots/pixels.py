"""Pixels of a window, compared where it exposes no controls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageChops

from deskhand.core.geometry import NOWHERE, Rect, around
from deskhand.core.roles import Role
from deskhand.snapshots.differences import Difference, Kind
from deskhand.snapshots.reference import Control, Reference, flat

_DRAWN: Final = frozenset(
    {
        *(Role.CANVAS, Role.DOCUMENT, Role.FIGURE, Role.GENERIC, Role.GROUP, Role.IMAGE),
        *(Role.SECTION, Role.STATUS, Role.TABPANEL, Role.TOOLBAR, Role.UNKNOWN),
    }
)
"""Roles of controls that may be drawn without exposing their content; those with controls inside do expose it."""
_LEAST_AREA: Final = 400
_LEAST_SIDE: Final = 48
"""Sides of a part of the window without controls; smaller ones are gaps between controls, with their frames."""
_MARGIN: Final = 4
_ITSELF: Final = 0.8
"""Intersection over union from which on a place is that of the part itself."""
_SAME: Final = 24
"""Difference of one colour of a pixel, of 255, that is noise, as of smoothed edges."""


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a window that exposes nothing; `place` relative to the window."""

    words: str
    place: Rect


def unexposed(reference: Reference) -> tuple[Area, ...]:
    """The parts of a window that are drawn without being exposed."""
    window = Rect(0, 0, *reference.size)
    drawn, covered = list[Area](), list[Rect]()
    for control, _ in flat(reference.controls):
        if control.children:
            continue
        place = control.place.intersection(window)
        covered.append(place.grown(_MARGIN))
        if _is_drawn(control) and place.area >= _LEAST_AREA:
            drawn.append(Area(_described(control.words, place), place))
    return (*drawn, *(Area(_described("the part", place), place) for place in _rest(window, covered)))


def _is_drawn(control: Control) -> bool:
    return control.role in _DRAWN and not control.value and (control.role == Role.CANVAS or not control.name)


def _described(words: str, place: Rect) -> str:
    return f"{words} at {place.left},{place.top} {place.width}×{place.height}"


def _rest(window: Rect, covered: Sequence[Rect]) -> Iterator[Rect]:
    """The parts of the window outside of all these, without slim ones."""
    parts = [window]
    for place in covered:
        cut = (piece for part in parts for piece in part.minus(place))
        parts = [part for part in cut if part.width >= _LEAST_SIDE and part.height >= _LEAST_SIDE]
    yield from parts


def leaf_places(reference: Reference) -> tuple[Rect, ...]:
    """The places of the controls that contain no others."""
    return tuple(control.place for control, _ in flat(reference.controls) if not control.children)


def picture_differences(
    reference: Reference, before: Image.Image, now: Image.Image, covered: Sequence[Rect]
) -> list[Difference]:
    """The unexposed parts of the reference whose pixels differ by more than the tolerance.

    `covered`: places of controls now, relative to the window. A part is compared outside of those that are not itself.
    """
    bounds = Rect(0, 0, min(before.width, now.width), min(before.height, now.height))
    found: list[Difference] = []
    for area in unexposed(reference):
        others = [place.grown(_MARGIN) for place in covered if place.iou(area.place) < _ITSELF]
        share, where = _changed_share(before, now, _without(area.place.intersection(bounds), others))
        if share * 100 > reference.tolerance_percent:
            near = f", around {where.left},{where.top} {where.width}×{where.height}" if where != area.place else ""
            words = f"{area.words} differs in {_percent(share)} of its pixels{near}"
            found.append(Difference(Kind.PICTURE, words, (where,), (where,)))
    return found


def _without(place: Rect, covered: Sequence[Rect]) -> list[Rect]:
    parts = [] if place.empty else [place]
    for each in covered:
        parts = [piece for part in parts for piece in part.minus(each)]
    return parts


def _changed_share(before: Image.Image, now: Image.Image, parts: Sequence[Rect]) -> tuple[float, Rect]:
    """The share of the pixels of these parts that differ, and the smallest rectangle around them."""
    area = sum(part.area for part in parts)
    changed = [_changed(before, now, part) for part in parts]
    share = sum(count for count, _ in changed) / area if area else 0.0
    return share, around([where for count, where in changed if count])


def _changed(before: Image.Image, now: Image.Image, part: Rect) -> tuple[int, Rect]:
    box = (part.left, part.top, part.right, part.bottom)
    red, green, blue = ImageChops.difference(before.crop(box), now.crop(box)).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    differs = largest.point([0] * (_SAME + 1) + [255] * (255 - _SAME))
    inside = differs.getbbox()
    if inside is None:
        return 0, NOWHERE
    return differs.histogram()[255], Rect(*inside).moved(part.left, part.top)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"
