"""The whole loop on a real desktop: a scripted model that reads no more than what it was sent."""

import base64
import re
import struct
from pathlib import Path

import pytest

import deskhand
from deskhand.core.events import ActionFinished
from deskhand.core.outcomes import Outcome
from deskhand.store.journal import read_events
from operator_support import MODEL, Fail, Json, done, results, said, turn, use, vendor

pytestmark = [pytest.mark.anyio, pytest.mark.desktop, pytest.mark.requires("operator.real")]


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Applications take time that passes."""
    return "asyncio"


def look(body: Json) -> Fail:
    """Zoom into the whole screen, as large as it was sent."""
    return turn(use("zoom", region=[0, 0, *_size_of(body["messages"][0]["content"][1])]))


def write(body: Json) -> Fail:
    """Click the text where the last look found it, and write at its end."""
    (seen,) = results(body)
    found = re.search(r"^textbox.*\bat \((\d+), (\d+)\)$", said(seen), re.MULTILINE)
    assert found is not None, said(seen)
    return turn(
        use("left_click", coordinate=[int(found[1]), int(found[2])]),
        use("key", text="ctrl+End"),
        use("type", text="\nBread"),
        use("key", text="ctrl+s"),
    )


def _size_of(block: Json) -> tuple[int, int]:
    """Width and height in the header of a PNG."""
    header = base64.b64decode(block["source"]["data"][:64])
    return struct.unpack(">II", header[16:24])


async def test_a_pixel_model_writes_into_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Milk\n")
    with vendor(monkeypatch, look, write, done("bread is on the list")) as server:
        ending = await deskhand.run(
            "Add bread", model=MODEL, files=[file], in_place=True, opens_with="gedit", out=tmp_path / "out"
        )
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "bread is on the list"), [
        said(result) for heard in server.heard for result in results(heard.body)
    ]
    assert file.read_text() == "Milk\nBread\n"
    events = [event for event in read_events(tmp_path / "out") if isinstance(event, ActionFinished)]
    assert [(event.tool, event.effect) for event in events[-2:]] == [("keyboard_input", "confirmed")] * 2
