import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from texts import read_slides, require_same_slides

POINTS = ("Find volunteers", "Order the lamps", "Open in September")


def check(work: Path, task: Path) -> None:
    before, after = (read_slides(folder / "project.odp") for folder in (task, work))
    require(len(after) == len(before) + 1, f"there are {len(after)} slides, not {len(before) + 1}")
    require_same_slides(before, after[:-1])
    new = after[-1]
    require(new.title == "Next steps", f"the title of the last slide is {new.title!r}")
    points = tuple(text for _, text in new.lines)
    require(points == POINTS, f"the points of the last slide are {points}")
    require(len({level for level, _ in new.lines}) == 1, "the points are of different levels")
    require(not new.others, f"on the last slide is also {new.others}")
    require(not new.hidden, "the last slide is hidden")


if __name__ == "__main__":
    main(check)
