"""Which texts came to stand where something reads otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands.effects.text_match import appeared_in_title, text_appeared

pytestmark = pytest.mark.requires("effect.about")


@pytest.mark.parametrize(
    ("text", "was", "reads", "came"),
    [
        ("abc", "", "abc", True),
        ("abc", "abc", "abcabc", True),
        ("abc", "abc", "ababcc", True),
        ("abc", "abc", "abcbc", False),
        ("abc", "abc", "abcc", False),
        ("rep", "report.txt", "rep.txt", True),
        ("abc", "abc def", "abc", True),
        ("hello", "hello world", "hello world\n", False),
        ("hello", "hello world", "hello\n world", False),
        ("hello", "hello world", "hello orld", False),
        ("rep", "", "report.txt", True),
        ("cd", "$ cd\n$ cat x\ny\n$ ", "$ cat x\ny\n$ cd\n$ ", True),
        ("cd", "$ cat x\n$ cd\ny\n$ ", "$ cd\ny\n$ \n$ ", False),
        ("ls", "$ ls\nls\n$ ", "ls\n$ \n$ ", False),
        ("ls", "$ ls\na\n$ ", "$ ls\na\n$ \n$ ", False),
        ("ls", "$ ls\na\n$ ", "$ ls\na\n$ ls", True),
    ],
)
def test_a_text_came_where_it_did_not_stand_before(text: str, was: str, reads: str, came: bool) -> None:
    assert text_appeared(text, was, reads) is came


_FEW = st.text("ab\n", max_size=6)


@given(before=_FEW, went=_FEW, after=_FEW, text=st.text("ab", min_size=1, max_size=3))
def test_whatever_stood_there_a_text_that_was_put_in_came(before: str, went: str, after: str, text: str) -> None:
    was = before + after
    assert text_appeared(text, was, before + text + after)
    assert not text_appeared(text, was, was)
    assert text_appeared(text, f"{before}{went}xyz{after}", before + text + after)


@pytest.mark.parametrize(
    ("text", "was", "title", "came"),
    [
        ("report", "report.txt", "*report.txt", False),
        ("report", "Untitled", "Report.txt - Editor", True),
        ("no", "Main", "Printing... notice", False),
        ("1", "", "Error in line 1", False),
        ("12", "0", "12", True),
        ("12", "12", "12", False),
        ("a+b", "", "Search for a+b", True),
    ],
)
def test_a_title_came_to_name_a_text_where_it_has_it_as_a_word_more_often(
    text: str, was: str, title: str, came: bool
) -> None:
    assert appeared_in_title(text, was, title) is came
