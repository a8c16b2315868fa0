import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "price-list.ods")["Prices"] for folder in (task, work))
    for place in {**before.cells, **after.cells}:
        require(
            after[place].value == before[place].value, f"the value of {place} was changed to {after[place].value!r}"
        )
    for row in range(2, 8):
        price, tax, day = (after[f"{letter}{row}"] for letter in "BCD")
        require(isinstance(price.value, float) and price.shown == f"{price.value:,.2f}", f"B{row} shows {price.shown}")
        require(isinstance(tax.value, float) and tax.shown == f"{tax.value:.0%}", f"C{row} shows {tax.shown}")
        require(day.shown == before[f"D{row}"].shown, f"D{row} shows {day.shown}")
    for place, cell in after.cells.items():
        head = place.endswith("1")
        require(cell.bold == head, f"{place} is {'bold' if cell.bold else 'not bold'}")
        require(cell.background == before[place].background, f"{place} has another background")


if __name__ == "__main__":
    main(check)
