"""The secret texts of a session: those that were, or were to be, typed into a password field.

The journal contains them, since a session needs them to go on; reports and knowledge are made from `redacted_events`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from deskhand.commands.key_syntax import with_texts
from deskhand.core.command import Command
from deskhand.core.errors import ReplyDefect
from deskhand.core.events import EVENTS, ActionEvent, Event
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.text import CUT
from deskhand.store.journal import read_events

V = TypeVar("V")
HIDDEN: Final = "•••"
_KEYS: Final = "keys"
_BRACES: Final = str.maketrans({"{": "{{}", "}": "{}}"})
"""The spelling of braces among keys."""
TYPED: Final = frozenset({_KEYS, "text"})
"""The arguments that are typed."""
SHORTEST: Final = 3
"""Characters. A shorter secret is hidden only in the arguments that type it: elsewhere it would match half the page."""
_MOST_SPELLED: Final = 200
"""Characters that are matched in every spelling JSON allows; a longer text only in the two that programs use."""
_WORDS: Final = frozenset(
    {
        "kind",
        "agent",
        "application",
        "machine",
        "source",
        "to",
        "cause",
        "state",
        "status",
        "effect",
        "route",
        "outcome",
        "tool",
        "path",
        "session_id",
        "call_id",
    }
)
"""Fields whose words are the program's own."""


def redacted_events(session_dir: Path) -> list[Event]:
    """The events of a session without its secret texts. Raises: as `read_events`."""
    return without_passwords(list(read_events(session_dir)))


def without_passwords(events: Sequence[Event]) -> list[Event]:
    """Return the events with each secret text replaced wherever it occurs: arguments, replies, thoughts, reasons."""
    hiding = Hiding(events)
    return [_without(event, hiding) for event in events]


class Hiding:
    """Finds and replaces the secret texts of a session, also in JSON spelling and cut short."""

    def __init__(self, events: Iterable[Event | ActionEvent]) -> None:
        typed = {text for event in events for text in _typed(event) if len(text) >= SHORTEST}
        among_keys = {text.translate(_BRACES): text for text in typed}
        self._meant = {**among_keys, **{text: text for text in typed}}
        self._texts = sorted(self._meant, key=len, reverse=True)
        self._whole = re.compile("|".join(f"({_written(text)})" for text in self._texts)) if self._texts else None

    def hide(
        self, text: str, hidden: Callable[[str], str] = lambda _: HIDDEN, plain: Callable[[str], str] = lambda it: it
    ) -> str:
        """Return the text with each secret replaced by `hidden` of it, and the text between them by `plain`."""
        if self._whole is None:
            return plain(text)
        parts, end = list[str](), 0
        for found in self._whole.finditer(text):
            secret = self._texts[(found.lastindex or 1) - 1]
            parts += [self._but_cut(text[end : found.start()], plain), hidden(self._meant[secret])]
            end = found.end()
        return "".join([*parts, self._but_cut(text[end:], plain)])

    def _but_cut(self, text: str, plain: Callable[[str], str]) -> str:
        """Replace a secret's beginning whose rest was cut off."""
        before, *others = text.split(CUT)
        parts = list[str]()
        for other in others:
            length = max((_common(before, form) for secret in self._texts for form in _forms(secret)), default=0)
            parts += [plain(before[: len(before) - length]), HIDDEN if length else "", CUT]
            before = other
        return "".join([*parts, plain(before)])


def may_be_password(command: Command) -> bool:
    """True if keys may leave their target, and the window shows a password that their text may go to."""
    seen = command.seen.controls if command.seen else ()
    return keys_may_leave_target(command) and any(control.type is Role.PASSWORD for control in seen)


def keys_may_leave_target(command: Command) -> bool:
    """True if it types keys that need not all go to a named control."""
    if command.tool_name not in {"keyboard_input", "hold_keys"}:
        return False
    return command.target is None or "{" in str(command.parameters.get(_KEYS))


def arguments_of(event: ActionEvent, hide: Callable[[str], str] = lambda _: HIDDEN) -> JsonObject:
    """The arguments of an action, with each text replaced that goes, or may go, to a password."""
    if not event.is_secret:
        return event.arguments
    return with_typed(event.arguments, hide, surely=event.is_on_password)


def with_typed(
    arguments: Mapping[str, V], hide: Callable[[str], str] = lambda _: HIDDEN, *, surely: bool
) -> dict[str, V | str]:
    """Return the arguments with each typed text replaced. `surely`: it goes to a password.

    If it only may go to one, a text of less than three characters is left: it is most often a command.
    """

    def hidden(text: str) -> str:
        return hide(text) if surely or len(text) >= SHORTEST else text

    redacted: dict[str, V | str] = dict(arguments)
    for name in TYPED & {*redacted}:
        value = str(redacted[name])
        redacted[name] = _keys(value, hidden) if name == _KEYS else hidden(value)
    return redacted


def _keys(value: str, change: Callable[[str], str]) -> str:
    try:
        return with_texts(value, change)
    except ReplyDefect:  # nothing of it was pressed
        return change(value)


def _typed(event: Event | ActionEvent) -> list[str]:
    found: list[str] = []
    if isinstance(event, ActionEvent):
        arguments_of(event, lambda text: found.append(text) or "")
    return found


def _written(text: str) -> str:
    """A pattern for a text, literally and in JSON spellings, also nested in another JSON."""
    if len(text) > _MOST_SPELLED:
        return "|".join(map(re.escape, _forms(text)))
    return "".join(map(_character, text))


def _character(character: str) -> str:
    data = character.encode("utf-16-be", "surrogatepass")
    escape = "".join(rf"\\{{1,4}}u(?i:{data[at : at + 2].hex()})" for at in range(0, len(data), 2))
    named = json.dumps(character)[1:-1]
    short = [rf"\\{{1,4}}{named[1]}"] if len(named) == 2 and named[1].isalpha() else []
    plain = re.escape(character) if character.isalnum() or character.isspace() else rf"\\{{0,4}}{re.escape(character)}"
    return f"(?:{'|'.join([plain, *short, escape])})"


def _forms(text: str) -> set[str]:
    return {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def _common(text: str, secret: str) -> int:
    """Length of the secret's beginning at the end of a text; 0 if it is shorter than `SHORTEST`."""
    lengths = range(min(len(text), len(secret)), SHORTEST - 1, -1)
    return next((length for length in lengths if text.endswith(secret[:length])), 0)


def _without(event: Event, hiding: Hiding) -> Event:
    if isinstance(event, ActionEvent):
        event = event.model_copy(update={"arguments": arguments_of(event)})
    fields: JsonObject = event.model_dump(mode="json")
    clean = {name: part if name in _WORDS else _hidden(part, hiding) for name, part in fields.items()}
    return event if clean == fields else EVENTS.validate_python(clean)


def _hidden(value: JsonValue, hiding: Hiding) -> JsonValue:
    match value:
        case str():
            return hiding.hide(value)
        case list():
            return [_hidden(part, hiding) for part in value]
        case dict():
            return {name: _hidden(part, hiding) for name, part in value.items()}
        case _:
            return value
