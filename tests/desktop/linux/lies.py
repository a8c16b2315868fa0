"""What the lying peer says: each lie is an answer to a question, None for silence, True for the truth."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.roles import ENABLED, MANAGES_DESCENDANTS, SHOWING
from deskhand.desktop.linux.dbus.wire import Kind, encode

APPLICATION, FRAME, PANEL, BUTTON, LIST_ITEM, TABLE = 75, 23, 39, 43, 32, 55
PREFIX = "/org/a11y/atspi/accessible/"
WINDOW = PREFIX + "frame"
SHEET = PREFIX + "sheet"
BUTTONS = tuple(f"{PREFIX}b{number}" for number in range(20))
MANY = 100_000
HUGE = 10_000_000
SOON = 40
"""Calls after which what comes later goes wrong; observing the honest window takes more."""


@dataclass(frozen=True)
class Question:
    """`number`: how many calls came since the lie began; `private`: over the private socket."""

    path: str
    member: str
    own: str
    title: str
    number: int
    private: bool
    address: str
    argument: str
    arguments: tuple[object, ...] = ()

    def refs(self, *paths: str) -> list[tuple[str, str]]:
        return [(self.own, path) for path in paths]


@dataclass(frozen=True)
class Answer:
    """`raw`: the body, whatever the signature says."""

    signature: str = ""
    values: tuple[object, ...] = ()
    kind: Kind = Kind.RETURN
    raw: bytes | None = None
    big_endian: bool = False
    after_s: float = 0.0


class HangUp(Exception):
    """The private connection is closed without a word."""


Told: TypeAlias = Answer | Literal[True] | None
Lie: TypeAlias = Callable[[Question], Told]


def refusal(member: str) -> Answer:
    return Answer("s", (f"no {member} here",), Kind.ERROR)


def honest(it: Question) -> Answer | None:
    """The truth: a window with twenty buttons. What is not known is a panel without children."""
    role = {calls.ROOT_PATH: APPLICATION, WINDOW: FRAME, SHEET: TABLE}.get(it.path, PANEL)
    role = BUTTON if it.path in BUTTONS else role
    state = SHOWING | ENABLED | (MANAGES_DESCENDANTS if it.path == SHEET else 0)
    children = {calls.ROOT_PATH: (WINDOW,), WINDOW: BUTTONS}.get(it.path, ())
    above = {calls.ROOT_PATH: calls.NULL_PATH, WINDOW: calls.ROOT_PATH}.get(it.path, WINDOW)
    answers = {
        "GetState": Answer("au", ([state & 0xFFFFFFFF, state >> 32],)),
        "GetRole": Answer("u", (role,)),
        "Name": Answer("s", (it.title if it.path == WINDOW else it.path.rpartition("/")[2],)),
        "ChildCount": Answer("i", (len(children),)),
        "GetChildren": Answer("a(so)", (it.refs(*children),)),
        "Parent": Answer("(so)", (it.refs(above)[0],)),
        "GetInterfaces": Answer("as", ([calls.ACCESSIBLE, calls.COMPONENT, calls.ACTION],)),
        "GetExtents": Answer("(iiii)", ((60, 60, 100, 20),)),
        "GetActions": Answer("a(sss)", ([("click", "", "")],)),
        "GetRelationSet": Answer("a(ua(so))", ([],)),
        "ToolkitName": Answer("s", ("liar",)),
        "Version": Answer("s", ("1",)),
    }
    if it.member == "GetApplicationBusAddress":
        return Answer("s", (it.address,)) if it.address else None
    return answers.get(it.member)


def below(*answers: tuple[str, Callable[[Question], Answer]]) -> Lie:
    """Lies about these members of everything below the window, and about the window's children."""
    known = dict(answers)

    def lie(it: Question) -> Told:
        honestly = it.path == calls.ROOT_PATH or (it.path == WINDOW and it.member != "GetChildren")
        return True if honestly or it.member not in known else known[it.member](it)

    return lie


def constant(signature: str, *values: object) -> Callable[[Question], Answer]:
    return lambda _: Answer(signature, values)


def _more(number: int) -> Callable[[Question], Answer]:
    return lambda it: Answer("a(so)", (it.refs(*(f"{it.path}/{child}" for child in range(number))),))


def _in_circles(it: Question) -> Answer:
    return Answer("a(so)", (it.refs(it.path, WINDOW, calls.ROOT_PATH, *BUTTONS[:3]),))


def _wide(it: Question) -> Answer:
    return Answer("a(so)", (it.refs(*(f"{PREFIX}w{number}" for number in range(MANY))) if it.path == WINDOW else [],))


