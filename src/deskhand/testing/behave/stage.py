"""The desktop of a run of behave: its applications, and the controls that steps name."""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from deskhand.commands.techniques.screen_checks import STATES
from deskhand.core.command import Result
from deskhand.core.errors import AmbiguousTarget, ElementNotFound, UsageError
from deskhand.core.geometry import Point
from deskhand.core.json import JsonValue
from deskhand.core.text import quoted
from deskhand.scripting import ActionFailed, Desktop, Locator, Window, expect
from deskhand.scripting.results import ExpectationFailed, Unmet
from deskhand.testing.behave.applications import Applications, expect_until
from deskhand.testing.behave.controls import IN_VIEW, Wanted, in_state, state_named

_SOON_S: Final = 1.0
"""Time that a control has to appear in a window before one scrolls to it."""
_MIDDLE: Final = Point(0, 0)


@dataclass(frozen=True, slots=True)
class Click:
    """`offset`: physical screen pixels from the middle of the control, right and down."""

    button: str = "left"
    count: int = 1
    offset: Point = _MIDDLE


@dataclass(frozen=True, slots=True)
class _Found:
    """A control in a window, or the window itself."""

    window: Window
    locator: Locator | None = None

    def __str__(self) -> str:
        return f'the window "{self.window.title}"' if self.locator is None else str(self.locator)

    async def text(self) -> str:
        return self.window.title if self.locator is None else await self.locator.text(timeout_s=0)

    async def description(self) -> str:
        return "" if self.locator is None else await self.locator.description(timeout_s=0)

    async def middle(self, offset: Point) -> Point:
        rect = self.window.info.rect if self.locator is None else (await self.locator.find()).rect
        return Point(rect.center.x + offset.x, rect.center.y + offset.y)


