"""What was typed where a password goes: it stays in the journal, which a session needs to go on, and out of reports."""

import json
from collections.abc import Callable, Sequence
from typing import Final

from deskhand.commands.tools.keys import with_texts
from deskhand.core.errors import ReplyDefect
from deskhand.core.events import EVENTS, ActionFinished, ActionIntended, Event
from deskhand.core.json import JsonObject, JsonValue

_HIDDEN: Final = "•••"
_KEYS: Final = "keys"
_BRACES: Final = str.maketrans({"{": "{{}", "}": "{}}"})
"""How braces are written among keys."""
TYPED: Final = frozenset({_KEYS, "text"})
"""The arguments that are typed."""
_SHORTEST: Final = 3
"""Characters: a shorter one is hidden where it was typed, and nowhere else: half the page would be gone."""
_WORDS: Final = frozenset(
    {
        "kind",
        "agent",
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
    }
)
"""Fields whose words are the program's own."""


def without_passwords(events: Sequence[Event]) -> list[Event]:
    """The events, each typed password replaced wherever it occurs: in arguments, replies, thoughts and reasons."""
    typed = {text for event in events for text in _typed(event)}
    long = sorted((text for text in typed if len(text) >= _SHORTEST), key=len, reverse=True)
    return [_without(event, long) for event in events] if typed else list(events)


def arguments_of(event: ActionIntended | ActionFinished, hide: Callable[[str], str] = lambda _: _HIDDEN) -> JsonObject:
    """The arguments of an action, each text changed that was, or may have been, typed where a password goes.

    Of keys that only may have been, a text of less than three characters stands for itself: most often it is a command.
    """

    def hidden(text: str) -> str:
        return hide(text) if event.is_on_password or len(text) >= _SHORTEST else text

    if not event.is_secret:
        return event.arguments
    told = dict(event.arguments)
    for name in TYPED & {*told}:
        value = str(told[name])
        told[name] = _keys(value, hidden) if name == _KEYS else hidden(value)
    return told


def _keys(value: str, change: Callable[[str], str]) -> str:
    try:
        return with_texts(value, change)
    except ReplyDefect:  # nothing was pressed of it
        return change(value)


def _typed(event: Event) -> list[str]:
    found: list[str] = []
    if isinstance(event, ActionIntended | ActionFinished):
        arguments_of(event, lambda text: found.append(text) or "")
    return [*found, *(text.translate(_BRACES) for text in found)]


def _without(event: Event, passwords: Sequence[str]) -> Event:
    if isinstance(event, ActionIntended | ActionFinished):
        event = event.model_copy(update={"arguments": arguments_of(event)})
    told: JsonObject = event.model_dump(mode="json")
    clean = {name: part if name in _WORDS else _hidden(part, passwords) for name, part in told.items()}
    return event if clean == told else EVENTS.validate_python(clean)


def _hidden(value: JsonValue, passwords: Sequence[str]) -> JsonValue:
    match value:
        case str():
            for password in passwords:
                value = value.replace(json.dumps(password, ensure_ascii=False)[1:-1], _HIDDEN).replace(
                    password, _HIDDEN
                )
            return value
        case list():
            return [_hidden(part, passwords) for part in value]
        case dict():
            return {name: _hidden(part, passwords) for name, part in value.items()}
        case _:
            return value
