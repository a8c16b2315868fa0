"""Comparison of an open window with its reference, and acceptance of its present state."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import anyio
from PIL import Image

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, CaptureFailed
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import Satisfaction
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Until
from deskhand.snapshots.differences import Difference, differences, in_words
from deskhand.snapshots.matching import with_patterns
from deskhand.snapshots.pixels import leaf_places, picture_differences, unexposed
from deskhand.snapshots.reference import Reference, ignored_places, reference_of
from deskhand.snapshots.reference_file import read_reference, write_reference
from deskhand.store.atomic_files import write_atomic
from deskhand.store.png import encode_png

_UNREADABLE: Final = (ApplicationGone, ApplicationUnresponsive, CaptureFailed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of a comparison. `detail`: the differences, or why nothing is known, one a line.

    `seen` is the window as it was compared, None if it could not be read.
    """

    verdict: Satisfaction
    detail: str
    found: tuple[Difference, ...] = ()
    seen: Observation | None = None
    reference: Reference | None = None


def picture_of(path: Path) -> Path:
    """The picture of a reference: beside it, as PNG."""
    return path.with_suffix(".png")


async def compare(desktop: Desktop, window: TargetInfo, path: Path) -> Comparison:
    """Compare a window with the reference at `path`; unknown without one, and for what cannot be read.

    Raises: ConfigurationError (the file is no reference), DesktopGone.
    """
    reference = read_reference(path)
    if reference is None:
        return _unknown(f"there is no reference {path}: make it with deskhand verify --like FILE --update")
    try:
        seen = await _observed(desktop, window)
    except _UNREADABLE as error:
        return replace(_unknown(error.message), reference=reference)
    if why := _incomplete(seen):
        return Comparison(Satisfaction.UNKNOWN, why, seen=seen, reference=reference)
    return _compared(seen, reference, path)


async def compare_within(desktop: Desktop, window: TargetInfo, path: Path, deadline_s: float) -> Comparison:
    """Compare until the window is like the reference, at most for a time; return the last result.

    Raises: as `compare`.
    """
    last = await compare(desktop, window, path)

    async def is_alike() -> bool | None:
        nonlocal last
        last = await compare(desktop, window, path)
        return last.verdict is Satisfaction.SATISFIED or None

    if deadline_s > 0 and last.verdict is not Satisfaction.SATISFIED and last.reference is not None:
        with anyio.move_on_after(deadline_s):  # reading a program that does not answer takes longer
            await desktop.wait_until(is_alike, deadline_s=deadline_s)
    return last


def _compared(seen: Observation, reference: Reference, path: Path) -> Comparison:
    present = replace(reference_of(seen, reference), window=seen.window.name)
    found = differences(reference, present)
    areas, before = unexposed(reference), _read_picture(picture_of(path))
    if areas and before is not None and seen.picture is not None:
        covered = (*leaf_places(present), *ignored_places(seen, reference.ignore))
        found += picture_differences(reference, before, image_of(seen.picture), covered)
    if found:
        return Comparison(Satisfaction.UNSATISFIED, in_words(found), tuple(found), seen, reference)
    if areas and before is None:
        why = f"the controls are as in {path.name}, and its picture {picture_of(path)} cannot be read"
        return Comparison(Satisfaction.UNKNOWN, why, seen=seen, reference=reference)
    return Comparison(Satisfaction.SATISFIED, f'"{seen.window.name}" is as in {path.name}', (), seen, reference)


async def accept(desktop: Desktop, window: TargetInfo, path: Path) -> Reference:
    """Make the present state of a window the reference, with the settings, patterns and comments of an earlier one.

    Raises: ConfigurationError, StoreError, ApplicationGone,
    ApplicationUnresponsive, CaptureFailed (also where the window cannot be read whole), DesktopGone.
    """
    earlier = read_reference(path)
    seen = await _observed(desktop, window)
    if why := _incomplete(seen):
        raise CaptureFailed(f"no reference was written: {why}", fix="bring the window to the front, and try again")
    reference = reference_of(seen, earlier)
    if earlier is not None:
        reference = replace(reference, controls=with_patterns(reference.controls, earlier.controls))
    if seen.picture is not None:
        write_atomic(picture_of(path), encode_png(seen.picture), doing="write the picture of the reference to")
    write_reference(path, reference)
    return reference


async def _observed(desktop: Desktop, window: TargetInfo) -> Observation:
    await desktop.settle(window)
    await desktop.settle(window, until=Until.FINAL_STATES)
    return await desktop.observe(window, picture=True, texts=False)


def _incomplete(seen: Observation) -> str:
    """Why an observation is not the whole window; empty if it is."""
    if MINIMIZED in seen.window.states:
        return f'"{seen.window.name}" is minimized'
    if seen.truncated:
        return seen.truncated.message
    if seen.picture is not None and seen.picture.over:
        return f"in front of it is {seen.picture.over[0].describe}"
    return ""


def _unknown(detail: str) -> Comparison:
    return Comparison(Satisfaction.UNKNOWN, detail)


def _read_picture(path: Path) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, Image.DecompressionBombError):
        return None


def image_of(picture: Picture) -> Image.Image:
    """A picture for drawing and comparing."""
    return Image.frombytes("RGB", (picture.rect.width, picture.rect.height), picture.pixels, "raw", picture.order.value)
