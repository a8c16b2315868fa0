import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from texts import read_text, replaced, require_same

DAYS = {"14 May 2027": "21 May 2027", "15 May 2027": "22 May 2027"}


def check(work: Path, task: Path) -> None:
    before, after = (read_text(folder / "invitation.docx") for folder in (task, work))
    for old in DAYS:
        left = [text for text in after.texts() if old in text]
        require(not left, f"{old} is still in {left[:1]}")
    require_same(replaced(before, DAYS), after)


if __name__ == "__main__":
    main(check)
