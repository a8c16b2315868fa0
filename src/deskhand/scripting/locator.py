"""Locators: descriptions of one control of a window, which each action finds anew."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from deskhand.commands.techniques.screen_checks import require_states
from deskhand.core.command import Result
from deskhand.core.errors import DesktopError, WaitTimedOut
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.scripting.expectations import ControlExpectation
from deskhand.scripting.finding import Finder, Found
from deskhand.scripting.members import Members
from deskhand.scripting.query import Condition, Query, Words


class Locators(Members, ABC):
    """Makes locators: in a window, or inside of another locator's control."""

    @abstractmethod
    def _within(self, query: Query) -> "Locator":
        """Return a locator of this query in here."""

    def locator(
        self,
        role: str | Collection[str] | None = None,
        name: Words | None = None,
        *,
        text: Words | None = None,
        accessible_id: str | None = None,
    ) -> "Locator":
        """Return a locator by role (`button`, `textbox` …) or one of several, name, part of the name or value, and id.

        A name has to be equal but for spaces, mnemonics and the form of an ellipsis; a compiled expression is searched.
        An id is one that the program's developers gave the control: whole, or its end after a full stop. A control that
        is found by it is not scrolled to.
        Raises: UsageError for a role that does not exist, or a name or id of another kind.
        """
        return self._within(Query.of(role, name, text, accessible_id))

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


class Locator(Locators):
    """Describes one control of a window. Making one observes nothing; each action finds the control anew.

    An action waits until exactly one control matches and is enabled, at most `timeout_s` seconds (default: the
    desktop's), and returns the result with its effect; without `check=False` a result that is not confirmed is raised.
    Where none is in view, it scrolls through the window, which may take a minute more; not at a timeout of 0.
    Actions raise: ElementNotFound (with the controls that are there), AmbiguousTarget (with the candidates),
    ActionFailed, ApplicationGone, DesktopGone.
    """

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def _within(self, query: Query) -> "Locator":
        if self._finder.place is not None:
            raise ValueError(f"{self}: nth() comes last")
        return Locator(replace(self._finder, queries=(*self._finder.queries, query)))

    def nth(self, place: int) -> "Locator":
        """Return a locator of one of several that match: 0 is the first on the screen, -1 the last."""
        return Locator(replace(self._finder, place=place))

    def that(self, words: str, holds: Callable[[TargetInfo], bool]) -> "Locator":
        """Return a locator of those for which a condition holds.

        `words`: how it reads in messages after the control, such as `that is 100 pixels wide`.
        """
        *outer, last = self._finder.queries
        return Locator(replace(self._finder, queries=(*outer, last.narrowed(Condition(words, holds)))))

    def __str__(self) -> str:
        return str(self._finder)

    def __repr__(self) -> str:
        return f"<Locator {self}>"

    @property
    def expectation(self) -> ControlExpectation:
        """The expectations of it, as `deskhand.expect(locator)` returns them."""
        return ControlExpectation(self._finder)

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
        arguments = {**(given or {}), **arguments}
        try:
            found = await self._finder.one(timeout_s, lambda control: "enabled" in control.states)
        except DesktopError as error:
            await self._finder.note_missing(tool, arguments, error)
            raise
        (control,) = found.controls
        return await self._finder.actor.act(
            tool, arguments, check=check, target=control, window=found.seen.window, seen=found.seen
        )

    async def find(self, *, timeout_s: float | None = None) -> TargetInfo:
        """Return the control as it is now, as soon as exactly one matches."""
        (control,) = (await self._finder.one(timeout_s)).controls
        return control

    async def text(self, *, timeout_s: float | None = None) -> str:
        """Return the whole text or value of the control; its name where it has none."""
        control = await self.find(timeout_s=timeout_s)
        try:
            return await self._finder.actor.desktop.read_text(control)
        except DesktopError:
            return control.value or control.name

    async def description(self, *, timeout_s: float | None = None) -> str:
        """Return what its program describes it with beside the name, for users who do not see it; often nothing."""
        return await self._finder.actor.desktop.description(await self.find(timeout_s=timeout_s))

    async def all(self) -> tuple[TargetInfo, ...]:
        """Return all controls that match now, top down, without waiting; none is no error."""
        return (await self._finder.look()).controls

    async def count(self) -> int:
        """Return how many match now."""
        return len(await self.all())

    async def wait(self, *, state: str = "", gone: bool = False, timeout_s: float | None = None) -> None:
        """Wait until exactly one control in view matches, with a state such as `checked`; with `gone`, until none does.

        It scrolls nothing: `find()` does.
        Raises: WaitTimedOut, AmbiguousTarget, ApplicationGone, ValueError for a state that does not exist.
        """
        require_states([state] if state else [])

        def holds(found: Found) -> bool:
            there = [control for control in found.controls if not state or state in control.states]
            return not there if gone else bool(there)

        found = await self._finder.watched(holds, timeout_s)
        if not holds(found):
            problem = "is still there" if gone else "did not come"
            raise WaitTimedOut(f"{self}{f' ({state})' if state else ''} {problem}", fix="wait longer: timeout_s")
        if not gone:
            self._finder.require_one(found)
