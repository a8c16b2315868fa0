"""The displayed form of a spin button: of one without a text, as a part of a date or a time, or with an old one."""

# upstream: not reported
# seen in: 156

from typing import Final

from deskhand.core.text import number_text
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Call, Ref
from deskhand.desktop.linux.atspi.client import Reply

_NOTHING: Final = "0"


def ask_shown(ref: Ref) -> list[Call]:
    """Return the requests that `shown` and `renewed` need."""
    return [ref.get(calls.VALUE, "CurrentValue"), calls.get_attributes(ref)]


def shown(replies: list[Reply]) -> str:
    """Return the displayed text, "" if it is empty.

    One that displays its placeholder reports `0`; a zero that was entered is reported as displayed, `00`.
    """
    number, attributes = calls.float_in(replies[0]), calls.attributes_in(replies[1])
    text = attributes.get("valuetext", "")
    if not number and text == _NOTHING and attributes.get("placeholder"):
        return ""
    return text or ("" if number is None else number_text(number))


def renewed(text: str, replies: list[Reply]) -> str:
    """Return the displayed text of a number field whose own text is `text`.

    After a third of all changes the text stays that before, for good; the attribute has the one displayed. It is
    used if it is the number that the field has: a page may give any other text for it.
    """
    number, attributes = calls.float_in(replies[0]), calls.attributes_in(replies[1])
    displayed = attributes.get("valuetext", "")
    if number is None or attributes.get("text-input-type") != "number":
        return text
    try:
        same = number_text(float(displayed)) == number_text(number)
    except ValueError:
        return text
    return displayed if same else text
