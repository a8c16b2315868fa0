import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from dataclasses import replace

from reading import main, require
from texts import read_text, require_same

LEVELS = {"Purpose": 1, "Damage": 1, "Trees": 2, "Walls": 2, "Costs": 1, "Next steps": 1}


def check(work: Path, task: Path) -> None:
    before, after = (read_text(folder / "garden.odt") for folder in (task, work))
    for paragraph in after.paragraphs:
        if wanted := LEVELS.get(paragraph.text):
            name = f"the heading {paragraph.text}"
            require(paragraph.style == f"Heading {wanted}", f"{name} has the style {paragraph.style}")
            require(paragraph.level == wanted, f"{name} has the level {paragraph.level} in the outline")
    without = [
        replace(
            document,
            blocks=tuple(
                replace(block, style="", level=0, bold=()) if block in document.headings(LEVELS) else block
                for block in document.blocks
            ),
        )
        for document in (before, after)
    ]
    require_same(*without)


if __name__ == "__main__":
    main(check)
