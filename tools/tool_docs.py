"""Writes the tables of docs/tools.md from tests/tools.toml and the catalogue: `python -m tools.tool_docs`.

Only the part between `<!-- tools -->` and `<!-- end -->` is generated.
With `--check` nothing is written; exit code 1 if the page is out of date.
"""

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.commands import standard_catalogue
from deskhand.core.command import ToolSpec
from tools.pages import write_page

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "tools.md"
RECORD: Final = ROOT / "tests" / "tools.toml"
BLOCK: Final = re.compile(r"(<!-- tools -->\n).*?(<!-- end -->)", re.DOTALL)


class Refusal(BaseModel):
    """A limit of a tool in a toolkit, and its reason."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    toolkit: str
    tool: str
    why: str


class Record(BaseModel):
    """tests/tools.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    toolkits: tuple[str, ...]
    tools: tuple[str, ...]
    refused: tuple[Refusal, ...]

    def of(self, toolkit: str) -> dict[str, str]:
        """The known limits, by tool."""
        return {refusal.tool: refusal.why for refusal in self.refused if refusal.toolkit == toolkit}


class Argument(BaseModel):
    """The JSON schema of one argument."""

    description: str = ""


class Shape(BaseModel):
    """The JSON schema of the arguments of a tool."""

    properties: dict[str, Argument] = {}
    required: tuple[str, ...] = ()


def read_record(text: str) -> Record:
    """Raises: tomllib.TOMLDecodeError, pydantic.ValidationError."""
    return Record.model_validate(tomllib.loads(text))


def tables(record: Record) -> str:
    """Return tools by toolkit with the reasons, then the description of each tool, and its arguments."""
    lines = [f"| tool | {' | '.join(record.toolkits)} |", "|---" * (len(record.toolkits) + 1) + "|"]
    for tool in record.tools:
        cells = ["refused" if tool in record.of(toolkit) else "works" for toolkit in record.toolkits]
        lines.append(f"| `{tool}` | {' | '.join(cells)} |")
    lines += ["", *(f"- {refusal.toolkit}, `{refusal.tool}`: {refusal.why}" for refusal in record.refused), ""]
    lines += ["| tool | its description for a model |", "|---|---|"]
    offered = [tool.spec for tool in standard_catalogue() if tool.spec.audience]
    lines += [f"| `{spec.name}` | {spec.description} |" for spec in offered]
    lines += ["", "Their arguments; those in brackets may be left out:", ""]
    lines += [line for spec in offered for line in _arguments(spec)]
    return "\n".join(lines)


def _arguments(spec: ToolSpec) -> list[str]:
    shape = Shape.model_validate(spec.parameters)
    names = {name: f"`{name}`" if name in shape.required else f"[`{name}`]" for name in shape.properties}
    limits = [
        names[name] + (f" {said.description}" if said.description else "") for name, said in shape.properties.items()
    ]
    return [f"- `{spec.name}`: {'; '.join(limits)}"] if limits else []


def filled(page: str, record: Record) -> str:
    """The page with the tables as they should be."""
    return BLOCK.sub(lambda block: f"{block[1]}{tables(record)}\n{block[2]}", page)


def main(arguments: Sequence[str]) -> int:
    wanted = filled(PAGE.read_text(encoding="utf-8"), read_record(RECORD.read_text(encoding="utf-8")))
    return write_page(PAGE, wanted, "tests/tools.toml and the catalogue", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
