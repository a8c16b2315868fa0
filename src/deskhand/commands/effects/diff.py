"""What is different between two moments: of windows, of a control, and of all that a window shows. Pure.

`comparing` finds it out for a whole window.
"""

from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from deskhand.commands.effects.numbers import numbers_in
from deskhand.commands.effects.text_match import came_to_stand, may_be_count
from deskhand.commands.expectation import (
    CHECKED,
    RESULT_UNTOLD,
    VALUE,
    in_document,
    is_around_document,
)
from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, comparable_name
from deskhand.core.text import quoted

TELLING_STATES: Final = frozenset({"checked", "selected", "expanded", "pressed", "indeterminate"})
MENUS: Final = frozenset({Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_WRITTEN_IN: Final = frozenset({Role.HEADING, Role.PARAGRAPH})
OPEN: Final = frozenset({"expanded", "selected"})
"""The states of which one says that something has a menu or list open."""

_PLACES: Final = 16
_TELLS: Final = frozenset({Role.LABEL, Role.TEXT, Role.STATUS})

Aspect: TypeAlias = tuple[str, str]
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
    def aspects(self) -> frozenset[Aspect]:
        """What is different. Of what came or went it is what it is in that changed: it will never be seen again."""
        members = [(top.parent, str(top.type)) for group in (self.came, self.went) for top in topmost(group)]
        return frozenset([*members, *((then.handle, a) for then, now in self.changed for a in self._of(then, now))])

    def split(self, restless: Set[Aspect]) -> "tuple[Difference, Difference]":
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
        both = zip(aspects, facts(then, self.origins[0]), facts(now, self.origins[1]), strict=True)
        return {aspect for aspect, was, is_now in both if was != is_now}

    def _is_an_effect(self, then: TargetInfo, now: TargetInfo, restless: Set[Aspect], steady: bool) -> bool:
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
        bars, over = status_bars(now), _between(start, end)
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
        bars = status_bars(now)

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

    def but_late(self, target: TargetInfo | None) -> "tuple[Difference, Difference]":
        """What is different beside what may be told late of what was done before, and that.

        These are tool bars that came or went, and states and values around a document of LibreOffice, but for the value
        of the target and of what has the keyboard.
        """

        def late(then: TargetInfo, control: TargetInfo) -> bool:
            if not is_around_document(then):
                return False
            if target and target.handle == then.handle:
                return self._of(then, control) == {STATES} and telling(then) ^ telling(control) <= CHECKED
            has_keyboard = "focused" in then.states | control.states
            return not has_keyboard and bool(self._of(then, control) & {STATES, TEXT})

        left = replace(
            self,
            came=tuple(control for control in self.came if not _is_of_bar(control)),
            went=tuple(control for control in self.went if not _is_of_bar(control)),
            changed=tuple(pair for pair in self.changed if not late(*pair)),
        )
        return left, self._beside(left)

    def _but_changed(self, without: Sequence[tuple[TargetInfo, TargetInfo]]) -> "tuple[Difference, Difference]":
        left_out = {then.handle for then, _ in without}
        left = replace(self, changed=tuple(pair for pair in self.changed if pair[0].handle not in left_out))
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
        changed = (pair for pair in self.changed if self._of(*pair) != {STATES} or says_more(*pair))
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


def _is_of_bar(control: TargetInfo) -> bool:
    """Whether it is a tool bar, or stands in one."""
    around = control.fingerprint.roles_around if control.fingerprint else ()
    return Role.TOOLBAR in {control.type, *around} and not in_document(control)


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
    if "editable" not in now.states and now.type in _TELLS and may_be_count(text):
        return comparable_name(text) in {comparable_name(now.name), comparable_name(now.value)}  # it may count lines
    if _times(text, now) > _times(text, then):
        return True
    return "focused" in then.states and _took(then, now, text)


def _took(then: TargetInfo, now: TargetInfo, text: str) -> bool:
    """Whether what had the keyboard took a text that does not stand in it more often: it may have made something of it,
    had it put in the place of something else, or scrolled on.
    """
    if then.type is Role.CELL and text.startswith("="):
        return True
    is_number_now = numbers_in(text) & (numbers_in(now.value) - numbers_in(then.value))
    return bool(is_number_now) or came_to_stand(text.casefold(), then.value.casefold(), now.value.casefold())


def _times(text: str, control: TargetInfo) -> int:
    """How often a text stands in a control; letters may be others' capitals, and numbers written in another way."""
    wanted = comparable_name(text).casefold()
    found = sum(comparable_name(said).casefold().count(wanted) for said in (control.name, control.value))
    return found or len(numbers_in(text) & numbers_in(control.value))


def topmost(controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    """Those that are in none of the others."""
    handles = {control.handle for control in controls}
    return [control for control in controls if control.parent not in handles]


def _outside(controls: Sequence[TargetInfo], restless: Set[Aspect]) -> tuple[TargetInfo, ...]:
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
    return facts(renamed, NOWHERE) != facts(now, NOWHERE)


def telling(control: TargetInfo) -> frozenset[str]:
    """The states that tell what an action did: those that stay. Every button is pressed while it is pressed."""
    states = control.states & TELLING_STATES
    return states if Trait.TOGGLE in control.traits else states - {"pressed"}


def told_of(then: TargetInfo, now: TargetInfo) -> str:
    """How one control differs, as a sentence."""
    if then.name != now.name:
        return f"{then.describe} is now called {quoted(now.name)}"
    states = telling(then) ^ telling(now)
    if states and (then.value == now.value or not states <= OPEN):
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
    return f"{then.describe} now has the value {quoted(now.value)}"


def window_sign(
    then: Sequence[TargetInfo], now: Sequence[TargetInfo], own: TargetInfo | None, restless: Set[Aspect] = frozenset()
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


def says_more(then: TargetInfo, now: TargetInfo) -> bool:
    """Whether more is different of what had something open than that it has not."""
    return (then.name, then.value) != (now.name, now.value) or bool((telling(then) ^ telling(now)) - OPEN)


def status_bars(seen: Observation) -> set[str]:
    return {control.handle for control in seen.controls if control.type is Role.STATUS}


def facts(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    place = control.rect if control.rect.empty else control.rect.moved(-window.left, -window.top)
    return (control.name, control.value, telling(control), place)
