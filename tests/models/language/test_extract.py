"""From what a model wrote to one JSON object."""

import json
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import ReplyDefect
from deskhand.models.language.extract import reply_object

OBJECT = {"status": "CONTINUE", "args": {"text": "a } b { c", "n": [1, 2.5, None]}, "Thought": "ä 中 😀"}
TEXT = json.dumps(OBJECT, ensure_ascii=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.requires("model.extraction")
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here is my answer:\n\n{}",
        "{}\n\nI hope this helps!",
        "Sure.\n```json\n{}\n```\nThat clicks the button.",
        '<think>Should I answer {{maybe}}? A draft: {{"status": "FAIL"}}</think>\n{}',
        "  \n\t{}  ",
        "The set {{a, b}} is not the answer. {}",
        "{0}\n{0}",
        "\ufeff{}",
    ],
)
def test_what_stands_around_the_object_does_not_matter(around: str) -> None:
    assert reply_object(around.format(TEXT)) == OBJECT


@pytest.mark.requires("model.extraction")
def test_a_line_break_inside_a_string_is_taken_as_it_stands() -> None:
    assert reply_object('{"status": "FINISH", "result": "one\ntwo"}')["result"] == "one\ntwo"


@pytest.mark.requires("model.extraction")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the reply is empty"),
        ("   \n", "the reply is empty"),
        ("I clicked the button.", "holds no JSON object"),
        ("[1, 2]", "holds no JSON object"),
        ('{"status": "CONTINUE", "args": {', "is not complete"),
        ('{"status": "CONTINUE", "thought": "I wi', "is not complete"),
        ("{'status': 'CONTINUE'}", "not valid JSON: Expecting property name"),
        ('{"status": "CONTINUE",}', "not valid JSON: "),
        ('{"status": "A"} or {"status": "B"}', "holds 2 JSON objects"),
        ('{"status": "A", "status": "B"}', "'status' occurs twice"),
        ('{"status": NaN}', "NaN is no JSON value"),
        ('{"status": "\\ud800"}', "half of a character"),
        ('{"n": ' + "9" * 5000 + "}", "cannot be read"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "nested too deeply"),
        ('{"a":' * 150 + "1" + "}" * 150, "nested too deeply"),
        ("x" * 400_001, "400001 characters"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(ReplyDefect) as raised:
        reply_object(text)
    assert said in raised.value.message
    assert "\n" not in raised.value.message
    assert len(raised.value.message) < 200


@pytest.mark.requires("model.extraction")
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), JSON, max_size=6))
def test_any_object_comes_back_as_it_was_written(value: dict[str, object]) -> None:
    assert reply_object(f"I answer:\n```json\n{json.dumps(value, ensure_ascii=False)}\n```") == value


@pytest.mark.requires("model.extraction")
@given(st.text(max_size=400))
def test_no_text_does_more_than_raise_a_defect(text: str) -> None:
    with suppress(ReplyDefect):
        reply_object(text)


@pytest.mark.requires("model.extraction")
def test_a_damaged_object_is_never_taken_for_a_part_of_it() -> None:
    """A cut reply whose inner object is whole must not pass for an answer."""
    random = Random(5)  # noqa: S311 - the same cuts every time
    text = json.dumps({"status": "CONTINUE", "args": {"status": "FINISH"}, "plan": ["x"] * 20})
    for _ in range(200):
        cut = text[: random.randrange(1, len(text) - 1)]
        with pytest.raises(ReplyDefect):
            reply_object(cut)
