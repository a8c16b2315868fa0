"""Results of tools as text: exact JSON on one line, and the missing amount where it is cut."""

import json
from collections.abc import Callable
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import cut_json, json_line, size
from deskhand.core.type_checks import items_of, json_of, pairs_of

MAX_OUTPUT: Final = 5000
"""Bytes of one output in a prompt."""
KEPT_BY: Final = "save_as saves all of it"
_NOTE: Final = 240
"""Bytes that the note on the missing part may take."""


def output_line(tool: str, value: object, *, most: int = MAX_OUTPUT, kept_by: str = KEPT_BY) -> str:
    """Return a result in at most `most` bytes. A text is cut between characters, a table between its rows.

    `kept_by`: how the reader gets all of it, whatever the tool; empty where there is no such way.
    """
    whole = json_line(value)
    if size(whole) <= most:
        return whole
    room = most - _NOTE
    parts = dict(pairs_of(value))
    if isinstance(text := parts.get("text"), str):
        count = _most(len(text), room, lambda count: json_line({**parts, "text": text[:count]}))
        start = parts.get("start")
        follows = count + (start if isinstance(start, int) else 0)
        shown, of = json_line({**parts, "text": text[:count]}), f"{count} of its {len(text)} characters"
        rest = f"texts with start={follows} gives what follows" if tool == "texts" else ""
    elif rows := items_of(parts.get("cells"), object):
        count = _most(len(rows), room, lambda count: json_line({**parts, "cells": rows[:count]}))
        shown, of = json_line({**parts, "cells": rows[:count]}), f"{count} of its {len(rows)} rows"
        rest = "read_table with range gives others" if parts.get("range") else ""
    else:
        shown = f"{cut_json(whole, room)}…"
        of, rest = f"{len(shown) - 1} of {len(whole)} characters of JSON", ""
    return f"{shown} (cut: {'; '.join(filter(None, (of, rest, kept_by)))})"


def with_inner_json(value: object) -> JsonObject:
    """Return the data of a foreign server's tool, a text that is JSON as that: quoted, its escapes would be doubled."""
    return {key: parsed(part) for key, part in pairs_of(value)}


def parsed(value: object) -> JsonValue:
    """Return the JSON that a text is; any other value as it is."""
    try:
        found = json.loads(value) if isinstance(value, str) and value.lstrip()[:1] in {"{", "["} else value
    except ValueError:
        found = value
    return json_of(found)


def _most(limit: int, room: int, line: Callable[[int], str]) -> int:
    """Return the largest count with which the line takes no more than `room` bytes."""
    low, high = 0, min(limit, room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(line(middle)) <= room else (low, middle - 1)
    return low
