import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged


def check(work: Path, task: Path) -> None:
    before, after = (read_sheets(folder / "energy.ods") for folder in (task, work))
    require(list(after) == ["Use"], f"the sheets are {', '.join(after)}")
    require_unchanged(before["Use"], after["Use"])
    charts = after["Use"].charts
    require(len(charts) == 1, f"there are {len(charts)} charts")
    chart = charts[0]
    require(chart.kind == "bar" and not chart.horizontal, f"it is a {chart.kind} chart, not one of columns")
    require(chart.title.strip() == "Energy use", f"its title is {chart.title!r}")
    require(chart.categories == "A2:A7", f"the axis has {chart.categories or 'no cells'}, not A2:A7")
    wanted = (("B2:B7", "B1"), ("C2:C7", "C1"))
    require(chart.series == wanted, f"its series are {chart.series}, not {wanted}")


if __name__ == "__main__":
    main(check)
