"""The difference between two observations of a window: controls added, removed and changed. Pure.

Controls that are recreated with the same content do not differ, and a popup that closes with its target does not count.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final, Self

from deskhand.commands.call import Focus
from deskhand.commands.control_kinds import in_document, lasting_states
from deskhand.commands.effects.diff import MENUS, OPEN, Difference, facts, has_other_changes, topmost
from deskhand.commands.effects.evidence import TEXT, Aspect
from deskhand.commands.effects.text_match import surely_read
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait

_EXPANDED: Final = frozenset({"expanded"})
_HOLDERS: Final = frozenset({Role.BUTTON, Role.COMBOBOX})
_OPENERS: Final = MENUS | _HOLDERS

_NOT_USED: Final = frozenset(
    {
        Role.GENERIC,
        Role.GROUP,
        Role.IMAGE,
        Role.LABEL,
        Role.PARAGRAPH,
        Role.SECTION,
        Role.TEXT,
        Role.TOOLTIP,
        Role.UNKNOWN,
        Role.WINDOW,
    }
)
"""Roles that are only read, unless focusable."""


def difference(then: Observation, now: Observation, target: TargetInfo | None, focus: Focus) -> Difference:
    """The controls that were added, removed, or changed in name, value, lasting states or place.

    If one observation is truncated, additions and removals do not count, except of texts that both read from the
    picture. These do not move, and differ only if they cannot be two readings of one text.

    Closing the menu of a chosen item is no effect, nor is closing a popover that a toggle button holds open; a menu
    that opens below the item, or in its place, is one. Closing a popup elsewhere is no effect: a menu takes the first
    click for that.
    """
    draft = _Draft.of(then, now, target)
    if target is not None:
        draft.drop_popover_of(target)
        draft.drop_opener_of(target)
        draft.drop_dismissed(target)
    draft.drop_recreated()
    draft.pair_reselected()
    return draft.finished(focus, target.handle if target else "")


def appeared(then: Observation, now: Observation, target: TargetInfo | None, focus: Focus) -> Difference:  # noqa: ARG001
    """The effect of the pointer's arrival: controls that were added or changed, popups that follow it included.

    What went belonged to the place that it left.
    """
    draft = _Draft.of(then, now, None, follows_pointer=True)
    draft.drop_recreated()
    draft.pair_reselected()
    return replace(draft.finished(Focus.NOBODY, ""), removed=(), reloaded=())


@dataclass(slots=True)
class _Draft:
    """A difference in the making: each step drops changes that are no effect."""

    then: Observation
    now: Observation
    added: list[TargetInfo]
    removed: list[TargetInfo]
    changed: list[tuple[TargetInfo, TargetInfo]]
    dismissed: Mapping[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])
    reloaded: tuple[TargetInfo, ...] = ()

    @classmethod
    def of(
        cls, then: Observation, now: Observation, target: TargetInfo | None, *, follows_pointer: bool = False
    ) -> Self:
        """All differences, without menus if the target is an item of one.

        `follows_pointer`: also of bars and popups that follow the pointer.
        """
        from_picture = then.from_picture and now.from_picture
        old, new = (_listed(seen, from_picture, follows_pointer=follows_pointer) for seen in (then, now))
        if target is not None and target.type in MENUS:
            opens = _opened_by(target, then, now)
            old, new = _without_menus(old, then, opens), _without_menus(new, now, opens)
        whole = not (then.truncated or now.truncated)
        return cls(
            then,
            now,
            [control for control in _only_in(new, old) if whole or _is_read(control)],
            [control for control in _only_in(old, new) if whole or _is_read(control)],
            [(control, new[handle]) for handle, control in old.items() if handle in new],
        )

    @property
    def origins(self) -> tuple[Rect, Rect]:
        return self.then.window.rect, self.now.window.rect

    def drop_popover_of(self, target: TargetInfo) -> None:
        """The popover around the target that closed, and its toggle button that came up."""
        came_up = [pair for pair in self.changed if _came_up(*pair)]
        if came_up and (popover := _removed_with(target, self.removed)):
            self.removed = [control for control in self.removed if control.handle not in popover]
            self.changed = [pair for pair in self.changed if pair not in came_up]

    def drop_opener_of(self, target: TargetInfo) -> None:
        """The button that held the target's menu open."""
        opener = _opener(self.then, target) if self.now.find(target.handle) is None else None
        if opener is not None:
            self.changed = [pair for pair in self.changed if not _only_closed(opener, *pair)]

    def drop_dismissed(self, target: TargetInfo) -> None:
        """Popups elsewhere that closed; an item's own menus are not among the differences."""
        if target.type in MENUS:
            return
        self.dismissed = _dismissed(target, self.then, self.changed, self.removed)
        self.removed = [control for control in self.removed if control.handle not in self.dismissed]
        self.changed = [pair for pair in self.changed if pair[0].handle not in self.dismissed]

    def drop_recreated(self) -> None:
        """Controls that equal others in everything but the handle."""
        then, now = self.origins
        left = {control.parent for control in self.removed if _is_page(control)}
        self.reloaded = tuple(control for control in self.added if _is_page(control) and control.parent in left)
        both = Counter(_look(c, now) for c in self.added) & Counter(_look(c, then) for c in self.removed)
        self.added, self.removed = _without(self.added, both, now), _without(self.removed, both, then)

    def pair_reselected(self) -> None:
        """Recreated controls with other states count as changed."""
        pairs = _made_again(self.removed, self.added, self.origins)
        paired = {control.handle for pair in pairs for control in pair}
        self.added = [control for control in self.added if control.handle not in paired]
        self.removed = [control for control in self.removed if control.handle not in paired]
        self.changed += pairs

    def finished(self, focus: Focus, taker: str) -> Difference:
        """`focus`: whose keyboard focus counts; `taker`: the target's handle."""

        def counts(then: TargetInfo, now: TargetInfo) -> bool:
            if _is_read(then):
                return surely_read(then.name) != surely_read(now.name)
            if facts(then, self.origins[0]) != facts(now, self.origins[1]):
                return True
            return "focused" in now.states - then.states and _counts(focus, then.handle, taker)

        changed = tuple(pair for pair in self.changed if counts(*pair))
        dismissed = tuple(dict.fromkeys(self.dismissed.values()))
        return Difference(tuple(self.added), tuple(self.removed), changed, self.origins, dismissed, self.reloaded)


