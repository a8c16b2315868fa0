"""Pages of docs/ that are made from something else in the project."""

from collections.abc import Sequence
from pathlib import Path


def write_page(page: Path, wanted: str, source: str, arguments: Sequence[str]) -> int:
    """Writes a page where it is not what it should be, and says so; with `--check` only says it, and answers 1."""
    name = f"docs/{page.name}"
    if page.read_text(encoding="utf-8") == wanted:
        print(f"{name} is what {source}")
        return 0
    if "--check" in arguments:
        print(f"{name} is not what {source}: run make docs")
        return 1
    page.write_text(wanted, encoding="utf-8")
    print(f"{name} is written")
    return 0
