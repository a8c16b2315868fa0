"""Commands carried out on a real desktop as an agent's are: cleared by the policy, sent by the dispatcher."""

from dataclasses import replace
from typing import Final

from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.config.sections import SystemSection
from deskhand.core.command import Command, Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import DeskhandError, ErrorInfo
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.applications import Applications
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.clock import SystemClock

SEEN_S: Final = 30.0
HOLD_S: Final = SystemSection().effect_hold_s


async def has_title(desktop: LinuxDesktop, window: TargetInfo, title: str) -> bool:
    """True as soon as the window has the title, by which a page tells of itself, late."""

    async def has_it() -> bool:
        return any(each.name == title for each in await desktop.windows() if each.handle == window.handle)

    return bool(await desktop.wait_until(has_it, deadline_s=SEEN_S))


class Agent:
    """Sees and acts. Nothing is asked: no rule but that each action needs its clearance."""

    def __init__(
        self, desktop: LinuxDesktop, *, effect_hold_s: float = HOLD_S, applications: Applications | None = None
    ) -> None:
        self.desktop = desktop
        self._catalogue = standard_catalogue()
        self._policy = RulePolicy((), Surroundings(tool=self._spec))
        tools = ToolContext(desktop, applications or Applications(), effect_hold_s=effect_hold_s)
        self._dispatcher = CommandDispatcher(self._catalogue, tools, self._policy, SystemClock())

    def _spec(self, name: str) -> ToolSpec | None:
        return self._catalogue.spec(name)

    async def see(self, window: TargetInfo, name: str, role: Role | None = None) -> tuple[Observation, TargetInfo]:
        """The window, once it shows a control of that name, and that control."""

        async def look() -> tuple[Observation, TargetInfo] | None:
            seen = await self.desktop.observe(window, picture=False)
            wanted = comparable_name(name)
            found = (c for c in seen.controls if comparable_name(c.name) == wanted and role in {None, c.type})
            control = next(found, None)
            return (seen, replace(control, id="1")) if control else None

        found = await self.desktop.wait_until(look, deadline_s=SEEN_S)
        assert found is not None, f"no {role or 'control'} {name!r} shows"
        return found

    async def act(self, tool: str, seen: Observation, target: TargetInfo | None = None, **given: JsonValue) -> Result:
        """Carries one out on what was seen. What keeps it from being cleared is its error, too."""
        if target is not None:
            given = {"id": "1", "name": target.name, **given}
        spec = self._spec(tool)
        assert spec is not None
        parameters = self._catalogue.validate(tool, given)
        command = Command(tool, parameters, spec.tool_type, target=target, window=seen.window, seen=seen)
        try:
            clearance = self._policy.clear(self._policy.judge(command, await self._dispatcher.resolve(command)))
        except DeskhandError as error:
            return refused_before(command, error)
        return (await self._dispatcher.execute_commands([command], {command.call_id: clearance}))[0]

    async def wait_for(self, seen: Observation, **given: JsonValue) -> Result:
        """Waits in the window that was seen."""
        parameters = self._catalogue.validate("wait_for", {"seconds": SEEN_S, **given})
        command = Command("wait_for", parameters, ToolType.DATA_COLLECTION, window=seen.window, seen=seen)
        return (await self._dispatcher.execute_commands([command]))[0]


def refused_before(command: Command, error: DeskhandError) -> Result:
    """A target that was not found again: nothing was sent."""

    return Result(ResultStatus.FAILURE, command.call_id, error=ErrorInfo.of(error), effect=Effect.REFUSED)


def reason(result: Result) -> str:
    """The name of what kept it from being done; empty where nothing did."""
    return result.error.type if result.error else ""
