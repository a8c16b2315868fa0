"""D-Bus messages as bytes: the part of the wire format that accessibility needs, little-endian.

Messages of a peer are not trusted: any fault in one is a `WireError`, and no answer takes long to read.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

MAX_MESSAGE_BYTES: Final = 2**27
"""The protocol's own limit."""

BODY_LIMIT: Final = 2**25
"""Bytes of a body that is read; the text of a large document fits."""

ARRAY_LIMIT: Final = 2**20
"""Bytes of an array that are read; the rest is left out. No list of this length is used to its end."""

_DEPTH_LIMIT: Final = 64
_KEPT: Final = 4096
"""Signatures and the like that are remembered: peers choose them."""

SHORT: Final = frozenset({"", "i", "ii", "ss", "u"})
"""Signatures of bodies that are sent again and again, are never long, and always fit."""

_SHORT_BODY: Final = 256
"""Bytes of a received body up to which its values are cached: most of an observation repeats an earlier one."""

_A_TEXT: Final = "s"
"""Signature of a text alone, as entered into fields, secrets among it: never cached."""

_PAD: Final = tuple(b"\0" * ((-n) % 8) for n in range(8))
_FIXED_HEADER: Final = struct.Struct("<4B3I")
_BIG_HEADER: Final = struct.Struct(">4B3I")
_U32: Final = struct.Struct("<I")
_length_at: Final = _U32.unpack_from

Value: TypeAlias = Any  # a D-Bus value is typed by its signature
Decode: TypeAlias = Callable[[bytes, int], tuple[Value, int]]
"""From bytes and a place in them to a value and the place after it."""


class WireError(ValueError):
    """Bytes that are no message, or no value of their signature."""


class Kind(IntEnum):
    CALL = 1
    RETURN = 2
    ERROR = 3
    SIGNAL = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """A value with its own signature, for sending; received ones are unpacked."""

    signature: str
    value: Value


class Said(NamedTuple):
    """The fields of a header that are texts."""

    signature: str = ""
    path: str = ""
    interface: str = ""
    member: str = ""
    error_name: str = ""
    sender: str = ""


@dataclass(slots=True)
class Message:
    """A received message. `body` is not decoded yet; `values` does.

    A message in the other byte order, which no toolkit sends, has its sender and the serial it answers, nothing else.
    """

    kind: int
    serial: int
    body: bytes
    reply_serial: int
    said: Said
    foreign: bool = False

    def values(self) -> Sequence[Value]:
        """Decode the body; do not change it: equal messages share it. Raises: WireError."""
        if self.foreign:
            raise WireError("it is big-endian")
        if len(self.body) <= _SHORT_BODY and self.said.signature != _A_TEXT:
            return _decode_short(self.said.signature, self.body)
        return decode(self.said.signature, self.body)


def encode_call(  # noqa: PLR0913, PLR0917 - the parts of a call
    serial: int, destination: str, path: str, interface: str, member: str, signature: str, body: Sequence[Value]
) -> bytes:
    """A method call as bytes. Raises: WireError where the body does not fit its signature."""
    place = _path_field(path)
    if signature in SHORT:
        end = _short_end_of_call(destination, interface, member, signature, tuple(body))
    else:
        end = _end_of_call(destination, interface, member, signature, body)
    return _FIXED_HEADER.pack(0x6C, 1, 0, 1, end.body_length, serial, len(place) + end.fields_length) + place + end.data


class _End(NamedTuple):
    """Return the part of a call after its path, the fields of the header first. Calls of one kind share it."""

    data: bytes
    fields_length: int
    body_length: int


def _end_of_call(destination: str, interface: str, member: str, signature: str, body: Sequence[Value]) -> _End:
    content = encode(signature, body)
    fields = _padded(b"\x08\x01g\0" + bytes((len(signature),)) + signature.encode() + b"\0") if signature else b""
    fields += _padded(_text_field(6, "s", destination)) + _padded(_text_field(2, "s", interface))
    fields += _text_field(3, "s", member)
    return _End(fields + _PAD[len(fields) % 8] + content, len(fields), len(content))


_short_end_of_call = lru_cache(_KEPT)(_end_of_call)


@lru_cache(_KEPT)
def _path_field(path: str) -> bytes:
    return _padded(_text_field(1, "o", path))


def _text_field(code: int, kind: str, text: str) -> bytes:
    raw = text.encode()
    return bytes((code, 1, ord(kind), 0)) + _U32.pack(len(raw)) + raw + b"\0"


def _padded(field: bytes) -> bytes:
    return field + _PAD[len(field) % 8]


