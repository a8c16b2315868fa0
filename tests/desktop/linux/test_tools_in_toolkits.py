"""Every tool on every toolkit's fixture does what it is for, but for what is recorded."""

from pathlib import Path

import pytest

from desktop.linux.adversity import FIXTURES
from desktop.linux.fixture import linux_desktop
from desktop.linux.tools_tried import ATTEMPTS, tried
from support import need
from tools.tool_docs import PAGE, RECORD, filled, read_record


@pytest.mark.full(
    "each takes half a minute; test_toolkits and test_honest_effects try the others",
    but=["GTK 3"],
)
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("act.tools")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_each_tool_works_in_a_toolkit_but_for_what_is_recorded(toolkit: str, tmp_path: Path) -> None:
    need(FIXTURES[toolkit][1])
    known = read_record(RECORD.read_text(encoding="utf-8")).of(toolkit)
    async with linux_desktop(tmp_path) as desktop:
        tools, letters = await tried(desktop, toolkit, tmp_path)
    came = {name: instead for name, instead in tools.items() if instead}
    assert {name: went for name, went in letters.items() if went} == {}, "the keyboard is not where it was"
    assert {name: instead for name, instead in came.items() if name not in known} == {}
    assert known.keys() - came.keys() == set(), "this works by now; take it out of tests/tools.toml"


@pytest.mark.requires("act.tools")
def test_the_page_of_tools_is_written_from_the_record_of_what_is_tried() -> None:
    page, record = PAGE.read_text(encoding="utf-8"), read_record(RECORD.read_text(encoding="utf-8"))
    assert filled(page, record) == page
    assert record.toolkits == tuple(FIXTURES)
    assert set(record.tools) == {attempt.name for attempt in ATTEMPTS}