def _is_read(control: TargetInfo) -> bool:
    return Trait.READ_FROM_PICTURE in control.traits


def _is_page(control: TargetInfo) -> bool:
    return control.type is Role.DOCUMENT and not in_document(control)


def _only_in(one: Mapping[str, TargetInfo], other: Mapping[str, TargetInfo]) -> list[TargetInfo]:
    return [control for handle, control in one.items() if handle not in other]


def _dismissed(
    target: TargetInfo,
    seen: Observation,
    changed: Sequence[tuple[TargetInfo, TargetInfo]],
    removed: Sequence[TargetInfo],
) -> dict[str, TargetInfo]:
    """The controls of each menu, list or picker elsewhere that closed: handle → its opener, itself included; a menu
    without a known opener counts as its own.

    Popups of the target, or around it, do not count. GTK 4 and Chromium put a popup inside its button; a popover of GTK
    3 shows only by a toggle button that came up while other controls disappeared.
    """
    own = {target.handle, *_around(seen, {target.handle})}
    emptied = _around(seen, {control.handle for control in removed if control.type not in _NOT_USED})
    closed = _closed_menus(seen, removed, own) | _closed_by_toggle(target, changed, removed, own)
    for opener, now in changed:
        if opener.handle in own or not _has_closed(opener, now, emptied):
            continue
        closed |= {part.handle: opener for part in seen.inside_of(opener)}
        if not has_other_changes(opener, now):
            closed[opener.handle] = opener
    return closed


