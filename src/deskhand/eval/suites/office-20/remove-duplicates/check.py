import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import Value, read_sheets


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "subscribers.xlsx") for folder in (task, work))
    require(list(after) == ["Subscribers"], f"the sheets are {', '.join(after)}")
    wanted: list[list[Value]] = []
    for row in before["Subscribers"].rows():
        if row not in wanted:
            wanted.append(row)
    found = after["Subscribers"].rows()
    require(len(found) >= len(wanted), f"{len(found) - 1} subscribers are left, not {len(wanted) - 1}")
    for number, row in enumerate(found):
        require(row not in found[:number], f"row {number + 1} is still a repetition: {row}")
    require(found == wanted, "the rows that are left have another order or content")


if __name__ == "__main__":
    main(check)
