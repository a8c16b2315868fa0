"""Names of the columns and cells of a spreadsheet."""

import re
from typing import Final

CELL_NAME: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
"""The letters of the column and the row, from 1."""

_LETTERS: Final = 26


def column_name(column: int) -> str:
    """The letters of a column from 0: 0 is `A`, 26 is `AA`."""
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return letters


def column_number(letters: str) -> int:
    """The column, from 0, of letters `A` to `Z`."""
    column = 0
    for letter in letters:
        column = column * _LETTERS + ord(letter) - ord("A") + 1
    return column - 1
