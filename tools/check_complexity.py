"""Checks the complexity of every function: branches, boolean operators and conditional expressions are counted.

With `--write` the table of exceptions is written anew, as after a move of modules; it may only shrink.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST: Final = 12
SOURCE: Final = Path(__file__).resolve().parent.parent / "src" / "deskhand"
EXCEPTIONS: Final = Path(__file__).with_name("complexity.txt")
"""One `count path:function` a line: functions that are above the limit today. The table may only shrink."""
_BRANCHES: Final = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.match_case)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def complexity(function: ast.AST) -> int:
    """Return 1 and the decisions of a function, those of functions inside it left out."""
    return 1 + sum(map(_decisions, _inside(function)))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _FUNCTIONS):
            yield child
            yield from _inside(child)


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return len(node.ifs)
        case _:
            return isinstance(node, _BRANCHES)


def functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield every function below a node with its dotted name."""
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, (*_FUNCTIONS, ast.ClassDef))
        name = f"{prefix}{child.name}" if named else prefix
        if isinstance(child, _FUNCTIONS):
            yield name, child
        yield from functions(child, f"{name}." if named else prefix)


def above_limit(source: Path = SOURCE) -> dict[str, int]:
    """Return the functions above the limit, as `path:function`, with their counts."""
    found: dict[str, int] = {}
    for path in sorted(source.rglob("*.py")):
        for name, function in functions(ast.parse(path.read_text("utf-8"))):
            if (count := complexity(function)) > MOST:
                found[f"{path.relative_to(source).as_posix()}:{name}"] = count
    return found


def problems(found: dict[str, int], excepted: dict[str, int]) -> list[str]:
    """Return a line for each new or grown function, and for each exception that is larger than needed."""
    lines = [
        f"{name}: complexity {count}, at most {excepted.get(name, MOST)}: divide it into steps or a table"
        for name, count in found.items()
        if count > excepted.get(name, MOST)
    ]
    for name, count in excepted.items():
        if found.get(name, 0) < count:
            now = f"write {found[name]}" if name in found else "remove its line"
            lines.append(f"{name}: {count} in {EXCEPTIONS.name} is too much: {now}")
    return lines


def read_exceptions(path: Path = EXCEPTIONS) -> dict[str, int]:
    lines = (line.split() for line in path.read_text("utf-8").splitlines() if line.strip())
    return {name: int(count) for count, name in lines}


def main() -> int:
    if "--write" in sys.argv[1:]:
        EXCEPTIONS.write_text("".join(f"{count} {name}\n" for name, count in above_limit().items()), "utf-8")
    found = problems(above_limit(), read_exceptions())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
