"""Texts as they are told, exact and bounded; numbers as texts."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.text import cut_json, is_text, json_line, legible, number_text, quoted


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1234567.0, "1234567"),
        (123456.7, "123456.7"),
        (1234567.5, "1234567.5"),
        (struct.unpack("f", struct.pack("f", 0.3))[0], "0.3"),
        (0.1 + 0.2, "0.3"),
        (-0.0, "0"),
        (1e-7, "1e-07"),
        (1e20, "1e+20"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
    ],
)
def test_a_number_is_told_with_all_of_its_digits_and_no_more(number: float, text: str) -> None:
    assert number_text(number) == text


@given(st.floats(-1e300, 1e300))
def test_what_is_told_of_a_number_is_that_number(number: float) -> None:
    told = float(number_text(number))
    assert told == pytest.approx(number, rel=1e-14, abs=0) or _bits(told) == _bits(number)


def _bits(number: float) -> bytes:
    return struct.pack("f", number) if abs(number) < 1e38 else b""


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_what_is_told_of_a_number_of_32_bits_means_the_same_one(number: float) -> None:
    assert struct.pack("f", float(number_text(number))) == struct.pack("f", number + 0.0)


@pytest.mark.parametrize(("text", "is_one"), [("Zoë 中 🎉", True), ("", True), ("a\0b", False), ("a\ud83db", False)])
def test_halves_of_characters_and_what_ends_a_text_are_none(text: str, is_one: bool) -> None:
    assert is_text(text) is is_one


WILD = st.text(st.characters() | st.sampled_from(' \t\r\n\u00a0\u3000\u200b\u00ad\\"\U000e0041\u200d'), max_size=60)


@pytest.mark.requires("observe.exact")
@given(WILD)
def test_a_quoted_text_is_that_text_on_one_line_and_has_no_blank_that_is_not_seen(text: str) -> None:
    line = quoted(text)
    assert json.loads(line) == text
    assert not {character for character in line if character.isspace()} - {" "}
    assert line.splitlines() == [line]


@pytest.mark.requires("observe.exact")
@given(WILD, st.integers(0, 20))
def test_of_a_long_text_both_ends_are_exact_and_what_is_left_out_is_counted(text: str, longest: int) -> None:
    line = quoted(text, longest)
    decoder = json.JSONDecoder()
    begin, at = decoder.raw_decode(line)
    if at == len(line):
        assert (begin, len(text) <= longest) == (text, True)
        return
    count = line[at + 2 :].partition("…")[0]
    end, _ = decoder.raw_decode(line, at + len(f" …{count}… "))
    assert (text.startswith(begin), text.endswith(end)) == (True, True)
    assert len(begin) + int(count) + len(end) == len(text)


@pytest.mark.requires("observe.exact")
@given(WILD, st.integers(0, 200))
def test_json_is_cut_in_no_escape(text: str, most: int) -> None:
    whole = json_line(text)
    begun = cut_json(whole, most)
    assert whole.startswith(begun)
    assert len(begun.encode()) <= most
    if 0 < len(begun) < len(whole):
        begin = json.loads(f'{begun}"')
        assert text.startswith((begin, begin[:-1])), "half of a character of two escapes"


@pytest.mark.requires("observe.exact")
def test_words_stand_as_they_are_and_what_words_would_not_show_is_quoted() -> None:
    assert [legible(text, 20) for text in ("two words", "", " ends ", "a  b", "tab\t", "5\u00a0€", '"said"')] == [
        "two words", "", '" ends "', '"a  b"', '"tab\\t"', '"5\\u00a0€"', '"\\"said\\""',
    ]  # fmt: skip
