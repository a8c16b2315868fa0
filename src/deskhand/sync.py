"""The same without `await`, for scripts and notebooks: `with deskhand.sync.open_desktop() as d: …`.

Written by tools/sync_twin.py from deskhand.scripting. An event loop runs in a thread of its own meanwhile.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from anyio.from_thread import BlockingPortal

from deskhand import scripting
from deskhand.commands import Tool
from deskhand.config.sections import Configuration
from deskhand.core.command import Result
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import Interactor, OwnPolicy
from deskhand.core.target import TargetInfo
from deskhand.desktop.backends import VIRTUAL, OwnToolkits
from deskhand.scripting.blocking import Opened, call, in_thread
from deskhand.scripting.desktop import TIMEOUT_S
from deskhand.scripting.expectations import expect
from deskhand.scripting.locator import Locators as AsyncLocators
from deskhand.scripting.members import Members
from deskhand.scripting.query import Words

__all__ = ["ControlExpectation", "Desktop", "Locator", "Window", "WindowExpectation", "expect", "open_desktop"]

T = TypeVar("T")
Inner = TypeVar("Inner", bound=AsyncLocators)


class ControlExpectation(Members):
    """Expectations of the one control that a locator matches, as it is in view; nothing is scrolled.

    Each waits until it holds, at most `timeout_s` seconds (default: the desktop's). Words: equal but for spaces, or a
    compiled expression that is found. An unknown state does not hold.
    Raises: ExpectationFailed (an AssertionError, with the actual state), AmbiguousTarget, ApplicationGone,
    DesktopGone, ApplicationUnresponsive and CaptureFailed where the window cannot be read until the end.
    """

    def __init__(self, portal: BlockingPortal, inner: scripting.ControlExpectation) -> None:
        self._portal = portal
        self._inner = inner

    def to_be_visible(self, *, timeout_s: float | None = None) -> None:
        return call(self._portal, partial(self._inner.to_be_visible, timeout_s=timeout_s))

    def to_be_gone(self, *, timeout_s: float | None = None) -> None:
        """Expect that no control matches. It holds too where the window is closed while its program runs on.

        Raises: ApplicationGone where the program ended or died; for its end there is `expect(window).to_be_closed()`.
        """
        return call(self._portal, partial(self._inner.to_be_gone, timeout_s=timeout_s))

    def to_be_enabled(self, *, timeout_s: float | None = None) -> None:
        return call(self._portal, partial(self._inner.to_be_enabled, timeout_s=timeout_s))

    def to_be_disabled(self, *, timeout_s: float | None = None) -> None:
        return call(self._portal, partial(self._inner.to_be_disabled, timeout_s=timeout_s))

    def to_be_checked(self, *, timeout_s: float | None = None) -> None:
        """Expect a box, radio or menu item that is checked, or a button that stays pressed and is."""
        return call(self._portal, partial(self._inner.to_be_checked, timeout_s=timeout_s))

    def to_be_unchecked(self, *, timeout_s: float | None = None) -> None:
        """Expect a control that can be checked and is not."""
        return call(self._portal, partial(self._inner.to_be_unchecked, timeout_s=timeout_s))

    def to_be_selected(self, *, timeout_s: float | None = None) -> None:
        return call(self._portal, partial(self._inner.to_be_selected, timeout_s=timeout_s))

    def to_be_focused(self, *, timeout_s: float | None = None) -> None:
        return call(self._portal, partial(self._inner.to_be_focused, timeout_s=timeout_s))

    def to_have_state(self, state: str, *, timeout_s: float | None = None) -> None:
        """Expect a state as observations name it, such as `expanded` or `not busy`. Raises: ValueError for another."""
        return call(self._portal, partial(self._inner.to_have_state, state, timeout_s=timeout_s))

    def to_have_value(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect the whole text, number or choice in it; that of a password is never known."""
        return call(self._portal, partial(self._inner.to_have_value, words, timeout_s=timeout_s))

    def to_have_text(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its whole text or value, or its name where it has none."""
        return call(self._portal, partial(self._inner.to_have_text, words, timeout_s=timeout_s))

    def to_have_name(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its name; mnemonics and the form of an ellipsis make no difference."""
        return call(self._portal, partial(self._inner.to_have_name, words, timeout_s=timeout_s))

    def to_have_count(self, count: int, *, timeout_s: float | None = None) -> None:
        """Expect that so many controls match."""
        return call(self._portal, partial(self._inner.to_have_count, count, timeout_s=timeout_s))


class WindowExpectation(Members):
    """Expectations of a window; as of a control."""

    def __init__(self, portal: BlockingPortal, inner: scripting.WindowExpectation) -> None:
        self._portal = portal
        self._inner = inner

    def to_have_title(self, words: Words, *, timeout_s: float | None = None) -> None:
        """Expect its title, equal but for spaces, or with a compiled expression that is found in it."""
        return call(self._portal, partial(self._inner.to_have_title, words, timeout_s=timeout_s))

    def to_match(self, reference: Path | str, *, timeout_s: float | None = None) -> None:
        """Expect that it is as in a reference, a file of `deskhand verify --like`.

        A desktop opened with `update_references` makes the present state the reference instead. Raises: UsageError
        (there is none), ConfigurationError (the file is no reference), StoreError.
        """
        return call(self._portal, partial(self._inner.to_match, reference, timeout_s=timeout_s))

    def to_be_closed(self, *, timeout_s: float | None = None) -> None:
        """Expect that it is closed, and that its program did not die.

        Raises: ApplicationGone where the program died: by a signal, or with an error.
        """
        return call(self._portal, partial(self._inner.to_be_closed, timeout_s=timeout_s))


class Locators(Members, Generic[Inner]):
    """Makes locators: in a window, or inside of another locator's control."""

    def __init__(self, portal: BlockingPortal, inner: Inner) -> None:
        self._portal = portal
        self._inner = inner

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
        return Locator(self._portal, self._inner.locator(role, name, text=text, accessible_id=accessible_id))

    def button(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.button(name))

    def checkbox(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.checkbox(name))

    def combobox(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.combobox(name))

    def link(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.link(name))

    def listitem(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.listitem(name))

    def menu(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.menu(name))

    def menuitem(self, name: Words | None = None) -> "Locator":
        """Return a locator of an entry of a menu, also of one with a mark."""
        return Locator(self._portal, self._inner.menuitem(name))

    def radio(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.radio(name))

    def spinbutton(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.spinbutton(name))

    def tab(self, name: Words | None = None) -> "Locator":
        return Locator(self._portal, self._inner.tab(name))

    def textbox(self, name: Words | None = None) -> "Locator":
        """Return a locator of a field, also of one for a password."""
        return Locator(self._portal, self._inner.textbox(name))


class Locator(Locators[scripting.Locator]):
    """Describes one control of a window. Making one observes nothing; each action finds the control anew.

    An action waits until exactly one control matches and is enabled, at most `timeout_s` seconds (default: the
    desktop's), and returns the result with its effect; without `check=False` a result that is not confirmed is raised.
    Where none is in view, it scrolls through the window, which may take a minute more; not at a timeout of 0.
    Actions raise: ElementNotFound (with the controls that are there), AmbiguousTarget (with the candidates),
    ActionFailed, ApplicationGone, DesktopGone.
    """

    def nth(self, place: int) -> "Locator":
        """Return a locator of one of several that match: 0 is the first on the screen, -1 the last."""
        return Locator(self._portal, self._inner.nth(place))

    def that(self, words: str, holds: Callable[[TargetInfo], bool]) -> "Locator":
        """Return a locator of those for which a condition holds.

        `words`: how it reads in messages after the control, such as `that is 100 pixels wide`.
        """
        return Locator(self._portal, self._inner.that(words, holds))

    def __str__(self) -> str:
        return str(self._inner)

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def expectation(self) -> ControlExpectation:
        """The expectations of it, as `deskhand.expect(locator)` returns them."""
        return ControlExpectation(self._portal, self._inner.expectation)

    def press(self, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Press, open or choose it as its program offers it, without the pointer where that is possible."""
        return call(self._portal, partial(self._inner.press, check=check, timeout_s=timeout_s))

    def click(
        self,
        *,
        button: str = "left",
        count: int = 1,
        hold: str = "",
        check: bool = True,
        timeout_s: float | None = None,
    ) -> Result:
        """Click it with the pointer. `hold`: modifiers that are down meanwhile, such as `ctrl+shift`."""
        return call(
            self._portal,
            partial(self._inner.click, button=button, count=count, hold=hold, check=check, timeout_s=timeout_s),
        )

    def type(self, text: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Type a text into it by the keyboard, where its caret is."""
        return call(self._portal, partial(self._inner.type, text, check=check, timeout_s=timeout_s))

    def press_keys(self, keys: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Press keys in it, written as on the page on keys: `{ENTER}`, `{VK_CONTROL}a`."""
        return call(self._portal, partial(self._inner.press_keys, keys, check=check, timeout_s=timeout_s))

    def fill(self, text: str, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Replace its text."""
        return call(self._portal, partial(self._inner.fill, text, check=check, timeout_s=timeout_s))

    def set(self, value: float | bool, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Set a number, or a box to checked (True) or not (False)."""
        return call(self._portal, partial(self._inner.set, value, check=check, timeout_s=timeout_s))

    def select(self, item: str = "", *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Select an item of it, or itself; a selected one stays so."""
        return call(self._portal, partial(self._inner.select, item, check=check, timeout_s=timeout_s))

    def hover(self, *, check: bool = True, timeout_s: float | None = None) -> Result:
        """Move the pointer over it."""
        return call(self._portal, partial(self._inner.hover, check=check, timeout_s=timeout_s))

    def act(
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
        return call(self._portal, partial(self._inner.act, tool, given, check=check, timeout_s=timeout_s, **arguments))

    def find(self, *, timeout_s: float | None = None) -> TargetInfo:
        """Return the control as it is now, as soon as exactly one matches."""
        return call(self._portal, partial(self._inner.find, timeout_s=timeout_s))

    def text(self, *, timeout_s: float | None = None) -> str:
        """Return the whole text or value of the control; its name where it has none."""
        return call(self._portal, partial(self._inner.text, timeout_s=timeout_s))

    def description(self, *, timeout_s: float | None = None) -> str:
        """Return what its program describes it with beside the name, for users who do not see it; often nothing."""
        return call(self._portal, partial(self._inner.description, timeout_s=timeout_s))

    def all(self) -> tuple[TargetInfo, ...]:
        """Return all controls that match now, top down, without waiting; none is no error."""
        return call(self._portal, self._inner.all)

    def count(self) -> int:
        """Return how many match now."""
        return call(self._portal, self._inner.count)

    def wait(self, *, state: str = "", gone: bool = False, timeout_s: float | None = None) -> None:
        """Wait until exactly one control in view matches, with a state such as `checked`; with `gone`, until none does.

        It scrolls nothing: `find()` does.
        Raises: WaitTimedOut, AmbiguousTarget, ApplicationGone, ValueError for a state that does not exist.
        """
        return call(self._portal, partial(self._inner.wait, state=state, gone=gone, timeout_s=timeout_s))


class Window(Locators[scripting.Window]):
    """One window; its locators find its controls. It is the same window when its title changes.

    Actions raise: ActionFailed (without `check=False`), ApplicationGone, DesktopGone.
    """

    @property
    def info(self) -> TargetInfo:
        """The window as it was after the last action, or seen since: title, application, physical screen pixels."""
        return self._inner.info

    @property
    def title(self) -> str:
        return self._inner.title

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def expectation(self) -> WindowExpectation:
        """The expectations of it, as `deskhand.expect(window)` returns them."""
        return WindowExpectation(self._portal, self._inner.expectation)

    def observe(self, *, picture: bool = False) -> Observation:
        """Return its visible controls at one moment, and its picture."""
        return call(self._portal, partial(self._inner.observe, picture=picture))

    def output(self) -> str:
        """Return the output of its program since its launch, errors included, also after its end.

        Empty where the program was not launched by this desktop.
        """
        return self._inner.output()

    def backtrace(self) -> str:
        """Return the backtrace of its program, which has died, from its core file by gdb.

        Raises: MissingRequirement (no gdb), BacktraceMissing (no core file: the message has the reason).
        """
        return call(self._portal, self._inner.backtrace)

    def settle(self, *, timeout_s: float = 3.0) -> bool:
        """Wait until nothing in it changes, as far as can be observed; False if it still does at the deadline."""
        return call(self._portal, partial(self._inner.settle, timeout_s=timeout_s))

    def press_keys(self, keys: str, *, check: bool = True) -> Result:
        """Press keys where the focus is: `{VK_CONTROL}s`, `{ESC}`."""
        return call(self._portal, partial(self._inner.press_keys, keys, check=check))

    def save(self, path: Path | str = "", *, overwrite: bool = False, check: bool = True) -> Result:
        """Save its document, under another name if a path is given; the format follows the path."""
        return call(self._portal, partial(self._inner.save, path, overwrite=overwrite, check=check))

    def act(
        self, tool: str, given: Mapping[str, JsonValue] | None = None, /, *, check: bool = True, **arguments: JsonValue
    ) -> Result:
        """Use any tool that works in a window.

        `given`: arguments as a mapping, as for a tool with an argument named `check`. Raises: UsageError (unknown tool,
        wrong arguments, with those that it takes).
        """
        return call(self._portal, partial(self._inner.act, tool, given, check=check, **arguments))

    def act_on(
        self,
        control: TargetInfo | None,
        seen: Observation,
        tool: str,
        given: Mapping[str, JsonValue] | None = None,
        /,
        *,
        check: bool = True,
        **arguments: JsonValue,
    ) -> Result:
        """Use a tool on a control of an observation, or at a point: `control` is then the one there.

        The rules judge by it. Otherwise as `act`.
        """
        return call(self._portal, partial(self._inner.act_on, control, seen, tool, given, check=check, **arguments))

    def wait_closed(self, *, timeout_s: float | None = None) -> None:
        """Wait until it is closed. Raises: WaitTimedOut, DesktopGone."""
        return call(self._portal, partial(self._inner.wait_closed, timeout_s=timeout_s))


class Desktop(Members):
    """An open desktop. Made by `deskhand.open_desktop()`; it is closed with that block."""

    def __init__(self, portal: BlockingPortal, inner: scripting.Desktop) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def environment(self) -> Mapping[str, str]:
        """The whole environment of a program that is to appear on it."""
        return self._inner.environment

    def launch(
        self,
        application: str = "",
        file: Path | str | None = None,
        *,
        argv: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Window:
        """Launch an application, or open a file, and return its window.

        `application`: a name of the machine's menus or configuration, as `deskhand launch` takes it. `argv`: in its
        place, a program and its arguments, run in the current folder, as a build of your own, where it leaves a core
        file if it crashes; `environment`: variables for it, beside those of the desktop.
        Raises: ActionFailed (no such application, or no window came), LaunchFailed (of `argv`), DesktopGone, UsageError
        (arguments that exclude each other).
        """
        return Window(
            self._portal,
            call(self._portal, partial(self._inner.launch, application, file, argv=argv, environment=environment)),
        )

    def windows(self) -> tuple[Window, ...]:
        """Return the windows, dialogs included, the front one first."""
        return tuple(Window(self._portal, each) for each in call(self._portal, self._inner.windows))

    def window(self, title: Words, *, timeout_s: float | None = None) -> Window:
        """Wait for the one window whose title has these words, or in which the expression is found, and return it.

        Raises: WaitTimedOut (with the open windows), AmbiguousTarget, DesktopGone.
        """
        return Window(self._portal, call(self._portal, partial(self._inner.window, title, timeout_s=timeout_s)))

    def reset(self) -> None:
        """Make the desktop as clean as it was when it was opened, as between two tests.

        All programs end, files in the home folder are gone, clipboard and selections are empty, no key or button is
        down, and the pointer is in the middle. Raises: UsageError (it is not a private desktop of this program),
        ResetFailed, DesktopGone.
        """
        return call(self._portal, self._inner.reset)

    def outputs(self) -> Mapping[str, str]:
        """Return the output of each launched program, errors included, since its first launch; empty where unknown."""
        return self._inner.outputs()

    def backtraces(self) -> dict[str, str]:
        """Return the backtraces of programs that have died, by the title of their window, or why there is none."""
        return call(self._portal, self._inner.backtraces)

    def remove_core_files(self) -> None:
        """Remove the core files that programs left in their folders when they died."""
        return call(self._portal, self._inner.remove_core_files)

    def recorded(self, folder: Path | str, name: str, *, pictures: bool = False) -> AbstractContextManager[None]:
        """Record the actions and expectations of the block in a session folder, as `deskhand report` shows it.

        `name`: of the script. Pictures are saved of failures; with `pictures` before each action too. The session
        failed where an error leaves the block. Raises: UsageError (it is recorded already; the folder has a session),
        StoreError.
        """
        return self._portal.wrap_async_context_manager(self._inner.recorded(folder, name, pictures=pictures))

    def screenshot(self) -> Picture:
        """Return the pixels of all screens. Raises: CaptureFailed, DesktopGone."""
        return call(self._portal, self._inner.screenshot)

    def act(
        self, tool: str, given: Mapping[str, JsonValue] | None = None, /, *, check: bool = True, **arguments: JsonValue
    ) -> Result:
        """Use a tool that belongs to no window.

        `given`: arguments as a mapping, as for a tool with an argument named `check`. Raises: ActionFailed, UsageError
        (unknown tool, wrong arguments, with those that it takes).
        """
        return call(self._portal, partial(self._inner.act, tool, given, check=check, **arguments))

    @property
    def asynchronous(self) -> scripting.Desktop:
        """The desktop with `await`, for work that `run` carries out."""
        return self._inner

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Carry out work with `await` in the event loop of the desktop, and return its result."""
        return call(self._portal, work)

    def wait_until(self, holds: Callable[[], T | None], *, timeout_s: float | None = None) -> T | None:
        """Evaluate a condition now and after each change of the desktop, and return its first result that is neither
        None nor False; None at the deadline.

        It is called in another thread, and may use the desktop, its windows and locators. Recoverable errors count as
        "not yet". Raises: UsageError (it is asynchronous), DesktopGone.
        """
        return call(self._portal, partial(self._inner.wait_until, in_thread(holds), timeout_s=timeout_s))


def open_desktop(  # noqa: PLR0913 - as there
    choice: str = VIRTUAL,
    *,
    size: tuple[int, int] = (1920, 1080),
    timeout_s: float = TIMEOUT_S,
    accept_unconfirmed: bool = False,
    update_references: bool = False,
    configuration: Configuration | None = None,
    interactor: Interactor | None = None,
    tools: Sequence[Tool] = (),
    policies: Sequence[OwnPolicy] = (),
    toolkits: OwnToolkits = (),
) -> AbstractContextManager[Desktop]:
    """Open a private desktop that ends with the block, or by its name or display (`:1`) one that is up.

    `size`: pixels of a private one. `timeout_s`: how long actions wait for their control, and for windows.
    `accept_unconfirmed`: an action that was sent raises nothing where its effect is in doubt; for tests, whose
    expectations judge. `update_references`: `expect(window).to_match(file)` writes the file. `interactor`: approves
    actions where a rule asks for it; without one they are refused. `tools`: of `@deskhand.tool`, for `act`, beside
    those of installed plug-ins. `policies`: as of `deskhand.run`. `toolkits`: asked for applications before those of
    plug-ins, and ours.
    Raises: MissingRequirement, DesktopStartFailed, UsageError (there is none), DesktopBusy, DesktopGone,
    StoppedByPerson (the user stopped the program's work at the desktop).
    """
    return Opened(
        scripting.open_desktop(
            choice,
            size=size,
            timeout_s=timeout_s,
            accept_unconfirmed=accept_unconfirmed,
            update_references=update_references,
            configuration=configuration,
            interactor=interactor,
            tools=tools,
            policies=policies,
            toolkits=toolkits,
        ),
        Desktop,
    )
