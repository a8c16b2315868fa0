"""Boolean operators and conditional expressions count as branches, and the table of exceptions may only shrink."""

import ast
from pathlib import Path
from textwrap import indent

import pytest

from tools.check_complexity import MOST, above_limit, complexity, problems

BUSY = "def busy(a):\n    return " + " and ".join(["a"] * (MOST + 1))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("pass", 1),
        ("if a:\n  pass\n elif b:\n  pass", 3),
        ("return a and b or c", 3),
        ("return 1 if a else 2", 2),
        ("return [x for x in a if x if b]", 3),
        ("match a:\n  case 1:\n   pass\n  case _:\n   pass", 3),
        ("try:\n  pass\n except OSError:\n  pass", 2),
        ("def inner():\n  if a:\n   pass", 1),
    ],
)
def test_decisions_are_counted(body: str, count: int) -> None:
    assert complexity(ast.parse(f"def f(a, b, c):\n {body}").body[0]) == count


def test_a_function_above_the_limit_is_found_by_its_path_and_name(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "file.py").write_text("class Kind:\n" + indent(BUSY, "    "))
    assert above_limit(tmp_path) == {"room/file.py:Kind.busy": MOST + 1}


@pytest.mark.parametrize(
    ("found", "excepted", "told"),
    [
        ({}, {}, []),
        ({"a:f": 14}, {"a:f": 14}, []),
        ({"a:f": 13}, {}, ["a:f: complexity 13, at most 12: divide it into steps or a table"]),
        ({"a:f": 15}, {"a:f": 14}, ["a:f: complexity 15, at most 14: divide it into steps or a table"]),
        ({"a:f": 13}, {"a:f": 14}, ["a:f: 14 in complexity.txt is too much: write 13"]),
        ({}, {"a:f": 14}, ["a:f: 14 in complexity.txt is too much: remove its line"]),
    ],
)
def test_an_exception_may_shrink_and_never_grow(
    found: dict[str, int], excepted: dict[str, int], told: list[str]
) -> None:
    assert problems(found, excepted) == told
