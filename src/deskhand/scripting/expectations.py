"""Expectations of a script: they wait until a control or window is as expected, or fail with its actual state."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Protocol, TypeAlias, TypeVar

from deskhand.commands.control_kinds import CHECKS, RESULT_UNKNOWN
from deskhand.commands.techniques.screen_checks import all_covered, may_lack, not_exposed, require_states
from deskhand.commands.techniques.shown_value import reading, shown_text
from deskhand.core.errors import ApplicationGone, NotAccessible, UsageError
from deskhand.core.ports import Satisfaction
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, Trait, same_window
from deskhand.desktop.protocols.windows import ProgramState, Until
from deskhand.scripting.actor import Actor
from deskhand.scripting.attempt import Attempt, Reading
from deskhand.scripting.finding import Finder, Found
from deskhand.scripting.members import Members
from deskhand.scripting.program_end import with_end
from deskhand.scripting.query import Words, matches_words, shown_words
from deskhand.snapshots.comparison import accept, compare

_OFFSCREEN: Final = "offscreen"
_OTHER_PAGES: Final = "other_pages_unlisted"
_MOST_NAMED: Final = 5
_NOT: Final = "not "

_UPDATE: Final = "write it with update_references of the desktop; in pytest: --deskhand-update-references"
_HOLDS: Final = {Satisfaction.SATISFIED: True, Satisfaction.UNSATISFIED: False, Satisfaction.UNKNOWN: None}

ExpectationT_co = TypeVar("ExpectationT_co", covariant=True)
Check: TypeAlias = Callable[[Found], Awaitable[Reading]]


class Expected(Protocol[ExpectationT_co]):
    """A locator or window."""

    @property
    def expectation(self) -> ExpectationT_co: ...


def expect(subject: Expected[ExpectationT_co]) -> ExpectationT_co:
    """Return the expectations of a locator or window: `await expect(window.checkbox("Bold")).to_be_checked()`.

    Raises: UsageError for anything else.
    """
    if not hasattr(type(subject), "expectation"):
        raise UsageError(f"expect() takes a locator or a window, not {subject!r}", fix="as in expect(window.button())")
    return subject.expectation


class ControlExpectation(Members):
    """Expectations of the one control that a locator matches, as it is in view; nothing is scrolled.

    Each waits until it holds, at most `timeout_s` seconds (default: the desktop's). Words: equal but for spaces, or a
    compiled expression that is found. An unknown state does not hold.
    Raises: ExpectationFailed (an AssertionError, with the actual state), AmbiguousTarget, ApplicationGone,
    DesktopGone, ApplicationUnresponsive and CaptureFailed where the window cannot be read until the end.
    """

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    async def to_be_visible(self, *, timeout_s: float | None = None) -> None:
        await self._expect_one("to be visible", _is_visible, timeout_s)

    async def to_be_gone(self, *, timeout_s: float | None = None) -> None:
        """Expect that no control matches. It holds too where the window is closed while its program runs on.

        Raises: ApplicationGone where the program ended or died; for its end there is `expect(window).to_be_closed()`.
        """
        await self._attempt("to be gone").until(self._look_for_end, timeout_s)

    async def to_be_enabled(self, *, timeout_s: float | None = None) -> None:
        await self._expect_state("to be enabled", "enabled", timeout_s)

    async def to_be_disabled(self, *, timeout_s: float | None = None) -> None:
        await self._expect_state("to be disabled", "not enabled", timeout_s)

    async def to_be_checked(self, *, timeout_s: float | None = None) -> None:
        """Expect a box, radio or menu item that is checked, or a button that stays pressed and is."""
        await self._expect_state("to be checked", "checked", timeout_s)

    async def to_be_unchecked(self, *, timeout_s: float | None = None) -> None:
        """Expect a control that can be checked and is not."""
        await self._expect_state("to be unchecked", "not checked", timeout_s)

    async def to_be_selected(self, *, timeout_s: float | None = None) -> None:
        await self._expect_state("to be selected", "selected", timeout_s)

    async def to_be_focused(self, *, timeout_s: float | None = None) -> None:
        await self._expect_state("to be focused", "focused", timeout_s)

    async def to_have_state(self, state: str, *, timeout_s: float | None = None) -> None:
        """Expect a state as observations name it, such as `expanded` or `not busy`. Raises: ValueError for another."""
        require_states([state])
        await self._expect_state(f"to be {state}", state, timeout_s)

    async def to_have_value(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect the whole text, number or choice in it; that of a password is never known."""

        async def check(control: TargetInfo, found: Found) -> Reading:
            text = await shown_text(self._actor.desktop, found.seen, control)
            return _as_text(control, text, words, found)

        await self._expect_one(f"to have the value {shown_words(words)}", check, timeout_s)

    async def to_have_text(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its whole text or value, or its name where it has none."""

        async def check(control: TargetInfo, found: Found) -> Reading:
            text = await shown_text(self._actor.desktop, found.seen, control)
            is_secret = control.type is Role.PASSWORD
            return _as_text(control, text if text or is_secret else control.name, words, found)

        await self._expect_one(f"to have the text {shown_words(words)}", check, timeout_s)

    async def to_have_name(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its name; mnemonics and the form of an ellipsis make no difference."""

        async def check(control: TargetInfo, found: Found) -> Reading:
            return Reading(matches_words(words, control.name), f'its name is "{control.name}"', found)

        await self._expect_one(f"to have the name {shown_words(words)}", check, timeout_s)

    async def to_have_count(self, count: int, *, timeout_s: float | None = None) -> None:
        """Expect that so many controls match."""

        async def check(found: Found) -> Reading:
            return _of_all(found, len(found.controls) == count, self._finder)

        await self._expect(f"to be there {count} times", check, timeout_s)

    async def _expect_state(self, wanted: str, state: str, timeout_s: float | None) -> None:
        async def check(control: TargetInfo, found: Found) -> Reading:
            return _in_state(control, state, found)

        await self._expect_one(wanted, check, timeout_s)

    async def _expect_one(
        self, wanted: str, check: Callable[[TargetInfo, Found], Awaitable[Reading]], timeout_s: float | None
    ) -> None:
        async def of_one(found: Found) -> Reading:
            if len(found.controls) != 1:
                return Reading(False, "none is there", found)
            (control,) = found.controls
            return await check(control, found)

        await self._expect(wanted, of_one, timeout_s, is_of_one=True)

    async def _expect(self, expected: str, check: Check, timeout_s: float | None, *, is_of_one: bool = False) -> None:
        async def look(deadline_s: float) -> Reading:
            found = await self._look(deadline_s)
            if MINIMIZED in found.seen.window.states:
                there = "".join(f"{each.describe} is there, but not shown: " for each in found.controls[:1])
                minimized = f'"{found.seen.window.name}" is minimized: nothing of it is on the screen'
                return Reading(None, there + minimized, found)
            return await check(found)

        await self._attempt(expected, is_of_one=is_of_one).until(look, timeout_s)

    def _attempt(self, expected: str, *, is_of_one: bool = False) -> Attempt:
        window = self._actor.latest.get(self._finder.window.handle, self._finder.window)
        subject = f'{self._finder} of "{window.name}"'
        return Attempt(self._actor, window, subject, expected, self._finder, is_of_one=is_of_one)

    async def _look(self, deadline_s: float) -> Found:
        """Return the controls that match, with states that are final."""
        found = await self._finder.look(deadline_s)
        if found.seen.provisional:
            await self._actor.desktop.settle(self._finder.window, until=Until.FINAL_STATES)
            found = await self._finder.look(deadline_s)
        return found

    async def _look_for_end(self, deadline_s: float) -> Reading:
        """Return whether none matches; in a window that is closed none does, if its program runs on."""
        try:
            found = await self._look(deadline_s)
        except NotAccessible:
            raise
        except ApplicationGone:
            if not await self._is_closed_alone():
                raise
            return Reading(True, "its window is closed")
        return _of_all(found, found.controls == (), self._finder)

    async def _is_closed_alone(self) -> bool:
        """Return True where the window is closed and its program runs, and does not end right after it."""
        window = self._finder.window
        if any(same_window(window, each) for each in await self._actor.desktop.windows()):
            return False
        return await self._actor.end_of(window) is None

    @property
    def _actor(self) -> Actor:
        return self._finder.actor


class WindowExpectation(Members):
    """Expectations of a window; as of a control."""

    def __init__(self, actor: Actor, window: TargetInfo) -> None:
        self._actor = actor
        self._window = window

    async def to_have_title(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its title, equal but for spaces, or with a compiled expression that is found in it."""

        async def look(_: float) -> Reading:
            now = await self._now()
            if now is None:
                error = ApplicationGone(f'the window "{self._window.name}" is closed', fix="expect it before it closes")
                status = await self._actor.end_of(self._window)
                raise with_end(self._actor.desktop, self._window, error, status) if status else error
            return Reading(_is_text(words, now.name), f'its title is "{now.name}"')

        await self._attempt(f"to have the title {shown_words(words)}").until(look, timeout_s)

    async def to_match(self, reference: Path | str, *, timeout_s: float | None = None) -> None:
        """Expect that it is as in a reference, a file of `deskhand verify --like`.

        A desktop opened with `update_references` makes the present state the reference instead. Raises: UsageError
        (there is none), ConfigurationError (the file is no reference), StoreError.
        """
        path, desktop = Path(reference), self._actor.desktop
        if self._actor.update_references:
            await accept(desktop, self._window, path)
            return

        async def look(_: float) -> Reading:
            compared = await compare(desktop, self._window, path)
            if compared.reference is None:
                raise UsageError(f"there is no reference {path}", fix=_UPDATE)
            return Reading(_HOLDS[compared.verdict], compared.detail)

        await self._attempt(f"to match {path.name}").until(look, timeout_s)

    async def to_be_closed(self, *, timeout_s: float | None = None) -> None:
        """Expect that it is closed, and that its program did not die.

        Raises: ApplicationGone where the program died: by a signal, or with an error.
        """

        async def look(_: float) -> Reading:
            if await self._now() is not None:
                return Reading(False, "it is open")
            status = await self._actor.end_of(self._window)
            if status is not None and status.state is ProgramState.DIED:
                error = ApplicationGone(f'the window "{self._window.name}" is gone')
                raise with_end(self._actor.desktop, self._window, error, status)
            return Reading(True, "it is closed")

        await self._attempt("to be closed").until(look, timeout_s)

    def _attempt(self, expected: str) -> Attempt:
        return Attempt(self._actor, self._window, f'the window "{self._window.name}"', expected)

    async def _now(self) -> TargetInfo | None:
        return next((each for each in await self._actor.desktop.windows() if same_window(self._window, each)), None)


async def _is_visible(control: TargetInfo, found: Found) -> Reading:
    return Reading(
        _OFFSCREEN not in control.states, f"{control.describe} is there, but not shown: it is out of view", found
    )


def _in_state(control: TargetInfo, state: str, found: Found) -> Reading:
    """Return whether it has a state, or with `not` before it has it not."""
    name = state.removeprefix(_NOT)
    if (unknown := all_covered([control])) is not None:
        return Reading(None, unknown.detail, found)
    if _OFFSCREEN in control.states:
        return Reading(None, f"{control.describe} is out of view, and its states are not known", found)
    if (unexposed := not_exposed(control, state)) and not (name == "checked" and "pressed" in control.states):
        return Reading(None, f"{control.describe} does not report whether it {unexposed}", found)
    if name == "checked" and not _can_be_checked(control):
        return Reading(False, f"{control.describe} is none that can be checked", found)
    has = _is_checked(control) if name == "checked" else name in control.states
    shown = ", ".join(sorted(control.states)) or "none"
    return Reading(has is not state.startswith(_NOT), f"{control.describe} has the states: {shown}", found)


def _can_be_checked(control: TargetInfo) -> bool:
    return control.type in CHECKS or Trait.TOGGLE in control.traits or bool({"checkable", "checked"} & control.states)


def _is_checked(control: TargetInfo) -> bool:
    """A button that stays pressed is checked while it is."""
    return "checked" in control.states or (Trait.TOGGLE in control.traits and "pressed" in control.states)


def _of_all(found: Found, holds: bool, finder: Finder) -> Reading:
    """Return a reading about all controls that match; not known where the observation may lack one."""
    there = "; ".join(each.describe for each in found.controls[:_MOST_NAMED])
    actual = f"{len(found.controls)} are there: {there}" if there else "none is there"
    is_table = any(Role.TABLE in query.roles for query in finder.queries)
    if is_table and any(_OTHER_PAGES in control.states for control in found.seen.controls):
        return Reading(None, f"{actual}, and other pages of the document were not searched", found)
    if why := may_lack(found.seen):
        return Reading(None, f"{actual}, {why}", found)
    return Reading(holds, actual, found)


def _as_text(control: TargetInfo, text: str | None, words: Words, found: Found) -> Reading:
    if RESULT_UNKNOWN in control.states:
        return Reading(None, f"{control.describe} has a formula whose result is not exposed", found)
    if (unknown := all_covered([control])) is not None:
        return Reading(None, unknown.detail, found)
    return Reading(None if text is None else _is_text(words, text), reading(control, text), found)


def _is_text(wanted: Words, text: str) -> bool:
    """Return whether a text is equal but for spaces, or the expression is found in it."""
    return " ".join(wanted.split()) == " ".join(text.split()) if isinstance(wanted, str) else bool(wanted.search(text))
