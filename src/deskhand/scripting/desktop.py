"""A desktop that a script opens: private, by name, or a display."""

import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

from deskhand.commands import Tool, standard_catalogue
from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result, ResultStatus
from deskhand.core.errors import (
    AmbiguousTarget,
    BacktraceMissing,
    DeskhandError,
    LaunchFailed,
    MissingRequirement,
    UsageError,
    WaitTimedOut,
)
from deskhand.core.json import JsonValue
from deskhand.core.observation import Picture
from deskhand.core.patterns import literal, matches_title
from deskhand.core.ports import Interactor, OwnPolicy
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.applications import in_folder
from deskhand.desktop.backends import VIRTUAL, OwnToolkits, Virtual
from deskhand.desktop.protocols import desktop as protocol
from deskhand.desktop.protocols.program_records import ProgramRecords
from deskhand.desktop.protocols.resettable import Resettable
from deskhand.desktop.protocols.windows import Application, ProgramState
from deskhand.scripting.actor import Actor, absolute
from deskhand.scripting.members import Members
from deskhand.scripting.query import Words
from deskhand.scripting.recording import Attempted, recording
from deskhand.scripting.window import Window
from deskhand.session.build import new_session_id
from deskhand.session.held_desktop import held_desktop
from deskhand.session.interactors import AutoInteractor
from deskhand.session.plugins import load_tools
from deskhand.session.single_action import Caller, Hand, new_tools

T = TypeVar("T")

_WHO = "a Python program"
TIMEOUT_S: Final = 10.0
"""Timeout of actions that wait for their control, unless another is given."""


