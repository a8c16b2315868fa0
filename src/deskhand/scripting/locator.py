"""Locators: descriptions of one control of a window, which each action finds anew."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from deskhand.commands.techniques.screen_checks import require_states
from deskhand.core.command import Result
from deskhand.core.errors import (
    AmbiguousTarget,
    ApplicationGone,
    DesktopError,
    DesktopGone,
    ElementNotFound,
    WaitTimedOut,
)
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.scripting.actor import Actor
from deskhand.scripting.query import Query, Words, found_by
from deskhand.scripting.scrolling import scroll_until

_MOST_LISTED = 8
_OUT_OF_VIEW = "if it is out of view, scroll, or open the menu or page it is in"
_SOON_S = 0.5
"""Time that a control has to appear before it is scrolled to."""
_OTHER_PAGES = "other_pages_unlisted"
_OTHER_PAGES_S = 10.0


class Locators(ABC):
    """Makes locators: in a window, or inside of another locator's control."""

    @abstractmethod
    def _within(self, query: Query) -> "Locator":
        """Return a locator of this query in here."""

    def locator(self, role: str | None = None, name: Words | None = None, *, text: Words | None = None) -> "Locator":
        """Return a locator by role (`button`, `textbox` …), name, and a part of the name or value.

        A name has to be equal but for spaces, mnemonics and the form of an ellipsis; a compiled expression is searched.
        Raises: UsageError for a role that does not exist, or a name of another kind.
        """
        return self._within(Query.of(role, name, text))

    def button(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.BUTTON, name)

    def checkbox(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.CHECKBOX, name)

    def combobox(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.COMBOBOX, name)

    def link(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.LINK, name)

    def listitem(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.LISTITEM, name)

    def menu(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.MENU, name)

    def menuitem(self, name: Words | None = None) -> "Locator":
        """Return a locator of an entry of a menu, also of one with a mark."""
        return self._within(Query(frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO}), name))

    def radio(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.RADIO, name)

    def spinbutton(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.SPINBUTTON, name)

    def tab(self, name: Words | None = None) -> "Locator":
        return self.locator(Role.TAB, name)

    def textbox(self, name: Words | None = None) -> "Locator":
        """Return a locator of a field, also of one for a password."""
        return self._within(Query(frozenset({Role.TEXTBOX, Role.PASSWORD}), name))


@dataclass(frozen=True, slots=True)
class _Found:
    """The controls that match in one observation."""

    controls: tuple[TargetInfo, ...]
    seen: Observation


@dataclass(slots=True)
class _Watched:
    """The last observation of a wait, or why there was none."""

    last: _Found | None = None
    error: DesktopError | None = None


