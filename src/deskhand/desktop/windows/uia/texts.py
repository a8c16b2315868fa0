"""Whole texts, carets and selections, each by calls of the program. All raise Gone, Hung, Disabled and Refused."""

from deskhand.desktop.windows.uia import com
from deskhand.desktop.windows.uia.com import Connection, Element, TextPattern, TextRange
from deskhand.desktop.windows.uia.failures import translated
from deskhand.desktop.windows.uia.numbers import Endpoint, TextUnit
from deskhand.desktop.windows.uia.reading import with_line_ends
from deskhand.desktop.windows.win32.failures import Refused

_WHOLE = -1


def whole_text(connection: Connection, element: Element) -> str | None:
    """Return the whole text of an element, None where it has none but its name. A password is refused."""
    _require_readable(element)
    with translated(connection.error):
        if text := connection.pattern(element, com.TEXT):
            return with_line_ends(text.DocumentRange.GetText(_WHOLE))
        value = connection.pattern(element, com.VALUE)
        return with_line_ends(value.CurrentValue) if value else None


def caret(connection: Connection, element: Element) -> tuple[int, int, int]:
    """Return the length of a text, and the characters at which its selection begins and ends."""
    _require_readable(element)
    with translated(connection.error):
        text = _text_of(connection, element)
        chosen = text.GetSelection()
        if not chosen or not chosen.Length:
            raise Refused("it has no caret")
        selection = chosen.GetElement(0)
        start = _before(text, selection, Endpoint.Start)
        end = _before(text, selection, Endpoint.End)
        return len(with_line_ends(text.DocumentRange.GetText(_WHOLE))), start, end


def select(connection: Connection, element: Element, start: int, end: int) -> None:
    """Select characters of a text, or move its caret where `start` is `end`."""
    with translated(connection.error):
        chosen = _text_of(connection, element).DocumentRange.Clone()
        chosen.MoveEndpointByRange(Endpoint.End, chosen, Endpoint.Start)
        chosen.MoveEndpointByUnit(Endpoint.End, TextUnit.Character, end)
        chosen.MoveEndpointByUnit(Endpoint.Start, TextUnit.Character, start)
        chosen.Select()


def _before(text: TextPattern, selection: TextRange, endpoint: Endpoint) -> int:
    """Return the number of characters before one end of a selection."""
    before = text.DocumentRange.Clone()
    before.MoveEndpointByRange(Endpoint.End, selection, endpoint)
    return len(with_line_ends(before.GetText(_WHOLE)))


def _text_of(connection: Connection, element: Element) -> TextPattern:
    found = connection.pattern(element, com.TEXT)
    if found is None:
        raise Refused("its text has no caret that is exposed")
    return found


def _require_readable(element: Element) -> None:
    if element.CachedIsPassword:
        raise Refused("a password is not read")
