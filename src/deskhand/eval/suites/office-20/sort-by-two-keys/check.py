import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "staff.ods")["Staff"] for folder in (task, work))
    head, *rows = before.rows()
    require(after.rows()[:1] == [head], "the headings are not in the first row")
    found = after.rows()[1:]
    require(sorted(map(str, found)) == sorted(map(str, rows)), "the rows are not those that were there")
    wanted = sorted(rows, key=lambda row: (str(row[1]), str(row[2])))
    for number, (is_there, belongs) in enumerate(zip(found, wanted, strict=True), 2):
        require(is_there == belongs, f"row {number} has {is_there[0]}, not {belongs[0]}")
    require(not any(cell.formula for cell in after.cells.values()), "there are formulas where values were")
    days = [after[f"C{row}"] for row in range(2, 13)]
    require(all(day.shown == str(day.value) for day in days), "the start dates are shown otherwise than before")
    require(all(after[f"{letter}1"] == before[f"{letter}1"] for letter in "ABCD"), "the headings look different")


if __name__ == "__main__":
    main(check)