def next_message(data: bytearray, start: int) -> tuple[Message, int] | None:
    """The message that begins at `start`, and where the next one does; None: not all of it is here yet.

    Raises: WireError.
    """
    if len(data) - start < _FIXED_HEADER.size:
        return None
    order, kind, _, version, body_length, serial, fields_length = _FIXED_HEADER.unpack_from(data, start)
    if order == 0x42:
        return _foreign_message(data, start)
    if order != 0x6C or version != 1:
        raise WireError("this is not the beginning of a message")
    first = start + 16
    stop = first + fields_length
    begin = stop + -fields_length % 8
    end = begin + body_length
    if len(data) < end:
        if end - start > MAX_MESSAGE_BYTES:
            raise WireError(f"a message of {end - start} bytes is longer than the protocol allows")
        return None
    try:
        reply_serial, said = _header_fields(bytes(data[first:stop]))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise WireError(f"the header cannot be read: {error}") from error
    return Message(kind, serial, bytes(data[begin:end]), reply_serial, said), end


def _foreign_message(data: bytearray, start: int) -> tuple[Message, int] | None:
    """Read a big-endian message, which a bus passes on like any other: its sender, the serial it answers, its end."""
    swapped = bytearray(_FIXED_HEADER.pack(0x6C, *_BIG_HEADER.unpack_from(data, start)[1:]))
    _, _, _, _, body_length, _, fields_length = _FIXED_HEADER.unpack(swapped)
    header = _FIXED_HEADER.size + fields_length
    end = start + header + -header % 8 + body_length
    if end - start > MAX_MESSAGE_BYTES:
        raise WireError(f"a message of {end - start} bytes is longer than the protocol allows")
    if len(data) < end:
        return None
    reply_serial, sender = 0, ""
    try:
        at, stop = start + _FIXED_HEADER.size, start + header
        while at < stop:
            length = data[at + 4] if data[at + 2] == ord("g") else int.from_bytes(data[at + 4 : at + 8], "big")
            size = {ord("u"): 8, ord("g"): 6 + length}.get(data[at + 2], 9 + length)
            if (data[at], data[at + 2]) == (5, ord("u")):
                reply_serial = length
            elif data[at] == 7:
                sender = data[at + 8 : at + 8 + length].decode()
            at += size + -(at + size - start) % 8
    except (IndexError, UnicodeDecodeError) as error:
        raise WireError(f"the header cannot be read: {error}") from error
    return Message(swapped[1], 0, b"", reply_serial, Said(sender=sender), foreign=True), end


_FIELDS: Final = {1: "path", 2: "interface", 3: "member", 4: "error_name", 7: "sender", 8: "signature"}
_REPLY_SERIAL: Final = b"\x05\x01u\0"


def _header_fields(fields: bytes) -> tuple[int, Said]:
    """Split an answer's header into the serial of its call, which differs each time, and the part that all answers
    share.
    """
    at = fields.find(_REPLY_SERIAL)
    if at < 0 or at % 8 or len(fields) < at + 8:
        return 0, _said(fields, 0)
    return _U32.unpack_from(fields, at + 4)[0], _said_beside(fields[:at] + fields[at + 8 :], at)


def _said(fields: bytes, whole_until: int) -> Said:
    """The texts among the fields, one of which ends at `whole_until`."""
    found: dict[str, str] = {}
    at, end = 0, len(fields)
    while at < end:
        stop = whole_until if at < whole_until else end
        code, kind = fields[at], fields[at + 2]
        if kind == ord("u"):
            at += 8
            continue
        if kind == ord("g"):
            length, first = fields[at + 4], at + 5
        elif kind in {ord("s"), ord("o")}:
            length, first = _U32.unpack_from(fields, at + 4)[0], at + 8
        else:
            raise WireError(f"a header field of type {chr(kind)!r}")
        if first + length >= stop:
            raise WireError("a header field that is longer than its place")
        if code in _FIELDS:
            found[_FIELDS[code]] = fields[first : first + length].decode()
        at = first + length + 1
        at += -at % 8
    return Said(**found)


_said_beside = lru_cache(_KEPT)(_said)


def decode(signature: str, body: bytes) -> Sequence[Value]:
    """The values of a body, long arrays only as far as `ARRAY_LIMIT`. Raises: WireError."""
    if len(body) > BODY_LIMIT:
        raise WireError(f"a body of {len(body)} bytes")
    values: list[Value] = []
    at = 0
    try:
        for one in _decoders(signature):
            value, at = one(body, at)
            values.append(value)
    except (struct.error, IndexError, ValueError, TypeError, RecursionError) as error:
        raise WireError(f"{len(body)} bytes are no {signature!r}: {error}") from error
    return values


