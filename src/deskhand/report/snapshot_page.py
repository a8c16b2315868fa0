"""The page of a snapshot: both pictures with frames on the differences, and the command that accepts them."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from PIL import Image

from deskhand.core.geometry import Rect
from deskhand.report.html import render_page
from deskhand.report.marked_pictures import marked
from deskhand.report.pictures import Embedded, budget_for, embed_image
from deskhand.snapshots.comparison import Comparison, image_of, picture_of
from deskhand.snapshots.differences import Difference
from deskhand.store.atomic_files import write_atomic


def write_snapshot_page(comparison: Comparison, reference: Path, path: Path) -> Path:
    """Write the page of a comparison with the reference at `reference`, and return its path. Raises: StoreError."""
    before, now = _before(reference), _now(comparison)
    old = [(number, place) for number, each in _numbered(comparison.found) for place in each.before]
    new = [(number, place) for number, each in _numbered(comparison.found) for place in each.now]
    text = render_page(
        "snapshot.html.j2",
        ("report.css", "snapshot.css"),
        name=reference.name,
        comparison=comparison,
        details=comparison.detail.splitlines(),
        window=comparison.seen.window.name if comparison.seen else "",
        before=_embedded(before, old),
        now=_embedded(now, new),
        command=f"deskhand verify --like {quote(str(reference))} --update",
    )
    write_atomic(path, text.encode("utf-8", "replace"), doing="write the report")
    return path


def _numbered(found: Sequence[Difference]) -> list[tuple[int, Difference]]:
    return [*enumerate(found, start=1)]


def _before(reference: Path) -> Image.Image | None:
    try:
        with Image.open(picture_of(reference)) as image:
            return image.convert("RGB")
    except (OSError, Image.DecompressionBombError):
        return None


def _now(comparison: Comparison) -> Image.Image | None:
    picture = comparison.seen.picture if comparison.seen else None
    return image_of(picture) if picture else None


def _embedded(picture: Image.Image | None, frames: list[tuple[int, Rect]]) -> Embedded | None:
    return embed_image(marked(picture, frames), budget_for(2)) if picture else None
