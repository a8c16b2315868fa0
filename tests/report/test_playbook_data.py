"""A playbook of a session reads anew what the session read, and takes values of its request as parameters."""

from pathlib import Path
from typing import Final

import pytest
import yaml

from deskhand.core.outcomes import Outcome
from deskhand.report.playbook import playbook_of_session
from orders import APP, ORDERS, Orders
from report.recorded import button_in, done_by, session
from stage import Answer, assign, say

_HOST: Final = [assign("march.odt - Orders", "Enter them"), say("FINISH", result="entered")]
_OTHER: Final = [["Region", "Amount"], ["West", "3"], ["East", "12"], ["Far North", "7"], ["South", "3"]]


def entered(*rows: tuple[str, str], first: str = "CONTINUE") -> list[Answer]:
    """Types each row into the form and adds it; the table is read before."""
    replies = [say(first, "read_table", "Table1", save_as="orders")]
    for region, amount in rows:
        replies += [
            say("CONTINUE", "set_edit_text", "Region:", args={"text": region}),
            say("CONTINUE", "set_edit_text", "Sum", args={"text": amount}),
            button_in("Order"),
        ]
    return [*replies, say("FINISH", result="entered")]


ALL: Final = [(region, amount) for region, amount in ORDERS[1:]]


@pytest.mark.requires("playbook.export-data")
async def test_rows_that_were_typed_one_by_one_are_read_anew_and_entered_in_a_loop(tmp_path: Path) -> None:
    recorded = Orders()
    log = await session(recorded.desktop, tmp_path, "Enter the orders", {"HostAgent": _HOST, APP: entered(*ALL)})
    text = playbook_of_session(log, "again")
    (_, loop, _) = yaml.safe_load(text)["agents"]["orders"]
    assert (loop["for_each"], loop["header"]) == ("row in ${orders.cells}", True)
    assert [step.get("args") for step in loop["steps"]] == [
        {"text": "${row[Region]}"},
        {"text": "${row[Amount]}"},
        None,
    ]
    same, other = Orders(), Orders(_OTHER, "april.odt - Orders")
    assert await done_by(text, same.desktop, tmp_path) is Outcome.SUCCESS
    assert same.added == recorded.added == ALL
    assert await done_by(text, other.desktop, tmp_path) is Outcome.SUCCESS
    assert other.added == [(region, amount) for region, amount in _OTHER[1:]]
    assert other.others == 0, "the other button of the same name"


@pytest.mark.requires("playbook.export-data")
async def test_a_playbook_that_uses_some_cells_stops_at_a_table_of_another_size(tmp_path: Path) -> None:
    recorded = Orders()
    some = {"HostAgent": _HOST, APP: entered(ALL[2], ALL[0])}
    text = playbook_of_session(await session(recorded.desktop, tmp_path, "Enter two orders", some), "again")
    read, *steps, _ = yaml.safe_load(text)["agents"]["orders"]
    assert read["expect"] == {"rows": "4"}
    texts = [step["args"]["text"] for step in steps if "args" in step]
    assert texts == [f"${{orders.cells[{row}][{column}]}}" for row, column in ((3, 0), (3, 1), (1, 0), (1, 1))]
    other, longer = Orders([ORDERS[0], *_OTHER[1:4]]), Orders(_OTHER)
    assert await done_by(text, other.desktop, tmp_path) is Outcome.SUCCESS
    assert other.added == [("Far North", "7"), ("West", "3")]
    assert await done_by(text, longer.desktop, tmp_path) is Outcome.FAILED
    assert longer.added == []


@pytest.mark.requires("playbook.export-data", "playbook.export-parameters")
async def test_what_the_session_read_is_data_and_what_its_request_names_is_a_parameter(tmp_path: Path) -> None:
    recorded = Orders()
    own = {"HostAgent": _HOST, APP: entered(("North", "99"), ("Center", "7"))}
    log = await session(recorded.desktop, tmp_path, "Enter North with 99, and 7 for center", own)
    book = yaml.safe_load(playbook_of_session(log, "again"))
    texts = [step["args"]["text"] for step in book["agents"]["orders"] if "text" in step.get("args", {})]
    assert texts == ["${orders.cells[1][0]}", "${sum}", "${region}", "${sum2}"]
    assert book["params"] == {
        "sum": {"type": "text", "default": "99"},
        "region": {"type": "text", "default": "Center"},
        "sum2": {"type": "text", "default": "7"},
    }


@pytest.mark.requires("playbook.export-data")
async def test_a_short_text_is_the_cell_of_the_row_that_the_steps_around_it_use(tmp_path: Path) -> None:
    recorded = Orders()
    replies = entered(*ALL)
    for at in range(1, len(replies) - 1, 3):  # the amount first, and the region that says which row it is second
        replies[at], replies[at + 1] = replies[at + 1], replies[at]
    log = await session(recorded.desktop, tmp_path, "Enter the orders", {"HostAgent": _HOST, APP: replies})
    (_, loop, _) = yaml.safe_load(playbook_of_session(log, "again"))["agents"]["orders"]
    texts = [step["args"]["text"] for step in loop["steps"] if "args" in step]
    assert texts == ["${row[Amount]}", "${row[Region]}"]
