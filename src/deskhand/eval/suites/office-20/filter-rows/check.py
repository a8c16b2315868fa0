import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "tickets.ods")["Tickets"] for folder in (task, work))
    require_unchanged(before, after)
    require(1 not in after.hidden, "the headings are hidden")
    for row in range(2, 11):
        wanted = (after[f"C{row}"].value, after[f"D{row}"].value) == ("Open", "High")
        ticket = f"the ticket {after[f'B{row}'].value}"
        require(wanted or row in after.hidden, f"{ticket} is shown")
        require(not wanted or row not in after.hidden, f"{ticket} is not shown")
    by_hand = [row for row, way in after.hidden.items() if way != "filter"]
    require(not by_hand, f"rows {by_hand} are hidden, but not by a filter")


if __name__ == "__main__":
    main(check)
