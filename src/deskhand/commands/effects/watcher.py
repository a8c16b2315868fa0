"""The watcher for signs of one action (contract 4.3)."""

from collections.abc import Awaitable, Callable, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from deskhand.commands.call import Opens
from deskhand.commands.control_kinds import CHECKED, LASTING_STATES, MARKED, MENU_CHECKS, VALUE, is_around_document
from deskhand.commands.effects.background_changes import PAGE, SLOW_TICK_S, TICK_S, BackgroundChanges, changed_titles
from deskhand.commands.effects.diff import (
    MENUS,
    Compare,
    Difference,
    own_difference,
    states_text,
    window_sign,
)
from deskhand.commands.effects.evidence import TEXT, Aspect, Sign, places_of
from deskhand.commands.effects.snapshot import Before, Writing, caret_of, is_readable, read_if_there, try_observe
from deskhand.commands.effects.text_match import appeared_in_title
from deskhand.commands.effects.typed_text import Aim, aim_at, find_typed, is_text_elsewhere, reads_otherwise
from deskhand.commands.window_lookup import listed
from deskhand.core.errors import UNREADABLE, ApplicationGone, DeskhandError
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.protocols.desktop import Desktop

_REST: Final = 3.0
"""After observing a window, pause for this many times as long, unless its program reports a change."""

_WINDOWS_S: Final = 0.05
"""Interval at which windows are listed while one of them is observed."""
_AGAIN_S: Final = 0.05
"""An observation that ended so shortly before is not made again, if its program answers and reported nothing since."""
_OBSERVED_S: Final = 10.0
"""No observation takes longer."""
_LOADS_S: Final = 1.0
"""A page that an equal one replaces later than this after the action was not loaded by it."""
_ENTERED_S: Final = 1.0
"""Timeout for the key after a text to have its effect."""
_ANSWERED_S: Final = 1.0
"""Timeout for a window to open or close after Enter in a dialog that is quiet: file dialogs look at the disk first."""