class Stage:
    """Finds controls in all windows of an application, the front one first, and acts on them.

    Its methods wait as those of locators do. Raises: ExpectationFailed (an AssertionError), ElementNotFound and
    AmbiguousTarget with the candidates, ActionFailed for an action that was not sent, ApplicationGone, DesktopGone,
    UsageError for a role, state or size that does not exist.
    """

    def __init__(self, desktop: Desktop, commands: Mapping[str, str]) -> None:
        self.desktop = desktop
        self.applications = Applications(desktop, commands)

    async def click(self, wanted: Wanted, click: Click) -> None:
        """Click it with the pointer."""
        found = await self._found(wanted)
        if found.locator is None or click.offset != _MIDDLE:
            await self.click_at(await found.middle(click.offset), click, found.window)
            return
        result = await found.locator.click(button=click.button, count=click.count, check=False)
        _require_sent(f"click of {found}", result)

    async def click_at(self, point: Point, click: Click, window: Window | None = None) -> None:
        """Click a point of the screen, of the front window there unless one is given."""
        window = window or await self._window_at(point)
        result = await window.act(
            "click_on_coordinates", _part(point, window), check=False, button=click.button, count=click.count
        )
        _require_sent(f"click at {point.x}, {point.y}", result)

    async def hover(self, wanted: Wanted, offset: Point) -> None:
        """Move the pointer over it."""
        found = await self._found(wanted)
        await self.move_to(await found.middle(offset), found.window)

    async def move_to(self, point: Point, window: Window | None = None) -> None:
        """Move the pointer to a point of the screen, in the front window there unless one is given."""
        window = window or await self._window_at(point)
        result = await window.act("hover", _part(point, window), check=False)
        _require_sent(f"move to {point.x}, {point.y}", result)

    async def invoke(self, wanted: Wanted, action: str) -> None:
        """Do an action that it offers through accessibility, by the program's own name of it."""
        found = await self._found(wanted)
        if found.locator is None:
            raise UsageError(f"{found} has no actions", fix="name a control in it")
        _require_sent(f'action "{action}" of {found}', await found.locator.act("invoke", check=False, action=action))

    async def press(self, keys: str) -> None:
        """Press keys where the focus is, as tools take them: `{CTRL}s`."""
        await self._to_keyboard(keys, literal=False)

    async def type(self, text: str) -> None:
        """Type a text where the focus is."""
        await self._to_keyboard(text, literal=True)

    async def close(self, name: str, way: str, shortcut: str) -> None:
        """Close an application in a way that `Close application "…" via "…"` names, and wait until it has ended.

        `shortcut`: keys that quit it. Raises: UsageError for another way.
        """
        (front, *_) = await self.applications.require_windows(name)
        if way == "kill command":
            await self.applications.end(name, at_once=True)
        elif way == "shortcut":
            _require_sent(f"keys {shortcut}", await front.press_keys(shortcut, check=False))
        else:
            for wanted in _menu_of(way, name):
                await self.click(wanted, Click())
        await self.applications.require_ended(name)

    async def expect_state(self, wanted: Wanted, state: str, *, has: bool = True) -> None:
        """Expect it in a state by a tester's name, or there and not in that state."""
        name = state_named(state)
        if name in IN_VIEW:
            await (self.expect_there(wanted) if has else self.expect_gone(wanted))
            return
        found = await self._found(wanted)
        if found.locator is None:
            await self._expect_window(found.window, name, has=has)
        elif name in STATES:
            await expect(found.locator).to_have_state(name if has else f"not {name}")
        else:
            condition = in_state(state, has=has)
            await expect(found.locator.that(condition.words, condition.holds)).to_be_visible()

    async def expect_there(self, wanted: Wanted) -> None:
        """Expect exactly one in view; it is scrolled to."""
        found = await self._found(wanted)
        if found.locator is not None:
            await expect(found.locator).to_be_visible()

    async def expect_gone(self, wanted: Wanted) -> None:
        """Expect that no window of the running application has one in view."""

        async def gone() -> bool:
            windows = await self.applications.windows(wanted.root)
            return bool(windows) and not [window for window in windows if await self._in(window, wanted)]

        async def there() -> str:
            windows = await self.applications.windows(wanted.root)
            found = [str(each) for window in windows if (each := await self._in(window, wanted))]
            return f"there is {'; '.join(found)}" if found else "its application has no window"

        await expect_until(self.desktop, gone, str(wanted), "to be gone", there)
        for window in await self.applications.windows(wanted.root):  # one that is not read whole may have it
            await expect(await self._described(wanted.locator(window), wanted)).to_be_gone(timeout_s=0)

    async def expect_text(self, wanted: Wanted, text: str, *, has: bool = True) -> None:
        """Expect words in its text or value, or its name where it has none; or that they are not in there."""
        found = await self._found(wanted)
        if found.locator is not None and has:
            await expect(found.locator).to_have_text(re.compile(re.escape(text)))
            return
        await self._expect_words(found, "text", found.text, text, has=has)

    async def expect_no_description(self, wanted: Wanted, description: str) -> None:
        """Expect that it is described without these words."""
        found = await self._found(wanted)
        await self._expect_words(found, "description", found.description, description, has=False)

    async def _expect_words(
        self, found: _Found, kind: str, read: Callable[[], Awaitable[str]], words: str, *, has: bool
    ) -> None:
        async def holds() -> bool:
            return (words in await read()) is has

        async def actual() -> str:
            return f"its {kind} is {quoted(await read())}"

        expected = f'to have {"" if has else "no "}"{words}" in its {kind}'
        await expect_until(self.desktop, holds, str(found), expected, actual)

    async def _expect_window(self, window: Window, state: str, *, has: bool) -> None:
        """Expect a state of a window; `focused`: it has the keyboard."""
        name = "active" if state == "focused" else state

        async def states() -> frozenset[str]:
            now = [each for each in await self.desktop.windows() if each.info.handle == window.info.handle]
            return now[0].info.states if now else frozenset({"closed"})

        async def holds() -> bool:
            now = await states()
            return "closed" not in now and (name in now) is has

        async def actual() -> str:
            return f"its states are: {', '.join(sorted(await states())) or 'none'}"

        expected = f"to be {'' if has else 'not '}{state}"
        await expect_until(self.desktop, holds, f'the window "{window.title}"', expected, actual)

    async def _found(self, wanted: Wanted) -> _Found:
        """Return the first window of its application that has one, by scrolling if needed; else where it should be."""
        (front, *_) = await self.applications.require_windows(wanted.root)
        found = await self._somewhere(wanted, _SOON_S)
        if found is None and not wanted.is_window:
            with suppress(ElementNotFound, AmbiguousTarget):
                await wanted.locator(front).find(timeout_s=_SOON_S)
            found = await self._somewhere(wanted, None)
        if found is not None:
            return found
        if wanted.is_window:
            titles = tuple(f'"{window.title}"' for window in await self.applications.windows(wanted.root))
            raise ExpectationFailed(Unmet(str(wanted), "to be there", "it is not", nearest=titles))
        locator = await self._described(wanted.locator(front), wanted)
        await locator.find(timeout_s=0)
        return _Found(front, locator)

    async def _somewhere(self, wanted: Wanted, timeout_s: float | None) -> _Found | None:
        async def there() -> _Found | None:
            for window in await self.applications.windows(wanted.root):
                if found := await self._in(window, wanted):
                    return found
            return None

        return await self.desktop.wait_until(there, timeout_s=timeout_s)

    async def _in(self, window: Window, wanted: Wanted) -> _Found | None:
        """Return the window where it is the wanted one, or its locator where that matches something now."""
        if wanted.is_window and wanted.titles(window):
            return _Found(window)
        locator = await self._described(wanted.locator(window), wanted)
        return _Found(window, locator) if await locator.count() else None

    async def _described(self, locator: Locator, wanted: Wanted) -> Locator:
        """Return a locator of those with the wanted description, which is read now."""
        if wanted.description is None:
            return locator
        handles = {
            control.handle
            for place, control in enumerate(await locator.all())
            if wanted.is_described(await locator.nth(place).description(timeout_s=0))
        }
        return locator.that(f'with the description "{wanted.description}"', lambda each: each.handle in handles)

    async def _window_at(self, point: Point) -> Window:
        windows = await self.desktop.windows()
        found = next((each for each in windows if each.info.rect.contains(point)), None)
        if found is None:
            raise UsageError(f"there is no window at {point.x}, {point.y}", fix="give a point in a window")
        return found

    async def _to_keyboard(self, keys: str, *, literal: bool) -> None:
        (front, *_) = await self.applications.require_windows()
        windows = await self.desktop.windows()
        window = next((each for each in windows if "active" in each.info.states), front)
        result = await window.act("keyboard_input", check=False, keys=keys, literal=literal)
        _require_sent(f"keys {keys}", result)


