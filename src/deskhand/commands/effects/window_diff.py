"""How one look at a window differs from another: who came, who went, and who changed. Pure.

What is made anew and reads the same is no difference, and neither is what closes with what an action was done to.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from deskhand.commands.effects.diff import (
    MENUS,
    OPEN,
    TEXT,
    Aspect,
    Difference,
    facts,
    says_more,
    telling,
    topmost,
)
from deskhand.commands.expectation import Focus
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
"""What is only there to be read, unless it can have the keyboard."""


def difference(then: Observation, now: Observation, target: TargetInfo | None, focus: Focus) -> Difference:
    """What shows otherwise: controls that came or went, and those of another name, value, telling state or place.

    Where one of the two is not whole, what is in one of them alone tells nothing. That the menu closed in which
    something was chosen is no effect of it, nor that a popover did, which a toggle button holds open; the menu that
    opened below what was chosen is, or in its place. Nor is it one that something closed that was open elsewhere: where
    it opened as a menu does, it takes the click for that.
    """
    item = target if target is not None and target.type in MENUS else None
    opens = _opened_by(item, then, now) if item else ""
    old, new = (_but_menus(_listed(seen), seen, opens) if item else _listed(seen) for seen in (then, now))
    whole = not (then.truncated or now.truncated)
    origins = (then.window.rect, now.window.rect)
    taker = target.handle if target else ""
    came = [control for handle, control in new.items() if handle not in old] if whole else []
    went = [control for handle, control in old.items() if handle not in new] if whole else []
    changed = [(control, new[handle]) for handle, control in old.items() if handle in new]
    let_go = [pair for pair in changed if _is_let_go(*pair)]
    if target and let_go and (popover := _gone_with(target, went)):
        went = [control for control in went if control.handle not in popover]
        changed = [pair for pair in changed if pair not in let_go]
    if target and now.find(target.handle) is None and (opener := _opener(then, target)):
        changed = [pair for pair in changed if not _holds_no_longer(opener, *pair)]
    put_away = _put_away(target, then, changed, went) if target and not item else {}
    went = [control for control in went if control.handle not in put_away]
    changed = [pair for pair in changed if pair[0].handle not in put_away]
    made_anew = Counter(_look(c, origins[1]) for c in came) & Counter(_look(c, origins[0]) for c in went)
    came, went = _but(came, made_anew, origins[1]), _but(went, made_anew, origins[0])
    again = _made_again(went, came, origins)
    paired = {control.handle for pair in again for control in pair}
    changed += again
    return Difference(
        tuple(control for control in came if control.handle not in paired),
        tuple(control for control in went if control.handle not in paired),
        tuple(
            (control, now_control)
            for control, now_control in changed
            if facts(control, origins[0]) != facts(now_control, origins[1])
            or ("focused" in now_control.states - control.states and _counts(focus, control.handle, taker))
        ),
        origins,
        tuple(dict.fromkeys(put_away.values())),
    )


def _put_away(
    target: TargetInfo,
    seen: Observation,
    changed: Sequence[tuple[TargetInfo, TargetInfo]],
    went: Sequence[TargetInfo],
) -> dict[str, TargetInfo]:
    """What belongs to a menu, list or picker that closed, by handle, each with what had it open, that among it; a menu
    that nothing says to have opened stands for itself.

    Not where the target is what has it open, or stands in it. GTK 4 and Chromium have what a button opens inside of it;
    of a popover of GTK 3 nothing tells but that a toggle button came up, and that something went.
    """
    emptied = _around(seen, {control.handle for control in went if control.type not in _NOT_USED})
    own = {target.handle, *_around(seen, {target.handle})}
    menus = [control for control in topmost(went) if _is_open_by_itself(control) and control.handle not in own]
    closed = {part.handle: menu for menu in menus for part in (menu, *seen.inside_of(menu))}
    let_go = [toggle for toggle, now in changed if _is_let_go(toggle, now) and toggle.handle not in own]
    if let_go and went and target.handle not in {control.handle for control in went}:
        closed |= dict.fromkeys([control.handle for control in (*let_go, *went)], let_go[0])
    for opener, now in changed:
        is_emptied = opener.type in _HOLDERS and opener.handle in emptied
        if opener.type not in _OPENERS or opener.handle in own or not (is_emptied or _is_closed(opener, now)):
            continue
        closed |= {part.handle: opener for part in seen.inside_of(opener)}
        if not says_more(opener, now):
            closed[opener.handle] = opener
    return closed


def _is_open_by_itself(control: TargetInfo) -> bool:
    """Whether it is a menu, or the nameless window of one."""
    return control.type is Role.MENU or (control.type is Role.WINDOW and not control.name)


def _is_closed(then: TargetInfo, now: TargetInfo) -> bool:
    lost = telling(then) - telling(now)
    return then.type is not Role.BUTTON and bool(lost) and lost <= OPEN


def _around(seen: Observation, handles: Set[str]) -> set[str]:
    """All that these stand in."""
    parents = {control.handle: control.parent for control in seen.controls} if handles else {}
    found, here = set[str](), {parents.get(handle, "") for handle in handles} - {""}
    while here:
        found |= here
        here = {parents.get(handle, "") for handle in here} - found - {""}
    return found


def _is_let_go(then: TargetInfo, now: TargetInfo) -> bool:
    """Whether a toggle button came up, as one does when the popover closes that it holds open."""
    return Trait.TOGGLE in then.traits and bool({"checked", "pressed"} & (telling(then) - telling(now)))


def _opener(seen: Observation, target: TargetInfo) -> TargetInfo | None:
    """The button that holds the menu or popover open in which the target is: GTK 4 has them inside of it."""
    known = {control.handle: control for control in seen.controls}
    above = known.get(target.handle)
    while above and (above.type is not Role.BUTTON or "expanded" not in above.states):
        above = known.get(above.parent)
    return above if above and above.handle != target.handle else None


def _holds_no_longer(opener: TargetInfo, then: TargetInfo, now: TargetInfo) -> bool:
    """Whether all that is different is that the opener is no longer expanded, or the button in it came up."""
    if then.handle == opener.handle:
        return (then.name, then.value) == (now.name, now.value) and telling(then) ^ telling(now) == _EXPANDED
    return then.parent == opener.handle and _is_let_go(then, now)


def _gone_with(target: TargetInfo, went: Sequence[TargetInfo]) -> set[str]:
    """The handles of what went together with the target, from the same place; empty where it did not go."""
    parents = {control.handle: control.parent for control in went}
    tops = {handle: handle for handle in parents}
    for handle, parent in parents.items():  # parents stand before their children
        tops[handle] = tops.get(parent, handle)
    if target.handle not in tops:
        return set()
    place = parents[tops[target.handle]]
    return {handle for handle, top in tops.items() if parents[top] == place}


def own_changes(then: Observation, now: Observation) -> frozenset[Aspect]:
    """What changed of a window while nothing was done to it: it changes by itself."""
    found = difference(then, now, None, Focus.NOBODY).aspects
    title = frozenset([(now.window.handle, TEXT)]) if then.window.name != now.window.name else frozenset[Aspect]()
    return found | title


def _look(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    return (control.type, *facts(control, window))


def _made_again(
    went: Sequence[TargetInfo], came: Sequence[TargetInfo], windows: tuple[Rect, Rect]
) -> list[tuple[TargetInfo, TargetInfo]]:
    """Which of them have other states under another handle, and are else the same: as slides that are chosen."""
    left = defaultdict[tuple[object, ...], list[TargetInfo]](list)
    for control in went:
        left[_but_states(control, windows[0])].append(control)
    kin = ((left[_but_states(control, windows[1])], control) for control in came)
    return [(same.pop(0), control) for same, control in kin if same]


def _but_states(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    return _look(replace(control, states=frozenset()), window)


def _but(controls: Iterable[TargetInfo], made_anew: Counter[tuple[object, ...]], window: Rect) -> list[TargetInfo]:
    """Those that are not the same as others in everything but their handle: some applications make theirs anew."""
    left, found = made_anew.copy(), list[TargetInfo]()
    for control in controls:
        look = _look(control, window)
        if left[look] > 0:
            left[look] -= 1
        else:
            found.append(control)
    return found


def _listed(seen: Observation) -> dict[str, TargetInfo]:
    """The controls that can show an effect, by handle: no bars that follow the pointer, and no bubbles."""
    bars = {control.handle for control in seen.controls if Trait.FOLLOWS_POINTER in control.traits}
    bubbles = _bubbles(seen)
    return {
        control.handle: control
        for control in seen.controls
        if not control.sighting and control.handle not in bubbles and bars.isdisjoint((control.handle, control.parent))
    }


def _opened_by(item: TargetInfo, then: Observation, now: Observation) -> str:
    """In what a menu may have opened by its item, that of Qt says nothing else of it; empty: in nothing.

    A menu of GTK 4 shows what one of its items opens in its own place, where that item is not seen any more.
    """
    if then.find(item.handle) is not None and now.find(item.handle) is not None:
        return item.handle
    known = {control.handle for control in then.controls}
    came = {control.parent for control in now.controls if control.type in MENUS and control.handle not in known}
    menu = then.find(item.parent)
    return menu.handle if menu is not None and menu.type in MENUS and menu.handle in came else ""


def _but_menus(listed: Mapping[str, TargetInfo], seen: Observation, opens: str) -> dict[str, TargetInfo]:
    """Without menus and what is in them, but for what stands in `opens`."""
    in_menus, opened = set[str](), {opens} - {""}
    for control in seen.controls:  # parents stand before their children
        if control.parent in opened:
            opened.add(control.handle)
        if control.type in MENUS or control.parent in in_menus:
            in_menus.add(control.handle)
    left = in_menus - (opened - {opens})
    return {handle: control for handle, control in listed.items() if handle not in left}


def _bubbles(seen: Observation) -> Set[str]:
    """What follows the pointer: tooltips, and nameless windows in the window, of texts and pictures alone.

    Chromium shows in one where the link leads that the pointer is over, and its tooltips are such.
    """
    inside, used = dict[str, str](), set[str]()
    for control in seen.controls:  # parents stand before their children
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
