"""What the lying peer says of a table of very many rows, and while something is done to it."""

import os
import random
from collections.abc import Callable
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.roles import ENABLED, MANAGES_DESCENDANTS, SHOWING
from desktop.linux.lies import (
    BUTTONS,
    HUGE,
    PREFIX,
    SHEET,
    TABLE,
    WINDOW,
    Answer,
    HangUp,
    Lie,
    Question,
    Told,
    constant,
    honest,
    refusal,
)

CELL: Final = 56
COLUMNS, ROWS = 3, 40_000
LEFT, TOP, WIDTH, HEIGHT = 60, 60, 80, 20
IN_VIEW: Final = 10
"""Rows that show."""

LONG: Final = 2**62
INTERFACES: Final = [calls.ACCESSIBLE, calls.COMPONENT, calls.ACTION, calls.TABLE, calls.SELECTION, calls.VALUE]


def _cell(index: int) -> str:
    return f"{PREFIX}cell{index}"


def table(it: Question) -> Told:
    """The truth: a window with a table, which makes an object of a cell when it is asked for one."""
    if it.path == WINDOW and it.member == "GetChildren":
        return Answer("a(so)", (it.refs(SHEET),))
    if it.path == WINDOW and it.member == "GetExtents":
        return Answer("(iiii)", ((50, 50, 400, 300),))
    if it.path == SHEET:
        return _of_table(it)
    if it.path.startswith(PREFIX + "cell"):
        return _of_cell(it, int(it.path.removeprefix(PREFIX + "cell")))
    return True