_decode_short = lru_cache(_KEPT)(decode)


def encode(signature: str, values: Sequence[Value]) -> bytes:
    """A body. Raises: WireError."""
    out = bytearray()
    at = 0
    try:
        for value in values:
            end = _end_of_type(signature, at)
            _put(out, signature[at:end], value)
            at = end
    except (struct.error, TypeError, AttributeError, IndexError, UnicodeEncodeError) as error:
        kind = type(error).__name__  # a value may be a password
        raise WireError(f"{len(values)} values do not fit {signature!r}: {kind}") from error
    if at != len(signature):
        raise WireError(f"{len(values)} values are fewer than {signature!r} has")
    return bytes(out)


_NUMBERS: Final = {
    "y": struct.Struct("<B"),
    "b": struct.Struct("<I"),
    "n": struct.Struct("<h"),
    "q": struct.Struct("<H"),
    "i": struct.Struct("<i"),
    "u": struct.Struct("<I"),
    "h": struct.Struct("<I"),
    "x": struct.Struct("<q"),
    "t": struct.Struct("<Q"),
    "d": struct.Struct("<d"),
}
_SHORT_LIST: Final = 1000
"""Bytes of a list of words up to which it may be remembered."""

_ALIGNED_8: Final = frozenset("({xtd")


@lru_cache(_KEPT)
def _decoders(signature: str) -> tuple[Decode, ...]:
    """One decoder for each complete type. Raises: WireError."""
    found: list[Decode] = []
    at = 0
    while at < len(signature):
        end = _end_of_type(signature, at)
        found.append(_decoder(signature[at:end]))
        at = end
    return tuple(found)


def _end_of_type(signature: str, at: int, depth: int = 0) -> int:
    code = signature[at : at + 1] if depth <= _DEPTH_LIMIT else ""
    if code == "a":
        return _end_of_type(signature, at + 1, depth + 1)
    if code == "(":
        return _end_of_parts(signature, at + 1, depth + 1, closing=")")
    if code == "{":
        return _end_of_parts(signature, at + 1, depth + 1, closing="}", wanted=2)
    if code in _NUMBERS or (code and code in "sogv"):
        return at + 1
    raise WireError(f"{signature!r} is no signature")


def _end_of_parts(signature: str, at: int, depth: int, *, closing: str, wanted: int = 0) -> int:
    """Return the end of a struct or dict entry. `wanted`: its number of parts; 0: any but none."""
    parts = 0
    while at < len(signature) and signature[at] != closing:
        at = _end_of_type(signature, at, depth)
        parts += 1
    if at >= len(signature) or not parts or (wanted and parts != wanted):
        raise WireError(f"{signature!r} is no signature")
    return at + 1


@lru_cache(_KEPT)
def _decoder(signature: str) -> Decode:
    code = signature[0]
    if code in _NUMBERS:
        return _number(code)
    if code in "so":
        return _text
    if code == "g":
        return _signature
    if code == "v":
        return _variant
    if code == "a":
        return _array(signature[1:])
    return _struct(signature[1:-1])


def _number(code: str) -> Decode:
    number, size = _NUMBERS[code], _NUMBERS[code].size
    unpack = number.unpack_from

    def read(data: bytes, at: int) -> tuple[Value, int]:
        at += -at % size
        return unpack(data, at)[0], at + size

    def read_bool(data: bytes, at: int) -> tuple[Value, int]:
        at += -at % 4
        return bool(unpack(data, at)[0]), at + 4

    return read_bool if code == "b" else read


def _text(data: bytes, at: int) -> tuple[Value, int]:
    start = at + -at % 4 + 4
    end = start + _length_at(data, start - 4)[0]
    if end >= len(data):
        raise IndexError("a text that is longer than the message")
    return data[start:end].decode("utf-8", "replace"), end + 1


def _signature(data: bytes, at: int) -> tuple[Value, int]:
    length = data[at]
    return data[at + 1 : at + 1 + length].decode("ascii"), at + 2 + length


def _variant(data: bytes, at: int) -> tuple[Value, int]:
    signature, at = _signature(data, at)
    (one,) = _decoders(signature) or (None,)
    if one is None:
        raise IndexError("a variant of nothing")
    return one(data, at)


