"""What the names of cells say of their places."""

import pytest

from deskhand.desktop.linux.toolkits.libreoffice.writer.table_pieces import Cell


@pytest.mark.parametrize(
    ("name", "row", "number"),
    [("A1", 1, 1), ("Z2", 2, 26), ("a3", 3, 27), ("z3", 3, 52), ("AA3", 3, 53), ("Az12", 12, 104), ("BA1", 1, 105)],
)
def test_after_the_capital_letters_columns_are_called_by_small_ones(name: str, row: int, number: int) -> None:
    assert (Cell(name).row, Cell(name).number) == (row, number)
