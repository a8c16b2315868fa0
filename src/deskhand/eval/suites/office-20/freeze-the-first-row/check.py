import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "inventory.ods")["Inventory"] for folder in (task, work))
    require_unchanged(before, after)
    rows, columns = after.frozen
    require((rows, columns) == (1, 0), f"{rows} rows and {columns} columns are frozen, not the first row alone")
    require(not after.hidden, f"rows are hidden: {sorted(after.hidden)}")


if __name__ == "__main__":
    main(check)
