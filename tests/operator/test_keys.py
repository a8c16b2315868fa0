"""Keys in the spellings of vendors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands.key_syntax import parse_keys
from deskhand.core.errors import ReplyDefect
from deskhand.desktop.protocols.input import Chord
from deskhand.operator.keys import chord_text, literal, modifiers_text

pytestmark = pytest.mark.requires("operator.formats")


@pytest.mark.parametrize(
    ("keys", "chord"),
    [
        (("ctrl", "s"), Chord("s", ("ctrl",))),
        (("CTRL", "SHIFT", "Escape"), Chord("esc", ("ctrl", "shift"))),
        (("Return",), Chord("enter")),
        (("Page_Up",), Chord("pageup")),
        (("BackSpace",), Chord("backspace")),
        (("super", "l"), Chord("l", ("super",))),
        (("CMD", "c"), Chord("c", ("super",))),
        (("Control_L", "plus"), Chord("+", ("ctrl",))),
        (("alt", "Tab"), Chord("tab", ("alt",))),
        (("ARROWLEFT",), Chord("left")),
        (("Menu",), Chord("menu")),
        (("KP_Enter",), Chord("kp_enter")),
        (("F5",), Chord("f5")),
        (("{",), Chord("{")),
        ((" ",), Chord("space")),
        (("shift",), Chord("shift")),
        (("é",), Chord("é")),
    ],
)
def test_a_chord_is_pressed_as_it_is_meant(keys: tuple[str, ...], chord: Chord) -> None:
    assert parse_keys(chord_text(keys)) == (chord,)


def test_two_keys_at_once_are_refused() -> None:
    with pytest.raises(ReplyDefect, match="a and b cannot be pressed together"):
        chord_text(("ctrl", "a", "b"))


def test_only_modifiers_are_held_by_the_pointer() -> None:
    assert modifiers_text(("Shift_L", "ctrl")) == "shift+ctrl"
    with pytest.raises(ReplyDefect, match="a is no modifier"):
        modifiers_text(("a",))


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1))
def test_a_text_is_typed_as_it_is(text: str) -> None:
    keys = [" " if chord.key == "space" else chord.key for chord in parse_keys(literal(text))]
    assert "".join(keys) == text


def test_no_text_is_taken_for_a_chord() -> None:
    assert [chord.key for chord in parse_keys(literal("ctrl+s"))] == list("ctrl+s")
    assert [chord.key for chord in parse_keys(literal("a\r\nb\tc"))] == ["a", "enter", "b", "tab", "c"]
