import csv
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from reading import main, require, require_same_file
from sheets import read_sheets


def check(work: Path, task: Path) -> None:
    file = "sign-ups.csv"
    require_same_file(task / file, work / file)
    before, after = (read_sheets(folder / "members.ods") for folder in (task, work))
    require(list(after) == ["Members"], f"the sheets are {', '.join(after)}")
    old, found = before["Members"].rows(), after["Members"].rows()
    known = {row[1] for row in old}
    with (task / file).open(encoding="utf-8", newline="") as lines:
        sign_ups = list(csv.reader(lines))[1:]
    wanted = [*old, *([name, mail, float(year)] for name, mail, year in sign_ups if mail not in known)]
    require(found[: len(old)] == old, "the members who were in the list are not as they were")
    mails = [row[1] for row in found if row[1]]
    require(len(mails) == len(set(mails)), "somebody is in the list twice")
    require(len(found) == len(wanted), f"the list has {len(found)} rows, not {len(wanted)}")
    for row, belongs in zip(found, wanted, strict=True):
        require(row == belongs, f"{row} is in the list where {belongs} belongs")


if __name__ == "__main__":
    main(check)
