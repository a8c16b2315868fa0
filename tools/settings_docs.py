"""Writes the tables of docs/settings.md from `deskhand.config`: `python -m tools.settings_docs`.

Only the part between `<!-- settings -->` and `<!-- end -->` is generated.
With `--check` nothing is written; exit code 1 if the page is out of date, or a setting has no
docstring.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, TypeAdapter

from deskhand.config import sections
from deskhand.config.load import PREFIX, project_may, written_settings
from deskhand.config.sections import ApplicationEntry, PriceEntry, Section, ToolServerEntry
from tools.pages import write_page

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "settings.md"
BLOCK: Final = re.compile(r"(<!-- settings -->\n).*?(<!-- end -->)", re.DOTALL)
ENTRIES: Final[Mapping[str, type[Section]]] = {
    "models.prices.NAME": PriceEntry,
    "mcp.servers.NAME": ToolServerEntry,
    "applications.NAME": ApplicationEntry,
}
"""Sections of entries that the user names."""


class Shape(BaseModel):
    """The JSON schema of one setting."""

    type: str = ""
    format: str = ""
    enum: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = Field(default=None, alias="exclusiveMinimum")
    either: tuple["Shape", ...] = Field(default=(), alias="anyOf")
    items: "Shape | None" = None
    min_items: int = Field(default=0, alias="minItems")
    each: "Shape | bool" = Field(default=False, alias="additionalProperties")


def docstrings(source: str) -> dict[str, dict[str, str]]:
    """Return the docstring of each field of each class of a module: class → field → text, empty if there is none."""
    return {node.name: _docstrings_in(node.body) for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}


def _docstrings_in(body: Sequence[ast.stmt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement, following in zip(body, (*body[1:], None), strict=True):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = _text(following)
            case _:
                pass
    return found


def _text(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
        case _:
            return ""


def silent(texts: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the settings without a docstring, as `CLASS.field`."""
    shown = {section.__name__ for section in (*written_settings().values(), *ENTRIES.values())}
    return [f"{name}.{field}" for name in texts for field, text in texts[name].items() if name in shown and not text]


def values_of(shape: Shape) -> str:
    """Return the values that a setting takes, in words."""
    if shape.either:
        return " or ".join(values_of(each) for each in shape.either)
    match shape.type:
        case "integer" | "number":
            values = ("whole number" if shape.type == "integer" else "number") + _bounds(shape)
        case "array":
            kind = values_of(shape.items or Shape())
            values = f"list of {f'{kind}s' if kind in {'text', 'path'} else kind}"
            values += ", one at least" if shape.min_items else ""
        case "object":
            each = shape.each if isinstance(shape.each, Shape) else Shape()
            values = "names, each with " + ("a text" if each.type == "string" else "the entries below")
        case "string":
            values = ", ".join(f"`{each}`" for each in shape.enum)
            values = values or (shape.format if shape.format == "path" else "text")
        case _:
            values = {"boolean": "`true` or `false`", "null": "`null`"}.get(shape.type, "the entries below")
    return values


def _bounds(shape: Shape) -> str:
    lower = "" if shape.minimum is None else f" ≥ {shape.minimum:g}"
    lower = lower if shape.above is None else f" > {shape.above:g}"
    return lower if shape.maximum is None else f"{lower}, ≤ {shape.maximum:g}"


def _shapes(section: type[Section]) -> dict[str, Shape]:
    return {name: Shape.model_validate(shape) for name, shape in section.model_json_schema()["properties"].items()}


def _default(section: type[Section], name: str) -> str:
    field = section.model_fields[name]
    if field.is_required():
        return "has to be given"
    default = TypeAdapter(object).dump_python(field.get_default(call_default_factory=True), mode="json")
    return f"`{json.dumps(default, ensure_ascii=False)}`"


def table_of(section: str, model: type[Section], texts: Mapping[str, str]) -> list[str]:
    """The settings of a section, each with its variable."""
    lines = ["| setting | meaning | values | default | a project's file may set |", "|---|---|---|---|---|"]
    for name, shape in _shapes(model).items():
        may = project_may(section, name)
        if may is not None:
            variable = f"{PREFIX}{section}__{name}".upper()
            facts = (f"`{name}`<br>`{variable}`", texts[name], values_of(shape), _default(model, name), may)
            lines.append(f"| {' | '.join(facts)} |")
    return lines


def entry_table(model: type[Section], texts: Mapping[str, str]) -> list[str]:
    """Return the table of an entry that the user names."""
    lines = ["| | meaning | values | default |", "|---|---|---|---|"]
    for name, shape in _shapes(model).items():
        lines.append(f"| `{name}` | {texts[name]} | {values_of(shape)} | {_default(model, name)} |")
    return lines


def tables(texts: Mapping[str, Mapping[str, str]]) -> str:
    """Return every section with its settings, then the entries that the user names."""
    lines: list[str] = []
    for title, model in (*written_settings().items(), *ENTRIES.items()):
        lines += ["", f"## `{title}`", "", " ".join((model.__doc__ or "").split()), ""]
        own = texts[model.__name__]
        lines += entry_table(model, own) if title in ENTRIES else table_of(title, model, own)
    return "\n".join([*lines, ""])


def filled(page: str, texts: Mapping[str, Mapping[str, str]]) -> str:
    """Return the page with up-to-date tables. Raises: ValueError, naming the settings without a docstring."""
    if missing := silent(texts):
        raise ValueError(f"src/deskhand/config/sections.py: {', '.join(missing)} has no docstring")
    return BLOCK.sub(lambda block: f"{block[1]}{tables(texts)}\n{block[2]}", page)


def main(arguments: Sequence[str]) -> int:
    try:
        wanted = filled(PAGE.read_text(encoding="utf-8"), docstrings(inspect.getsource(sections)))
    except ValueError as error:
        print(error)
        return 1
    return write_page(PAGE, wanted, "src/deskhand/config", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
