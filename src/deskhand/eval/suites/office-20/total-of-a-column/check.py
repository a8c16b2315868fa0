import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "travel-costs.ods") for folder in (task, work))
    require(list(after) == list(before), f"the sheets are {', '.join(after)}")
    trips = after["Trips"]
    require_unchanged(before["Trips"], trips, "C13", "D13")
    require_unchanged(before["Rates"], after["Rates"])
    total = trips["D13"]
    require(trips["C13"].value == "Total", f"C13 has {trips['C13'].value!r}, not Total")
    require(total.formula, f"D13 has no formula but {total.value!r}")
    require(
        re.search(r"\bD\d", total.formula.replace("$", "")), f"{total.formula} adds up no cells of the column Amount"
    )
    wanted = sum(value for value in trips.column("D", 2, 11) if isinstance(value, float))
    require(
        isinstance(total.value, float) and abs(total.value - wanted) < 0.005,
        f"the total is {total.value}, not {wanted:.2f}",
    )


if __name__ == "__main__":
    main(check)
