"""Tree views."""

from typing import Final

from .failures import Refused
from .kinds import Kind, Part, act_never
from .memory import ask, ask_texts
from .messages import Sent, click_inside, deliver, send, send_each, send_signed
from .nodes import NOWHERE
from .reading import MOST_ITEMS, WS_DISABLED, Control, Reading, intersection, is_named, item_states, moved
from .structures import TreeItem, TreeRect
from .windows import rect_of, style_of

TVM_EXPAND: Final = 0x1102
TVM_GETITEMRECT: Final = 0x1104
TVM_GETCOUNT: Final = 0x1105
TVM_GETNEXTITEM: Final = 0x110A
TVM_SELECTITEM: Final = 0x110B
TVM_GETVISIBLECOUNT: Final = 0x1110
TVM_ENSUREVISIBLE: Final = 0x1114
TVM_GETITEMW: Final = 0x113E

_AT_ONCE: Final = 100
MOST_SEARCHED: Final = 1000
"""Items whose names are compared."""

_ROOT: Final = 0
_PARENT: Final = 3
_FIRST_VISIBLE: Final = 5
_NEXT_VISIBLE: Final = 6
_SELECTION: Final = 9
_COLLAPSE: Final = 1
_EXPAND: Final = 2
_WANTED: Final = 0x1 | 0x8 | 0x10 | 0x40  # text, state, handle, children
_STATE_MASK: Final = 0xF0FF
_SELECTED: Final = 0x2
_EXPANDED: Final = 0x20
_CHECK_BOXES: Final = 0x100
_DEEPEST: Final = 200
_HANDLE_OF_32: Final = 0xFFFFFFFF


def _read(control: Control, reading: Reading) -> None:
    count = send(control.handle, TVM_GETCOUNT) & 0xFFFFFFFF
    reading.add(control, "tree", ("focusable",), count=count, actions=("focus",))
    parents = _with_parents(control.handle)
    items = list(parents)
    answers = ask_texts(control.handle, TVM_GETITEMW, [(0, _item(item)) for item in items])
    boxes = ask(control.handle, TVM_GETITEMRECT, [(1, TreeRect(item=item)) for item in items])
    for item, (state, text), box in zip(items, answers, boxes, strict=True):
        # Wine leaves the handle in the rectangle of an item inside a collapsed one.
        hidden = not (box.item ^ item) & _HANDLE_OF_32
        rect = NOWHERE if hidden else intersection(moved(rect_of(box.rect), control.client), control.client)
        parent = parents[item]
        states, actions = _states(control, state)
        reading.add_item(
            _key(control, item),
            _key(control, parent) if parent else control.key,
            "tree item",
            rect,
            name=text,
            states=item_states(control.enabled, rect != NOWHERE, *states),
            actions=actions,
        )


def _key(control: Control, item: int) -> str:
    return f"{control.key}/n{item:#x}"


def _with_parents(handle: int) -> dict[int, int]:
    """The items in view and all those above them, parents first, each with its parent or 0.

    Raises Refused for an item inside itself, or very deep, which would never end.
    """
    items = _in_view(handle)
    above = dict(zip(items, send_each(handle, [_next(_PARENT, item) for item in items]), strict=True))
    found: dict[int, int] = {}
    for item in items:
        chain = [item]
        while chain[-1] and chain[-1] not in found:
            if chain[-1] not in above:
                above[chain[-1]] = send(handle, TVM_GETNEXTITEM, _PARENT, chain[-1])
            if above[chain[-1]] in chain or len(chain) > _DEEPEST:
                raise Refused(f"an item of tree {handle} is inside itself, or inside more than {_DEEPEST} others")
            chain.append(above[chain[-1]])
        chain.reverse()
        found.update(zip(chain[1:], chain, strict=False))
    return found


def _in_view(handle: int) -> list[int]:
    first, count = send_each(handle, [_next(_FIRST_VISIBLE), Sent(TVM_GETVISIBLECOUNT)])
    return _chain(handle, first, min(MOST_ITEMS, count + 1))


def _chain(handle: int, item: int, most: int) -> list[int]:
    """The item and those below it on the screen, but for those inside of collapsed ones; `most` of them."""
    if not item or most <= 0:
        return []
    follow = Sent(TVM_GETNEXTITEM, _NEXT_VISIBLE, follows=True)
    below = send_each(handle, [_next(_NEXT_VISIBLE, item), *[follow] * (most - 1)])
    return [each for each in (item, *below) if each][:most]


def _next(which: int, item: int = 0) -> Sent:
    return Sent(TVM_GETNEXTITEM, which, item)


def _states(control: Control, item: TreeItem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    states = ["selectable"]
    actions = ["select", "activate"]
    if item.state & _SELECTED:
        states.append("selected")
    if item.children:
        expanded = item.state & _EXPANDED
        states.extend(("expandable", "expanded") if expanded else ("expandable",))
        actions.append("collapse" if expanded else "expand")
    image = (item.state & 0xF000) >> 12
    if control.style & _CHECK_BOXES and image:
        states.extend(("checkable", "checked") if image == 2 else ("checkable",))
        actions.append("toggle")
    return tuple(states), tuple(actions)


def _item(item: int) -> TreeItem:
    return TreeItem(mask=_WANTED, item=item, state_mask=_STATE_MASK)


def _act(part: Part, action: str) -> None:
    if not part.item:
        act_never(part, action)
    if style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the tree {part.handle} is disabled")
    if action == "select":
        deliver(part.handle, TVM_SELECTITEM, _SELECTION, part.index)
    elif action in {"expand", "collapse"}:
        deliver(part.handle, TVM_EXPAND, _EXPAND if action == "expand" else _COLLAPSE, part.index)
    elif action in {"activate", "toggle"}:
        _click(part, action)
    else:
        act_never(part, action)


def _click(part: Part, action: str) -> None:
    _show(part)
    (box,) = ask(part.handle, TVM_GETITEMRECT, [(1, TreeRect(item=part.index))])
    height = (box.rect.top + box.rect.bottom) // 2
    if action == "activate":
        click_inside(part.handle, (box.rect.left + 4, height), double=True)
    else:
        click_inside(part.handle, (box.rect.left - 9, height))  # its check box


def _show(part: Part) -> None:
    if send_signed(part.handle, TVM_GETCOUNT):
        send(part.handle, TVM_ENSUREVISIBLE, 0, part.index)


def _show_named(part: Part, name: str) -> bool:
    """Scroll to the first item of a name, of those that are inside of expanded ones."""
    items: list[int] = []
    first = send(part.handle, TVM_GETNEXTITEM, _ROOT)
    while first and len(items) <= MOST_SEARCHED:
        items += _chain(part.handle, first, _AT_ONCE)
        first = send(part.handle, TVM_GETNEXTITEM, _NEXT_VISIBLE, items[-1])
    answers = ask_texts(part.handle, TVM_GETITEMW, [(0, _item(item)) for item in items[:MOST_SEARCHED]])
    found = next((item for item, (_, text) in zip(items, answers, strict=False) if is_named(text, name)), 0)
    if found:
        send(part.handle, TVM_ENSUREVISIBLE, 0, found)
    elif len(items) > MOST_SEARCHED:
        raise Refused(f"the tree {part.handle} is long: {name!r} is not among its first {MOST_SEARCHED} items")
    return bool(found)


TREE_VIEW: Final = Kind(_read, _act, show=_show, show_named=_show_named)
