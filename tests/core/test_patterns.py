"""Wanted names and texts: compared, or searched for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.patterns import compile_pattern, is_pattern, literal, matches_name, matches_text


@pytest.mark.parametrize(
    ("wanted", "name", "meant"),
    [
        ("Chart...", "_Chart…", True),
        ("Chart", "Chart...", False),
        ("/^chart/", "Chart...", False),
        ("/^chart/i", "Chart...", True),
        ("/Writer$/", "report.odt - LibreOffice  Writer ", True),
    ],
)
def test_names_are_compared_as_names_and_patterns_searched_in_them(wanted: str, name: str, *, meant: bool) -> None:
    assert matches_name(wanted, name) is meant


def test_a_text_is_compared_character_by_character() -> None:
    assert matches_text("_A1", "_A1")
    assert not matches_text("_A1", "A1")


def test_a_bad_pattern_says_why() -> None:
    with pytest.raises(ValueError, match=r"bad regular expression /\(/: missing \)"):
        compile_pattern("/(/")
    with pytest.raises(ValueError, match="is not written as"):
        compile_pattern("plain")


@given(st.text(max_size=20), st.sampled_from(["{}", "/{}/", "/{}/i"]))
def test_a_literal_means_exactly_its_text(text: str, form: str) -> None:
    text = form.format(text)
    assert matches_text(literal(text), text)
    assert not matches_text(literal(text), text + "x")
    assert is_pattern(literal(text)) or literal(text) == text
