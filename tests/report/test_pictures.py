"""Pictures are made as small as the page needs, and no smaller."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from deskhand.report.pictures import budget_for, embed


@pytest.mark.parametrize("count", [0, 1, 15, 17, 50, 400])
def test_all_pictures_together_leave_the_page_under_five_megabytes(count: int) -> None:
    assert count * budget_for(count) * 4 / 3 < 4_800_000


def test_a_flat_window_keeps_its_size_and_its_pixels(tmp_path: Path) -> None:
    window = Image.new("RGB", (1920, 1080), (250, 250, 250))
    window.paste((30, 60, 200), (100, 100, 400, 140))
    window.save(tmp_path / "w.png")
    embedded = embed(tmp_path / "w.png", budget_for(15))
    assert embedded is not None
    assert (embedded.width, embedded.height) == (1920, 1080)
    head, _, data = embedded.uri.partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(data))) as decoded:
        assert decoded.convert("RGB").tobytes() == window.tobytes()


def test_a_photograph_is_scaled_until_it_fits(tmp_path: Path) -> None:
    Image.effect_noise((1920, 1080), 90).save(tmp_path / "p.png")
    embedded = embed(tmp_path / "p.png", 100_000)
    assert embedded is not None
    assert embedded.width == 640
    assert len(embedded.uri) * 3 / 4 < 100_000
