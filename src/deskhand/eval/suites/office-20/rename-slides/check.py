import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from dataclasses import replace

from reading import main, require
from texts import read_slides, require_same_slides

NAMES = ["Cover", "Reasons", "Costs", "Questions"]


def check(work: Path, task: Path) -> None:
    before, after = (read_slides(folder / "talk.odp") for folder in (task, work))
    names = [slide.name for slide in after]
    require(names == NAMES, f"the slides are called {', '.join(names)}")
    require_same_slides([replace(slide, name=name) for slide, name in zip(before, NAMES, strict=True)], after)


if __name__ == "__main__":
    main(check)
