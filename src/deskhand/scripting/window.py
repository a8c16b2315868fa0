"""A window of an open desktop."""

from collections.abc import Mapping
from pathlib import Path

from deskhand.core.command import Result
from deskhand.core.errors import BacktraceMissing, WaitTimedOut
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.protocols.program_records import ProgramRecords
from deskhand.scripting.actor import Actor, absolute
from deskhand.scripting.expectations import WindowExpectation
from deskhand.scripting.finding import Finder
from deskhand.scripting.locator import Locator, Locators
from deskhand.scripting.query import Query


class Window(Locators):
    """One window; its locators find its controls. It is the same window when its title changes.

    Actions raise: ActionFailed (without `check=False`), ApplicationGone, DesktopGone.
    """

    def __init__(self, actor: Actor, info: TargetInfo) -> None:
        self._actor = actor
        self._info = info

    @property
    def info(self) -> TargetInfo:
        """The window as it was after the last action, or seen since: title, application, physical screen pixels."""
        return self._actor.latest.get(self._info.handle, self._info)

    @property
    def title(self) -> str:
        return self.info.name

    def __repr__(self) -> str:
        return f"<Window {self.title!r}>"

    def _within(self, query: Query) -> Locator:
        return Locator(Finder(self._actor, self.info, (query,)))

    @property
    def expectation(self) -> WindowExpectation:
        """The expectations of it, as `deskhand.expect(window)` returns them."""
        return WindowExpectation(self._actor, self.info)

    async def observe(self, *, picture: bool = False) -> Observation:
        """Return its visible controls at one moment, and its picture."""
        seen = await self._actor.observe(self.info, picture=picture)
        self._actor.note([seen.window])
        return seen

    def output(self) -> str:
        """Return the output of its program since its launch, errors included, also after its end.

        Empty where the program was not launched by this desktop.
        """
        desktop = self._actor.desktop
        return desktop.output_of(self.info) if isinstance(desktop, ProgramRecords) else ""

    async def backtrace(self) -> str:
        """Return the backtrace of its program, which has died, from its core file by gdb.

        Raises: MissingRequirement (no gdb), BacktraceMissing (no core file: the message has the reason).
        """
        desktop = self._actor.desktop
        if not isinstance(desktop, ProgramRecords):
            raise BacktraceMissing(f"the desktop {desktop.name} has no core files", fix="see the program's own log")
        return await desktop.backtrace_of(self.info)

    async def settle(self, *, timeout_s: float = 3.0) -> bool:
        """Wait until nothing in it changes, as far as can be observed; False if it still does at the deadline."""
        return (await self._actor.desktop.settle(self.info, deadline_s=timeout_s)).is_quiet

    async def press_keys(self, keys: str, *, check: bool = True) -> Result:
        """Press keys where the focus is: `{VK_CONTROL}s`, `{ESC}`."""
        return await self.act("keyboard_input", check=check, keys=keys)

    async def save(self, path: Path | str = "", *, overwrite: bool = False, check: bool = True) -> Result:
        """Save its document, under another name if a path is given; the format follows the path."""
        named: Mapping[str, JsonValue] = {"path": absolute(path)} if path else {}
        return await self.act("save_document", check=check, overwrite=overwrite, **named)

    async def act(
        self, tool: str, given: Mapping[str, JsonValue] | None = None, /, *, check: bool = True, **arguments: JsonValue
    ) -> Result:
        """Use any tool that works in a window.

        `given`: arguments as a mapping, as for a tool with an argument named `check`. Raises: UsageError (unknown tool,
        wrong arguments, with those that it takes).
        """
        seen = await self.observe()
        return await self._actor.act(tool, {**(given or {}), **arguments}, check=check, window=seen.window, seen=seen)

    async def act_on(
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
        arguments = {**(given or {}), **arguments}
        return await self._actor.act(tool, arguments, check=check, target=control, window=seen.window, seen=seen)

    async def wait_closed(self, *, timeout_s: float | None = None) -> None:
        """Wait until it is closed. Raises: WaitTimedOut, DesktopGone."""

        async def closed() -> bool:
            return not any(same_window(self.info, each) for each in await self._actor.desktop.windows())

        if not await self._actor.wait_until(closed, timeout_s):
            raise WaitTimedOut(f'"{self.title}" is still open', fix="answer its question, or wait longer: timeout_s")