def _array(inner: str) -> Decode:
    if inner[0] == "{":
        return _mapping(_struct(inner[1:-1]))
    if inner in {"u", "i"}:
        return _integers(inner)
    if inner == "s":
        return _texts
    one, aligned = _decoder(inner), inner[0] in _ALIGNED_8

    def read(data: bytes, at: int) -> tuple[Value, int]:
        at, stop, end = _bounds(data, at, aligned=aligned)
        values: list[Value] = []
        while at < stop:
            value, at = one(data, at)
            values.append(value)
        return values, end

    return read


def _texts(data: bytes, at: int) -> tuple[Value, int]:
    """Lists of words, such as interfaces, are the same for many: they are read once."""
    at, _, end = _bounds(data, at, aligned=False)
    raw = data[at:end]
    return list(_kept_words(raw) if len(raw) < _SHORT_LIST else _words(raw)), end


def _words(raw: bytes) -> tuple[str, ...]:
    words: list[str] = []
    at, stop = 0, min(len(raw), ARRAY_LIMIT)
    while at < stop:
        word, at = _text(raw, at)
        words.append(word)
    return tuple(words)


_kept_words = lru_cache(_KEPT)(_words)


def _integers(code: str) -> Decode:
    kind = "I" if code == "u" else "i"

    def read(data: bytes, at: int) -> tuple[Value, int]:
        at, stop, end = _bounds(data, at, aligned=False)
        return list(struct.unpack_from(f"<{(stop - at) // 4}{kind}", data, at)), end

    return read


def _mapping(pair: Decode) -> Decode:
    def read(data: bytes, at: int) -> tuple[Value, int]:
        at, stop, end = _bounds(data, at, aligned=True)
        values: dict[Value, Value] = {}
        while at < stop:
            (key, value), at = pair(data, at)
            values[key] = value
        return values, end

    return read


def _bounds(data: bytes, at: int, *, aligned: bool) -> tuple[int, int, int]:
    """Return where an array's first element begins, where the last one that is read may begin at most, and its end."""
    at += -at % 4
    length = _U32.unpack_from(data, at)[0]
    at += 4
    if aligned:
        at += -at % 8
    if at + length > len(data):
        raise IndexError("an array that is longer than the message")
    return at, at + min(length, ARRAY_LIMIT), at + length


def _pair(data: bytes, at: int) -> tuple[Value, int]:
    """Two texts: a reference to an object."""
    start = at + -at % 8 + 4
    end = start + _length_at(data, start - 4)[0]
    after = end + 5 + -(end + 1) % 4
    last = after + _length_at(data, after - 4)[0]
    if last >= len(data):
        raise IndexError("a text that is longer than the message")
    return (data[start:end].decode("utf-8", "replace"), data[after:last].decode("utf-8", "replace")), last + 1


def _struct(inner: str) -> Decode:
    if inner in {"so", "ss"}:
        return _pair
    parts = _decoders(inner)

    def read(data: bytes, at: int) -> tuple[Value, int]:
        at += -at % 8
        values: list[Value] = []
        for part in parts:
            value, at = part(data, at)
            values.append(value)
        return tuple(values), at

    return read


def _put(out: bytearray, signature: str, value: Value) -> None:
    code = signature[0]
    if code in _NUMBERS:
        number = _NUMBERS[code]
        out += b"\0" * (-len(out) % number.size) + number.pack(value)
    elif code in "so":
        raw = value.encode()
        if b"\0" in raw:
            raise WireError("a text with a character of number 0, for which a bus closes the connection")
        out += b"\0" * (-len(out) % 4) + _U32.pack(len(raw)) + raw + b"\0"
    elif code == "g":
        out += bytes((len(value),)) + value.encode("ascii") + b"\0"
    elif code == "v":
        _put(out, "g", value.signature)
        _put(out, value.signature, value.value)
    elif code == "a":
        _put_array(out, signature[1:], value)
    else:
        out += b"\0" * (-len(out) % 8)
        _put_all(out, signature[1:-1], value)


def _put_array(out: bytearray, inner: str, values: Value) -> None:
    out += b"\0" * (-len(out) % 4)
    place = len(out)
    out += b"\0" * 4
    if inner[0] in _ALIGNED_8:
        out += b"\0" * (-len(out) % 8)
    start = len(out)
    for value in values.items() if inner[0] == "{" else values:
        _put(out, inner, value)
    out[place : place + 4] = _U32.pack(len(out) - start)


def _put_all(out: bytearray, signature: str, values: Sequence[Value]) -> None:
    at = 0
    for value in values:
        end = _end_of_type(signature, at)
        _put(out, signature[at:end], value)
        at = end
