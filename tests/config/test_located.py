"""YAML that knows its lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.config.yaml_values import Source


@pytest.mark.parametrize("word", ["no", "on", "00123", "2024-01-01", "1:30", "0x1F", "1_000", ".5", "1e999999x"])
def test_what_json_does_not_know_stays_as_it_was_written(word: str) -> None:
    node = Source("t").parse(f"a: {word}")
    assert node is not None
    assert node.plain() == {"a": word}


def test_lines_are_those_of_the_keys() -> None:
    node = Source("t").parse("a: 1\nb:\n  - x\n  - {c: 2}\n")
    assert node is not None
    assert isinstance(node.value, dict)
    assert node.value["b"].line == 2
    items = node.value["b"].value
    assert isinstance(items, list)
    assert [item.line for item in items] == [3, 4]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1\n", "t:2: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: 1\na: 2\n", "t:2: 'a' occurs a second time"),
        ("a: &x 1\nb: *x\n", "t:2: alias *x: write the value out"),
        ("a: 1\n---\nb: 2\n", "t:2: not YAML: but found another document"),
        ("? [a]\n: 1\n", "t:1: a key must be text"),
        ("[" * 600 + "]" * 600, "t:1: nested too deeply"),
        ("a: 1\nb: " + "9" * 5000, "t:2: a number has more digits than are read"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(text: str, problem: str) -> None:
    source = Source("t")
    source.parse(text)
    assert source.problems == [problem]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(_JSON)
def test_json_is_read_as_json(value: object) -> None:
    source = Source("t")
    node = source.parse(json.dumps(value))
    assert source.problems == []
    assert node is not None
    assert node.plain() == value
