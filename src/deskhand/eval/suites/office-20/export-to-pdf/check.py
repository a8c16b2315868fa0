import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from pdf import read_pdf
from reading import main, require
from texts import read_text, require_same


def check(work: Path, task: Path) -> None:
    before, after = (read_text(folder / "quotation.odt") for folder in (task, work))
    require_same(before, after)
    text = " ".join(read_pdf(work / "quotation.pdf").split())
    bare = text.replace(" ", "")
    for wanted in before.texts():
        require("".join(wanted.split()) in bare, f"{wanted!r} is not in the PDF, which has {text[:80]!r}")


if __name__ == "__main__":
    main(check)