class Locator(Locators):
    """Describes one control of a window. Making one observes nothing; each action finds the control anew.

    An action waits until exactly one control matches and is enabled, at most `timeout_s` seconds (default: the
    desktop's), and returns the result with its effect; without `check=False` a result that is not confirmed is raised.
    Where none is in view, it scrolls through the window, which may take a minute more; not at a timeout of 0.
    Actions raise: ElementNotFound (with the controls that are there), AmbiguousTarget (with the candidates),
    ActionFailed, ApplicationGone, DesktopGone.
    """

    def __init__(self, actor: Actor, window: TargetInfo, queries: tuple[Query, ...], place: int | None = None) -> None:
        self._actor = actor
        self._window = window
        self._queries = queries
        self._place = place

    def _within(self, query: Query) -> "Locator":
        if self._place is not None:
            raise ValueError(f"{self}: nth() comes last")
        return Locator(self._actor, self._window, (*self._queries, query))

    def nth(self, place: int) -> "Locator":
        """Return a locator of one of several that match: 0 is the first on the screen, -1 the last."""
        return Locator(self._actor, self._window, self._queries, place)

    def __str__(self) -> str:
        described = " in ".join(str(query) for query in reversed(self._queries))
        return described if self._place is None else f"{described}, number {self._place}"

    def __repr__(self) -> str:
        return f"<Locator {self}>"

    async def press(self, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Press, open or choose it as its program offers it, without the pointer where that is possible."""
        return await self.act("invoke", check=check, timeout_s=timeout_s)

    async def click(
        self,
        *,
        button: str = "left",
        count: int = 1,
        hold: str = "",
        check: bool = True,
        timeout_s: float | None = None,
    ) -> Result:
        """Click it with the pointer. `hold`: modifiers that are down meanwhile, such as `ctrl+shift`."""
        arguments: dict[str, JsonValue] = {"button": button, "count": count, **({"hold": hold} if hold else {})}
        return await self.act("click_input", check=check, timeout_s=timeout_s, **arguments)

    async def type(self, text: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Type a text into it by the keyboard, where its caret is."""
        return await self.act("keyboard_input", check=check, timeout_s=timeout_s, keys=text, literal=True)

    async def press_keys(self, keys: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Press keys in it, written as on the page on keys: `{ENTER}`, `{VK_CONTROL}a`."""
        return await self.act("keyboard_input", check=check, timeout_s=timeout_s, keys=keys)

    async def fill(self, text: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Replace its text."""
        return await self.act("set_edit_text", check=check, timeout_s=timeout_s, text=text)

    async def set(self, value: float | bool, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Set a number, or a box to checked (True) or not (False)."""
        return await self.act("set_value", check=check, timeout_s=timeout_s, value=value)

    async def select(self, item: str = "", *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Select an item of it, or itself; a selected one stays so."""
        return await self.act("select_item", check=check, timeout_s=timeout_s, **({"item": item} if item else {}))

    async def hover(self, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Move the pointer over it."""
        return await self.act("hover", check=check, timeout_s=timeout_s)

    async def act(
        self,
        tool: str,
        given: Mapping[str, JsonValue] | None = None,
        /,
        *,
        check: bool = True,
        timeout_s: float | None = None,
        **arguments: JsonValue,
    ) -> Result:
        """Use any tool that takes a control on it.

        `given`: arguments as a mapping, as for a tool with an argument named `check` or `timeout_s`. Raises: UsageError
        (unknown tool, wrong arguments, with those that it takes).
        """
        found = await self._one(timeout_s, lambda control: "enabled" in control.states)
        (control,) = found.controls
        return await self._actor.act(
            tool, {**(given or {}), **arguments}, check=check, target=control, window=found.seen.window, seen=found.seen
        )

    async def find(self, *, timeout_s: float | None = None) -> TargetInfo:
        """Return the control as it is now, as soon as exactly one matches."""
        (control,) = (await self._one(timeout_s)).controls
        return control

    async def text(self, *, timeout_s: float | None = None) -> str:
        """Return the whole text or value of the control; its name where it has none."""
        control = await self.find(timeout_s=timeout_s)
        try:
            return await self._actor.desktop.read_text(control)
        except DesktopError:
            return control.value or control.name

    async def all(self) -> tuple[TargetInfo, ...]:
        """Return all controls that match now, top down, without waiting; none is no error."""
        return self._chosen(await self._look()).controls

    async def count(self) -> int:
        """Return how many match now."""
        return len(await self.all())

    async def wait(self, *, state: str = "", gone: bool = False, timeout_s: float | None = None) -> None:
        """Wait until exactly one control in view matches, with a state such as `checked`; with `gone`, until none does.

        It scrolls nothing: `find()` does.
        Raises: WaitTimedOut, AmbiguousTarget, ApplicationGone, ValueError for a state that does not exist.
        """
        require_states([state] if state else [])

        def holds(found: _Found) -> bool:
            there = [control for control in found.controls if not state or state in control.states]
            return not there if gone else bool(there)

        found = await self._watched(holds, timeout_s)
        if not holds(found):
            problem = "is still there" if gone else "did not come"
            raise WaitTimedOut(f"{self}{f' ({state})' if state else ''} {problem}", fix="wait longer: timeout_s")
        if not gone:
            self._require_one(found)

    async def _one(self, timeout_s: float | None, ready: Callable[[TargetInfo], bool] = lambda _: True) -> _Found:
        """Wait for exactly one, ready if that comes in time; a tool reports why it refuses one that is not."""

        def holds(now: _Found) -> bool:
            return len(now.controls) > 1 or any(map(ready, now.controls))

        most_s = self._actor.timeout_s if timeout_s is None else timeout_s
        found = await self._soon(most_s)
        if found and not found.controls and most_s > 0:
            await self._scroll_to_it(found.seen)
            found = None
        if found is None or not holds(found):
            found = await self._watched(holds, timeout_s)
        if not found.controls:
            there = "; ".join(_described(found.seen.controls, self._queries[-1]))
            where = f'"{found.seen.window.name}"'
            raise ElementNotFound(
                f"{where} has no {self}",
                fix=f"there are: {there}; {_OUT_OF_VIEW}" if there else _OUT_OF_VIEW,
            )
        self._require_one(found)
        return found

    async def _soon(self, most_s: float) -> _Found | None:
        """Return those that are in view, or come soon or before the window is quiet; None if it cannot be read now."""

        def is_there(now: _Found) -> bool:
            return bool(now.controls)

        try:
            found = await self._watched(is_there, min(_SOON_S, most_s))
            if not found.controls and most_s > 0:
                await self._actor.desktop.settle(self._window, deadline_s=most_s)
                found = await self._watched(is_there, 0)
        except (ApplicationGone, DesktopGone):
            raise
        except DesktopError:  # it is reported if it lasts
            return None
        return found

    async def _scroll_to_it(self, seen: Observation) -> None:
        """Scroll through the window, in which none matches in view."""
        if Role.TABLE in self._queries[-1].roles and any(_OTHER_PAGES in control.states for control in seen.controls):
            # They are listed from then on.
            await self._actor.desktop.observe(self._window, picture=False, other_pages=True, deadline_s=_OTHER_PAGES_S)
        else:
            await scroll_until(lambda now: bool(self._chosen(self._found_in(now)).controls), self._actor, seen)

    def _require_one(self, found: _Found) -> None:
        if len(found.controls) > 1:
            candidates = tuple(f"{number}: {_in_place(each)}" for number, each in enumerate(found.controls))
            raise AmbiguousTarget(
                f"{len(found.controls)} controls match {self}",
                candidates,
                fix=f"choose by nth(), or look inside of another locator: {'; '.join(candidates[:_MOST_LISTED])}",
            )

    async def _watched(self, holds: Callable[[_Found], bool], timeout_s: float | None) -> _Found:
        """Return the first observation for which it holds, else the last before the deadline. Raises: DesktopError."""
        result = _Watched()

        async def look() -> bool:
            try:
                result.last, result.error = self._chosen(await self._look()), None
            except DesktopError as error:
                result.error = error
                return isinstance(error, ApplicationGone | DesktopGone)
            return holds(result.last)

        await self._actor.wait_until(look, timeout_s)
        if result.last is None or result.error is not None:
            raise result.error or AssertionError("the condition is evaluated at least once")
        return result.last

    async def _look(self) -> _Found:
        return self._found_in(await self._actor.desktop.observe(self._window, picture=False))

    def _found_in(self, seen: Observation) -> _Found:
        return _Found(found_by(self._queries, seen), seen)

    def _chosen(self, found: _Found) -> _Found:
        if self._place is None:
            return found
        return replace(found, controls=_at(found.controls, self._place))


def _at(found: Sequence[TargetInfo], place: int) -> tuple[TargetInfo, ...]:
    return (found[place],) if -len(found) <= place < len(found) else ()


def _described(controls: Sequence[TargetInfo], query: Query) -> list[str]:
    """Return those of the wanted name and another role, then those of the wanted roles, or of any if none is."""
    named = [each for each in controls if query.has_name(each)]
    of_role = [each for each in controls if not query.roles or each.type in query.roles]
    found = named + [each for each in of_role or controls if each.name and each not in named]
    more = [f"and {len(found) - _MOST_LISTED} more"] if len(found) > _MOST_LISTED else []
    return [each.describe for each in found[:_MOST_LISTED]] + more


def _in_place(control: TargetInfo) -> str:
    """Return it with its place on the screen, by which controls of one name differ."""
    return f"{control.describe} at {control.rect.left}, {control.rect.top}"
