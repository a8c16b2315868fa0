"""Wanted names and texts: compared, or searched for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.patterns import (
    compile_pattern,
    found_in,
    is_pattern,
    literal,
    literal_name,
    matches_name,
    matches_text,
    matches_title,
)


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


@pytest.mark.parametrize(
    ("wanted", "title", "meant"),
    [
        ("Untitled 1", "Untitled 1 - LibreOffice Calc", True),
        ("untitled 1", "Untitled 1 - LibreOffice Calc", True),
        ("*notes.txt", "*notes.txt (~/) - gedit", True),
        ("Save", "Save As", True),
        ("Save", "Saved", False),
        ("Untitled 1", "Untitled 12 - LibreOffice Calc", False),
        ("/^Calc/", "Untitled 1 - LibreOffice Calc", False),
        ("", "Save", False),
    ],
)
def test_a_title_is_matched_by_whole_words_of_it(wanted: str, title: str, *, meant: bool) -> None:
    assert matches_title(wanted, title) is meant


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
    assert not any(matches_text(literal(text), text + more) for more in ("x", "\n"))
    assert is_pattern(literal(text)) or literal(text) == text


@given(st.text(" _&…\n/ab", max_size=20), st.sampled_from(["{}", "/{}/", "/{}/i"]))
def test_a_literal_name_means_that_name_as_names_are_compared(name: str, form: str) -> None:
    name = form.format(name)
    assert matches_name(literal_name(name), name)
    assert not matches_name(literal_name(name), name + "x")


@pytest.mark.requires("pattern.bounded")
@pytest.mark.parametrize(
    "body",
    [
        "(a+)+$",
        "(a*)*b",
        "(a|a)*$",
        "(a|ab|b)+c",
        "(.*)*x",
        "(?:a?b?)+$",
        "((a{1,9}){9}){9}$",
        "(a?){40}",
        "(?P<n>x+x+)+y",
        ".*.*.*.*.*x",
        r"(\w+\s?)*!",
        "(|a)*b",
    ],
)
def test_a_pattern_that_could_take_for_ever_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="bad regular expression"):
        compile_pattern(f"/{body}/")


@pytest.mark.requires("pattern.bounded")
@pytest.mark.parametrize(
    ("body", "text", "is_there"),
    [
        (".*a.*b", "a" * 100_000, False),
        ("^.*.*.*.*x", "a" * 100_000, False),
        ("a*b", "a" * 1_000_000, False),
        ("(foo|bar)+$", "foobar" * 50, True),
        (r"^[A-Z]+[0-9]+$", "AB12", True),
        (r"\d{1,3}(,\d{3})*(\.\d+)? EUR", "total 1,234.50 EUR", True),
        ("(Save|Don't Save|Cancel)", "Don't Save", True),
        ("a{,3}[)(]x", "aa)x", True),
        ("^(?i:Report) (?=2)", "report 2", True),
        (r"[]\]]{2}$", "]]", True),
    ],
)
def test_what_is_searched_for_ends_soon(body: str, text: str, *, is_there: bool) -> None:
    assert found_in(f"/{body}/", text) is is_there


@pytest.mark.requires("pattern.bounded")
@given(st.text("ab(|)*+?.{2,}]^$\\d", max_size=14), st.sampled_from(["a", "b", "ab", "aab", "2"]))
def test_no_pattern_that_is_taken_takes_long(body: str, unit: str) -> None:
    try:
        compile_pattern(f"/{body}/")
    except ValueError:
        return
    found_in(f"/{body}/", unit * 20_000 + "!")
