import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from dataclasses import replace

from reading import main, require
from texts import Grid, Paragraph, read_text, require_same

ROWS = (
    ("Task", "Who", "Until"),
    ("Print the posters", "Piet", "2 May"),
    ("Book the boathouse", "Ulla", "9 May"),
    ("Copy the scores", "Cass", "16 May"),
)


def check(work: Path, task: Path) -> None:
    before, after = (read_text(folder / "minutes.odt") for folder in (task, work))
    require(len(after.tables) == 1, f"there are {len(after.tables)} tables")
    table = after.tables[0]
    require(table.rows == ROWS, f"the table is {table.rows}")
    filled = [block for block in after.blocks if isinstance(block, Grid) or block.text]
    above = filled[filled.index(table) - 1]
    text = above.text if isinstance(above, Paragraph) else ""
    require(text == "Tasks agreed:", f"the table stands below {text!r}")
    require_same(before, replace(after, blocks=tuple(block for block in filled if block is not table)))


if __name__ == "__main__":
    main(check)