def _require_sent(action: str, result: Result) -> None:
    """Raises: ActionFailed unless it reached the application. Its effect is for later steps to expect."""
    if not result.delivered:
        raise ActionFailed(action, result)


def _part(point: Point, window: Window) -> dict[str, JsonValue]:
    """Return the middle of a pixel in parts of the window, from 0 to 1."""
    rect = window.info.rect
    return {"x": (point.x - rect.left + 0.5) / rect.width, "y": (point.y - rect.top + 0.5) / rect.height}


def _menu_of(way: str, application: str) -> tuple[Wanted, Wanted]:
    """Return the menu and the entry in it that quit an application. Raises: UsageError."""
    entry = "r:(Close|Quit|Exit).*"
    if way in {"application menu", "application file menu"}:
        return Wanted("File", "menu", application), Wanted(entry, "menu item", application)
    if way == "application toggle menu":
        menu = Wanted("r:(Application|Primary|Main) [Mm]enu|Menu", "toggle button", application)
        return menu, Wanted(entry, "None", application, attr="enabled")
    if way.startswith("menu:") and way.count(":") == 2:
        _, menu, item = way.split(":")
        return Wanted(menu, "menu", application), Wanted(item, "menu item", application)
    raise UsageError(
        f'an application does not close via "{way}"',
        fix="write shortcut, kill command, application menu, application file menu, application toggle menu, or "
        "menu:MENU:ENTRY; a private desktop has no panel of GNOME",
    )
