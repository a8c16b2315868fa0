"""Every row of the table, walked by the machines as they run (contract 2.2).

`make mutate-states` shows that each test watches its own row: with the row deleted, it fails and no other does.
"""

from pathlib import Path

import pytest

from deskhand.core.events import TransitionTaken
from deskhand.states import Edge, packaged_table
from states.situations import SITUATIONS, Place, Row

TABLE = tuple(Row.of(edge) for edge in packaged_table())
ROWS = tuple(dict.fromkeys((*TABLE, *SITUATIONS)))
"""Those of the table, and those only a situation knows of: a row that was deleted still has its test."""
REFUSED = " may not go from "


def rows_lacking_besides(mine: Row) -> list[Edge]:
    """The rows that the program should have and lacks, but for the one in question: none, in a program as it should be.

    A run on its way to its own row is not to stumble over the absence of another.
    """
    return [row.edge for row in ROWS if row not in TABLE and row != mine]


@pytest.mark.requires("state.every-edge")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
async def test_the_machine_takes_exactly_the_edge_of_the_row(row: Row, tmp_path: Path) -> None:
    assert row in SITUATIONS, f"nothing shows how the machine comes to take {','.join(row)}"
    it = SITUATIONS[row](Place(row, tmp_path, rows_lacking_besides(row)))
    await it.run()
    events = it.events.of(TransitionTaken)
    taken = [Row.taken(event) for event in events]
    assert [event.reason for event in events if REFUSED in event.reason] == []
    assert taken.count(row) == 1, f"taken were: {', '.join(edge.id for edge in taken)}"
    assert set(taken) <= set(ROWS)


@pytest.mark.requires("state.every-edge")
def test_every_row_has_a_situation_and_every_situation_a_row() -> None:
    assert set(SITUATIONS) == set(TABLE)
