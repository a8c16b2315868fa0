"""Looking for signs of one action (contract 4.3)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeGuard

import anyio

from deskhand.commands.effects.background_changes import Restless
from deskhand.commands.effects.diff import (
    MENUS,
    TELLING_STATES,
    TEXT,
    Aspect,
    Difference,
    Sign,
    own_difference,
    told_states,
    window_sign,
)
from deskhand.commands.effects.snapshot import UNREADABLE, Before, look_at, read_if_there
from deskhand.commands.effects.text_match import came_into_title, came_to_stand
from deskhand.commands.effects.window_diff import difference
from deskhand.commands.expectation import CHECKED, MARKED, MENU_CHECKS, VALUE, Opens, is_around_document
from deskhand.commands.window_lookup import listed
from deskhand.core.errors import ApplicationGone
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_REST: Final = 3.0
"""After a look at a whole window it is left alone for so many times as long, unless its program tells of something."""

_ENTERED_S: Final = 1.0
"""So long at most the key after a text may take to do its work."""


class Watch:
    """Looks for signs of one action.

    `beside`: what was seen that is not what was asked for. `problem`: why the last look told nothing; empty: it did.
    `by_itself`: what changed and is no effect, because it does so by itself; empty: nothing. `passes`: to be set
    where the target was disabled in passing only, which then is no sign any more. `on_the_way`: what was done on the
    way to an effect, which is none; empty: nothing. `put_away`: something that was open elsewhere closed. `lost`: the
    latest look could not read it, or it was gone. `closed_untold`: the target, an item of a menu that is checked or
    not, went with its menu.
    """

    def __init__(self, desktop: Desktop, earlier: Before) -> None:
        self._desktop = desktop
        self._earlier = earlier
        self._next_at = 0.0
        self._told = -1
        self.beside: Sign | None = None
        self.problem = ""
        self.read = ""
        self.by_itself = ""
        self.passes = False
        self.on_the_way = ""
        self.put_away = False
        self.closed_untold = False
        self.lost = False
        self._restless = Restless(desktop, earlier.shown, earlier.seen)
        self._around_it: Difference | None = None

    async def sign(self) -> Sign | None:
        """The first sign of what was asked for that shows now; a whole window is not looked at all the time."""
        return await self._look(patient=True)

    async def sign_for_sure(self) -> Sign | None:
        """As `sign`, whatever that takes."""
        return await self._look(patient=False)

    async def of_windows(self) -> tuple[str, bool]:
        """That a window came or went by now, which says more than what comes with it, and whether it is what was asked
        for; empty where none did.

        What was typed is read before the key after it has done its work, as to open a dialog that refuses it: that
        some window came or went tells nothing of it.
        """
        earlier = self._earlier
        try:
            if earlier.about.enters and earlier.window is not None:
                await self._desktop.settle(earlier.window, deadline_s=_ENTERED_S)
                now = await self._desktop.windows()
                sign, counts = window_sign(earlier.windows, now, earlier.window), self._counts(now)
            else:
                sign, counts = await self._windows(), True
        except UNREADABLE:
            return "", False
        return (sign.told, counts) if sign and sign.certain and not sign.mere else ("", False)

    @property
    def aspects(self) -> frozenset[Aspect]:
        """What the latest look saw otherwise around the target."""
        return self._around_it.aspects if self._around_it else frozenset()

    async def learns_restless(self, judged: frozenset[Aspect]) -> bool:
        """Whether a sign turns out to change again and again, or is gone: there may be others.

        What the agent saw does not tell of all such things: what comes round again may have looked the same then.
        """
        if self._around_it is None or not self._earlier.hold_s or self._earlier.calm or self._earlier.about.typed:
            return False  # a text that changes by itself does not become what was typed
        return await self._restless.learns(judged, self.sign_for_sure, lambda: self.aspects)

    async def _look(self, *, patient: bool) -> Sign | None:
        self.problem, self.lost, self._around_it = "", False, None
        try:
            return await self._windows() or await self._own_read() or await self._around(patient=patient)
        except UNREADABLE as error:
            self.problem, self.lost = error.message, True
            return None

    async def _windows(self) -> Sign | None:
        earlier = self._earlier
        now = await self._desktop.windows()
        sign = window_sign(earlier.windows, now, earlier.window, self._restless.aspects)
        if sign is None and self._restless.aspects and (by_itself := window_sign(earlier.windows, now, earlier.window)):
            self.by_itself = by_itself.told
        if sign is None or (not sign.mere and self._counts(now)):
            return sign
        self.beside = sign
        return None

    def _counts(self, now: Sequence[TargetInfo]) -> bool:
        """Whether windows that came, went or have another title are what was asked for."""
        about_, known = self._earlier.about, {window.handle: window.name for window in self._earlier.windows}
        came = (window for window in now if window.handle in known or window.type is not Role.DIALOG)  # it may refuse
        titles = [(known.get(window.handle, ""), window.name) for window in came]
        if about_.own:
            return about_.opens is not Opens.NOTHING
        return all(any(came_into_title(text, *title) for title in titles) for text in about_.typed)

    def _anything_counts(self) -> bool:
        """Whether whatever changes in the window is a sign, so that a look at it tells of the target as well."""
        about_ = self._earlier.about
        return self._earlier.seen is not None and not about_.own and not about_.typed

    async def _own_read(self) -> Sign | None:
        """The target's own states and value, read alone: most often faster than a look at its window."""
        target = self._earlier.target
        if self._anything_counts() or not _says_of_itself(target):
            return None
        return await self._own(target, await read_if_there(self._desktop, target, self._earlier.window))

    async def _own(self, target: TargetInfo, now: TargetInfo | None) -> Sign | None:
        """What is different of the target as it is now; None: it is gone."""
        if now is None:
            return await self._gone(target)
        about_ = self._earlier.about
        counts = about_.own or self._counting(target)
        told = own_difference(target, now, counts)
        lacking = [text for text in about_.typed if not came_to_stand(text, target.value, now.value)]
        if told and lacking:
            stands = "stands as before" if lacking[0] in now.value else "does not stand"
            more = f", in which {quoted(lacking[0])} {stands}" if about_.own else ""
            self.beside = Sign(f"{told}{more}", certain=True)
            return None
        if told:
            passing = not about_.own and not own_difference(target, now, counts - {"enabled"})
            places = places_of(now, target)
            if "expanded" in now.states ^ target.states:
                places += await self._unfolded(target)
            return Sign(told, places, passing=passing)
        if about_.own:
            self.read = f"{target.describe} reads {_as_read(now, about_.own)} as before"
        return None

    async def _gone(self, target: TargetInfo) -> Sign | None:
        """That a target is gone, or the dialog that came, behind which nothing can be used.

        An item of a menu goes with its menu; of one that is checked or not, anything else tells then. What was only
        made anew, and says the same where it was, is not gone.
        """
        earlier, found = self._earlier, await self._difference()
        if anew := next((now for then, now in found.changed if then.handle == target.handle), None):
            return await self._own(target, anew)
        self.lost = True
        gone = Sign(f"{target.describe} is gone", places_of(target))
        if target.type in MENU_CHECKS and earlier.about.own and found.dialog is None:
            self.closed_untold = True
            return found.but_closed().sign()
        if found.dialog is None and earlier.seen and earlier.seen.find(target.handle):
            gone = gone if any(control.handle == target.handle for control in found.went) else None
        sign = found.sign() if found.dialog else gone
        if not earlier.about.own and not earlier.about.typed:
            return sign if target.type not in MENUS else None
        if earlier.about.opens is not Opens.NOTHING or sign is None:
            return sign
        self.beside = self.beside or replace(sign, certain=True)
        return None

    async def _unfolded(self, target: TargetInfo) -> tuple[Rect, ...]:
        """Where something came or went in the target or beside it: it may show by that alone. Raises: as `observe`."""
        stood = self._earlier.seen.find(target.handle) if self._earlier.seen else None
        return (await self._difference()).places_of_kin(stood) if stood else ()

    async def _difference(self) -> Difference:
        """What is different in the window, whatever it is asked about. Raises: as `observe`."""
        earlier = self._earlier
        if earlier.seen is None:
            return Difference()
        now = await self._desktop.observe(earlier.seen.window, picture=False)
        found, _ = difference(earlier.seen, now, earlier.target, earlier.about.focus).split(self._restless.aspects)
        return found

    def _counting(self, target: TargetInfo) -> frozenset[str]:
        """What of a target counts that has no state of its own; a menu's item is let go of with its menu."""
        by_itself = (target.handle, TEXT) in self._restless.aspects and not self._earlier.about.typed
        restless = {VALUE} if by_itself else set[str]()
        let_go = {"selected"} if target.type in MENUS and "selected" in target.states else set[str]()
        passing = set[str]() if self.passes else {"enabled"}
        seen = self._earlier.seen
        late = CHECKED if seen and seen.provisional and is_around_document(target) else frozenset[str]()
        by_one_click = {"selected", "focused"} if self._earlier.about.twice else set[str]()
        return (TELLING_STATES | {VALUE} | passing) - restless - let_go - by_one_click - late

    async def _around(self, *, patient: bool) -> Sign | None:
        """Whatever is different in the window."""
        seen, about_, before = self._earlier.seen, self._earlier.about, self._told
        if seen is None or (about_.own and about_.opens is Opens.NOTHING):
            return None
        told = (await self._desktop.activity(seen.window)).reports
        if patient and anyio.current_time() < self._next_at and told == before:
            return None
        self._told = told
        sign = await self._named(seen, before) if patient and before >= 0 and self._anything_counts() else None
        return sign or await self._in_window(seen)

    async def _named(self, seen: Observation, before: int) -> Sign | None:
        """What is called otherwise, as its program told: known sooner than after a look at the whole window."""
        now = await self._desktop.renamed(self._restless.latest or seen, before)
        if now is None:
            return None
        self._around_it, _ = self._different(seen, now).split(self._restless.aspects)
        self._around_it = self._but_on_the_way(seen, now, self._around_it)
        return self._around_it.sign()

    def _different(self, seen: Observation, now: Observation) -> Difference:
        """What is different in the window, but for what is told late of what was done before."""
        found = difference(seen, now, self._earlier.target, self._earlier.about.focus)
        if seen.provisional:
            found, late = found.but_late(self._earlier.target)
            self.by_itself = late.first() or self.by_itself
        return found

    def _but_on_the_way(self, seen: Observation, now: Observation, found: Difference) -> Difference:
        """Without what is no effect (see `About`), which is kept as what it is."""
        about_ = self._earlier.about
        if about_.dragged is not None:
            start, end = (point.on(seen.window.rect) for point in about_.dragged)
            found, pressed = found.but_pressed(start, end, now)
            self._note_on_the_way("the press of the drag was seen to do something", pressed)
        if about_.twice:
            found, clicked = found.but_clicked(now)
            self._note_on_the_way("what one click does as well was seen", clicked)
        if about_.leaves:
            found, left = found.but_left()
            self._note_on_the_way("what had the keyboard was seen to change as it was left", left)
        return found

    def _note_on_the_way(self, what: str, found: Difference) -> None:
        if told := found.first():
            self.on_the_way = f"only {what}: {told}"

    async def _in_window(self, seen: Observation) -> Sign | None:
        """Whatever is different in the window that was seen, by a look at it."""
        earlier, began = self._earlier, anyio.current_time()
        try:
            now = await self._desktop.observe(seen.window, picture=False)
        except ApplicationGone:
            if await listed(self._desktop, seen.window):
                raise  # its program has nothing that answers to it, for this moment
            gone = Sign(f'the window "{seen.window.name}" is gone')
            self.beside = self.beside or gone
            return None if earlier.about.typed else gone
        ended = anyio.current_time()
        self._next_at = ended + _REST * (ended - began)
        self.problem = now.truncated.reason if now.truncated else ""
        target = earlier.target
        if self._anything_counts() and _says_of_itself(target):
            shown = now.find(target.handle) or await read_if_there(self._desktop, target, earlier.window)
            sign = await self._own(target, shown)
            if sign is not None:
                return sign
        self._restless.note(now)
        whole = self._different(seen, now)
        found, by_itself = whole.split(self._restless.aspects)
        self.by_itself = by_itself.first() or self.by_itself
        found = self._but_on_the_way(seen, now, found)
        self._note_put_away(whole)
        if earlier.about.typed:
            self.beside = found.sign() or self.beside
            found = whole.holding(earlier.about.typed)
        if not earlier.about.own:
            self._around_it = found
            self.read = f'{len(now.controls)} controls of "{now.window.name}" read as before'
            return found.sign()
        self.beside = self.beside or found.sign()
        if earlier.about.opens is Opens.WINDOWS:
            return (found.writing_in(target, now).sign() or found.in_documents().sign()) if target else None
        self._around_it = found.in_or_beside(target, now)
        return self._around_it.sign()

    async def elsewhere(self) -> None:
        """Looks once for what changed instead of what was asked for."""
        earlier = self._earlier
        if self.beside is not None or earlier.seen is None or earlier.target is None:
            return
        now = await look_at(self._desktop, earlier.seen.window)
        found = difference(earlier.seen, now, earlier.target, earlier.about.focus) if now else Difference()
        self._note_put_away(found)
        if sign := found.sign():
            self.beside = replace(sign, told=f"since the window was last seen: {sign.told}")

    def _note_put_away(self, found: Difference) -> None:
        if found.put_away:
            self.put_away = True
            told = f"{found.put_away[0].describe} was open, and closed by it, which may be all that it did"
            self.beside = self.beside or Sign(told, mere=True)


def _says_of_itself(target: TargetInfo | None) -> TypeGuard[TargetInfo]:
    return target is not None and target.kind is TargetKind.CONTROL and not target.sighting


def _as_read(now: TargetInfo, own: frozenset[str]) -> str:
    if VALUE in own:
        return quoted(now.value)
    states = own & (now.states | {"selected"} if "selected" in own else now.states | {"checked"})
    return told_states(now.states, states or now.states & MARKED or own)


def places_of(*looks: TargetInfo) -> tuple[Rect, ...]:
    """Where it is to be seen that a control changed.

    Of a tab also right beside it: GTK 4.8 tells its place without the padding, in which it marks the chosen one, and
    GTK 3 that of its label, below which it draws a line.
    """
    found = [look.rect for look in looks if not look.rect.empty]
    found += [look.rect.grown(look.rect.height // 2) for look in looks if look.type is Role.TAB and not look.rect.empty]
    return tuple(dict.fromkeys(found))
