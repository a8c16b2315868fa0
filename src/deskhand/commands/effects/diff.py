"""Differences between two moments: of windows, of a control, and of a whole window. Pure.

`window_diff` computes them for a whole window.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from deskhand.commands.call import Focus
from deskhand.commands.control_kinds import (
    CHECKED,
    RESULT_UNKNOWN,
    VALUE,
    in_document,
    is_around_document,
    lasting_states,
)
from deskhand.commands.effects.evidence import PLACE, STATES, TEXT, Aspect, Sign
from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import quoted

MENUS: Final = frozenset({Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_WRITTEN_IN: Final = frozenset({Role.HEADING, Role.PARAGRAPH})
OPEN: Final = frozenset({"expanded", "selected"})
"""States of a control that has a menu or list open."""

_PLACES: Final = 16
_LONGEST: Final = 200
"""Characters of a text that is given whole; of a longer one the part that changed is."""
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """Between two observations of a window, whose rectangles were `origins`; pairs are before and after.

    `dismissed`: menus or lists that were open elsewhere than at the target and closed, which is no effect. `reloaded`:
    pages that were loaded again, and are other objects now, however equal.
    """

    added: tuple[TargetInfo, ...] = ()
    removed: tuple[TargetInfo, ...] = ()
    changed: tuple[tuple[TargetInfo, TargetInfo], ...] = ()
    origins: tuple[Rect, Rect] = (NOWHERE, NOWHERE)
    dismissed: tuple[TargetInfo, ...] = ()
    reloaded: tuple[TargetInfo, ...] = ()

    @property
    def aspects(self) -> frozenset[Aspect]:
        """The aspects that differ. An added or removed control counts for its parent: its own handle does not come
        back.
        """
        groups = (self.added, self.removed, self.reloaded)
        members = [(top.parent, str(top.type)) for group in groups for top in topmost(group)]
        return frozenset([*members, *((then.handle, a) for then, now in self.changed for a in self._of(then, now))])

    @property
    def differing(self) -> tuple[tuple[TargetInfo, TargetInfo], ...]:
        """The changed controls, without those of which only the keyboard focus changed."""
        return tuple(pair for pair in self.changed if self._of(*pair))

    @property
    def selected_cells(self) -> tuple[tuple[TargetInfo, TargetInfo], ...]:
        """The cells that got the keyboard focus."""
        cells = (pair for pair in self.changed if pair[1].type is Role.CELL)
        return tuple((then, now) for then, now in cells if "focused" in now.states - then.states)

    def split(self, background: Set[Aspect]) -> "tuple[Difference, Difference]":
        """Split into the changes outside of the `background` aspects, and those caused by them.

        A changed text may move, and a control that only moved together with it moved because of it.
        """
        if not background:
            return self, Difference()
        added, removed = _outside(self.added, background), _outside(self.removed, background)
        steady = {control.handle for control in _outside([then for then, _ in self.changed], background)}
        pairs = [pair for pair in self.changed if self._is_an_effect(*pair, background, pair[0].handle in steady)]
        if len(added) < len(self.added) or len(removed) < len(self.removed) or len(pairs) < len(self.changed):
            pairs = [pair for pair in pairs if self._of(*pair) != {PLACE}]
        reloaded = _outside(self.reloaded, background)
        left = replace(self, added=added, removed=removed, changed=tuple(pairs), reloaded=reloaded)
        return left, self._beside(left)

    def _beside(self, part: "Difference") -> "Difference":
        added, removed = ({control.handle for control in group} for group in (part.added, part.removed))
        changed = {then.handle for then, _ in part.changed}
        return replace(
            self,
            added=tuple(control for control in self.added if control.handle not in added),
            removed=tuple(control for control in self.removed if control.handle not in removed),
            changed=tuple(pair for pair in self.changed if pair[0].handle not in changed),
            reloaded=tuple(page for page in self.reloaded if page not in part.reloaded),
        )

    def _of(self, then: TargetInfo, now: TargetInfo) -> Set[str]:
        """The aspects in which one control differs; none if only the keyboard focus does."""
        aspects = (TEXT, TEXT, STATES, PLACE)
        both = zip(aspects, facts(then, self.origins[0]), facts(now, self.origins[1]), strict=True)
        return {aspect for aspect, was, is_now in both if was != is_now}

    def _is_an_effect(self, then: TargetInfo, now: TargetInfo, background: Set[Aspect], steady: bool) -> bool:
        """`steady`: it is outside of the changing lists, whose members may be reused under the same handle."""
        aspects = self._of(then, now)
        known = {aspect for aspect in aspects if (then.handle, aspect) in background}
        known |= {PLACE} if (then.handle, TEXT) in background else set()
        known |= set() if steady else {TEXT, PLACE}
        return not aspects or bool(aspects - known)

    def without_press(self, start: Point, end: Point, now: Observation) -> "tuple[Difference, Difference]":
        """Split into the changes that the press of a drag alone does not make, and those that it makes.

        A press selects the control at `start` and deselects the others, which a status bar reports; it also changes
        states of controls that were not dragged over, such as those of LibreOffice's sidebar. `now`: the current
        observation.
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
            if (lasting_states(then) ^ lasting_states(control)) - {"selected"}:
                return False
            return _is_pressed(then, start, end) if "selected" in control.states else then.parent not in several

        pressed = [pair for pair in self.changed if by_press(*pair)]
        pressed.sort(key=lambda pair: "selected" in pair[0].states)  # the newly selected one is reported first
        return self._without_changed(pressed)

    def without_click(self, now: Observation) -> "tuple[Difference, Difference]":
        """Split into the changes that a single click does not make, and those that it makes.

        A click selects and moves the keyboard focus; a status bar may report the selection. `now`: the current
        observation.
        """
        bars = status_bars(now)

        def by_click(then: TargetInfo, control: TargetInfo) -> bool:
            if not bars.isdisjoint((then.handle, then.parent)):
                return True
            return self._of(then, control) <= {STATES} and lasting_states(then) ^ lasting_states(control) <= {
                "selected"
            }

        return self._without_changed([pair for pair in self.changed if by_click(*pair)])

    def without_blur(self) -> "tuple[Difference, Difference]":
        """Split off a changed value of the control that lost the keyboard: fields check and format their text on blur,
        after any press.
        """

        def by_leaving(then: TargetInfo, control: TargetInfo) -> bool:
            return "focused" in then.states - control.states and TEXT in self._of(then, control)

        return self._without_changed([pair for pair in self.changed if by_leaving(*pair)])

    def without_texts(
        self, leaves_out: Callable[[tuple[TargetInfo, TargetInfo]], bool]
    ) -> "tuple[Difference, Difference]":
        """Split off some of the changed texts."""
        return self._without_changed([pair for pair in self.changed if TEXT in self._of(*pair) and leaves_out(pair)])

    def without_late(self, target: TargetInfo | None) -> "tuple[Difference, Difference]":
        """Split into the changes that are certainly new, and those that may be late reports of earlier actions.

        Late are toolbars that opened or closed, and states and values around a document of LibreOffice, except the
        value of the target and of the control with the keyboard.
        """

        def late(then: TargetInfo, control: TargetInfo) -> bool:
            if not is_around_document(then):
                return False
            if target and target.handle == then.handle:
                return self._of(then, control) == {STATES} and lasting_states(then) ^ lasting_states(control) <= CHECKED
            has_keyboard = "focused" in then.states | control.states
            return not has_keyboard and bool(self._of(then, control) & {STATES, TEXT})

        left = replace(
            self,
            added=tuple(control for control in self.added if not _is_of_bar(control)),
            removed=tuple(control for control in self.removed if not _is_of_bar(control)),
            changed=tuple(pair for pair in self.changed if not late(*pair)),
        )
        return left, self._beside(left)

    def _without_changed(self, without: Sequence[tuple[TargetInfo, TargetInfo]]) -> "tuple[Difference, Difference]":
        left_out = {then.handle for then, _ in without}
        left = replace(self, changed=tuple(pair for pair in self.changed if pair[0].handle not in left_out))
        return left, replace(self, added=(), removed=(), changed=tuple(without), reloaded=())

    def writing_in(self, target: TargetInfo, seen: Observation) -> "Difference":
        """The changed paragraphs inside a target that have the keyboard now."""
        inside = {target.handle, *(control.handle for control in seen.inside_of(target))}
        changed = [
            (then, now)
            for then, now in self.changed
            if now.type in _WRITTEN_IN and now.handle in inside and "focused" in now.states - then.states
        ]
        return replace(self, added=(), removed=(), changed=tuple(changed), reloaded=())

    def without_closed(self) -> "Difference":
        """Without removed controls, and without those that only closed something."""
        changed = (pair for pair in self.changed if self._of(*pair) != {STATES} or has_other_changes(*pair))
        return replace(self, removed=(), changed=tuple(changed))

    def in_documents(self) -> "Difference":
        """The documents whose text changed, such as a formula of LibreOffice Math."""
        changed = (pair for pair in self.changed if pair[1].type is Role.DOCUMENT and pair[0].value != pair[1].value)
        return replace(self, added=(), removed=(), changed=tuple(changed), reloaded=())

    def in_or_beside(self, target: TargetInfo | None, seen: Observation) -> "Difference":
        """All added and removed controls, and the changed ones inside a target, such as the switch in a row."""
        inside = {control.handle for control in seen.inside_of(target)} if target else set[str]()
        return replace(self, changed=tuple(pair for pair in self.changed if pair[0].handle in inside))

    def sign(self) -> Sign | None:
        """The differences as one sign; None without any."""
        if self.reloaded:
            return Sign(self.first())
        if not (self.added or self.removed or self.changed):
            return None
        counts = ((len(self.added), "came"), (len(self.removed), "went"), (len(self.changed), "changed"))
        many = ", ".join(f"{count} {verb}" for count, verb in counts if count)
        message = self.first() if sum(count for count, _ in counts) == 1 else f"{self.first()} ({many})"
        message += ", as read from the picture" if self._is_read() else ""
        themselves = self._changed_themselves()
        changed = [pair for pair in themselves if self._of(*pair) != {PLACE}] or themselves  # as the message has
        drawn = [control for then, now in changed if _is_drawn(then, now) for control in (then, now)]
        shown = [control.rect for control in (*drawn, *self.added, *self.removed)]
        places = tuple(dict.fromkeys(rect for rect in shown if not rect.empty))
        return Sign(message, places[:_PLACES])

    def _is_read(self) -> bool:
        """True if only texts differ that were read from the picture."""
        controls = (*self.added, *self.removed, *(now for _, now in self.changed))
        return all(Trait.READ_FROM_PICTURE in control.traits for control in controls)

    @property
    def read_places(self) -> tuple[Rect, ...]:
        """The places of the differing texts, if only texts differ that were read from the picture."""
        controls = (*self.added, *self.removed, *(each for pair in self.changed for each in pair))
        return tuple(control.rect for control in controls) if self._is_read() else ()

    def _changed_themselves(self) -> list[tuple[TargetInfo, TargetInfo]]:
        """The changed controls, without those that are only called otherwise because a control in them changed."""
        around = {now.parent for _, now in self.changed}
        return [
            (then, now)
            for then, now in self.changed
            if now.handle not in around or self._of(replace(then, name=now.name), now)
        ]

    def places_of_kin(self, control: TargetInfo) -> tuple[Rect, ...]:
        """Places of added or removed controls inside a control, or beside it in its parent."""
        kin, found = {control.handle, control.parent} - {""}, list[Rect]()
        for other in (*self.added, *self.removed):  # parents before children; lists of pages have no place themselves
            if other.parent in kin:
                kin.add(other.handle)
                found += [other.rect] if not other.rect.empty else []
        return tuple(dict.fromkeys(found))[:_PLACES]

    @property
    def dialog(self) -> TargetInfo | None:
        """A dialog that opened inside the window."""
        return next((control for control in self.added if control.type is Role.DIALOG), None)

    def first(self) -> str:
        """One difference as a sentence: a dialog preferred, a mere move last. Empty without any."""
        messages = [f"{page.describe} was loaded again" for page in self.reloaded]
        messages += [f"{self.dialog.describe} came"] if self.dialog else []
        messages += [change_message(*pair) for pair in self._changed_themselves() if self._of(*pair) != {PLACE}][:1]
        messages += [f"{_described(self.added)} came"] if self.added else []
        messages += [f"{_described(self.removed)} went"] if self.removed else []
        messages += [change_message(*pair) for pair in self.changed[:1]]
        return messages[0] if messages else ""