class Desktop(Members):
    """An open desktop. Made by `deskhand.open_desktop()`; it is closed with that block."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    @property
    def name(self) -> str:
        return self._actor.desktop.name

    @property
    def environment(self) -> Mapping[str, str]:
        """The whole environment of a program that is to appear on it."""
        return self._actor.desktop.environment

    async def launch(
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
        if argv:
            return await self._launch_command(application, file, argv, environment or {})
        if environment is not None:
            raise UsageError("an environment goes with a program of your own", fix="give argv in place of application")
        arguments: dict[str, JsonValue] = {"application": application} if application else {}
        arguments |= {"file": absolute(file)} if file is not None else {}
        result = await self._actor.act("launch_application", arguments, check=True)
        handle = dict(pairs_of(result.result)).get("handle")
        return next(window for window in await self.windows() if window.info.handle == handle)

    async def _launch_command(
        self, application: str, file: Path | str | None, argv: Sequence[str], environment: Mapping[str, str]
    ) -> Window:
        if application:
            raise UsageError("application and argv exclude each other", fix="give one of them")
        words = in_folder(Path.cwd(), argv, with_core=True)
        command = Application(Path(argv[0]).name, words, environment=dict(environment))
        opened: list[TargetInfo] = []

        async def launch() -> Result:
            try:
                window = await self._actor.desktop.launch(command, None if file is None else Path(absolute(file)))
            except LaunchFailed as error:
                raise LaunchFailed(error.message, fix=f"Start it by hand to see why: {join(argv)}") from error
            opened.append(window)
            message = f'the window "{opened[0].name}" appeared'
            return Result(ResultStatus.SUCCESS, "", effect=Effect.CONFIRMED, evidence=message, delivered=True)

        await self._actor.recorded(Attempted("launch_program", {"argv": [*argv]}), launch)
        self._actor.note(opened)
        return Window(self._actor, opened[0])

    async def windows(self) -> tuple[Window, ...]:
        """Return the windows, dialogs included, the front one first."""
        found = await self._actor.desktop.windows()
        self._actor.note(found)
        return tuple(Window(self._actor, window) for window in found)

    async def window(self, title: Words, *, timeout_s: float | None = None) -> Window:
        """Wait for the one window whose title has these words, or in which the expression is found, and return it.

        Raises: WaitTimedOut (with the open windows), AmbiguousTarget, DesktopGone.
        """
        last: tuple[Window, ...] = ()

        async def there() -> list[Window] | None:
            nonlocal last
            last = await self.windows()
            return [window for window in last if _is_titled(title, window.info)] or None

        shown = title if isinstance(title, str) else f"/{title.pattern}/"
        found = await self._actor.wait_until(there, timeout_s)
        if not found:
            open_now = "; ".join(window.title for window in last)
            raise WaitTimedOut(f"no window {shown!r} opened", fix=f"open are: {open_now}" if open_now else "launch one")
        if len(found) > 1:
            titles = tuple(window.title for window in found)
            raise AmbiguousTarget(
                f"{len(found)} windows have {shown!r} in their title",
                titles,
                fix=f"give more of it: {'; '.join(titles)}",
            )
        return found[0]

    async def reset(self) -> None:
        """Make the desktop as clean as it was when it was opened, as between two tests.

        All programs end, files in the home folder are gone, clipboard and selections are empty, no key or button is
        down, and the pointer is in the middle. Raises: UsageError (it is not a private desktop of this program),
        ResetFailed, DesktopGone.
        """
        desktop = self._actor.desktop
        if not isinstance(desktop, Resettable):
            raise UsageError(f"the desktop {desktop.name} cannot be reset", fix="open a new one")
        await desktop.reset()
        self._actor.latest.clear()

    def outputs(self) -> Mapping[str, str]:
        """Return the output of each launched program, errors included, since its first launch; empty where unknown."""
        desktop = self._actor.desktop
        return desktop.outputs() if isinstance(desktop, ProgramRecords) else {}

    async def backtraces(self) -> dict[str, str]:
        """Return the backtraces of programs that have died, by the title of their window, or why there is none."""
        found: dict[str, str] = {}
        async for desktop, window in self._crashed():
            try:
                found[window.name] = await desktop.backtrace_of(window)
            except (BacktraceMissing, MissingRequirement) as error:
                found[window.name] = str(error)
        return found

    async def remove_core_files(self) -> None:
        """Remove the core files that programs left in their folders when they died."""
        async for desktop, window in self._crashed():
            desktop.remove_core_of(window)

    async def _crashed(self) -> AsyncGenerator[tuple[ProgramRecords, TargetInfo]]:
        desktop = self._actor.desktop
        for window in list(self._actor.latest.values()):
            if isinstance(desktop, ProgramRecords) and (await desktop.program(window)).state is ProgramState.DIED:
                yield desktop, window

    @asynccontextmanager
    async def recorded(self, folder: Path | str, name: str, *, pictures: bool = False) -> AsyncGenerator[None]:
        """Record the actions and expectations of the block in a session folder, as `deskhand report` shows it.

        `name`: of the script. Pictures are saved of failures; with `pictures` before each action too. The session
        failed where an error leaves the block. Raises: UsageError (it is recorded already; the folder has a session),
        StoreError.
        """
        actor = self._actor
        if actor.recording is not None:
            raise UsageError("the desktop is recorded already", fix="leave the block of the first recording before")
        async with recording(actor.desktop, Path(absolute(folder)), name) as record:
            record.pictures = pictures
            actor.recording = actor.hand.witness = record
            try:
                yield
            finally:
                actor.recording = actor.hand.witness = None

    async def wait_until(self, holds: Callable[[], Awaitable[T | None]], *, timeout_s: float | None = None) -> T | None:
        """Evaluate a condition now and after each change of the desktop, and return its first result that is neither
        None nor False; None at the deadline.

        Recoverable errors of the condition count as "not yet". Raises: DesktopGone.
        """

        async def now() -> T | None:
            try:
                return await holds()
            except DeskhandError as error:
                if not error.recoverable:
                    raise
                return None

        return await self._actor.wait_until(now, timeout_s)

    async def screenshot(self) -> Picture:
        """Return the pixels of all screens. Raises: CaptureFailed, DesktopGone."""
        return await self._actor.desktop.screenshot()

    async def act(
        self, tool: str, given: Mapping[str, JsonValue] | None = None, /, *, check: bool = True, **arguments: JsonValue
    ) -> Result:
        """Use a tool that belongs to no window.

        `given`: arguments as a mapping, as for a tool with an argument named `check`. Raises: ActionFailed, UsageError
        (unknown tool, wrong arguments, with those that it takes).
        """
        return await self._actor.act(tool, {**(given or {}), **arguments}, check=check)


def _is_titled(wanted: Words, window: TargetInfo) -> bool:
    if isinstance(wanted, str):
        return matches_title(literal(wanted), window.name)
    return wanted.search(window.name) is not None


@asynccontextmanager
async def open_desktop(  # noqa: PLR0913 - keyword options
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
) -> AsyncGenerator[Desktop]:
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
    configuration = configuration or Configuration()
    known = (tool.spec.name for tool in (*standard_catalogue(), *tools))
    tools = (*tools, *load_tools(known, lambda fault: warnings.warn(fault.message, stacklevel=2)))
    with TemporaryDirectory(prefix="deskhand-") as folder:
        wanted = Virtual(new_session_id(), Path(folder), size) if choice == VIRTUAL else choice
        async with held_desktop(wanted, configuration, _WHO, toolkits=toolkits) as opened:
            yield on_open_desktop(
                opened,
                timeout_s=timeout_s,
                accept_unconfirmed=accept_unconfirmed,
                update_references=update_references,
                configuration=configuration,
                interactor=interactor,
                tools=tools,
                policies=policies,
            )


def on_open_desktop(  # noqa: PLR0913 - keyword options
    opened: protocol.Desktop,
    *,
    timeout_s: float = TIMEOUT_S,
    accept_unconfirmed: bool = False,
    update_references: bool = False,
    configuration: Configuration | None = None,
    interactor: Interactor | None = None,
    tools: Sequence[Tool] = (),
    policies: Sequence[OwnPolicy] = (),
) -> Desktop:
    """Return the same on a desktop that its owner opened and closes, such as one in memory for tests."""
    caller = Caller(_WHO, tools=new_tools(tools), policies=tuple(policies))
    hand = Hand(opened, configuration or Configuration(), interactor or AutoInteractor(), caller)
    actor = Actor(opened, hand, timeout_s, accept_unconfirmed=accept_unconfirmed, update_references=update_references)
    return Desktop(actor)