def _sheet(it: Question) -> Answer:
    """Only the window has children that may be asked for."""
    paths = (SHEET,) if it.path == WINDOW else tuple(f"{PREFIX}c{number}" for number in range(MANY))
    return Answer("a(so)", (it.refs(*paths),))


def _foreign(it: Question) -> Answer:
    """Its children are those of others (`argument`: a bus name and a path), of nobody, and one of its own."""
    bus, _, path = it.argument.partition(" ")
    children = [(bus, path), (":1.99999", WINDOW), *it.refs(BUTTONS[0])]
    return Answer("a(so)", (children if it.path == WINDOW else [],))


def _no_places(it: Question) -> Answer:
    """What no bus lets through as a name or a path, said as text."""
    names = ("", "no bus", ":", "a", ":1.1\n", "x" * 300)
    paths = ("", "relative", "/ä", "//", "/a/", "/\n")
    children = [(name, WINDOW) for name in names] + [(it.own, path) for path in paths]
    return Answer("a(ss)", (children if it.path == WINDOW else [],))


def _late(it: Question) -> Told:
    answer = honest(it) or refusal(it.member)
    return Answer(answer.signature, answer.values, answer.kind, after_s=0.15)


def _in_turns(it: Question) -> Told:
    return True if it.number % 2 else _late(it)


def _dies(it: Question) -> Told:
    if it.number > SOON:
        os._exit(1)
    return True


def _privately(lie: Lie) -> Lie:
    return lambda it: lie(it) if it.private else True


def _hangs_up(it: Question) -> Told:
    if it.number > SOON:
        raise HangUp
    return True


def _raw(member: str, signature: str, body: bytes) -> Lie:
    """A body that no bus would let through."""
    return _privately(lambda it: Answer(signature, raw=body) if it.member == member else True)


def _no_address(it: Question) -> Told:
    return Answer() if it.member == "GetApplicationBusAddress" else True


def _elsewhere(it: Question) -> Told:
    return Answer("s", (it.argument,)) if it.member == "GetApplicationBusAddress" else True


ITEMS: str = "a((so)(so)(so)iiassusau)"


def _item(it: Question, path: str, parent: str, index: int, children: int) -> tuple[object, ...]:
    """As the cache of GTK 3 has it."""
    role = {WINDOW: FRAME}.get(path, BUTTON)
    said = ([calls.ACCESSIBLE, calls.COMPONENT, calls.ACTION], it.title if path == WINDOW else path[-3:])
    own, above, root = it.refs(path, parent, calls.ROOT_PATH)
    return (own, root, above, index, children, *said, role, "", [SHOWING | ENABLED, 0])


def _whole_list(it: Question) -> list[tuple[object, ...]]:
    buttons = [_item(it, path, WINDOW, index, 0) for index, path in enumerate(BUTTONS)]
    return [_item(it, WINDOW, calls.ROOT_PATH, 0, len(BUTTONS)), *buttons]


def _circular_list(it: Question) -> list[tuple[object, ...]]:
    """Three buttons stand in one another; their names are their paths' ends."""
    first, second, third = BUTTONS[:3]
    circle = [_item(it, first, third, 0, 1), _item(it, second, first, 0, 1), _item(it, third, second, 0, 1)]
    return [_item(it, WINDOW, first, 1, 1), *circle, _item(it, WINDOW, WINDOW, 0, 2)]


