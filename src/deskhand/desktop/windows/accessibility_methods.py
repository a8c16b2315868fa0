"""Controls, read and acted on by messages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ElementStale,
    NotOffered,
    TargetDisabled,
)
from deskhand.core.observation import Observation, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.identity import Scene, recognise, recognise_by_place, record_now
from deskhand.desktop.picture_match import found_where_seen
from deskhand.desktop.protocols.accessibility import Caret, Merged
from deskhand.desktop.windows.choice import is_place
from deskhand.desktop.windows.controls import Controls
from deskhand.desktop.windows.mapping import controls_of, role_of, scene_of
from deskhand.desktop.windows.reader import find_node, root_of
from deskhand.desktop.windows.screen_methods import ScreenMethods
from deskhand.desktop.windows.win32 import dlls
from deskhand.desktop.windows.win32.failures import Gone
from deskhand.desktop.windows.win32.nodes import Node, Tree
from deskhand.desktop.windows.window_methods import WindowMethods

_TEXTS: Final = frozenset({Role.CELL, Role.LABEL, Role.LISTITEM, Role.STATUS, Role.TREEITEM})
_CONTAINERS: Final = frozenset({Role.COMBOBOX, Role.LIST, Role.TABLE, Role.TABLIST, Role.TREE})
_FOCUS_S: Final = 1.0
_MOST_CELLS: Final = 20_000
_CELLS_AT_ONCE: Final = 500
_SELECT: Final = "select"


class AccessibilityMethods(WindowMethods, ScreenMethods):
    """The protocol `Accessibility`."""

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,  # noqa: ARG002 - texts of pictures are not read here
        other_pages: bool = False,  # noqa: ARG002 - documents have no pages here
        deadline_s: float = 5.0,
    ) -> Observation:
        self._require_open()
        began = monotonic()
        now, tree = await self._worker.run(partial(self.controls.read, window.handle), window, deadline_s=deadline_s)
        taken = await self._worker.run(partial(self.controls.picture, now.rect), window) if picture else None
        return Observation(
            window=now,
            controls=controls_of(tree.nodes, now),
            picture=taken,
            at_s=monotonic(),
            truncated=None if tree.complete else Truncation(tree.why),
            timing_s=(("read", monotonic() - began),),
        )

    async def unchanged(self, window: TargetInfo, *, within_s: float) -> Observation | None:  # noqa: ARG002 - unknown
        return None

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        if target.sighting:
            return await found_where_seen(self, target, target.sighting)
        if target.kind is TargetKind.WINDOW:
            now = (await self._listing()).find(target.handle)
            if now is None:
                raise ApplicationGone(f"{target.describe} is gone.", fix="List the windows again.")
            return replace(now, id=target.id)
        recognised = recognise_by_place if is_place(target.handle) else recognise
        return recognised(target, await self._scene(target))

    async def record_of(self, target: TargetInfo) -> tuple[str, ...]:
        return record_now(target, await self._scene(target))

    async def read_text(self, target: TargetInfo) -> str:
        node = await self._node(target)
        if role_of(node) is Role.PASSWORD:
            return ""
        if node.text is None and role_of(node) not in _TEXTS:
            raise ActionRefused(f"{target.describe} has no text.", fix="Read a control that holds text.")
        return await self._worker.run(partial(self.controls.whole_text, node), target)

    async def description(self, target: TargetInfo) -> str:
        return (await self._node(target)).description

    async def accessible_ids(self, targets: Sequence[TargetInfo], *, deadline_s: float = 5.0) -> tuple[str | None, ...]:
        if not targets:
            return ()
        nodes = (await self._tree(targets[0], deadline_s=deadline_s)).nodes
        found = [find_node(nodes, target.handle) for target in targets]
        return tuple(node.automation_id or str(node.control_id or "") if node else None for node in found)

    async def caret(self, target: TargetInfo) -> Caret:
        node = await self._node(target)
        return await self._worker.run(partial(self.controls.caret, node), target)

    async def table_shape(self, table: TargetInfo, *, used: bool = False, deadline_s: float = 30.0) -> tuple[int, int]:  # noqa: ARG002 - the worker has its own
        if used:
            raise ActionRefused(f"{table.describe} is no spreadsheet.", fix="Read it whole.")
        node = await self._table(table)
        return node.count or 0, node.columns or 1

    async def formula_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        raise ActionRefused(f"{table.describe} exposes no formulas of {len(places)} cells.", fix="Read their texts.")

    async def merged_cells(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:  # noqa: ARG002 - it has none
        await self._table(table)
        return ()

    async def read_table(
        self, table: TargetInfo, rows: range | None = None, columns: range | None = None, *, deadline_s: float = 55.0
    ) -> tuple[tuple[str, ...], ...]:
        whole = await self.table_shape(table)
        rows = range(whole[0]) if rows is None else rows
        columns = range(whole[1]) if columns is None else columns
        _require_inside(table, rows, columns, whole)
        found: list[tuple[str, ...]] = []
        deep = max(1, _CELLS_AT_ONCE // max(1, len(columns)))
        with anyio.move_on_after(deadline_s):
            for at in range(0, len(rows), deep):
                read = partial(self.controls.texts, table.handle, rows[at : at + deep], columns)
                texts = await self._worker.run(read, table)
                if texts is None:
                    return _cells((await self._tree(table)).nodes, table, rows, columns)
                found += map(tuple, texts)
            return tuple(found)
        raise ActionDeadline(
            f"{len(rows)} x {len(columns)} cells of {table.describe} could not be read within {deadline_s:.1f} s.",
            fix="Read fewer cells at once.",
        )

    async def show_named(self, container: TargetInfo, name: str) -> bool:
        async with self._alone():
            await self._node(container)
            return await self._worker.run(partial(self.controls.show_named, container.handle, name), container)

    async def selected_count(self, container: TargetInfo) -> int:
        if role_of(await self._node(container)) not in _CONTAINERS:
            raise ActionRefused(f"{container.describe} has no selection.", fix="Ask the list or table that holds it.")
        nodes = (await self._tree(container)).nodes
        return sum(node.parent == container.handle and "selected" in node.states for node in nodes)

    async def refreshed_names(self, seen: Observation, after: int) -> Observation | None:  # noqa: ARG002 - unknown
        return None

    async def do_action(self, target: TargetInfo, action: str = "") -> None:
        async with self._alone():
            node = await self._willing(target)
            offered = [each for each in node.actions if each != "focus"]
            if action not in offered and (action or not offered):
                raise NotOffered(
                    f"{target.describe} offers no action {action!r}.", fix=f"It offers: {', '.join(offered) or 'none'}."
                )
            await self._worker.run(partial(self.controls.act, target.handle, action or offered[0]), target)

    async def number_limits(self, target: TargetInfo) -> tuple[float, float] | None:
        value = (await self._node(target)).value
        return (float(value[1]), float(value[2])) if value else None

    async def set_text(self, target: TargetInfo, text: str) -> None:
        await self._change(target, partial(self.controls.set_text, target.handle, text))

    async def put_caret(self, target: TargetInfo, start: int, end: int) -> None:
        await self._change(target, partial(self.controls.select_text, target.handle, start, end))

    async def set_value(self, target: TargetInfo, value: float) -> None:
        await self._change(target, partial(self.controls.set_value, target.handle, value))

    async def select(self, target: TargetInfo) -> None:
        async with self._alone():
            node = await self._willing(target)
            if _SELECT not in node.actions:
                raise ActionRefused(f"{target.describe} cannot be selected.", fix="Select an item of a list or table.")
            await self._worker.run(partial(self.controls.act, target.handle, _SELECT), target)

    async def focus(self, target: TargetInfo) -> bool:
        async with self._alone():
            await self._willing(target)
            await self._worker.run(partial(self.controls.focus, target.handle), target)

            async def has_focus() -> bool:
                return "focused" in (await self._node(target)).states

            return bool(await self.wait_until(has_focus, deadline_s=_FOCUS_S))

    async def _change(self, target: TargetInfo, change: Callable[[], None]) -> None:
        async with self._alone():
            await self._willing(target)
            await self._worker.run(change, target)

    async def _willing(self, target: TargetInfo) -> Node:
        """Raises: TargetDisabled, and as `_node`."""
        node = await self._node(target)
        if "enabled" not in node.states:
            raise TargetDisabled(f"{target.describe} is disabled.", fix="Do what enables it first.")
        return node

    async def _node(self, target: TargetInfo) -> Node:
        """Raises: ElementStale, ApplicationGone, ApplicationUnresponsive."""
        node = find_node((await self._tree(target)).nodes, target.handle)
        if node is None:
            raise ElementStale(f"{target.describe} is gone.", fix="Observe the window again and choose anew.")
        return node

    async def _table(self, target: TargetInfo) -> Node:
        node = await self._node(target)
        if role_of(node) is not Role.TABLE:
            raise ActionRefused(f"{target.describe} is no table.", fix="Choose a control of role table.")
        return node

    async def _tree(self, target: TargetInfo, *, deadline_s: float = 5.0) -> Tree:
        return (await self._worker.run(partial(_read_owner, target, self.controls), target, deadline_s=deadline_s))[1]

    async def _scene(self, target: TargetInfo) -> Scene:
        window, tree = await self._worker.run(partial(_read_owner, target, self.controls), target)
        return scene_of(tree.nodes, window)


def _read_owner(target: TargetInfo, controls: Controls) -> tuple[TargetInfo, Tree]:
    owner = (target.fingerprint.owner if target.fingerprint else "") or root_of(target.handle)
    if not owner or not dlls.is_window(int(owner)):
        raise Gone(f"the window of {target.describe} is gone")
    return controls.read(owner)


def _cells(nodes: Sequence[Node], table: TargetInfo, rows: range, columns: range) -> tuple[tuple[str, ...], ...]:
    inside = {table.handle}
    for node in nodes:
        if node.parent in inside:
            inside.add(node.key)
    texts = {
        (node.row, node.column or 0): node.text or node.name
        for node in nodes
        if node.key in inside and node.row is not None and role_of(node) is Role.CELL
    }
    if any((row, column) not in texts for row in rows for column in columns):
        raise ActionRefused(
            f"rows {rows} and columns {columns} of {table.describe} are not all in view.",
            fix="Scroll it, and read the block in view.",
        )
    return tuple(tuple(texts[row, column] for column in columns) for row in rows)


def _require_inside(table: TargetInfo, rows: range, columns: range, whole: tuple[int, int]) -> None:
    if rows.stop > whole[0] or columns.stop > whole[1]:
        raise ActionRefused(
            f"rows {rows} and columns {columns} lie outside {table.describe} of {whole[0]} x {whole[1]}.",
            fix="Ask for cells inside the table, counted from 0.",
        )
    if len(rows) * len(columns) > _MOST_CELLS:
        raise ActionRefused(
            f"{len(rows)} x {len(columns)} cells of {table.describe} are too many to be read at once.",
            fix="Read a part of it, named as cells of a sheet are: range=A1:C50.",
        )