def _closed_menus(seen: Observation, removed: Sequence[TargetInfo], own: Set[str]) -> dict[str, TargetInfo]:
    menus = [control for control in topmost(removed) if _is_open_by_itself(control) and control.handle not in own]
    return {part.handle: menu for menu in menus for part in (menu, *seen.inside_of(menu))}


def _closed_by_toggle(
    target: TargetInfo,
    changed: Sequence[tuple[TargetInfo, TargetInfo]],
    removed: Sequence[TargetInfo],
    own: Set[str],
) -> dict[str, TargetInfo]:
    """Everything removed counts as the popover of a toggle button that came up, unless the target is among it."""
    came_up = [toggle for toggle, now in changed if _came_up(toggle, now) and toggle.handle not in own]
    handles = {control.handle for control in removed}
    if not came_up or not handles or target.handle in handles:
        return {}
    return dict.fromkeys([control.handle for control in (*came_up, *removed)], came_up[0])


def _has_closed(opener: TargetInfo, now: TargetInfo, emptied: Set[str]) -> bool:
    """True for the opener of a menu, list or picker that is closed or empty now."""
    if opener.type not in _OPENERS:
        return False
    return (opener.type in _HOLDERS and opener.handle in emptied) or _is_closed(opener, now)


def _is_open_by_itself(control: TargetInfo) -> bool:
    """True for a menu, the nameless window of one, or an open list that is a nameless combo box of its own."""
    is_list = control.type is Role.COMBOBOX and "expanded" in control.states
    return control.type is Role.MENU or ((is_list or control.type is Role.WINDOW) and not control.name)


def _is_closed(then: TargetInfo, now: TargetInfo) -> bool:
    lost = lasting_states(then) - lasting_states(now)
    return then.type is not Role.BUTTON and bool(lost) and lost <= OPEN


def _around(seen: Observation, handles: Set[str]) -> set[str]:
    """All ancestors of these."""
    parents = {control.handle: control.parent for control in seen.controls} if handles else {}
    found, here = set[str](), {parents.get(handle, "") for handle in handles} - {""}
    while here:
        found |= here
        here = {parents.get(handle, "") for handle in here} - found - {""}
    return found


def _came_up(then: TargetInfo, now: TargetInfo) -> bool:
    """True for a toggle button that came up, as it does when its popover closes."""
    return Trait.TOGGLE in then.traits and bool({"checked", "pressed"} & (lasting_states(then) - lasting_states(now)))


def _opener(seen: Observation, target: TargetInfo) -> TargetInfo | None:
    """The button that holds open the menu or popover around the target: GTK 4 puts it inside the button."""
    known = {control.handle: control for control in seen.controls}
    above = known.get(target.handle)
    while above and (above.type is not Role.BUTTON or "expanded" not in above.states):
        above = known.get(above.parent)
    return above if above and above.handle != target.handle else None


def _only_closed(opener: TargetInfo, then: TargetInfo, now: TargetInfo) -> bool:
    """True if the only change is that the opener collapsed, or that the toggle button inside it came up."""
    if then.handle == opener.handle:
        return (then.name, then.value) == (now.name, now.value) and lasting_states(then) ^ lasting_states(
            now
        ) == _EXPANDED
    return then.parent == opener.handle and _came_up(then, now)


def _removed_with(target: TargetInfo, removed: Sequence[TargetInfo]) -> set[str]:
    """Handles of the controls removed together with the target, from the same parent; empty if it is still there."""
    parents = {control.handle: control.parent for control in removed}
    tops = {handle: handle for handle in parents}
    for handle, parent in parents.items():  # parents come before their children
        tops[handle] = tops.get(parent, handle)
    if target.handle not in tops:
        return set()
    place = parents[tops[target.handle]]
    return {handle for handle, top in tops.items() if parents[top] == place}


def own_changes(then: Observation, now: Observation) -> frozenset[Aspect]:
    """The aspects of a window that changed without an action: background changes."""
    found = difference(then, now, None, Focus.NOBODY).aspects
    title = frozenset([(now.window.handle, TEXT)]) if then.window.name != now.window.name else frozenset[Aspect]()
    return found | title


