"""Numbers as texts."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.text import is_text, number_text


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