def _of_table(it: Question) -> Told:
    state = SHOWING | ENABLED | MANAGES_DESCENDANTS
    if it.member == "GetAccessibleAtPoint":
        x, y = (int(str(part)) for part in it.arguments[:2])
        return _ref(it, (y - TOP) // HEIGHT * COLUMNS + (x - LEFT) // WIDTH)
    if it.member == "GetAccessibleAt":
        row, column = (int(str(part)) for part in it.arguments)
        return _ref(it, row * COLUMNS + column)
    answers = {
        "GetRole": Answer("u", (TABLE,)),
        "GetState": Answer("au", ([state & 0xFFFFFFFF, state >> 32],)),
        "GetInterfaces": Answer("as", (INTERFACES,)),
        "GetExtents": Answer("(iiii)", ((LEFT, TOP, COLUMNS * WIDTH, IN_VIEW * HEIGHT),)),
        "ChildCount": Answer("i", (COLUMNS * ROWS,)),
        "NRows": Answer("i", (ROWS,)),
        "NColumns": Answer("i", (COLUMNS,)),
        "NSelectedChildren": Answer("i", (1,)),
        "SelectChild": Answer("b", (True,)),
    }
    return answers.get(it.member, True)


def _of_cell(it: Question, index: int) -> Told:
    row, column = divmod(index, COLUMNS)
    answers = {
        "GetRole": Answer("u", (CELL,)),
        "Name": Answer("s", (f"r{row}c{column}",)),
        "Parent": Answer("(so)", (it.refs(SHEET)[0],)),
        "GetExtents": Answer("(iiii)", ((LEFT + column * WIDTH, TOP + row * HEIGHT, WIDTH, HEIGHT),)),
        "GetIndexInParent": Answer("i", (index,)),
        "GetInterfaces": Answer("as", (INTERFACES[:3],)),
        "DoAction": Answer("b", (True,)),
    }
    return answers.get(it.member, True)


def _ref(it: Question, index: int) -> Answer:
    if not 0 <= index < COLUMNS * ROWS:
        return Answer("(so)", (("", calls.NULL_PATH),))
    return Answer("(so)", (it.refs(_cell(index))[0],))


def _lie(*told: tuple[str, Callable[[Question], Told]], window: bool = False) -> Lie:
    """A table that lies in some answers; `window`: the window does too."""
    known = dict(told)

    def lie(it: Question) -> Told:
        if it.member in known and (window or it.path != WINDOW) and it.path != calls.ROOT_PATH:
            return known[it.member](it)
        return table(it)

    return lie


def _silent(_: Question) -> Told:
    return None


def _new_everywhere(it: Question) -> Answer:
    return _ref(it, it.number)


def _anywhere(it: Question) -> Answer:
    """Somewhere else whenever it is asked for, one pixel large."""
    if it.path in {WINDOW, SHEET}:
        return Answer("(iiii)", ((LEFT, TOP, 600, 600),))
    rng = random.Random(it.number)  # noqa: S311 - nothing hangs on it
    return Answer("(iiii)", ((LEFT + rng.randrange(600), TOP + rng.randrange(600), 1, 1),))


def _in_turns(first: Answer, second: Answer) -> Callable[[Question], Answer]:
    return lambda it: first if it.number % 2 else second


def _dies(_: Question) -> Told:
    os._exit(1)


def _late(it: Question) -> Told:
    """True after a while."""
    told = table(it)
    answer = (honest(it) or refusal(it.member)) if told is True else told
    return Answer(answer.signature, answer.values, answer.kind, after_s=0.7) if answer else None


def _counted(it: Question) -> Told:
    """Children that are no more than counted, in no order."""
    if it.path == SHEET and it.member == "GetState":
        state = SHOWING | ENABLED
        return Answer("au", ([state & 0xFFFFFFFF, state >> 32],))
    if it.member == "ToolkitName":
        return Answer("s", ("Chromium",))
    if it.member == "ChildCount":
        return Answer("i", (1 if it.path == WINDOW else 2**31 - 1 if it.path == SHEET else 0,))
    if it.member == "GetChildAtIndex":
        return _ref(it, int(str(it.arguments[0])))
    if it.member == "GetExtents":
        return _anywhere(it)
    return table(it)


def _unmanaged(it: Question) -> Told:
    """A number that fits no call, of children that are no more than counted."""
    return Answer("x", (LONG,)) if it.member == "ChildCount" and it.path == SHEET else _counted(it)


def _after_the_deed(lie: Lie) -> Lie:
    """Goes wrong when something is done to it, not before."""
    done: list[int] = []

    def told(it: Question) -> Told:
        if it.number == 1:
            done.clear()
        if it.member in {"DoAction", "SelectChild", "SetTextContents", "Set", "GrabFocus"}:
            done.append(it.number)
        return lie(it) if done else table(it)

    return told


def _hangs_up(it: Question) -> Told:
    if it.private:
        raise HangUp
    return table(it)


_WORDS: Final = constant("s", "three")
_LONG: Final = constant("x", LONG)
_ABSURD: Final = constant("(xxxx)", (-(2**63), -(2**63), 2**63 - 1, 2**63 - 1))

TABLE_LIES: dict[str, Lie] = {
    "table": table,
    "table_new_everywhere": _lie(("GetAccessibleAtPoint", _new_everywhere)),
    "table_cells_anywhere": _lie(("GetAccessibleAtPoint", _new_everywhere), ("GetExtents", _anywhere), window=True),
    "table_one_cell": _lie(("GetAccessibleAtPoint", lambda it: _ref(it, 7))),
    "table_in_itself": _lie(("GetAccessibleAtPoint", lambda it: Answer("(so)", (it.refs(SHEET)[0],)))),
    "table_of_the_window": _lie(("GetAccessibleAtPoint", lambda it: Answer("(so)", (it.refs(WINDOW)[0],)))),
    "table_of_others": _lie(("GetAccessibleAtPoint", constant("(so)", ("org.a11y.atspi.Registry", WINDOW)))),
    "table_of_nobody": _lie(("GetAccessibleAtPoint", constant("(so)", (":1.99999", WINDOW)))),
    "table_of_words": _lie(("GetAccessibleAtPoint", _WORDS)),
    "table_silent_points": _lie(("GetAccessibleAtPoint", _silent)),
    "table_late_points": _lie(("GetAccessibleAtPoint", _late)),
    "table_endless": _lie(("GetExtents", _ABSURD), window=True),
    "table_endless_cells": _lie(("GetExtents", lambda it: table(it) if it.path == SHEET else _ABSURD(it))),
    "table_flat_cells": _lie(
        ("GetExtents", lambda it: table(it) if it.path == SHEET else Answer("(iiii)", ((LEFT, TOP, 1, 0),)))
    ),
    "table_long_indexes": _lie(("GetIndexInParent", _LONG), ("NColumns", _LONG)),
    "table_long_index": _lie(("GetIndexInParent", lambda it: Answer("x", (LONG + it.number * COLUMNS,)))),
    "table_negative": _lie(("GetIndexInParent", constant("i", -(2**31))), ("NColumns", constant("i", -1))),
    "table_long_count": _lie(("ChildCount", lambda it: _LONG(it) if it.path == SHEET else table(it))),
    "table_count_of_words": _lie(("ChildCount", _WORDS)),
    "table_unsigned_count": _lie(("ChildCount", constant("u", 2**32 - 1))),
    "table_counted": _counted,
    "table_counted_long": _unmanaged,
    "table_huge_names": _lie(("Name", constant("s", "n" * (HUGE // 100)))),
    # its size and its cells
    "size_of_words": _lie(("NRows", _WORDS)),
    "size_long": _lie(("NRows", _LONG)),
    "size_negative": _lie(("NRows", constant("i", -7))),
    "size_without_columns": _lie(("NRows", constant("i", 2**31 - 1)), ("NColumns", constant("i", 0))),
    "size_huge": _lie(("NRows", constant("i", 2**31 - 1)), ("NColumns", constant("i", 2**31 - 1))),
    "size_in_turns": _lie(("NRows", _in_turns(Answer("i", (2,)), Answer("i", (2**31 - 1,))))),
    "size_silent": _lie(("NRows", _silent)),
    "size_refused": _lie(("NRows", lambda it: refusal(it.member))),
    "cells_all_one": _lie(("GetAccessibleAt", lambda it: _ref(it, 0))),
    "cells_none": _lie(("GetAccessibleAt", constant("(so)", ("", calls.NULL_PATH)))),
    "cells_of_words": _lie(("GetAccessibleAt", _WORDS)),
    "cells_silent": _lie(("GetAccessibleAt", _silent)),
    "cells_late": _lie(("GetAccessibleAt", _late), ("GetText", _late), ("Name", _late)),
    "cells_full": _lie(("GetChildren", lambda it: Answer("a(so)", (it.refs(*BUTTONS * 500),)))),
    "cells_in_themselves": _lie(("GetChildren", lambda it: Answer("a(so)", (it.refs(it.path, SHEET, WINDOW),)))),
    # what is done to it
    "actions_none": _lie(("GetActions", constant("a(sss)", []))),
    "actions_of_words": _lie(("GetActions", _WORDS)),
    "actions_numbered": _lie(("GetActions", constant("a(i)", [(1,), (2,)]))),
    "actions_nameless": _lie(("GetActions", constant("a(sss)", [("", "", "")] * 10_000)), ("GetName", _WORDS)),
    "actions_without_end": _lie(("GetActions", constant("a(sss)", [("", "", "")] * 10_000)), ("GetName", _silent)),
    "actions_silent": _lie(("GetActions", _silent)),
    "deed_false": _lie(("DoAction", constant("b", False))),
    "deed_of_words": _lie(("DoAction", _WORDS)),
    "deed_unsaid": _lie(("DoAction", lambda _: Answer())),
    "deed_refused": _lie(("DoAction", lambda it: refusal(it.member))),
    "deed_late": _lie(("DoAction", _late)),
    "deed_silent": _lie(("DoAction", _silent)),
    "silent_after": _after_the_deed(_silent),
    "dies_after": _after_the_deed(_dies),
    "hangs_up_after": _after_the_deed(_hangs_up),
    "stateless": _lie(("GetState", lambda it: _WORDS(it) if it.path.startswith(PREFIX + "cell") else table(it))),
    "always_late": _late,
    # its selection
    "selects_nothing": _lie(("SelectChild", constant("b", False)), ("AddRowSelection", constant("b", True))),
    "selects_by_long_index": _lie(("GetIndexInParent", _LONG)),
    "selects_by_words": _lie(("GetIndexInParent", _WORDS)),
    "selects_silently": _lie(("SelectChild", _silent)),
    "selected_words": _lie(("NSelectedChildren", _WORDS)),
    "selected_negative": _lie(("NSelectedChildren", constant("i", -4))),
    "selected_long": _lie(("NSelectedChildren", _LONG)),
    "without_parent": _lie(("Parent", _WORDS)),
}