def _look(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    return (control.type, *facts(control, window))


def _made_again(
    removed: Sequence[TargetInfo], added: Sequence[TargetInfo], windows: tuple[Rect, Rect]
) -> list[tuple[TargetInfo, TargetInfo]]:
    """Pairs that differ only in states and handle, such as slides that are selected."""
    left = defaultdict[tuple[object, ...], list[TargetInfo]](list)
    for control in removed:
        left[_look_without_states(control, windows[0])].append(control)
    kin = ((left[_look_without_states(control, windows[1])], control) for control in added)
    return [(same.pop(0), control) for same, control in kin if same]


def _look_without_states(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    return _look(replace(control, states=frozenset()), window)


def _without(controls: Iterable[TargetInfo], made_anew: Counter[tuple[object, ...]], window: Rect) -> list[TargetInfo]:
    """The controls that do not equal others in everything but the handle: some applications recreate theirs."""
    left, found = made_anew.copy(), list[TargetInfo]()
    for control in controls:
        look = _look(control, window)
        if left[look] > 0:
            left[look] -= 1
        else:
            found.append(control)
    return found


def _listed(seen: Observation, from_picture: bool, *, follows_pointer: bool = False) -> dict[str, TargetInfo]:
    """The controls that can show an effect, by handle: bars that follow the pointer, and bubbles, only if
    `follows_pointer`; of controls that only the picture shows the texts that we read, `from_picture`.
    """
    bars = {control.handle for control in seen.controls if Trait.FOLLOWS_POINTER in control.traits}
    bubbles = _bubbles(seen)
    return {
        control.handle: control
        for control in seen.controls
        if (not control.sighting or (from_picture and _is_read(control) and surely_read(control.name)))
        and (follows_pointer or (control.handle not in bubbles and bars.isdisjoint((control.handle, control.parent))))
    }


def _opened_by(item: TargetInfo, then: Observation, now: Observation) -> str:
    """The control below which a menu item may have opened a menu, which is all Qt reports of it; empty: none.

    In GTK 4 a submenu opens in place of its menu, without the item.
    """
    if then.find(item.handle) is not None and now.find(item.handle) is not None:
        return item.handle
    known = {control.handle for control in then.controls}
    added = {control.parent for control in now.controls if control.type in MENUS and control.handle not in known}
    menu = then.find(item.parent)
    return menu.handle if menu is not None and menu.type in MENUS and menu.handle in added else ""


def _without_menus(listed: Mapping[str, TargetInfo], seen: Observation, opens: str) -> dict[str, TargetInfo]:
    """Without menus and their content, except the content of `opens`."""
    in_menus, opened = set[str](), {opens} - {""}
    for control in seen.controls:  # parents come before their children
        if control.parent in opened:
            opened.add(control.handle)
        if control.type in MENUS or control.parent in in_menus:
            in_menus.add(control.handle)
    left = in_menus - (opened - {opens})
    return {handle: control for handle, control in listed.items() if handle not in left}


def _bubbles(seen: Observation) -> Set[str]:
    """Popups that follow the pointer: tooltips, and nameless windows inside the window with only texts and pictures.

    Chromium shows the address of the hovered link, and its tooltips, in one.
    """
    inside, used = dict[str, str](), set[str]()
    for control in seen.controls:  # parents come before their children
        top = inside.get(control.parent) or (control.handle if _is_bubble(control) else "")
        if top:
            inside[control.handle] = top
        if top and ("focusable" in control.states or control.type not in _NOT_USED):
            used.add(top)
    return {handle for handle, top in inside.items() if top not in used}


def _is_bubble(control: TargetInfo) -> bool:
    return control.type is Role.TOOLTIP or (control.type is Role.WINDOW and not control.name)


def _counts(focus: Focus, handle: str, taker: str) -> bool:
    return focus is Focus.ANYBODY or (focus is Focus.TARGET and handle == taker)
