import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged
from texts import read_text, require_same

PLACES = [f"{letter}{row}" for row in range(3, 8) for letter in "ABC"]


def check(work: Path, task: Path) -> None:
    require_same(*(read_text(folder / "notes.odt") for folder in (task, work)))
    before, after = (read_sheets(folder / "harvest.ods") for folder in (task, work))
    require(list(after) == list(before), f"the sheets are {', '.join(after)}")
    require_unchanged(before["Years"], after["Years"])
    plots = after["Plots"]
    require_unchanged(before["Plots"], plots, *PLACES, "B8", "C8")
    head, *rows = read_text(task / "notes.odt").tables[0].rows
    wanted = [*head, *(value for plot, crop, kilos in rows for value in (float(plot), crop, float(kilos)))]
    for place, value in zip(PLACES, wanted, strict=True):
        cell = plots[place]
        require(cell.value == value and not cell.formula, f"{place} has {cell.formula or cell.value!r}, not {value!r}")
    total = sum(float(kilos) for _, _, kilos in rows)
    require(plots["B8"].value == "In all", f"B8 has {plots['B8'].value!r}, not In all")
    require(plots["C8"].value == total, f"C8 has {plots['C8'].value!r}, not {total}")
    require("C4" in plots["C8"].formula, f"C8 has no formula over the kilos but {plots['C8'].formula!r}")


if __name__ == "__main__":
    main(check)
