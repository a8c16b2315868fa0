"""What is different between two moments: of windows, of a control, and of all that a window shows. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from deskhand.commands.tools.about import RESULT_UNTOLD, TOGGLE, VALUE, Focus, is_of_office
from deskhand.commands.tools.figures import numbers_in
from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name

TELLING_STATES: Final = frozenset({"checked", "selected", "expanded", "pressed", "indeterminate"})
MENUS: Final = frozenset({Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_WRITTEN_IN: Final = frozenset({Role.HEADING, Role.PARAGRAPH})
_EXPANDED: Final = frozenset({"expanded"})
_OPEN: Final = frozenset({"expanded", "selected"})
_HOLDERS: Final = frozenset({Role.BUTTON, Role.COMBOBOX})
_OPENERS: Final = MENUS | _HOLDERS
_PLACES: Final = 16

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

Trait: TypeAlias = tuple[str, str]
"""Something that may change: a handle, and `TEXT`, `STATES` or `PLACE` of it, or a role of what is in it."""

TEXT: Final = "its text"
STATES: Final = "its states"
PLACE: Final = "its place"


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that an action did something.

    `places`: where on the screen it must have been painted; none: where it cannot be looked for. `certain`: the window
    system itself says so, which neither reverts nor hides. `mere`: it is not what was asked for, and only beside it.
    `passing`: only that the target is disabled or enabled now, as a button is while it works.
    """

    told: str
    places: tuple[Rect, ...] = ()
    certain: bool = False
    mere: bool = False
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Between two observations of a window, which stood at `origins`; pairs are then and now.

    `put_away`: what was open elsewhere than at the target, a menu or a list, and closed, which is no effect.
    """

    came: tuple[TargetInfo, ...] = ()
    went: tuple[TargetInfo, ...] = ()
    changed: tuple[tuple[TargetInfo, TargetInfo], ...] = ()
    origins: tuple[Rect, Rect] = (NOWHERE, NOWHERE)
    put_away: tuple[TargetInfo, ...] = ()

    @property
    def traits(self) -> frozenset[Trait]:
        """What is different. Of what came or went it is what it is in that changed: it will never be seen again."""
        members = [(top.parent, str(top.type)) for group in (self.came, self.went) for top in _topmost(group)]
        return frozenset([*members, *((then.handle, a) for then, now in self.changed for a in self._of(then, now))])

    def split(self, restless: Set[Trait]) -> "tuple[Difference, Difference]":
        """What is different beside what is `restless`, and what is so because of that.

        A text that changes takes another place, and what only moves while something restless does moves with it.
        """
        if not restless:
            return self, Difference()
        came, went = _outside(self.came, restless), _outside(self.went, restless)
        steady = {control.handle for control in _outside([then for then, _ in self.changed], restless)}
        kept = [pair for pair in self.changed if self._is_an_effect(*pair, restless, pair[0].handle in steady)]
        if len(came) < len(self.came) or len(went) < len(self.went) or len(kept) < len(self.changed):
            kept = [pair for pair in kept if self._of(*pair) != {PLACE}]
        left = replace(self, came=came, went=went, changed=tuple(kept))
        return left, self._beside(left)

    def _beside(self, part: "Difference") -> "Difference":
        came, went = ({control.handle for control in group} for group in (part.came, part.went))
        changed = {then.handle for then, _ in part.changed}
        return replace(
            self,
            came=tuple(control for control in self.came if control.handle not in came),
            went=tuple(control for control in self.went if control.handle not in went),
            changed=tuple(pair for pair in self.changed if pair[0].handle not in changed),
        )

    def _of(self, then: TargetInfo, now: TargetInfo) -> Set[str]:
        """What of one control is different; nothing where it only has the keyboard now."""
        aspects = (TEXT, TEXT, STATES, PLACE)
        both = zip(aspects, _facts(then, self.origins[0]), _facts(now, self.origins[1]), strict=True)
        return {aspect for aspect, was, is_now in both if was != is_now}

    def _is_an_effect(self, then: TargetInfo, now: TargetInfo, restless: Set[Trait], steady: bool) -> bool:
        """`steady`: it is no member of what is restless; those may be another one by now, under the same handle."""
        aspects = self._of(then, now)
        known = {aspect for aspect in aspects if (then.handle, aspect) in restless}
        known |= {PLACE} if (then.handle, TEXT) in restless else set()
        known |= set() if steady else {TEXT, PLACE}
        return not aspects or bool(aspects - known)

    def but_pressed(self, start: Point, end: Point, now: Observation) -> "tuple[Difference, Difference]":
        """What is different beside what the press of a drag alone does, and what is so because of that.

        It selects what stands at `start`, and all else no longer is, of which a status bar tells, and the states of
        what was not dragged over, such as LibreOffice's sidebar. `now`: the window as it is.
        """
        bars, over = _status_bars(now), _between(start, end)
        selected = [control for control in now.controls if "selected" in control.states]
        several = {control.parent for control in selected if not _is_pressed(control, start, end)}

        def by_press(then: TargetInfo, control: TargetInfo) -> bool:
            if not bars.isdisjoint((then.handle, then.parent)):
                return True
            if self._of(then, control) != {STATES}:
                return False
            if control.rect.intersection(over).empty:
                return True
            if (telling(then) ^ telling(control)) - {"selected"}:
                return False
            return _is_pressed(then, start, end) if "selected" in control.states else then.parent not in several

        pressed = [pair for pair in self.changed if by_press(*pair)]
        pressed.sort(key=lambda pair: "selected" in pair[0].states)  # what is selected now is told first
        return self._but_changed(pressed)

    def but_clicked(self, now: Observation) -> "tuple[Difference, Difference]":
        """What is different beside what a single click does as well, and what is so because of that.

        It selects, and gives the keyboard; a status bar may tell of what is selected. `now`: the window as it is.
        """
        bars = _status_bars(now)

        def by_click(then: TargetInfo, control: TargetInfo) -> bool:
            if not bars.isdisjoint((then.handle, then.parent)):
                return True
            return self._of(then, control) <= {STATES} and telling(then) ^ telling(control) <= {"selected"}

        return self._but_changed([pair for pair in self.changed if by_click(*pair)])

    def but_left(self) -> "tuple[Difference, Difference]":
        """What is different beside the value of what had the keyboard and has it no longer, and that: fields check and
        format what stands in them when they are left, whatever is pressed.
        """

        def by_leaving(then: TargetInfo, control: TargetInfo) -> bool:
            return "focused" in then.states - control.states and TEXT in self._of(then, control)

        return self._but_changed([pair for pair in self.changed if by_leaving(*pair)])

    def _but_changed(self, without: Sequence[tuple[TargetInfo, TargetInfo]]) -> "tuple[Difference, Difference]":
        left = replace(self, changed=tuple(pair for pair in self.changed if pair not in without))
        return left, replace(self, came=(), went=(), changed=tuple(without))

    def holding(self, texts: Collection[str]) -> "Difference":
        """Those in which texts stand now that were typed; nothing where one of them stands in none.

        What only shows the cell that has the cursor now, as a spreadsheet's name box and input line do, holds none.
        """
        kept = [pair for pair in self.changed if self._of(*pair)]
        cells = [(then, now) for then, now in self.changed if now.type is Role.CELL]
        taken = [now for then, now in cells if "focused" in now.states - then.states]
        left = {now.value for then, now in kept if "focused" in then.states - now.states and now.type is Role.TEXTBOX}
        if gone_to := [pair for pair in cells if pair[1] in taken and {pair[1].name} == set(texts) <= left]:
            return replace(self, came=(), went=(), changed=tuple(gone_to))  # its address was typed into a name box
        shown = {text for now in taken for text in (now.name, now.value) if text}
        changed, came = list[tuple[TargetInfo, TargetInfo]](), list[TargetInfo]()
        for text in texts:
            holding = [pair for pair in kept if _came_to_hold(*pair, text, shown)]
            new = [control for control in self.came if _times(text, control) and control.value not in shown]
            if not (holding or new):
                return Difference()
            changed += [pair for pair in holding if pair not in changed]
            came += [control for control in new if control not in came]
        return replace(self, came=tuple(came), went=(), changed=tuple(changed))

    def writing_in(self, target: TargetInfo, seen: Observation) -> "Difference":
        """Those paragraphs of a target that have the keyboard now, in what was seen."""
        inside = {target.handle, *(control.handle for control in seen.inside_of(target))}
        changed = [
            (then, now)
            for then, now in self.changed
            if now.type in _WRITTEN_IN and now.handle in inside and "focused" in now.states - then.states
        ]
        return replace(self, came=(), went=(), changed=tuple(changed))

    def but_closed(self) -> "Difference":
        """Without what went, and what only has something open no longer."""
        changed = (pair for pair in self.changed if self._of(*pair) != {STATES} or _says_more(*pair))
        return replace(self, went=(), changed=tuple(changed))

    def in_documents(self) -> "Difference":
        """Those documents that read otherwise now, as a formula of LibreOffice Math does."""
        changed = (pair for pair in self.changed if pair[1].type is Role.DOCUMENT and pair[0].value != pair[1].value)
        return replace(self, came=(), went=(), changed=tuple(changed))

    def in_or_beside(self, target: TargetInfo | None, seen: Observation) -> "Difference":
        """What came or went anywhere, and what changed in a target: the switch in a row is turned with the row."""
        inside = {control.handle for control in seen.inside_of(target)} if target else set[str]()
        return replace(self, changed=tuple(pair for pair in self.changed if pair[0].handle in inside))

    def sign(self) -> Sign | None:
        """None where there is none."""
        if not (self.came or self.went or self.changed):
            return None
        counts = ((len(self.came), "came"), (len(self.went), "went"), (len(self.changed), "changed"))
        many = ", ".join(f"{count} {what}" for count, what in counts if count)
        told = self.first() if sum(count for count, _ in counts) == 1 else f"{self.first()} ({many})"
        drawn = [control for then, now in self.changed if _is_drawn(then, now) for control in (then, now)]
        shown = [control.rect for control in (*drawn, *self.came, *self.went)]
        places = tuple(dict.fromkeys(rect for rect in shown if not rect.empty))
        return Sign(told, places[:_PLACES])

    def places_of_kin(self, control: TargetInfo) -> tuple[Rect, ...]:
        """Of what came or went in a control, or beside it in what it stands in."""
        kin, found = {control.handle, control.parent} - {""}, list[Rect]()
        for other in (*self.came, *self.went):  # parents before children, and lists of pages have no place themselves
            if other.parent in kin:
                kin.add(other.handle)
                found += [other.rect] if not other.rect.empty else []
        return tuple(dict.fromkeys(found))[:_PLACES]

    @property
    def dialog(self) -> TargetInfo | None:
        """One that opened inside of the window."""
        return next((control for control in self.came if control.type is Role.DIALOG), None)

    def first(self) -> str:
        """One thing that is different, as a sentence: rather that a dialog came, rather not that something moved.

        Empty: nothing is.
        """
        told = [f"{self.dialog.describe} came"] if self.dialog else []
        told += [told_of(*pair) for pair in self.changed if self._of(*pair) != {PLACE}][:1]
        told += [f"{_described(self.came)} came"] if self.came else []
        told += [f"{_described(self.went)} went"] if self.went else []
        told += [told_of(*pair) for pair in self.changed[:1]]
        return told[0] if told else ""


def _between(start: Point, end: Point) -> Rect:
    """What was dragged over."""
    (left, right), (top, bottom) = sorted((start.x, end.x)), sorted((start.y, end.y))
    return Rect(left, top, right + 1, bottom + 1)


def _is_pressed(control: TargetInfo, start: Point, end: Point) -> bool:
    """Whether it stands at `start`, or is a cell of the same row, where the row is not what was dragged over."""
    if control.rect.contains(start):
        return True
    row = replace(control.rect, left=start.x, right=start.x + 1)
    return control.type is Role.CELL and row.contains(start) and not row.contains(replace(end, x=start.x))


def _described(controls: Sequence[TargetInfo]) -> str:
    """The first of them; one that says nothing of itself by the first thing in it that has a name."""
    first, inside = controls[0], {controls[0].handle}
    for control in controls[1:] if not (first.name or first.value) else ():
        if control.parent in inside and control.name:
            return f"{first.describe} with {control.describe} in it"
        inside |= {control.handle} if control.parent in inside else set()
    return first.describe


def _came_to_hold(then: TargetInfo, now: TargetInfo, text: str, shown: Set[str]) -> bool:
    """Whether a control came to hold a text that was typed, or is chosen by it, as an item of a list is."""
    if (then.name, then.value) == (now.name, now.value):
        return now.type is not Role.CELL and telling(then) != telling(now) and _times(text, now) > 0
    if now.value in shown and now.type is not Role.CELL:
        return False
    if "focused" in then.states:  # what had the keyboard may have scrolled on
        return _times(text, now) > 0 or (then.type is Role.CELL and text.startswith("="))
    return _times(text, now) > _times(text, then)


def _times(text: str, control: TargetInfo) -> int:
    """How often a text stands in a control; letters may be others' capitals, and numbers written in another way."""
    wanted = comparable_name(text).casefold()
    found = sum(comparable_name(said).casefold().count(wanted) for said in (control.name, control.value))
    return found or len(numbers_in(text) & numbers_in(control.value))


