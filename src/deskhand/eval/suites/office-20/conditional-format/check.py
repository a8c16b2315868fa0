import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged

LESS_THAN_10 = {"<10", "formula-is(B2<10)", "formula-is([.B2]<10)"}


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "stock.ods")["Stock"] for folder in (task, work))
    require_unchanged(before, after)
    require(after.conditions, "there is no conditional format")
    require(len(after.conditions) == 1, f"there are {len(after.conditions)} conditional formats")
    condition = after.conditions[0]
    require(condition.cells == "B2:B10", f"it is for {condition.cells}, not for B2:B10")
    require(condition.when in LESS_THAN_10, f"its condition is {condition.when!r}, not less than 10")
    require(condition.style == "Bad", f"it applies the style {condition.style}")


if __name__ == "__main__":
    main(check)
