"""What a spin button of Chromium shows that nobody can type into as text: a part of a date or a time, say."""

from typing import Final

from deskhand.core.text import number_text
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Call, Ref
from deskhand.desktop.linux.atspi.client import Reply

_NOTHING: Final = "0"


def ask_shown(ref: Ref) -> list[Call]:
    """What `shown` is told from."""
    return [ref.get(calls.VALUE, "CurrentValue"), calls.get_attributes(ref)]


def shown(replies: list[Reply]) -> str:
    """The words or digits on it, "" where nothing was put in.

    One with a placeholder that has nothing but that says `0` of itself; a zero that was put in is said as it shows,
    `00`.
    """
    number, attributes = calls.float_in(replies[0]), calls.attributes_in(replies[1])
    text = attributes.get("valuetext", "")
    if not number and text == _NOTHING and attributes.get("placeholder"):
        return ""
    return text or ("" if number is None else number_text(number))
