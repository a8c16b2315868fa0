"""Controls of a Windows window, as the helper in its prefix reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

Json: TypeAlias = Mapping[str, Any]  # JSON of the helper, whose members are read one by one

_TEXT_ROLES: Final = frozenset({"password text"})
_LISTS: Final = frozenset(
    {"list", "tree", "table", "table row", "page tab list", "combo box", "menu bar", "menu", "popup menu"}
)


@dataclass(frozen=True, slots=True)
class TopWindow:
    """A top-level window. `pid`: of Windows; `xid`: its X window, 0 if it has none; `rect`: in screen pixels."""

    hwnd: int
    pid: int
    xid: int
    name: str
    program: str
    rect: tuple[int, int, int, int]


@dataclass(slots=True)
class Control:
    """One control or item. `key` is valid while it exists; `rect` is left, top, right, bottom in screen pixels.

    `text`: None where it has none. `hidden`: number of characters of a text that is not read. `value`: the number, its
    least and greatest one and the step. `labelled_by`: key of the text that its name is of. `length`: characters of a
    text of which only the beginning was read. `count`: items, those out of view included. `columns`: of a table; `row`
    and `column`: of its cell, from 0. `lacking`: of a window, why not all that is visible in it was read.
    """

    key: str
    parent: str | None
    role: str
    name: str
    states: frozenset[str]
    rect: tuple[int, int, int, int]
    actions: tuple[str, ...] = ()
    text: str | None = None
    hidden: int = 0
    caret: int = 0
    selection: tuple[int, int] | None = None
    value: tuple[float, float, float, float] | None = None
    description: str = ""
    labelled_by: str | None = None
    length: int | None = None
    count: int | None = None
    columns: int | None = None
    row: int | None = None
    column: int | None = None
    control_id: int | None = None
    lacking: str = ""
    children: list[str] = field(default_factory=list[str])

    @property
    def selects(self) -> bool:
        """True if it has items one of which may be selected."""
        return self.role in _LISTS


@dataclass(frozen=True, slots=True)
class Tree:
    """All controls of one top-level window, parents first.

    `popups`: windows of open menus whose items are in the menus of its menu bar.
    """

    root: str
    controls: Mapping[str, Control]
    popups: frozenset[int] = frozenset()


def top_windows(told: Sequence[Json]) -> list[TopWindow]:
    """Decode the answer to `windows`."""
    return [
        TopWindow(
            int(each["hwnd"]),
            int(each["pid"]),
            int(each["xid"]),
            str(each["name"]),
            str(each["program"]),
            _rect(each["rect"]),
        )
        for each in told
    ]


def tree_of(told: Json) -> Tree:
    """Decode the answer to `tree`."""
    controls = {control.key: control for control in map(_control, told["nodes"])}
    for control in controls.values():
        if control.parent in controls:
            controls[control.parent].children.append(control.key)
    root = next(iter(controls), "")
    if root and not told["complete"]:
        controls[root] = replace(controls[root], lacking=str(told["why"]))
    return Tree(root, controls, frozenset(told.get("popups", ())))


def _control(told: Json) -> Control:
    text, chosen, value = told.get("text"), told.get("selection"), told.get("value")
    secret = told["role"] in _TEXT_ROLES
    return Control(
        key=str(told["key"]),
        parent=told["parent"],
        role=str(told["role"]),
        name=str(told["name"]),
        states=frozenset(told["states"]),
        rect=_rect(told["rect"]),
        actions=tuple(told["actions"]),
        text="" if secret else text,
        hidden=int(told.get("hidden") or 0),
        caret=int(told.get("caret") or 0),
        selection=(int(chosen[0]), int(chosen[1])) if chosen else None,
        value=(float(value[0]), float(value[1]), float(value[2]), float(value[3])) if value else None,
        description=str(told.get("description") or ""),
        labelled_by=told.get("labelled_by"),
        length=told.get("length"),
        count=told.get("count"),
        columns=told.get("columns"),
        row=told.get("row"),
        column=told.get("column"),
        control_id=told.get("control_id"),
    )


def _rect(told: Sequence[int]) -> tuple[int, int, int, int]:
    left, top, right, bottom = map(int, told)
    return left, top, right, bottom
