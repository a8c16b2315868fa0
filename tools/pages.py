"""Pages of docs/ that are generated from the code."""

from collections.abc import Sequence
from pathlib import Path


def write_page(page: Path, wanted: str, source: str, arguments: Sequence[str]) -> int:
    """Write a page that is out of date; with `--check` only report it, and return 1. `source`: its origin."""
    name = f"docs/{page.name}"
    if page.read_text(encoding="utf-8") == wanted:
        print(f"{name} is up to date with {source}")
        return 0
    if "--check" in arguments:
        print(f"{name} is out of date with {source}: run make docs")
        return 1
    page.write_text(wanted, encoding="utf-8")
    print(f"{name} is written")
    return 0
