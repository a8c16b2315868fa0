"""Writes the table of docs/toolkits.md from tests/toolkits.toml: `python -m tools.toolkit_docs`.

The page is written by hand but for what stands between `<!-- toolkits -->` and `<!-- end -->`.
With `--check` nothing is written; exit code 1 where the page is not what it would be.
"""

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from tools.pages import write_page

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "toolkits.md"
RECORD: Final = ROOT / "tests" / "toolkits.toml"
BLOCK: Final = re.compile(r"(<!-- toolkits -->\n).*?(<!-- end -->)", re.DOTALL)
Column = Literal["names", "roles", "values", "states", "extents", "text", "tables", "actions"]
COLUMNS: Final[tuple[Column, ...]] = get_args(Column)


class Refusal(BaseModel):
    """What does not work: in one column, for some controls, for one reason; in all versions where none is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    column: Column
    keys: tuple[str, ...]
    why: str
    versions: tuple[str, ...] = ()


class Recorded(BaseModel):
    """One toolkit as it was looked at; `versions` are major.minor."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    versions: tuple[str, ...]
    refused: tuple[Refusal, ...]

    def recorded(self, version: str) -> str:
        """The version of the record that a full one belongs to; empty where it was not looked at."""
        return next((known for known in self.versions if version.startswith(f"{known}.")), "")

    def refused_keys(self, version: str) -> frozenset[tuple[str, str]]:
        """Column and key of what does not work in a version; of one that was not looked at, in any."""
        known = self.recorded(version)
        refused = [refusal for refusal in self.refused if not known or known in (refusal.versions or self.versions)]
        return frozenset((refusal.column, key) for refusal in refused for key in refusal.keys)


class Record(BaseModel):
    """tests/toolkits.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    toolkit: tuple[Recorded, ...]


def read_record(text: str) -> dict[str, Recorded]:
    """The toolkits by name. Raises: tomllib.TOMLDecodeError, pydantic.ValidationError."""
    return {recorded.name: recorded for recorded in Record.model_validate(tomllib.loads(text)).toolkit}


def table(record: dict[str, Recorded]) -> str:
    """Toolkit by column, and below it the reasons."""
    lines = [f"| toolkit | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    reasons: list[str] = []
    for recorded in record.values():
        cells = [_cell(recorded, column) for column in COLUMNS]
        lines.append(f"| {recorded.name}{_among(recorded.versions)} | {' | '.join(cells)} |")
        reasons += [
            f"- {recorded.name}{_among(refusal.versions)}, {refusal.column}: {_keys(refusal)}: {refusal.why}"
            for refusal in recorded.refused
        ]
    return "\n".join([*lines, "", *reasons])


def _cell(recorded: Recorded, column: Column) -> str:
    refused = [
        f"{_keys(refusal)}{_among(refusal.versions)}" for refusal in recorded.refused if refusal.column == column
    ]
    return f"refused for {', '.join(refused)}" if refused else "works"


def _keys(refusal: Refusal) -> str:
    return ", ".join(f"`{key}`" for key in refusal.keys)


def _among(versions: Sequence[str]) -> str:
    return f" ({', '.join(versions)})" if versions else ""


def filled(page: str, record: dict[str, Recorded]) -> str:
    """The page with the table as it should be."""
    return BLOCK.sub(lambda block: f"{block[1]}{table(record)}\n{block[2]}", page)


def main(arguments: Sequence[str]) -> int:
    wanted = filled(PAGE.read_text(encoding="utf-8"), read_record(RECORD.read_text(encoding="utf-8")))
    return write_page(PAGE, wanted, "tests/toolkits.toml", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
