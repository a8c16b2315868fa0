import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "orders.ods") for folder in (task, work))
    require(list(after) == ["Orders", "Summary"], f"the sheets are {', '.join(after)}")
    require_unchanged(before["Orders"], after["Orders"])
    orders, summary = after["Orders"], after["Summary"]
    regions = ["North", "South", "East", "West"]
    require(summary.rows()[:1] == [["Region", "Total"]], f"the first row of Summary is {summary.rows()[:1]}")
    require(summary.column("A", 2, 5) == regions, f"the regions are {summary.column('A', 2, 5)}")
    require(len(summary.rows()) == 5, f"Summary has {len(summary.rows())} rows, not 5")
    for row, region in enumerate(regions, 2):
        pairs = zip(orders.column("B", 2, 13), orders.column("C", 2, 13), strict=True)
        wanted = sum(amount for name, amount in pairs if name == region and isinstance(amount, float))
        cell = summary[f"B{row}"]
        require(cell.value == wanted, f"the total of {region} is {cell.value}, not {wanted}")
        require("Orders" in cell.formula, f"the total of {region} is no formula over the sheet Orders")


if __name__ == "__main__":
    main(check)
