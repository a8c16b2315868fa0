"""The OperatorAgent works on a desktop in memory, over the wire format of Anthropic's loop."""

from pathlib import Path

import pytest

import deskhand
from deskhand.core.outcomes import Outcome
from operator_support import Desk, done, results, said, turn, use, vendor

pytestmark = pytest.mark.anyio
MODEL = "operator:anthropic/claude-opus-5-5"


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Models are asked over the wire, which takes time that passes."""
    return "asyncio"


async def test_it_clicks_and_types_where_the_model_points(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    desk = Desk()
    clicks = use("left_click", coordinate=desk.at(desk.notes.save))
    types = use("left_click", coordinate=desk.at(desk.notes.text)), use("type", text="Dear Ada")
    with vendor(monkeypatch, turn(clicks), turn(*types), done("written")) as server:
        ending = await deskhand.run("Write", model=MODEL, opens=desk.open, out=tmp_path / "out")
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "written")
    assert (desk.notes.log, desk.notes.text.value) == (["Save"], "Dear Ada")
    assert len(server.heard) == 3
    assert server.heard[0].body["tools"] == [{"type": "computer_toolset_20260801"}]
    assert [said(result) for heard in server.heard for result in results(heard.body)] == [
        'Clicked button "Save". confirmed: checkbox "Counter" now has the value "1"',
        'Clicked textbox "Text". confirmed: textbox "Text" has the keyboard now',
        'Typed. confirmed: textbox "Text" now has the value "Dear Ada"',
    ]
