"""docs/states.md says what the table and the classes say."""

import re

import pytest

from deskhand.core.statuses import Cause
from deskhand.states import Edge, TransitionTable, packaged_table
from tools.state_docs import PAGE, diagram, filled

ARROW = re.compile(r"(\w+|\[\*\]) --> (\w+|\[\*\])(: [a-z ]+(<br/>[a-z ]+)*)?")
NAMED = re.compile(r'state "[A-Za-z -]+" as (\w+)')


@pytest.mark.requires("build.state-docs")
def test_the_page_is_what_the_tool_would_write() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, packaged_table()) == page
    for machine in ("host", "app"):
        assert [page.count(f"<!-- {machine} {part} -->") for part in ("diagram", "states", "edges")] == [1, 1, 1]


@pytest.mark.requires("build.state-docs")
@pytest.mark.parametrize("row", range(0, 69, 7))
def test_a_row_that_is_not_in_the_table_makes_the_page_another(row: int) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = list(packaged_table())
    assert filled(page, TransitionTable(rows[:row] + rows[row + 1 :])) != page


@pytest.mark.requires("build.state-docs")
def test_every_row_is_an_arrow_of_its_machines_diagram_and_every_line_is_plain_mermaid() -> None:
    for machine in ("host", "app"):
        table = packaged_table().of(machine)
        opening, kind, *lines, closing = diagram(machine, table).splitlines()
        assert (opening, kind, closing) == ("```mermaid", "stateDiagram-v2", "```")
        assert [line for line in lines if not ARROW.fullmatch(line.strip()) and not NAMED.fullmatch(line.strip())] == []
        arrows = {line.strip().partition(": ")[0]: line.partition(": ")[2] for line in lines}
        for edge in table:
            label = "timeout" if edge.trigger == "timeout" else f"{edge.cause} {edge.trigger}"
            assert label in arrows[f"{edge.source} --> {edge.to.replace(':', '_')}"].split("<br/>")


@pytest.mark.requires("build.state-docs")
def test_rows_between_the_same_states_share_an_arrow() -> None:
    edges = [Edge("host", "CONTINUE", "FAIL", cause, "x") for cause in (Cause.LLM, Cause.SYSTEM)]
    assert "CONTINUE --> FAIL: llm x<br/>system x" in diagram("host", TransitionTable(edges))
