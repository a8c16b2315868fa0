import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from texts import read_text, replaced, require_same

OLD, NEW = "Harbour Lane Studios", "Quayside Studios"


def check(work: Path, task: Path) -> None:
    before, after = (read_text(folder / "lease.odt") for folder in (task, work))
    left = [text for text in after.texts() if OLD in text]
    require(not left, f"the old name is still in {left[:1]}")
    require_same(replaced(before, {OLD: NEW}), after)


if __name__ == "__main__":
    main(check)