def _topmost(controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    """Those that are in none of the others."""
    handles = {control.handle for control in controls}
    return [control for control in controls if control.parent not in handles]


def _outside(controls: Sequence[TargetInfo], restless: Set[Trait]) -> tuple[TargetInfo, ...]:
    """Those that are not such members of what is restless, nor in one; parents stand before their children."""
    inside: set[str] = set()
    for control in controls:
        if (control.parent, str(control.type)) in restless or control.parent in inside:
            inside.add(control.handle)
    return tuple(control for control in controls if control.handle not in inside)


def _is_drawn(then: TargetInfo, now: TargetInfo) -> bool:
    """Whether what is different is drawn in its place: not only who has the keyboard, whose caret may not be there at
    this moment, nor what a page is called, which the title of its window says.
    """
    renamed = replace(then, name=now.name) if now.type is Role.DOCUMENT else then
    return _facts(renamed, NOWHERE) != _facts(now, NOWHERE)


def telling(control: TargetInfo) -> frozenset[str]:
    """The states that tell what an action did: those that stay. Every button is pressed while it is pressed."""
    states = control.states & TELLING_STATES
    return states if control.raw_role == TOGGLE else states - {"pressed"}


def told_of(then: TargetInfo, now: TargetInfo) -> str:
    """How one control differs, as a sentence."""
    if then.name != now.name:
        return f"{then.describe} is now called {now.name!r}"
    states = telling(then) ^ telling(now)
    if states and (then.value == now.value or not states <= _OPEN):
        return f"{then.describe} is now {told_states(now.states, states)}"
    if then.value != now.value:
        return _told_value(then, now)
    if "focused" in now.states - then.states:
        return f"{then.describe} has the keyboard now"
    return f"{then.describe} moved"


def told_states(now: Iterable[str], which: Iterable[str]) -> str:
    """`checked, not expanded`."""
    states = frozenset(now)
    return ", ".join(state if state in states else f"not {state}" for state in sorted(which))


def own_difference(then: TargetInfo, now: TargetInfo, own: Collection[str]) -> str:
    """How a control differs in what counts; empty: not at all."""
    states = (now.states ^ then.states) & frozenset(own) & (telling(then) | telling(now) | {"enabled", "focused"})
    if then.type in {Role.RADIO, Role.MENUITEMRADIO} and "checked" not in now.states:
        states -= {"checked"}  # pressing it is choosing it
    if states:
        return f"{then.describe} is now {told_states(now.states, states)}"
    return _told_value(then, now) if VALUE in own and now.value != then.value else ""


def _told_value(then: TargetInfo, now: TargetInfo) -> str:
    """The text of a password is not told, even where a person had it shown: evidence is kept for longer than that."""
    if RESULT_UNTOLD in now.states:
        return f"{then.describe} now has a formula whose result is not told"
    if Role.PASSWORD in {then.type, now.type}:
        return f"{then.describe} {'shows' if now.value else 'hides'} its text now"
    return f"{then.describe} now has the value {now.value!r}"


def window_sign(
    then: Sequence[TargetInfo], now: Sequence[TargetInfo], own: TargetInfo | None, restless: Set[Trait] = frozenset()
) -> Sign | None:
    """A window that came, went, or is called otherwise. Those of other programs than that of `own` are not what was
    asked for.

    A title that changes by itself tells nothing.
    """
    known, present = {window.handle: window for window in then}, {window.handle: window for window in now}
    for mere in (False, True):
        for window in now:
            if window.handle not in known and _is_of(window, own) is not mere:
                return Sign(f'the window "{window.name}" appeared', certain=True, mere=mere)
        for window in then:
            if window.handle not in present and _is_of(window, own) is not mere:
                return Sign(f'the window "{window.name}" closed', certain=True, mere=mere)
        for window in now:
            before = known.get(window.handle) if (window.handle, TEXT) not in restless else None
            if before and before.name != window.name and _is_of(window, own) is not mere:
                return Sign(f'the window "{before.name}" is now "{window.name}"', mere=mere)
    return None


def _is_of(window: TargetInfo, own: TargetInfo | None) -> bool:
    """Whether it is of the same program, or shown for it by another, as portals show dialogs that choose files."""
    if own is None or None in {own.pid, window.pid} or window.pid == own.pid:
        return True
    return window.type is Role.DIALOG and window.application == own.application


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
            if _facts(control, origins[0]) != _facts(now_control, origins[1])
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
    menus = [control for control in _topmost(went) if _is_open_by_itself(control) and control.handle not in own]
    closed = {part.handle: menu for menu in menus for part in (menu, *seen.inside_of(menu))}
    let_go = [toggle for toggle, now in changed if _is_let_go(toggle, now) and toggle.handle not in own]
    if let_go and went and target.handle not in {control.handle for control in went}:
        closed |= dict.fromkeys([control.handle for control in (*let_go, *went)], let_go[0])
    for opener, now in changed:
        is_emptied = opener.type in _HOLDERS and opener.handle in emptied
        if opener.type not in _OPENERS or opener.handle in own or not (is_emptied or _is_closed(opener, now)):
            continue
        closed |= {part.handle: opener for part in seen.inside_of(opener)}
        if not _says_more(opener, now):
            closed[opener.handle] = opener
    return closed


def _is_open_by_itself(control: TargetInfo) -> bool:
    """Whether it is a menu, or the nameless window of one."""
    return control.type is Role.MENU or (control.type is Role.WINDOW and not control.name)


def _is_closed(then: TargetInfo, now: TargetInfo) -> bool:
    lost = telling(then) - telling(now)
    return then.type is not Role.BUTTON and bool(lost) and lost <= _OPEN


def _says_more(then: TargetInfo, now: TargetInfo) -> bool:
    """Whether more is different of what had something open than that it has not."""
    return (then.name, then.value) != (now.name, now.value) or bool((telling(then) ^ telling(now)) - _OPEN)


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
    return then.raw_role == TOGGLE and bool({"checked", "pressed"} & (telling(then) - telling(now)))


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


def own_changes(then: Observation, now: Observation) -> frozenset[Trait]:
    """What changed of a window while nothing was done to it: it changes by itself."""
    found = difference(then, now, None, Focus.NOBODY).traits
    title = frozenset([(now.window.handle, TEXT)]) if then.window.name != now.window.name else frozenset[Trait]()
    return found | title


def _look(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    return (control.type, *_facts(control, window))


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
    """What can tell of an effect by its handle.

    The status bars of LibreOffice cannot: they say where the pointer is, and count words some time later.
    """
    bars = _status_bars(seen) if is_of_office(seen.window) else set[str]()
    bubbles = _bubbles(seen)
    return {
        control.handle: control
        for control in seen.controls
        if not control.sighting and control.handle not in bubbles and bars.isdisjoint((control.handle, control.parent))
    }


def _status_bars(seen: Observation) -> set[str]:
    return {control.handle for control in seen.controls if control.type is Role.STATUS}


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


def _facts(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    place = control.rect if control.rect.empty else control.rect.moved(-window.left, -window.top)
    return (control.name, control.value, telling(control), place)


def _counts(focus: Focus, handle: str, taker: str) -> bool:
    return focus is Focus.ANYBODY or (focus is Focus.TARGET and handle == taker)