class Watch:
    """Looks for signs of one action.

    `beside`: a sign that is not the expected effect. `problem`: why the latest observation failed; empty: it did not.
    `by_itself`: a background change, which is no effect; empty: none. `passes`: set by the caller if the target was
    disabled only for a moment; then that is no sign. `side_effect`: a change made on the way to an effect; empty: none.
    `otherwise`: a sentence on a field that reads otherwise than the typed texts; empty: none. `dismissed`: a popup
    elsewhere closed. `lost`: the latest observation failed, or the target was gone.
    `check_hidden`: the target, a check item of a menu, closed with its menu. `took_s`: how long the latest observation
    of the window took. `lasting`: the part of a confirmed sign that certainly is no background change; None: all of it.
    """

    def __init__(self, desktop: Desktop, earlier: Before, compare: Compare, background: BackgroundChanges) -> None:
        self._desktop = desktop
        self._compare = compare
        self._earlier = earlier
        self._next_at = 0.0
        self._last_report = -1
        self.beside: Sign | None = None
        self.problem = ""
        self.read = ""
        self.by_itself = ""
        self.passes = False
        self.side_effect = ""
        self.otherwise = ""
        self.dismissed = False
        self.check_hidden = False
        self.lost = False
        self.took_s = 0.0
        self.lasting: Sign | None = None
        self._background = background
        self._reloaded_at = 0.0
        self._reads_window = False
        self._around_it: Difference | None = None
        self._titles: frozenset[Aspect] = frozenset()
        self._listed: Sequence[TargetInfo] = earlier.windows
        background.note_titles(earlier.windows)

    async def sign(self) -> Sign | None:
        """The first sign of the expected effect; observes a whole window only now and then."""
        return await self._look(patient=True)

    async def sign_for_sure(self) -> Sign | None:
        """As `sign`, but always observes."""
        return await self._look(patient=False)

    async def of_windows(self) -> tuple[str, bool]:
        """A sentence on a window that opened or closed, which is better evidence than the changes with it, and True if
        that is the expected effect; empty without one.

        A typed text is read before the key after it has its effect, such as a dialog that refuses the text: a window
        that opened or closed then proves nothing about the text.
        """
        earlier = self._earlier
        try:
            if earlier.expected.enters and earlier.window is not None:
                now = await self._entered(earlier.window)
                sign, counts = window_sign(earlier.windows, now, earlier.window), self._counts(now)
            else:
                sign, counts = await self._windows(), True
        except UNREADABLE:
            return "", False
        return (sign.message, counts) if sign and sign.certain and not sign.mere else ("", False)

    async def _entered(self, window: TargetInfo) -> Sequence[TargetInfo]:
        """The windows after a key that enters a text. In a dialog it may press the default button: a window that opens
        or closes is waited for, such as the question about a file that exists.
        """
        await self._desktop.settle(window, deadline_s=_ENTERED_S)
        if window.type is not Role.DIALOG:
            return await self._desktop.windows()
        before = {each.handle for each in self._earlier.windows}

        async def changed() -> Sequence[TargetInfo] | None:
            now = await self._desktop.windows()
            return now if {each.handle for each in now} != before else None

        return await self._desktop.wait_until(changed, deadline_s=_ANSWERED_S) or await self._desktop.windows()

    @property
    def aspects(self) -> frozenset[Aspect]:
        """The aspects that changed around the target at the latest observation; titles if they are the sign."""
        return self._around_it.aspects if self._around_it else self._titles

    def judged(self) -> frozenset[Aspect]:
        """The aspects of the sign that was found now, and is to be judged."""
        self._background.note_sign()
        self.lasting = None
        return self.aspects

    async def is_background(self, judged: frozenset[Aspect], is_painted: Callable[[Sign], Awaitable[bool]]) -> bool:
        """True if a sign turns out to repeat by itself, or is gone: there may be others. `is_painted`: whether one is.

        The caller's observation does not reveal all such changes: a periodic one may have been at the same point then.
        """
        is_reload = {aspect for _, aspect in self.aspects} == {PAGE}
        tick_s = self._read_tick_s()
        calm = self._earlier.calm and not is_reload and tick_s < SLOW_TICK_S
        nothing = self._around_it is None and not self._titles
        if nothing or not self._earlier.hold_s or calm or self._earlier.expected.typed:
            return False  # a background change does not become the typed text
        if self._titles and await self._turned_page():
            return False
        look, aspects = self.sign_for_sure, lambda: self.aspects
        return await self._background.repeats(judged, look, aspects, tick_s, partial(self._lasting, judged, is_painted))

    async def _lasting(
        self, judged: Set[Aspect], is_painted: Callable[[Sign], Awaitable[bool]], doubtful: Set[Aspect]
    ) -> frozenset[Aspect]:
        """The aspects of the sign but those that came again, and those that came since, if they are painted."""
        if self._around_it is None:
            return frozenset()
        since_then = self._around_it.aspects - judged
        rest, _ = self._around_it.split(self._background.aspects | doubtful | since_then)
        sign = rest.sign()
        if sign is None or not await is_painted(sign):
            return frozenset()
        self.lasting = sign
        return rest.aspects

    async def _turned_page(self) -> bool:
        """True for a dialog whose controls were replaced with its title, as those of a wizard."""
        window = self._earlier.window
        if window is None or window.type is not Role.DIALOG or (window.handle, TEXT) not in self._titles:
            return False
        try:
            found = await self._difference()
        except UNREADABLE:
            return False
        return bool(found.added and found.removed)

    def _read_tick_s(self) -> float:
        """The time within which texts that were read from the picture come or go again, if they do it by themselves."""
        places = self._around_it.read_places if self._around_it else ()
        restless = self._earlier.restless
        if not places:
            return 0.0
        is_restless = restless is None or any(
            not place.intersection(each).empty for place in places for each in restless
        )
        return SLOW_TICK_S if is_restless else TICK_S

    async def _look(self, *, patient: bool) -> Sign | None:
        self.problem, self.lost, self._around_it = "", False, None
        try:
            sign = await self._windows() or await self._own_read() or await self._around(patient=patient)
            return sign or await self._caret()
        except UNREADABLE as error:
            self.problem, self.lost = error.message, True
            return None

    async def _caret(self) -> Sign | None:
        """The caret that moved in the text with the keyboard, or its selection; of a double click and a drag a
        selection alone; of keys into a password the number of its characters.
        """
        signs = [await self._caret_in(then) for then in self._earlier.writing]
        return next((sign for sign in signs if sign), None)

    async def _caret_in(self, then: Writing) -> Sign | None:
        caret = await caret_of(self._desktop, then.control)
        if caret is None or caret == then.caret or caret.start < 0:  # it is in another paragraph now
            return None
        if self._earlier.expected.typed:
            return self._hidden(then, caret)
        selects = self._earlier.expected.twice or self._earlier.expected.dragged is not None
        if caret.length != then.caret.length or (selects and caret.start == caret.end):
            return None
        place = f"is at character {caret.start} now" if caret.start == caret.end else ""
        message = f"its caret {place}" if place else f"characters {caret.start} to {caret.end} are selected now"
        is_dragged = self._earlier.expected.dragged is not None  # a short one is painted before its way begins
        written = (each.control for each in self._earlier.writing)  # it is painted where it was, too
        places = () if is_dragged else places_of(*written)
        return Sign(f"{then.control.describe}: {message}", places)

    def _hidden(self, then: Writing, caret: Caret) -> Sign | None:
        """The number of characters of a password, if it grew by those of the typed text."""
        text = "".join(self._earlier.expected.typed)
        left = then.caret.length - abs(then.caret.end - then.caret.start)
        expected = {left + len(text), left + len(text.encode("utf-16-le")) // 2}
        if then.control.type is not Role.PASSWORD or caret.length == then.caret.length or caret.length not in expected:
            return None
        message = f"{then.control.describe} has {caret.length} characters now, as many as were typed more"
        return Sign(f"{message}; a password is never read back", places_of(then.control))

    async def _windows(self) -> Sign | None:
        earlier = self._earlier
        now = self._listed = await self._desktop.windows()
        self._background.note_titles(now)
        sign = window_sign(earlier.windows, now, earlier.window, self._background.aspects)
        if (
            sign is None
            and self._background.aspects
            and (by_itself := window_sign(earlier.windows, now, earlier.window))
        ):
            self.by_itself = by_itself.message
        self._titles = frozenset()
        if sign is None or (not sign.mere and self._counts(now)):
            self._titles = changed_titles(earlier.windows, now) if sign and not sign.certain else self._titles
            return sign
        self.beside = sign
        return None

    def _counts(self, now: Sequence[TargetInfo]) -> bool:
        """True if windows that opened, closed or got another title are the expected effect."""
        expected, known = self._earlier.expected, {window.handle: window.name for window in self._earlier.windows}
        added = (w for w in now if w.handle in known or w.type is not Role.DIALOG)  # a dialog may refuse the text
        titles = [(known.get(window.handle, ""), window.name) for window in added]
        if expected.own:
            return expected.opens is not Opens.NOTHING
        return not expected.aimed and all(
            any(appeared_in_title(text, *title) for title in titles) for text in expected.typed
        )

    def _anything_counts(self) -> bool:
        """True if any change in the window is a sign, so that observing it covers the target too."""
        return self._earlier.seen is not None and self._earlier.expected.is_any_change

    async def _own_read(self) -> Sign | None:
        """The target's own states and value, read alone: most often faster than observing its window."""
        target = self._earlier.target
        if self._anything_counts() or not is_readable(target):
            return None
        now = await read_if_there(self._desktop, target, self._earlier.window)
        if self._reads_window and now is not None and self._earlier.window is not None:
            now = (await self._desktop.observe(self._earlier.window, picture=False)).find(target.handle) or now
        return await self._own(target, now)

    async def own_in_window(self) -> Sign | None:
        """As `sign_for_sure`, but from now on the target is read with its whole window: read alone it may be stale."""
        self._reads_window = True
        return await self.sign_for_sure()

    async def _own(self, target: TargetInfo, now: TargetInfo | None) -> Sign | None:
        """The change of the target; `now` None: it is gone."""
        if now is None:
            return await self._gone(target)
        expected = self._earlier.expected
        counts = expected.own or self._counting(target)
        message = own_difference(target, now, counts)
        if message and (otherwise := reads_otherwise(target, now, expected.typed)):
            self.beside, self.otherwise = Sign(message, certain=True), otherwise if expected.own else ""
            return None
        self.otherwise = ""
        if message:
            passing = not expected.own and not own_difference(target, now, counts - {"enabled"})
            places = places_of(now, target)
            if "expanded" in now.states ^ target.states:
                places += await self._unfolded(target)
            return Sign(message, places, passing=passing)
        if expected.own:
            self.read = f"{target.describe} reads {_as_read(now, expected.own)} as before"
        return None

    async def _gone(self, target: TargetInfo) -> Sign | None:
        """The sign for a target that is gone: its removal, or a dialog that opened, which blocks everything behind it.

        A menu item closes with its menu; for a check item only other changes count then. A control that was recreated
        in place with the same texts is not gone.
        """
        expected, found = self._earlier.expected, await self._difference()
        if recreated := next((now for then, now in found.changed if then.handle == target.handle), None):
            return await self._own(target, recreated)
        self.lost = True
        if target.type in MENU_CHECKS and expected.own and found.dialog is None:
            self.check_hidden = True
            return found.without_closed().sign()
        sign = found.sign() if found.dialog else self._removal(target, found)
        if expected.is_any_change:
            return sign if target.type not in MENUS else None
        if expected.opens is not Opens.NOTHING or sign is None:
            return sign
        self.beside = self.beside or replace(sign, certain=True)
        return None

    def _removal(self, target: TargetInfo, found: Difference) -> Sign | None:
        """None if the target was listed before and its removal is no effect."""
        was_listed = self._earlier.seen is not None and self._earlier.seen.find(target.handle) is not None
        if was_listed and all(control.handle != target.handle for control in found.removed):
            return None
        return Sign(f"{target.describe} is gone", places_of(target))

    async def _unfolded(self, target: TargetInfo) -> tuple[Rect, ...]:
        """Places added or removed inside the target or beside it: an expansion may show only there. Raises: as
        `observe`.
        """
        stood = self._earlier.seen.find(target.handle) if self._earlier.seen else None
        return (await self._difference()).places_of_kin(stood) if stood else ()

    async def _difference(self) -> Difference:
        """All differences in the window, expected or not. Raises: as `observe`."""
        earlier = self._earlier
        if earlier.seen is None:
            return Difference()
        now = await self._desktop.observe(earlier.seen.window, picture=False)
        found, _ = self._compare(earlier.seen, now, earlier.target, earlier.expected.focus).split(
            self._background.aspects
        )
        return found

    def _counting(self, target: TargetInfo) -> frozenset[str]:
        """The aspects that count for a target without expected states; a menu item is deselected as its menu closes."""
        by_itself = (target.handle, TEXT) in self._background.aspects and not self._earlier.expected.typed
        background = {VALUE} if by_itself else set[str]()
        came_up = {"selected"} if target.type in MENUS and "selected" in target.states else set[str]()
        passing = set[str]() if self.passes else {"enabled"}
        seen = self._earlier.seen
        late = CHECKED if seen and seen.provisional and is_around_document(target) else frozenset[str]()
        by_one_click = {"selected", "focused"} if self._earlier.expected.twice else set[str]()
        return (LASTING_STATES | {VALUE} | passing) - background - came_up - by_one_click - late

    async def _around(self, *, patient: bool) -> Sign | None:
        """A sign anywhere in the window."""
        seen, expected, before = self._earlier.seen, self._earlier.expected, self._last_report
        if seen is None or (expected.own and expected.opens is Opens.NOTHING):
            return None
        reports = (await self._desktop.activity(seen.window)).reports
        if patient and anyio.current_time() < self._next_at and reports == before:
            return None
        self._last_report = reports
        sign = await self._named(seen, before) if patient and before >= 0 and self._anything_counts() else None
        return sign or await self._in_window(seen)

    async def _named(self, seen: Observation, before: int) -> Sign | None:
        """A renamed control, as reported by its program: faster than observing the whole window."""
        now = await self._desktop.refreshed_names(self._background.latest or seen, before)
        if now is None:
            return None
        self._background.note(now)
        self._around_it, _ = self._different(seen, now).split(self._background.aspects)
        self._around_it = self._without_side_effects(seen, now, self._around_it)
        return self._around_it.sign()

    def _different(self, seen: Observation, now: Observation) -> Difference:
        """The differences in the window, without late reports of earlier actions."""
        found = self._compare(seen, now, self._earlier.target, self._earlier.expected.focus)
        if seen.provisional:
            found, late = found.without_late(self._earlier.target)
            self.by_itself = late.first() or self.by_itself
        return self._reloaded_in_time(found)

    def _reloaded_in_time(self, found: Difference) -> Difference:
        """The differences without a page that was loaded again later than an action does it."""
        if not found.reloaded:
            return found
        self._reloaded_at = self._reloaded_at or anyio.current_time()
        if self._reloaded_at - self._earlier.at <= _LOADS_S:
            return found
        self.by_itself = found.first()
        return replace(found, reloaded=())

    def _without_side_effects(self, seen: Observation, now: Observation, found: Difference) -> Difference:
        """The differences without side effects (see `ExpectedEffect`), which are noted."""
        expected = self._earlier.expected
        if expected.dragged is not None:
            start, end = (point.on(seen.window.rect) for point in expected.dragged)
            found, pressed = found.without_press(start, end, now)
            self._note_side_effect("the press of the drag had an effect", pressed)
        if expected.twice:
            found, clicked = found.without_click(now)
            self._note_side_effect("the effect of a single click was seen", clicked)
        if expected.leaves:
            found, left = found.without_blur()
            self._note_side_effect("the field that lost the keyboard changed", left)
        if aim := None if expected.typed else self._aim(seen, now):
            found, stray = found.without_texts(lambda pair: is_text_elsewhere(pair, aim))
            self._note_side_effect("another field changed", stray)
        return found

    def _aim(self, seen: Observation, now: Observation) -> Aim | None:
        target, aimed = self._earlier.target, self._earlier.expected.aimed
        return aim_at(target, aimed, seen, now) if target and aimed else None

    def _note_side_effect(self, name: str, found: Difference) -> None:
        if message := found.first():
            self.side_effect = f"only {name}: {message}"

    async def _in_window(self, seen: Observation) -> Sign | None:
        """A sign in an observation of the whole window."""
        began = anyio.current_time()
        try:
            now = await self._observed(seen.window)
        except ApplicationGone:
            if await listed(self._desktop, seen.window):
                raise  # its program does not answer for the moment
            return self._window_gone(seen.window)
        if now is None:
            return await self._windows()
        ended = anyio.current_time()
        self.took_s = ended - began
        self._next_at = ended + _REST * self.took_s
        self.problem = now.truncated.reason if now.truncated and not now.from_picture else ""
        if sign := await self._own_in(now):
            return sign
        self._background.note(now)
        whole = self._different(seen, now)
        found, by_itself = whole.split(self._background.aspects)
        self.by_itself = by_itself.first() or self.by_itself
        found = self._without_side_effects(seen, now, found)
        self._note_dismissed(whole)
        if typed := self._earlier.expected.typed:
            self.beside = found.sign() or self.beside
            is_hidden = any(control.type is Role.PASSWORD for control in now.controls)
            aim = self._aim(seen, now)
            held = find_typed(whole.differing, whole.selected_cells, whole.added, typed, aim=aim, is_hidden=is_hidden)
            found = replace(whole, added=held.added, removed=(), changed=held.changed, reloaded=())
            self.otherwise = held.otherwise
        return self._expected_in(now, found)

    async def _observed(self, window: TargetInfo) -> Observation | None:
        """The window's observation; None if another window opened or closed meanwhile, which is better evidence and
        comes sooner: a program answers late while it works. Raises: as `observe`.
        """
        seen = await self._desktop.unchanged(window, within_s=_AGAIN_S)
        if seen is not None:
            return seen
        failure: DeskhandError | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._until_windows_change, tasks.cancel_scope)
            try:
                seen = await self._desktop.observe(window, picture=False)
            except DeskhandError as error:  # a task group would wrap it
                failure = error
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return seen

    async def _until_windows_change(self, scope: anyio.CancelScope) -> None:
        """Cancel the scope once a window opens or closes."""
        next_at = anyio.current_time() + _WINDOWS_S

        async def changed() -> bool:
            nonlocal next_at
            if anyio.current_time() < next_at:
                return False
            sign = window_sign(self._listed, await self._desktop.windows(), self._earlier.window)
            next_at = anyio.current_time() + _WINDOWS_S
            return sign is not None and sign.certain and not sign.mere

        with suppress(DeskhandError):
            if await self._desktop.wait_until(changed, deadline_s=_OBSERVED_S):
                scope.cancel()

    def _window_gone(self, window: TargetInfo) -> Sign | None:
        gone = Sign(f'the window "{window.name}" is gone')
        self.beside = self.beside or gone
        return None if self._earlier.expected.typed else gone

    async def _own_in(self, now: Observation) -> Sign | None:
        target = self._earlier.target
        if not self._anything_counts() or not is_readable(target):
            return None
        shown = now.find(target.handle) or await read_if_there(self._desktop, target, self._earlier.window)
        return await self._own(target, shown)

    def _expected_in(self, now: Observation, found: Difference) -> Sign | None:
        """The sign of those differences that are expected; others are noted."""
        expected, target = self._earlier.expected, self._earlier.target
        if not expected.own:
            self._around_it = found
            self.read = f'{len(now.controls)} controls of "{now.window.name}" read as before'
            return found.sign()
        self.beside = self.beside or found.sign()
        if expected.opens is Opens.WINDOWS:
            return (found.writing_in(target, now).sign() or found.in_documents().sign()) if target else None
        self._around_it = found.in_or_beside(target, now)
        return self._around_it.sign()

    async def elsewhere(self) -> None:
        """Note, once, a change that is not the expected one."""
        earlier = self._earlier
        if self.beside is not None or earlier.seen is None or earlier.target is None:
            return
        now = await try_observe(self._desktop, earlier.seen.window)
        found = self._compare(earlier.seen, now, earlier.target, earlier.expected.focus) if now else Difference()
        self._note_dismissed(found)
        if sign := found.sign():
            self.beside = replace(sign, message=f"since the window was last seen: {sign.message}")

    def _note_dismissed(self, found: Difference) -> None:
        if found.dismissed:
            self.dismissed = True
            message = f"{found.dismissed[0].describe} was open, and closed by it, which may be all that it did"
            self.beside = self.beside or Sign(message, mere=True)


def _as_read(now: TargetInfo, own: frozenset[str]) -> str:
    if VALUE in own:
        return quoted(now.value)
    states = own & (now.states | {"selected"} if "selected" in own else now.states | {"checked"})
    return states_text(now.states, states or now.states & MARKED or own)
