"""Writes the table of docs/effects.md from the rules that tools declare: `python -m tools.effect_docs`.

The page is written by hand except between `<!-- effects -->` and `<!-- end -->`.
With `--check` nothing is written; exit code 1 if the page is out of date.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deskhand.commands import standard_catalogue
from deskhand.commands.call import Expects
from tools.pages import write_page

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "effects.md"
BLOCK: Final = re.compile(r"(<!-- effects -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD: Final[tuple[str, ...]] = ("| action | on | the change that confirms it | also counts |", "|---|---|---|---|")


def table() -> str:
    """One row for each rule; tools with the same rules share them."""
    names: dict[int, list[str]] = {}
    declared: dict[int, Expects] = {}
    for tool in standard_catalogue():
        names.setdefault(id(tool.expects), []).append(f"`{tool.spec.name}`")
        declared[id(tool.expects)] = tool.expects
    rows = [*HEAD]
    for key, expects in declared.items():
        for number, rule in enumerate(expects.rules):
            action = "the same" if number else ", ".join(names[key])
            rows.append(f"| {action} | {rule.on} | {rule.changes} | {rule.also} |")
    return "\n".join(rows)


def filled(page: str) -> str:
    """The page with the table as the tools declare it."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{table()}\n\n{block[2]}", page)


def main(arguments: Sequence[str]) -> int:
    return write_page(PAGE, filled(PAGE.read_text(encoding="utf-8")), "the declarations of the tools", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
