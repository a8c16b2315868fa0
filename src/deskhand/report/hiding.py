"""What was typed where a password goes: it stays in the journal, which a session needs to go on, and out of reports."""

import json
import re
from collections.abc import Sequence
from typing import Final

from deskhand.core.events import EVENTS, ActionFinished, ActionIntended, Event
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role

_HIDDEN: Final = "•••"
_KEY: Final = re.compile(r"\{[^{}]+\}|\s*\n\s*")
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


def _typed(event: Event) -> list[str]:
    if not isinstance(event, ActionIntended | ActionFinished) or event.target is None:
        return []
    if event.target.role != Role.PASSWORD:
        return []
    said = {event.target.id, event.target.name, ""}
    values = [value for value in event.arguments.values() if isinstance(value, str) and value not in said]
    return [*values, *(text for value in values for text in texts_in(event.tool, value))]


def texts_in(tool: str, value: str) -> list[str]:
    """The texts that a value types, without the keys between them."""
    return [text for text in _KEY.split(value) if text] if tool == "keyboard_input" else [value]


def _without(event: Event, passwords: Sequence[str]) -> Event:
    if isinstance(event, ActionIntended | ActionFinished) and (typed := _typed(event)):
        hidden = {name: _HIDDEN if value in typed else value for name, value in event.arguments.items()}
        event = event.model_copy(update={"arguments": hidden})
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
