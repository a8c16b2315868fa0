"""Applications that lie about tables, and while something is done to them: all ends in time, and harms nobody else."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import anyio
import pytest

from deskhand.core.errors import ActionDeadline, ApplicationGone, DesktopError
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.lies_of_tables import COLUMNS, IN_VIEW, ROWS
from desktop.linux.lying import (
    BOUND_S,
    DEADLINE_S,
    USED_UP_S,
    Liar,
    Stage,
    look_at_both,
    open_liar,
    open_stage,
    still_whole,
    visitor,
)
from support import FULL

pytestmark = pytest.mark.desktop

ENDLESS: Final = frozenset({"table_silent_points", "table_late_points", "table_endless", "table_counted"})
"""Lies that use up any deadline."""
DEED_S: Final = 20.0
"""What an action may take, and the looks at others while it goes on."""


@pytest.fixture(scope="module")
async def liar(stage: Stage) -> AsyncGenerator[Liar]:
    """One for all tests of the file."""
    async with open_liar(stage) as liar:
        yield liar


def cells_in(seen: Observation | DesktopError) -> Sequence[str]:
    assert isinstance(seen, Observation)
    return [control.name for control in seen.controls if control.type is Role.CELL]


ALL: Final = [f"r{row}c{column}" for row in range(IN_VIEW) for column in range(COLUMNS)]


async def looks(stage: Stage, liar: Liar, lie: str) -> Observation | DesktopError:
    """What comes of a look at one that lies, and then the truth again."""
    async with visitor(stage) as desktop:
        await liar.say(lie)
        seen = await look_at_both(desktop, stage, liar, 2 * USED_UP_S if lie in ENDLESS else DEADLINE_S)
        await liar.say("table")
        with anyio.fail_after(BOUND_S):
            assert cells_in(await desktop.observe(liar.window, picture=False, deadline_s=BOUND_S)) == ALL
    return seen


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize(
    "lie",
    [
        "table_long_indexes",
        "table_long_index",
        "table_negative",
        "size_of_words",
        "size_negative",
        "actions_none",
    ],
)
async def test_what_is_seen_of_a_table_does_not_hang_on_its_numbers(stage: Stage, liar: Liar, lie: str) -> None:
    assert cells_in(await looks(stage, liar, lie)) == ALL


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize(
    "lie",
    [
        "table_new_everywhere",
        "table_cells_anywhere",
        "table_one_cell",
        "table_in_itself",
        "table_of_the_window",
        "table_of_others",
        "table_of_nobody",
        "table_of_words",
        "table_silent_points",
        "table_late_points",
        "table_endless",
        "table_endless_cells",
        "table_flat_cells",
        "table_counted",
        "table_counted_long",
        "table_huge_names",
    ],
)
async def test_a_table_that_lies_costs_its_deadline_at_most(stage: Stage, liar: Liar, lie: str) -> None:
    seen = await looks(stage, liar, lie)
    assert isinstance(seen, Observation)
    assert seen.truncated is not None or set(cells_in(seen)) <= {*ALL, "n" * 2000}


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize("lie", ["table_long_count", "table_unsigned_count", "table_count_of_words"])
async def test_a_table_that_does_not_say_how_much_is_in_it_is_missed_aloud(stage: Stage, liar: Liar, lie: str) -> None:
    seen = await looks(stage, liar, lie)
    assert isinstance(seen, Observation)
    assert cells_in(seen) == []
    assert seen.truncated


Deed = Callable[[LinuxDesktop, TargetInfo, TargetInfo], Awaitable[object]]


async def comes_of(stage: Stage, liar: Liar, lie: str, deed: Deed) -> object:
    """What comes of something that is done to the table or its first cell, while it lies: the error, if it is one.

    The honest application is seen meanwhile, whole.
    """
    found: list[object] = []
    async with visitor(stage) as desktop:
        await liar.say("table")

        async def whole() -> Observation | None:
            seen = await look_at_both(desktop, stage, liar)
            return seen if isinstance(seen, Observation) and cells_in(seen) else None

        seen = await desktop.wait_until(whole, deadline_s=BOUND_S)
        assert seen is not None
        table = next(control for control in seen.controls if control.type is Role.TABLE)
        cell = next(control for control in seen.controls if control.type is Role.CELL)
        await liar.say(lie)

        async def do() -> None:
            try:
                found.append(await deed(desktop, table, cell))
            except DesktopError as error:
                found.append(error)

        with anyio.fail_after(DEED_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(do)
                tasks.start_soon(still_whole, desktop, stage)
        await still_whole(desktop, stage)
    return found[0]


async def read_all(desktop: LinuxDesktop, table: TargetInfo, _: TargetInfo) -> object:
    return await desktop.read_table(table, deadline_s=1.0)


async def read_some(desktop: LinuxDesktop, table: TargetInfo, _: TargetInfo) -> object:
    return await desktop.read_table(table, range(2), range(2), deadline_s=1.0)


async def read_shape(desktop: LinuxDesktop, table: TargetInfo, _: TargetInfo) -> object:
    return await desktop.table_shape(table, deadline_s=1.0)


async def act(desktop: LinuxDesktop, _: TargetInfo, cell: TargetInfo) -> object:
    return await desktop.do_action(cell)


async def select(desktop: LinuxDesktop, _: TargetInfo, cell: TargetInfo) -> object:
    return await desktop.select(cell)


async def focus(desktop: LinuxDesktop, _: TargetInfo, cell: TargetInfo) -> object:
    return await desktop.focus(cell)


async def resolve(desktop: LinuxDesktop, _: TargetInfo, cell: TargetInfo) -> object:
    return await desktop.resolve(cell)


async def count(desktop: LinuxDesktop, table: TargetInfo, _: TargetInfo) -> object:
    return await desktop.selected_count(table)


SLOW: Final[Sequence[tuple[str, Deed]]] = (
    [
        ("actions_silent", act),
        ("actions_without_end", act),
        ("selects_silently", select),
        ("silent_after", act),
        ("silent_after", select),
        ("silent_after", focus),
    ]
    if FULL
    else []
)
"""Each takes the five seconds that an action may take."""


@pytest.mark.requires("desktop.lying-tables")
async def test_the_truth_of_a_table_is_read(stage: Stage, liar: Liar) -> None:
    assert await comes_of(stage, liar, "table", read_shape) == (ROWS, COLUMNS)
    assert await comes_of(stage, liar, "table", read_some) == (("r0c0", "r0c1"), ("r1c0", "r1c1"))
    assert await comes_of(stage, liar, "table", act) is None
    assert await comes_of(stage, liar, "table", select) is None
    assert await comes_of(stage, liar, "table", count) == 1


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize(
    ("lie", "deed"),
    [
        ("size_of_words", read_shape),
        ("size_long", read_shape),
        ("size_negative", read_shape),
        ("size_silent", read_shape),
        ("size_refused", read_shape),
        ("size_huge", read_all),
        ("cells_none", read_some),
        ("cells_of_words", read_some),
        ("cells_silent", read_some),
        ("cells_late", read_some),
        ("actions_none", act),
        ("actions_of_words", act),
        ("deed_false", act),
        ("deed_of_words", act),
        ("deed_unsaid", act),
        ("deed_refused", act),
        ("stateless", act),
        *SLOW,
        ("selects_nothing", select),
        ("selects_by_long_index", select),
        ("selects_by_words", select),
        ("without_parent", select),
        ("selected_words", count),
        ("selected_negative", count),
        ("selected_long", count),
    ],
)
async def test_a_lie_while_something_is_done_is_an_error_in_time(
    stage: Stage, liar: Liar, lie: str, deed: Deed
) -> None:
    assert isinstance(await comes_of(stage, liar, lie, deed), DesktopError)


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize(
    ("lie", "deed", "result"),
    [
        ("size_without_columns", read_shape, (2**31 - 1, 0)),
        ("size_without_columns", read_all, ()),
        ("cells_all_one", read_some, (("r0c0", ""), ("", ""))),
        ("size_in_turns", read_some, None),
        ("actions_nameless", act, None),
        ("stateless", resolve, None),
        ("cells_in_themselves", read_some, None),
        ("deed_late", act, None),
        ("deed_silent", act, None),
        ("hangs_up_after", act, None),
    ],
)
async def test_a_lie_that_does_no_harm_does_none(
    stage: Stage, liar: Liar, lie: str, deed: Deed, result: object
) -> None:
    came = await comes_of(stage, liar, lie, deed)
    assert not isinstance(came, DesktopError), came
    assert result is None or came == result


@pytest.mark.requires("desktop.lying-tables")
async def test_cells_with_thousands_of_paragraphs_are_empty_or_too_late(stage: Stage, liar: Liar) -> None:
    came = await comes_of(stage, liar, "cells_full", read_some)
    assert came == (("", ""), ("", "")) or isinstance(came, ActionDeadline)


@pytest.mark.requires("desktop.lying-tables")
async def test_one_that_dies_while_something_is_done_to_it_is_gone(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        for deed in (act, select, focus):
            async with open_liar(stage) as mortal:
                assert isinstance(await comes_of(stage, mortal, "dies_after", deed), ApplicationGone)
