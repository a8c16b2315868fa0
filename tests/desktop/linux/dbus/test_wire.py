"""D-Bus messages as bytes, also those that somebody made up."""

import string
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.desktop.linux.dbus.wire import (
    ARRAY_LIMIT,
    BODY_LIMIT,
    Kind,
    Variant,
    WireError,
    decode,
    encode,
    encode_call,
    next_message,
)

BASIC = {
    "y": st.integers(0, 2**8 - 1),
    "b": st.booleans(),
    "n": st.integers(-(2**15), 2**15 - 1),
    "q": st.integers(0, 2**16 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "u": st.integers(0, 2**32 - 1),
    "x": st.integers(-(2**63), 2**63 - 1),
    "t": st.integers(0, 2**64 - 1),
    "d": st.floats(allow_nan=False),
    "s": st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    "o": st.from_regex(r"(/[a-z0-9]+){1,4}", fullmatch=True),
    "g": st.sampled_from(["", "s", "a{sv}", "(iiii)"]),
}


def containers(inner: "st.SearchStrategy[tuple[str, Any]]") -> "st.SearchStrategy[tuple[str, Any]]":
    arrays = inner.map(lambda typed: ("a" + typed[0], [typed[1]] * 3))
    structs = st.lists(inner, min_size=1, max_size=4).map(
        lambda parts: (f"({''.join(t for t, _ in parts)})", tuple(v for _, v in parts))
    )
    mappings = inner.map(lambda typed: (f"a{{s{typed[0]}}}", {"a": typed[1], "b": typed[1]}))
    return arrays | structs | mappings


def typed_values() -> "st.SearchStrategy[tuple[str, Any]]":
    basic = st.one_of([values.map(lambda value, code=code: (code, value)) for code, values in BASIC.items()])
    return st.recursive(basic, containers, max_leaves=8)


@given(st.lists(typed_values(), max_size=4))
def test_what_is_encoded_is_decoded(typed: list[tuple[str, Any]]) -> None:
    signature = "".join(code for code, _ in typed)
    assert list(decode(signature, encode(signature, [value for _, value in typed]))) == [value for _, value in typed]


@given(typed_values())
def test_a_variant_arrives_as_what_it_holds(typed: tuple[str, Any]) -> None:
    assert decode("v", encode("v", [Variant(*typed)])) == [typed[1]]


@given(st.binary(max_size=300), st.sampled_from(["s", "v", "a(so)", "a{sv}", "au", "(iiii)", "aas", "a(sss)", "ag"]))
def test_made_up_bytes_are_a_value_or_an_error_and_nothing_else(data: bytes, signature: str) -> None:
    with suppress(WireError):
        decode(signature, data)


@given(st.binary(max_size=200))
def test_a_made_up_message_is_incomplete_whole_or_an_error(rest: bytes) -> None:
    data = bytearray(b"l\2\0\1" + rest)
    try:
        found = next_message(data, 0)
    except WireError:
        return
    assert found is None or found[1] <= len(data)


@given(st.text(string.ascii_letters + "(){}", max_size=12))
def test_a_made_up_signature_is_an_error_unless_it_is_one(signature: str) -> None:
    with suppress(WireError):
        decode(signature, b"\0" * 4096)


def test_a_message_in_pieces_is_taken_when_its_last_byte_is_there() -> None:
    whole = bytearray(encode_call(3, ":1.1", "/a", "a.b", "Go", "s", ["text"]))
    assert all(next_message(whole[:length], 0) is None for length in range(len(whole)))
    twice = whole + whole
    first = next_message(twice, 0)
    assert first is not None
    assert (first[0].kind, first[0].serial, list(first[0].values())) == (Kind.CALL, 3, ["text"])
    assert next_message(twice, first[1]) is not None


@pytest.mark.parametrize(
    ("signature", "values"),
    [("s", (1,)), ("i", ("1",)), ("ss", ("a",)), ("y", (256,)), ("s", ("\ud800",)), ("a", ((),))],
)
def test_values_that_do_not_fit_their_signature_are_not_sent(signature: str, values: tuple[object, ...]) -> None:
    with pytest.raises(WireError):
        encode(signature, values)


def test_a_length_beyond_the_protocols_limit_is_no_message() -> None:
    with pytest.raises(WireError, match="longer than the protocol allows"):
        next_message(bytearray(b"l\2\0\1" + b"\xff\xff\xff\x7f" + b"\0" * 8), 0)


@given(st.text("()av{}su", max_size=8))
def test_a_made_up_signature_is_an_error_or_has_an_end(signature: str) -> None:
    """An array of what takes no room has none."""
    with suppress(WireError):
        decode(signature, b"\x08\0\0\0" * 64)


@pytest.mark.requires("desktop.bounded-answers")
@pytest.mark.parametrize("signature", ["a()", "()", "a{}", "a{s}", "a{sss}"])
def test_a_signature_of_nothing_or_of_half_a_pair_is_none(signature: str) -> None:
    with pytest.raises(WireError, match="is no signature"):
        decode(signature, b"\x08\0\0\0" + b"\0" * 12)


@pytest.mark.requires("desktop.bounded-answers")
@pytest.mark.parametrize(
    ("signature", "body"),
    [("v", b"\x02ss\0" + b"\0" * 20), ("a{vs}", b"\x18\0\0\0\0\0\0\0" + b"\x02au\0\0\0\0\0" + b"\0" * 16)],
    ids=["a variant of two", "a list as a key"],
)
def test_values_that_nothing_can_be_made_of_are_an_error(signature: str, body: bytes) -> None:
    with pytest.raises(WireError):
        decode(signature, body)


@pytest.mark.requires("desktop.bounded-answers")
@pytest.mark.parametrize(("signature", "item"), [("a(so)", (":1.1", "/a")), ("au", 7), ("as", "word"), ("a{su}", None)])
def test_a_long_array_is_read_in_part_and_what_follows_it_too(signature: str, item: object) -> None:
    many = {f"{number:09}": number for number in range(100_000)} if item is None else [item] * 300_000
    values, after = decode(f"{signature}s", encode(f"{signature}s", [many, "after"]))
    assert 0 < len(values) <= ARRAY_LIMIT / 4 < 300_000
    assert after == "after"


@pytest.mark.requires("desktop.bounded-answers")
def test_a_body_beyond_its_limit_is_not_read() -> None:
    with pytest.raises(WireError, match="bytes"):
        decode("s", b"\0" * (BODY_LIMIT + 1))


def big_endian(reply_serial: int, sender: str, body: bytes) -> bytes:
    """An answer in the other byte order."""
    fields = b"\x05\x01u\0" + reply_serial.to_bytes(4, "big") + b"\x08\x01g\0\x01s\0\0"
    fields += b"\x07\x01s\0" + len(sender).to_bytes(4, "big") + sender.encode() + b"\0"
    lengths = b"".join(number.to_bytes(4, "big") for number in (len(body), 9, len(fields)))
    return b"B\2\0\1" + lengths + fields + b"\0" * (-len(fields) % 8) + body


@pytest.mark.requires("desktop.bounded-answers")
def test_a_message_in_the_other_byte_order_is_an_answer_without_content() -> None:
    message = big_endian(77, ":1.5", b"\0\0\0\1a\0")
    data = bytearray(message + encode_call(3, ":1.1", "/a", "a.b", "Go", "", []))
    found = next_message(data, 0)
    assert found is not None
    assert (found[0].kind, found[0].reply_serial, found[0].said.sender) == (Kind.RETURN, 77, ":1.5")
    with pytest.raises(WireError, match="big-endian"):
        found[0].values()
    assert next_message(data, found[1]) is not None
    assert all(next_message(bytearray(message[:length]), 0) is None for length in range(len(message)))


@given(st.binary(max_size=200))
def test_a_made_up_message_in_the_other_byte_order_is_incomplete_whole_or_an_error(rest: bytes) -> None:
    data = bytearray(b"B\2\0\1" + rest)
    with suppress(WireError):
        found = next_message(data, 0)
        assert found is None or found[1] <= len(data)


def test_what_cannot_be_said_is_not_quoted() -> None:
    with pytest.raises(WireError) as raised:
        encode("s", ["secret\ud83d"])
    assert "secret" not in str(raised.value)
    assert "UnicodeEncodeError" in str(raised.value)
