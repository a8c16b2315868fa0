"""Python statements as text, in the layout of a formatter of 88 columns."""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.core.patterns import compile_pattern, is_pattern

WIDTH: Final = 88
INDENT: Final = "    "
_HOLE: Final = re.compile(r"\$(\$)?\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """A call as parts: the function, and its arguments as they are written."""

    function: str
    arguments: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.function}({', '.join(self.arguments)})"

    def lines(self, before: str = "", depth: int = 1) -> list[str]:
        """Lines of the call, indented; `before`: text before it, such as `window = `."""
        indent = INDENT * depth
        line = f"{indent}{before}{self.text}"
        if len(line) <= WIDTH or not self.arguments:
            return [line]
        inner = f"{indent}{INDENT}{', '.join(self.arguments)}"
        if len(inner) > WIDTH and len(self.arguments) > 1:
            middle = [f"{indent}{INDENT}{each}," for each in self.arguments]
        else:
            middle = [inner]
        return [f"{indent}{before}{self.function}(", *middle, f"{indent})"]

    @classmethod
    def of(cls, expression: str) -> "Call | None":
        """The parts of an expression; None if it is no call."""
        node = ast.parse(expression, mode="eval").body
        if not isinstance(node, ast.Call):
            return None
        given = [ast.get_source_segment(expression, each) or "" for each in node.args]
        given += [f"{each.arg}={ast.get_source_segment(expression, each.value)}" for each in node.keywords]
        return cls(ast.get_source_segment(expression, node.func) or "", tuple(given))

    def head_fits(self, before: str, depth: int) -> bool:
        """True if the line up to the opening bracket is not too long."""
        return len(f"{INDENT * depth}{before}{self.function}(") <= WIDTH


def list_call(function: str, name: str, items: Sequence[str], before: str) -> list[str]:
    """Lines of a call with one argument, a list of texts; `before`: text before it, such as `window = `."""
    literals = [text_literal(item) for item in items]
    lines = Call(function, (f"{name}=[{', '.join(literals)}]",)).lines(before)
    if all(len(line) <= WIDTH for line in lines):
        return lines
    inner = [f"{INDENT * 3}{literal}," for literal in literals]
    return [lines[0], f"{INDENT * 2}{name}=[", *inner, f"{INDENT * 2}]", lines[-1]]


def text_literal(text: str) -> str:
    """A string literal in double quotes, in single ones where it has double quotes alone."""
    if '"' in text and "'" not in text:
        return f"'{_escaped(text)}'"
    return f'"{_escaped(text).replace(chr(34), chr(92) + chr(34))}"'


def value_literal(value: JsonValue, name_of: Callable[[str], str]) -> str:
    """A value as an expression; `name_of` gives the expression of each `${…}` in it, by its path."""
    match value:
        case str():
            return _filled(value, name_of)
        case list():
            return f"[{', '.join(value_literal(each, name_of) for each in value)}]"
        case dict():
            parts = (f"{text_literal(key)}: {value_literal(part, name_of)}" for key, part in value.items())
            return f"{{{', '.join(parts)}}}"
        case _:
            return repr(value)


def words_literal(wanted: str, name_of: Callable[[str], str]) -> str:
    """A wanted name as an expression: a text, or a compiled expression."""
    if not is_pattern(wanted):
        return _filled(wanted, name_of)
    compiled = compile_pattern(wanted)
    flags = ", re.IGNORECASE" if compiled.flags & re.IGNORECASE else ""
    return f"re.compile({_raw_literal(compiled.pattern)}{flags})"


def keywords(arguments: Mapping[str, JsonValue], name_of: Callable[[str], str]) -> tuple[str, ...]:
    """Keyword arguments of a call."""
    return tuple(f"{name}={value_literal(value, name_of)}" for name, value in arguments.items())


def identifier(words: str, taken: Sequence[str] = ()) -> str:
    """A new name of a variable made of these words; empty words and digits alone make none."""
    name = "_".join(re.findall(r"[a-z0-9]+", words.casefold()))[:40].strip("_")
    if not name or name[0].isdigit():
        name = f"window_{name}".rstrip("_")
    count = 2
    unique = name
    while unique in taken:
        unique, count = f"{name}_{count}", count + 1
    return unique


def _filled(text: str, name_of: Callable[[str], str]) -> str:
    holes = [hole for hole in _HOLE.finditer(text) if not hole[1]]
    if not holes:
        return text_literal(text.replace("$${", "${"))
    if len(holes) == 1 and holes[0][0] == text:
        return name_of(holes[0][2])
    parts: list[str] = []
    end = 0
    for hole in holes:
        inner = name_of(hole[2]).replace('"', "'")
        parts += [_braces(text[end : hole.start()]), f"{{{inner}}}"]
        end = hole.end()
    whole = "".join([*parts, _braces(text[end:])])
    return f'f"{whole}"'


def _braces(text: str) -> str:
    """Text of an f-string in double quotes."""
    plain = text.replace("$${", "${")
    return _escaped(plain).replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _escaped(text: str) -> str:
    """Text for inside a literal, quotes not escaped."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"')


def _raw_literal(pattern: str) -> str:
    plain = text_literal(pattern)
    if "\\" not in pattern or pattern.endswith("\\") or '"' in pattern or "\n" in pattern:
        return plain
    return f'r"{pattern}"'
