"""Extraction of one JSON object from a language model's text; fences, prose around it and thoughts are ignored.

Nothing is guessed: if the text holds no object, several, or a damaged one, the defect is a sentence for the model.
"""

import json
import re
from typing import Final, NoReturn, cast

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import LEVELS, JsonObject

MAX_CHARS: Final = 400_000
"""Longer replies are not read: no valid reply of an agent comes near."""
_OBJECT: Final = re.compile(r'\{\s*["}]|\{(?=\s*\Z)|\{\s*\'\w+\'\s*:')
"""Start of an object, or of an attempted one: prose has braces too."""
_THOUGHTS: Final = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)


def reply_object(text: str) -> JsonObject:
    """The one JSON object in a reply. Raises: ReplyDefect, in one sentence for the model that wrote it."""
    if len(text) > MAX_CHARS:
        raise ReplyDefect(f"the reply has {len(text)} characters; answer with one short JSON object")
    said = _THOUGHTS.sub("", text).strip()
    if not said:
        raise ReplyDefect("the reply is empty; answer with one JSON object")
    found = _objects(said)
    if not found:
        raise ReplyDefect("the reply holds no JSON object; answer with one and nothing else")
    if any(other != found[0] for other in found[1:]):
        raise ReplyDefect(f"the reply holds {len(found)} JSON objects; answer with exactly one")
    _check(found[0])
    return found[0]


def _objects(text: str) -> list[JsonObject]:
    """The outermost objects of a text, in order. A brace that does not begin one is prose.

    Raises: ReplyDefect if one is damaged: an intact object inside it is not the reply.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_no_number)
    found: list[JsonObject] = []
    begin = _OBJECT.search(text)
    while begin is not None:
        try:
            value, end = decoder.raw_decode(text, begin.start())
        except json.JSONDecodeError as error:
            _complain(text, error)
        except RecursionError as error:
            raise ReplyDefect("the JSON object of the reply is nested too deeply") from error
        except ValueError as error:  # a number with too many digits
            raise ReplyDefect(f"a value of the reply cannot be read: {error}") from error
        found.append(cast("JsonObject", value))  # parsed text that begins with a brace is an object
        begin = _OBJECT.search(text, end)
    return found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose names occur once: of two values for one name neither can be chosen."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ReplyDefect(f"{twice!r} occurs twice in one object of the reply; write it once")
    return made


def _no_number(word: str) -> NoReturn:
    raise ReplyDefect(f"{word} is no JSON value; write a number, a string or null")


def _complain(text: str, error: json.JSONDecodeError) -> NoReturn:
    """Raises: ReplyDefect with the defect of an object."""
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        raise ReplyDefect("the JSON object of the reply is not complete; answer with a shorter, whole one") from error
    around = text[max(0, error.pos - 20) : error.pos + 20]
    raise ReplyDefect(f"the reply is not valid JSON: {error.msg} near {around!r}") from error


def _check(value: object, level: int = 0) -> None:
    """Raises: ReplyDefect for values that cannot be stored: lone surrogates, too deep nesting."""
    if level > LEVELS:
        raise ReplyDefect("the JSON object of the reply is nested too deeply")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ReplyDefect("the reply holds half of a character (a lone surrogate)") from error
    elif isinstance(value, dict):
        for name, part in cast("dict[str, object]", value).items():
            _check(name, level + 1)
            _check(part, level + 1)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            _check(part, level + 1)
