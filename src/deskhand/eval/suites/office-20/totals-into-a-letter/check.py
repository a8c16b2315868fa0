import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require
from sheets import read_sheets, require_unchanged
from texts import read_text, replaced, require_same

FIGURES = {"[BUDGET]": "B5", "[SPENT]": "C5", "[LEFT]": "C6", "[STAGE]": "C3"}


def check(work: Path, task: Path) -> None:
    accounts, now = (read_sheets(folder / "accounts.ods") for folder in (task, work))
    require(list(now) == list(accounts), f"the sheets of accounts.ods are {', '.join(now)}")
    require_unchanged(accounts["Accounts"], now["Accounts"])
    before, after = (read_text(folder / "letter.odt") for folder in (task, work))
    words = {mark: f"{accounts['Accounts'][place].value:.12g}" for mark, place in FIGURES.items()}
    for mark in words:
        require(not any(mark in text for text in after.texts()), f"{mark} is still in the letter")
    require_same(replaced(before, words), after)


if __name__ == "__main__":
    main(check)