Compare: TypeAlias = Callable[[Observation, Observation, TargetInfo | None, Focus], Difference]
"""Computes the difference of two observations, see `window_diff.difference`."""


def _is_of_bar(control: TargetInfo) -> bool:
    """True for a toolbar and the controls inside one."""
    around = control.fingerprint.roles_around if control.fingerprint else ()
    return Role.TOOLBAR in {control.type, *around} and not in_document(control)


def _between(start: Point, end: Point) -> Rect:
    """The area dragged over."""
    (left, right), (top, bottom) = sorted((start.x, end.x)), sorted((start.y, end.y))
    return Rect(left, top, right + 1, bottom + 1)


def _is_pressed(control: TargetInfo, start: Point, end: Point) -> bool:
    """True at `start`, and for a cell of the same row unless the drag ended in that row."""
    if control.rect.contains(start):
        return True
    row = replace(control.rect, left=start.x, right=start.x + 1)
    return control.type is Role.CELL and row.contains(start) and not row.contains(replace(end, x=start.x))


def _described(controls: Sequence[TargetInfo]) -> str:
    """Describe the first; if it has no text, with the first named control inside it."""
    first, inside = controls[0], {controls[0].handle}
    for control in controls[1:] if not (first.name or first.value) else ():
        if control.parent in inside and control.name:
            return f"{first.describe} with {control.describe} in it"
        inside |= {control.handle} if control.parent in inside else set()
    return first.describe


