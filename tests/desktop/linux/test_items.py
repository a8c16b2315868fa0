"""Items of which Swing or Qt 5 makes another object for each look can be told, cleared and acted on."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.identity import Scene, recognise_by_branch
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.transient_items import name_cells_by_branch, name_items_by_place, name_rows_by_branch
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.qt.hooks import Qt
from deskhand.desktop.linux.toolkits.swing.hooks import Swing
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import ROOT, need

TABLE = Ref(":1.1", "/table")
LABEL = 29
TREE = Ref(":1.1", "/tree")
TREE_ROLE = 65
COUNT = 8
PATIENCE_S = 10.0


def item(path: str, index: int, parent: Ref = TABLE) -> Node:
    return Node(Ref(":1.1", path), parent, 0, LABEL, index=index)


@pytest.mark.requires("identity.by-place")
def test_a_handle_that_is_a_place_says_which_and_means_no_object() -> None:
    handle = calls.item_of(TABLE, 7).handle
    assert calls.parse_item(handle) == (TABLE, 7)
    assert calls.parse_handle(handle) is None
    assert calls.parse_cell(handle) is None
    assert [calls.parse_item(other) for other in (TABLE.handle, calls.cell_of(TABLE, 1, 2).handle)] == [None, None]


@pytest.mark.requires("identity.by-place")
def test_what_is_called_by_a_name_with_marks_in_it_is_no_cell_of_a_sheet() -> None:
    others = [calls.row_of(TREE, ("bob@example.org",)), calls.document_table(TREE, "Table@1,2")]
    assert [calls.is_cell_of_sheet(ref) for ref in (calls.cell_of(TABLE, 1, 2), *others)] == [True, False, False]


@pytest.mark.requires("identity.by-place")
def test_an_item_goes_by_its_place_wherever_it_is_named() -> None:
    table = Node(TABLE, None, 0, 55, children=[Ref(":1.1", "/new1"), Ref(":1.1", "/own")])
    own = item("/own", -1)
    below = Node(Ref(":1.1", "/below"), Ref(":1.1", "/new1"), 0, LABEL, labelled_by=[Ref(":1.1", "/new1")])
    named = name_items_by_place({node.ref: node for node in (table, item("/new1", 0), own, below)})
    first = calls.item_of(TABLE, 0)
    assert list(named) == [TABLE, first, own.ref, below.ref]
    assert named[TABLE].children == [first, own.ref]
    assert (named[below.ref].parent, named[below.ref].labelled_by) == (first, [first])
    assert all(ref == node.ref for ref, node in named.items())


@pytest.mark.requires("identity.by-place")
def test_of_two_that_say_the_same_place_one_has_it() -> None:
    named = name_items_by_place({node.ref: node for node in (item("/a", 3), item("/b", 3))})
    assert list(named) == [calls.item_of(TABLE, 3), Ref(":1.1", "/b")]


def row(path: str, name: str, left: int, top: int) -> Node:
    place = Rect(left, top, left + 80, top + 20)
    return Node(Ref(":1.1", path), TREE, 0, LABEL, name=name, rect=place)


def tree_of(*rows: Node, scrolled: bool = False) -> dict[Ref, Node]:
    children = [node.ref for node in reversed(rows)]
    tree = Node(TREE, None, 0, TREE_ROLE, children=children, from_start=not scrolled)
    return {node.ref: node for node in (tree, *rows)}


@pytest.mark.requires("identity.by-branch")
def test_rows_of_one_name_go_by_what_they_stand_under_where_that_tells_them_apart() -> None:
    rows = [
        row("/1", "Sales", 0, 0),
        row("/2", "2026: 1/2", 20, 20),
        row("/3", "Research", 0, 40),
        row("/4", "2026: 1/2", 20, 60),
        row("/5", "Twice", 20, 80),
        row("/6", "Twice", 20, 100),
    ]
    named = name_rows_by_branch(tree_of(*rows), Swing("J2SE-access-bridge"))
    first, second = (calls.row_of(TREE, (above, "2026: 1/2")) for above in ("Sales", "Research"))
    tops = [calls.row_of(TREE, (name,)) for name in ("Sales", "Research")]
    assert list(named) == [TREE, tops[0], first, tops[1], second, Ref(":1.1", "/5"), Ref(":1.1", "/6")]
    assert all(ref == node.ref for ref, node in named.items())
    assert (calls.parse_row(first.handle), calls.parse_handle(first.handle)) == (TREE, None)
    assert calls.named_in(first.handle) == first


QT5 = Qt("Qt", "5.15.8")


def cells_of(*rows: tuple[str, int, str], first: int = 0) -> list[Ref]:
    """What the cells of a tree of Qt 5 of two columns are called: its rows are a name, its indentation, a number."""
    cells = [
        Node(Ref(":1.1", f"/{text}{index}"), TREE, 0, 56, name=text, rect=Rect(left, index, left + 9, index + 1))
        for index, (name, indent, number) in enumerate(rows)
        for text, left in ((name, indent), (number, 90))
    ]
    for index, cell in enumerate(cells, 2 + 2 * first):
        cell.index = index
    tree = Node(TREE, None, 0, TREE_ROLE, columns=2, children=[cell.ref for cell in cells])
    return [*name_cells_by_branch({node.ref: node for node in (tree, *cells)}, QT5)][1:]


@pytest.mark.requires("identity.by-branch")
def test_cells_of_a_tree_of_qt_5_go_by_what_they_stand_under_wherever_that_is() -> None:
    before = cells_of(("Sales", 0, "1"), ("2026", 20, "2"), ("Research", 0, "1"), ("2026", 20, "2"))
    after = cells_of(("Sales", 0, "1"), ("Research", 0, "1"), ("2026", 20, "3"))
    assert len({*before}) == len(before)
    assert before[:2] + before[4:] == after


@pytest.mark.requires("identity.by-branch")
def test_cells_of_a_tree_of_qt_5_that_nothing_tells_apart_are_the_same_as_long_as_all_that_shows_is() -> None:
    alike = (("Twice", 0, "1"), ("Twice", 0, "1"))
    assert len({*cells_of(*alike)}) == 4
    assert cells_of(*alike) == cells_of(*alike)
    assert not {*cells_of(*alike)} & {*cells_of(*alike, ("Other", 0, "1"))}
    assert not {*cells_of(("2026", 20, "1"))} & {*cells_of(("2026", 20, "1"), first=3)}


@pytest.mark.requires("identity.by-branch")
def test_only_trees_that_hide_their_branches_have_rows_by_their_names() -> None:
    nodes = tree_of(row("/1", "Sales", 0, 0), row("/2", "2026", 20, 20))
    assert name_rows_by_branch(nodes, Qt("Qt")) == nodes


@pytest.mark.requires("identity.by-branch")
def test_a_row_of_a_scrolled_tree_is_another_one_as_soon_as_anything_else_shows() -> None:
    def named(*rows: Node) -> list[Ref]:
        return [*name_rows_by_branch(tree_of(*rows, scrolled=True), Swing("J2SE-access-bridge"))][1:]

    first = named(row("/1", "Sales", 20, 0), row("/2", "2026", 40, 20), row("/3", "South", 0, 40))
    again = named(row("/4", "Sales", 20, 0), row("/5", "2026", 40, 20), row("/6", "South", 0, 40))
    later = named(row("/7", "Sales", 20, 0), row("/8", "2026", 40, 20), row("/9", "West", 0, 40))
    assert first == again
    assert not {*first} & {*later}


@pytest.mark.requires("identity.by-branch")
def test_a_row_of_the_same_name_that_stands_under_something_else_is_another_one() -> None:
    def seen_under(above: str) -> TargetInfo:
        handle = calls.row_of(TREE, (above, "2026")).handle
        return TargetInfo(TargetKind.CONTROL, "2026", Role.TREEITEM, rect=Rect(0, 0, 1, 1), handle=handle)

    scene = Scene([seen_under("Research")], "Numbers", lambda _control, _record: True)
    with pytest.raises(ElementStale, match="does not show where it stood in its tree"):
        recognise_by_branch(seen_under("Sales"), scene)
    assert recognise_by_branch(seen_under("Research"), scene) == scene.controls[0]


@asynccontextmanager
async def rows_of_swing(folder: Path, kind: str, count: int) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """`RowsSwing.java` on a desktop of its own; it writes its state to `state.json` in the folder."""
    need(BRIDGE)
    argv = (*JAVA, str(ROOT / "tests/apps/RowsSwing.java"), kind, str(count), str(folder / "state.json"))
    async with linux_desktop(folder) as desktop:
        yield desktop, await desktop.launch(Application("rows", argv, window="^Rows$"))


async def _items(desktop: LinuxDesktop, window: TargetInfo, role: Role) -> list[TargetInfo]:
    return [control for control in (await desktop.observe(window, picture=False)).controls if control.type is role]


@pytest.mark.full("other items of Swing are tried")
@pytest.mark.desktop
@pytest.mark.requires("identity.by-place")
async def test_heads_of_columns_of_swing_have_a_place_are_the_same_again_and_sort(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    async with rows_of_swing(tmp_path, "table", COUNT) as (desktop, window):
        tools = Tools(desktop)
        seen = await _items(desktop, window, Role.COLUMNHEADER)
        assert [head.name for head in seen] == ["name", "code"]
        assert [head.handle for head in await _items(desktop, window, Role.COLUMNHEADER)] == [h.handle for h in seen]
        assert all(head.rect.height > 10 for head in seen)
        up = await tools.run(window, "click_input", seen[1])
        down = await tools.run(window, "click_input", seen[1])
        assert (up.error, down.effect) == (None, Effect.CONFIRMED), (up, down)

        async def sorted_down() -> bool | None:
            return True if next(iter(json.loads(file.read_text())["cells"])) == f"Row {COUNT - 1}" else None

        assert await desktop.wait_until(sorted_down, deadline_s=PATIENCE_S)


@pytest.mark.full("branches are tried in Qt 5, and in Swing rows of a tree")
@pytest.mark.desktop
@pytest.mark.requires("identity.by-branch")
async def test_branches_of_swing_are_seen_once_collapsed_and_chosen(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    async with rows_of_swing(tmp_path, "branches", 1003) as (desktop, window):
        tools = Tools(desktop)
        seen = await _items(desktop, window, Role.TREEITEM)
        assert [row.name for row in seen[:3]] == ["Row 0", "Row 1", "Row 2"]
        assert "expanded" in seen[0].states
        assert not seen[1].states & {"expanded", "collapsed"}

        result = await tools.run(window, "invoke", seen[0])
        assert (result.effect, result.evidence) == (Effect.CONFIRMED, f"{seen[0].describe} is now not expanded")
        assert list(json.loads(file.read_text())["cells"]) == ["Row 0", "Row 1000", "Row 1001", "Row 1002"]
        left = await _items(desktop, window, Role.TREEITEM)
        assert [row.name for row in left] == ["Row 0", "Row 1000", "Row 1001", "Row 1002"]
        assert left[0].handle == seen[0].handle
        with pytest.raises(ElementStale):
            await desktop.resolve(seen[1])

        result = await tools.run(window, "select_item", left[2])
        assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
        assert json.loads(file.read_text())["clicked"] == ["Row 1001"]


@pytest.mark.desktop
@pytest.mark.requires("identity.by-branch", "identity.by-place")
async def test_heads_and_cells_of_a_tree_of_qt_5_keep_their_ids_while_a_branch_above_is_closed(tmp_path: Path) -> None:
    argv = ("/usr/bin/python3", str(ROOT / "tests/apps/branches_qt.py"))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("branches", argv, window="^Branches"))
        await desktop.activate(window)
        tools = Tools(desktop)
        seen = (await desktop.observe(window, picture=False)).controls
        again = (await desktop.observe(window, picture=False)).controls
        assert [one.handle for one in again] == [one.handle for one in seen]
        assert len({one.handle for one in seen}) == len(seen) == 2 + 2 * 7
        assert [one.name for one in seen if "expanded" in one.states] == ["Sales", "Research"], "leaves are not"
        named = [one for one in seen if one.name in {"2026", "Twice"}]
        await desktop.click(seen[2].rect.center)

        async def shorter() -> bool | None:
            await desktop.press([Chord("left")])
            return True if len((await desktop.observe(window, picture=False)).controls) == len(seen) - 4 else None

        async def called(title: str) -> bool | None:
            return True if any(each.name == title for each in await desktop.windows()) else None

        assert await desktop.wait_until(shorter, deadline_s=PATIENCE_S)
        with pytest.raises(ElementStale):
            await desktop.resolve(named[0])
        await desktop.click((await desktop.resolve(named[1])).rect.center)
        assert await desktop.wait_until(lambda: called("Branches Research/2026"), deadline_s=PATIENCE_S)
        with pytest.raises(ElementStale):
            await desktop.resolve(named[2])  # one of two that nothing tells apart, and other rows show
        await desktop.click(seen[2].rect.center)
        assert await desktop.wait_until(lambda: called("Branches Sales"), deadline_s=PATIENCE_S)
        now = next(each for each in await desktop.windows() if each.handle == window.handle)
        again = (await desktop.observe(now, picture=False)).controls
        result = await tools.run(now, "select_item", next(one for one in again if one.name == "2026"))
        assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
        assert await desktop.wait_until(lambda: called("Branches Research/2026"), deadline_s=PATIENCE_S)


@pytest.mark.full("the others take the same way", but=["table-cell", "tree-treeitem"])
@pytest.mark.desktop
@pytest.mark.requires("identity.by-place")
@pytest.mark.parametrize(("kind", "role"), [("table", Role.CELL), ("list", Role.LISTITEM), ("tree", Role.TREEITEM)])
async def test_what_was_seen_in_a_view_of_swing_is_there_again_and_acted_on(
    kind: str, role: Role, tmp_path: Path
) -> None:
    async with rows_of_swing(tmp_path, kind, COUNT) as (desktop, window):
        seen = await _items(desktop, window, role)
        again = await _items(desktop, window, role)
        assert [one.handle for one in seen] == [one.handle for one in again]
        assert len({one.handle for one in seen}) == len(seen) >= COUNT
        third = next(one for one in seen if one.name == "Row 3")
        now = await desktop.resolve(third)
        assert (now.handle, now.name, now.rect) == (third.handle, third.name, third.rect)
        if kind == "tree":
            await desktop.click(now.rect.center)  # of its rows nobody tells what they stand in
        else:
            await desktop.select(now)

        async def selected() -> bool | None:
            shown = await _items(desktop, window, role)
            return True if any(one.name == "Row 3" and "selected" in one.states for one in shown) else None

        assert await desktop.wait_until(selected, deadline_s=PATIENCE_S)
        moved = TargetInfo(now.kind, "Row 4", now.type, rect=Rect(0, 0, 1, 1), handle=now.handle)
        with pytest.raises(ElementStale):
            await desktop.select(moved)
