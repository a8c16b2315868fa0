"""`${x}`: types kept, texts inserted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.json import JsonValue
from deskhand.core.patterns import matches_text
from deskhand.models.placeholders import (
    UnknownValue,
    insert,
    insert_wanted,
    is_path,
    lone_reference,
    references,
    render,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


@pytest.mark.requires("model.playbook.values")
@given(NAMES, JSON)
def test_a_lone_reference_keeps_the_value_and_its_type(name: str, value: JsonValue) -> None:
    rendered = render("${" + name + "}", {name: value})
    assert type(rendered) is type(value)
    assert rendered == value


@given(NAMES, NAMES, JSON)
def test_a_dotted_path_reaches_into_saved_data(name: str, part: str, value: JsonValue) -> None:
    assert render([{"a": "${" + name + "." + part + "}"}], {name: {part: value}}) == [{"a": value}]


@given(st.text(), NAMES, st.text(), st.text())
def test_inside_text_a_text_is_inserted_as_it_is_and_never_read_again(
    before: str, name: str, value: str, after: str
) -> None:
    if "$" in before + after:
        return
    assert insert(f"{before}${{{name}}}{after}", {name: value}) == before + value + after


@given(NAMES, JSON)
def test_inside_text_other_values_are_inserted_as_json(name: str, value: JsonValue) -> None:
    expected = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    assert insert("<${" + name + "}>", {name: value}) == f"<{expected}>"


@given(st.text().filter(lambda text: "${" not in text))
def test_a_text_without_a_reference_stays_as_it_is(text: str) -> None:
    assert insert(text, {}) == text
    assert references(text) == []


@given(NAMES, st.text(min_size=1))
def test_inside_a_pattern_a_value_is_taken_literally(name: str, value: str) -> None:
    assert matches_text(insert_wanted("/^${" + name + "}$/", {name: value}), value)


@given(NAMES, st.text())
def test_a_value_that_looks_like_a_pattern_does_not_become_one(name: str, value: str) -> None:
    wanted = insert_wanted("${" + name + "}", {name: f"/{value}/"})
    assert matches_text(wanted, f"/{value}/")
    assert not matches_text(wanted, f"x/{value}/")


def test_a_doubled_dollar_is_a_plain_one() -> None:
    assert insert("a $${x} b", {"x": 1}) == "a ${x} b"
    assert references("$${x}") == []
    assert lone_reference("$${x}") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${x}", "${x}: nothing is saved under 'x' yet"),
        ("${a.c}", "${a.c}: there is no 'c' (it has: b)"),
        ("${a.b.d}", "${a.b.d}: there is no 'd'"),
    ],
)
def test_a_reference_to_nothing_is_named(text: str, message: str) -> None:
    with pytest.raises(UnknownValue) as caught:
        render(text, {"a": {"b": 1}})
    assert str(caught.value) == message


def test_there_are_no_expressions() -> None:
    assert [is_path(text) for text in ("a", "a.b1", "a+1", "a.", "", "a b", "a['x']")] == [True, True, *[False] * 5]
