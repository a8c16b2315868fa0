import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from dataclasses import replace

from reading import main, require
from texts import read_slides, require_same_slides


def check(work: Path, task: Path) -> None:
    before, after = (read_slides(folder / "offer.odp") for folder in (task, work))
    for slide in after:
        wanted = slide.name == "Prices"
        require(slide.hidden == wanted, f"the slide {slide.name} is {'not ' if wanted else ''}hidden")
    require_same_slides(before, [replace(slide, hidden=False) for slide in after])


if __name__ == "__main__":
    main(check)
