"""Holds `tests/requirements.toml` and the tests together: `python tools/check_requirements.py`.

Reads the ids out of the tests' source, so that it sees all tests whatever a run selects. Exit code 1 where a test
names an unknown id, a requirement has neither gap nor a test that CI runs or has both, or an entry is malformed.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

ROOT: Final = Path(__file__).resolve().parent.parent
ID: Final = re.compile(r"[a-z]+(\.[a-z0-9]+(-[a-z0-9]+)*)+")
KEYS: Final = frozenset({"id", "source", "text"})


@dataclass(frozen=True, slots=True)
class Mention:
    """One id that a test says it shows; `id` is empty where it is not written out as a string. `in_ci` is false where
    only full trials run that test.
    """

    id: str
    where: str
    in_ci: bool


def mentions(tests: Path) -> Iterator[Mention]:
    """Every id in a `pytest.mark.requires(…)` below the folder."""
    for path in sorted(tests.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        left_out = _left_to_full_trials(tree) if ".full(" in source else set[ast.AST]()
        for node in _marks(tree, "requires"):
            where = f"{path.relative_to(tests.parent).as_posix()}:{node.lineno}"
            values = [argument.value if isinstance(argument, ast.Constant) else "" for argument in node.args]
            ids = [value if isinstance(value, str) else "" for value in values or [""]]
            yield from (Mention(name, where, in_ci=node not in left_out) for name in ids)


def _left_to_full_trials(tree: ast.Module) -> set[ast.AST]:
    """All below the tests that CI runs with no parameter."""
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        part
        for test in tests
        for decorator in test.decorator_list
        if any(not mark.keywords for mark in _marks(decorator, "full"))
        for part in ast.walk(test)
    }


def _marks(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """Every `pytest.mark.name(…)` below a node."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr=found)) if found == name:
                yield node
            case _:
                pass


def problems(manifest: str, tests: Path) -> list[str]:
    """What does not fit together, one sentence each. Raises: tomllib.TOMLDecodeError."""
    # An entry is whatever somebody wrote; _malformed says what is wrong with it.
    entries = cast("list[Mapping[str, object]]", tomllib.loads(manifest).get("requirement", []))
    found = [problem for entry in entries if (problem := _malformed(entry))]
    ids = Counter(str(entry.get("id", "")) for entry in entries)
    found += (f"{name}: stands in the manifest {times} times" for name, times in ids.items() if times > 1)
    shown: set[str] = set()
    for mention in mentions(tests):
        if mention.in_ci:
            shown.add(mention.id)
        if not mention.id:
            found.append(f"{mention.where}: an id has to be written out as a string")
        elif mention.id not in ids:
            found.append(f"{mention.where}: {mention.id} does not stand in the manifest")
    for entry in entries:
        name = str(entry.get("id", ""))
        if "gap" in entry and name in shown:
            found.append(f"{name}: has a test now, so its gap has to go")
        elif "gap" not in entry and name not in shown:
            found.append(f"{name}: has no test in CI; write one or give the reason as `gap`")
    return found


def _malformed(entry: Mapping[str, object]) -> str:
    name = entry.get("id", "")
    if not isinstance(name, str) or not ID.fullmatch(name):
        return f"{name!r}: an id looks like room.what-it-is-about"
    if unknown := entry.keys() - KEYS - {"gap"}:
        return f"{name}: unknown key {', '.join(sorted(unknown))}"
    if bad := [key for key in sorted(KEYS | (entry.keys() & {"gap"})) if not _is_words(entry.get(key))]:
        return f"{name}: {', '.join(bad)} has to be a text"
    return ""


def _is_words(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def main() -> int:
    found = problems((ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8"), ROOT / "tests")
    print("\n".join(found) or "requirements and tests fit together")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
