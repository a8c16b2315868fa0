"""Drawn pictures look as they were last found to be right."""

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from perception.golden_scenes import FOLDER, PICTURES

VISIBLE = 48
"""How far a colour must be off to be another: fonts are smoothed a little differently by other versions of FreeType."""
SPECKS = 0.002


def difference(expected: Image.Image, made: Image.Image) -> Image.Image | None:
    """White where two pictures visibly differ; None where they do not but for a few specks."""
    if expected.size != made.size:
        return Image.new("L", made.size, 255)
    red, green, blue = ImageChops.difference(expected, made).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    seen = Image.frombytes("L", made.size, most.tobytes().translate(bytes(VISIBLE) + b"\xff" * (256 - VISIBLE)))
    return seen if seen.histogram()[255] > SPECKS * made.width * made.height else None


@pytest.mark.requires("observe.golden")
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_was_last_found_right(name: str, tmp_path: Path) -> None:
    made, expected = PICTURES[name](), Image.open(FOLDER / f"{name}.png").convert("RGB")
    seen = difference(expected, made)
    if seen is not None:
        told = Image.new("RGB", (made.width, made.height * 2 + expected.height + 8), "magenta")
        told.paste(expected, (0, 0))
        told.paste(made, (0, expected.height + 4))
        told.paste(seen, (0, expected.height + made.height + 8))
        told.save(tmp_path / f"{name}.png")
    assert seen is None, (
        f"expected, made and their difference: {tmp_path / f'{name}.png'}; where the new one is right: make golden"
    )


def test_a_label_that_moved_is_a_difference() -> None:
    expected = Image.open(FOLDER / "window.png").convert("RGB")
    moved = expected.copy()
    moved.paste(expected.crop((0, 0, 60, 24)), (4, 3))
    assert difference(expected, moved) is not None
    assert difference(expected, expected.copy()) is None