def _long_list(it: Question) -> list[tuple[object, ...]]:
    paths = [f"{PREFIX}w{number}" for number in range(MANY // 10)]
    return [
        _item(it, WINDOW, calls.ROOT_PATH, 0, len(paths)),
        *(_item(it, path, WINDOW, 0, 2**31 - 1) for path in paths),
    ]


def _lists(told: Callable[[Question], Answer | None]) -> Lie:
    """An application that says it is made with GTK 3, which is asked for the list of all its elements."""

    def lie(it: Question) -> Told:
        if it.member == "GetItems":
            return told(it)
        said = {"ToolkitName": "gtk", "Version": "3.24.1"}.get(it.member)
        return Answer("s", (said,)) if said else True

    return lie


LIES: dict[str, Lie] = {
    "list": _lists(lambda it: Answer(ITEMS, (_whole_list(it),))),
    "list_without_some": _lists(lambda it: Answer(ITEMS, (_whole_list(it)[:-5],))),
    "list_without_window": _lists(lambda it: Answer(ITEMS, (_whole_list(it)[1:],))),
    "list_in_circles": _lists(lambda it: Answer(ITEMS, (_circular_list(it),))),
    "list_of_others": _lists(
        lambda it: Answer(ITEMS, ([(("org.a11y.atspi.Registry", "/a"), *item[1:]) for item in _whole_list(it)],))
    ),
    "list_too_long": _lists(lambda it: Answer(ITEMS, (_long_list(it),))),
    "list_of_words": _lists(lambda _: Answer("as", (["all", "of", "them"],))),
    "list_refused": _lists(lambda it: refusal(it.member)),
    "list_never_said": _lists(lambda _: None),
    "honest": lambda _: True,
    "forger": lambda _: True,
    "endless": below(("GetChildren", _more(3))),
    "deep": below(("GetChildren", _more(1))),
    "deep_cells": below(("GetChildren", _more(1)), ("GetRole", constant("u", 56))),
    "circles": below(("GetChildren", _in_circles)),
    "nameless_circles": below(
        ("GetChildren", _in_circles), ("GetRole", constant("u", LIST_ITEM)), ("Name", constant("s", ""))
    ),
    "wide": below(("GetChildren", _wide)),
    "sheet": below(
        ("GetChildren", _sheet), ("ChildCount", constant("i", 2**31 - 1)), ("NColumns", constant("i", 2**31 - 1))
    ),
    "words_for_numbers": below(
        ("GetState", constant("as", ["showing", "enabled"])),
        ("GetRole", constant("s", "frame")),
        ("GetExtents", constant("(ssss)", ("0", "0", "9", "9"))),
    ),
    "numbers_for_words": below(
        ("Name", constant("i", 7)),
        ("GetInterfaces", constant("au", [1, 2, 3])),
        ("GetActions", constant("a(i)", [(1,), (2,)])),
        ("GetChildren", constant("a(ii)", [(1, 2)])),
        ("GetRelationSet", constant("a(u)", [(2,)])),
    ),
    "half_relations": below(
        ("GetRelationSet", constant("a(u)", [(2,)])), ("Name", constant("s", "")), ("GetRole", constant("u", 79))
    ),
    "absurd_numbers": below(
        ("GetRole", constant("x", -(2**63))),
        ("GetState", constant("at", [2**64 - 1 - (1 << 6), 2**64 - 1])),
        ("GetExtents", constant("(xxxx)", (-(2**63), 2**63 - 1, 2**63 - 1, -(2**63)))),
    ),
    "words_for_states": below(("GetState", constant("as", ["showing", "enabled"]))),
    "window_of_words": lambda it: Answer("s", ("frame",)) if it.path == WINDOW else True,
    "nothing_said": lambda it: True if it.member == "GetApplicationBusAddress" else Answer(),
    "no_address": _no_address,
    "other_byte_order": below(("Name", lambda _: Answer(big_endian=True))),
    "foreign": below(("GetChildren", _foreign)),
    "no_places": below(("GetChildren", _no_places)),
    "late": _late,
    "late_in_turns": _in_turns,
    "first_only": lambda it: True if it.number <= SOON else None,
    "silent": lambda _: None,
    "silent_below": lambda it: True if it.path == calls.ROOT_PATH else None,
    "secretive": lambda it: None if it.member == "GetApplicationBusAddress" else True,
    "renamed": below(("Name", constant("s", "renamed"))),
    "huge_names": below(("Name", lambda _: Answer("s", ("n" * HUGE,)))),
    "many_actions": below(("GetActions", constant("a(sss)", [("", "", "")] * (MANY // 10)))),
    "errors": lambda it: refusal(it.member),
    "errors_below": lambda it: True if it.path in {calls.ROOT_PATH, WINDOW} else refusal(it.member),
    "dies": _dies,
    "private_hangs_up": _privately(_hangs_up),
    "private_deaf": lambda _: True,
    "private_falls_silent": _privately(lambda it: True if it.number <= 8 else None),
    "private_silent": _privately(lambda _: None),
    "private_broken_text": _raw("Name", "v", b"\x01s\0\0" + b"\x04\0\0\0" + b"\xff\xfe\xfd\xfc\0"),
    "private_nothing_repeated": _raw("GetChildren", "a()", b"\x08\0\0\0" + b"\0" * 12),
    "private_half_pair": _raw("GetRelationSet", "a{s}", encode("as", [["a"]])),
    "private_two_in_one": _raw("Name", "v", b"\x02ss\0" + b"\0" * 20),
    "private_elsewhere": _elsewhere,
    "private_nowhere": lambda it: (
        Answer("s", ("unix:path=/no/such/place",)) if it.member == "GetApplicationBusAddress" else True
    ),
}