def topmost(controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    """Those inside none of the others."""
    handles = {control.handle for control in controls}
    return [control for control in controls if control.parent not in handles]


def _outside(controls: Sequence[TargetInfo], background: Set[Aspect]) -> tuple[TargetInfo, ...]:
    """Those outside of the changing lists; parents come before their children."""
    inside: set[str] = set()
    for control in controls:
        if (control.parent, str(control.type)) in background or control.parent in inside:
            inside.add(control.handle)
    return tuple(control for control in controls if control.handle not in inside)


def _is_drawn(then: TargetInfo, now: TargetInfo) -> bool:
    """True if the change is painted in its place. Keyboard focus is not (the caret may be blinking), nor is a page's
    name, which only the window title shows.
    """
    renamed = replace(then, name=now.name) if now.type is Role.DOCUMENT else then
    return facts(renamed, NOWHERE) != facts(now, NOWHERE)


def change_message(then: TargetInfo, now: TargetInfo) -> str:
    """The change of one control, as a sentence."""
    if then.name != now.name:
        return f"{then.describe} is now called {quoted(now.name)}"
    states = lasting_states(then) ^ lasting_states(now)
    if states and (then.value == now.value or not states <= OPEN):
        return f"{then.describe} is now {states_text(now.states, states)}"
    if then.value != now.value:
        return _value_message(then, now)
    if "focused" in now.states - then.states:
        return f"{then.describe} has the keyboard now"
    return f"{then.describe} moved"


def states_text(now: Iterable[str], which: Iterable[str]) -> str:
    """`checked, not expanded`."""
    states = frozenset(now)
    return ", ".join(state if state in states else f"not {state}" for state in sorted(which))


def own_difference(then: TargetInfo, now: TargetInfo, own: Collection[str]) -> str:
    """The change of a control in the given states (or `VALUE`), as a sentence; empty without one."""
    states = (
        (now.states ^ then.states)
        & frozenset(own)
        & (lasting_states(then) | lasting_states(now) | {"enabled", "focused"})
    )
    if then.type in {Role.RADIO, Role.MENUITEMRADIO} and "checked" not in now.states:
        states -= {"checked"}  # pressing it can only check it
    if states:
        return f"{then.describe} is now {states_text(now.states, states)}"
    return _value_message(then, now) if VALUE in own and now.value != then.value else ""


def _value_message(then: TargetInfo, now: TargetInfo) -> str:
    """A sentence on the new value. The text of a password is never given, even if it is shown: evidence is stored."""
    if RESULT_UNKNOWN in now.states:
        return f"{then.describe} now has a formula whose result is not exposed"
    if Role.PASSWORD in {then.type, now.type}:
        return f"{then.describe} {'shows' if now.value else 'hides'} its text now"
    if len(now.value) > _LONGEST:
        return f"{then.describe} {_long_change(then.value, now.value)}"
    return f"{then.describe} now has the value {quoted(now.value)}"


def _long_change(then: str, now: str) -> str:
    """The part of a long text that differs, as a phrase."""
    start = _shared(then, now)
    end = _shared(then[start:][::-1], now[start:][::-1])
    old, new = then[start : len(then) - end], now[start : len(now) - end]
    return f"now has {quoted(new, _SHOWN)} for {quoted(old, _SHOWN)} from character {start + 1} on"


def _shared(one: str, other: str) -> int:
    """The number of characters at the beginning that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (this, that) in pairs if this != that), min(len(one), len(other)))


def window_sign(
    then: Sequence[TargetInfo], now: Sequence[TargetInfo], own: TargetInfo | None, background: Set[Aspect] = frozenset()
) -> Sign | None:
    """A window that opened, closed or has another title; `mere` for windows of another program than that of `own`.

    A title among the `background` aspects does not count.
    """
    changes = list(_window_changes(then, now, background))
    for mere in (False, True):
        for window, message, certain in changes:
            if _is_of(window, own) is not mere:
                return Sign(message, certain=certain, mere=mere)
    return None


def _window_changes(
    then: Sequence[TargetInfo], now: Sequence[TargetInfo], background: Set[Aspect]
) -> Iterator[tuple[TargetInfo, str, bool]]:
    """Windows that changed, with a sentence, and True if that is certain; the best evidence first."""
    known, present = {window.handle: window for window in then}, {window.handle for window in now}
    for window in now:
        if window.handle not in known:
            yield window, f'the window "{window.name}" appeared', True
    for window in then:
        if window.handle not in present:
            yield window, f'the window "{window.name}" closed', True
    for window in now:
        before = known.get(window.handle, window)
        if before.name != window.name and (window.handle, TEXT) not in background:
            yield window, f'the window "{before.name}" is now "{window.name}"', False


def _is_of(window: TargetInfo, own: TargetInfo | None) -> bool:
    """True for a window of the same program, or a dialog shown for it by another, such as a portal's file dialog."""
    if own is None or None in {own.pid, window.pid} or window.pid == own.pid:
        return True
    return window.type is Role.DIALOG and window.application == own.application


def has_other_changes(then: TargetInfo, now: TargetInfo) -> bool:
    """True if a control that closed something changed in another way too."""
    return (then.name, then.value) != (now.name, now.value) or bool((lasting_states(then) ^ lasting_states(now)) - OPEN)


def status_bars(seen: Observation) -> set[str]:
    return {control.handle for control in seen.controls if control.type is Role.STATUS}


def facts(control: TargetInfo, window: Rect) -> tuple[object, ...]:
    place = control.rect if control.rect.empty else control.rect.moved(-window.left, -window.top)
    return (control.name, control.value, lasting_states(control), place)
