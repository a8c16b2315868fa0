"""A dispatcher over the fake desktop, with a policy that allows everything the shipped rules do not stop."""

from dataclasses import dataclass, replace
from pathlib import Path

from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.core.command import Command, Result, ToolSpec, ToolType
from deskhand.core.json import JsonValue
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import Applications
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.windows import Application
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.clock import SystemClock


@dataclass
class Bench:
    """One window under test. `run` clears a command as the pipeline does and sends it."""

    desktop: FakeDesktop
    window: FakeWindow

    def __post_init__(self) -> None:
        self.catalogue = standard_catalogue()
        self.policy = RulePolicy((), Surroundings(tool=self._spec))
        registry = Applications.of(Application(name, (name,)) for name in self.desktop.applications)
        self.tools = ToolContext(self.desktop, registry)
        self.hold(self.tools.effect_hold_s)

    def hold(self, seconds: float) -> None:
        """An effect has to last so long from now on."""
        tools = replace(self.tools, effect_hold_s=seconds)
        self.dispatcher = CommandDispatcher(self.catalogue, tools, self.policy, SystemClock())

    def allow_files_in(self, folder: Path) -> None:
        """Files elsewhere are not looked into from now on."""
        self.tools = replace(self.tools, folders=(folder,))
        self.hold(self.tools.effect_hold_s)

    def _spec(self, name: str) -> ToolSpec | None:
        tool = self.catalogue.get(name)
        return tool.spec if tool else None

    async def root(self) -> TargetInfo:
        return next(w for w in await self.desktop.windows() if w.handle == self.window.handle)

    async def command(self, tool: str, on: FakeControl | None = None, **arguments: JsonValue) -> Command:
        spec = self._spec(tool)
        assert spec is not None
        root = await self.root()
        seen = await self.desktop.observe(root, picture=False)
        target = replace(self.desktop.target(on), id="1") if on else None
        if target is not None:
            arguments = {"id": "1", "name": target.name, **arguments}
        parameters = self.catalogue.validate(tool, arguments)
        return Command(tool, parameters, spec.tool_type, target=target, window=root, seen=seen)

    async def send(self, command: Command) -> Result:
        clearances = {}
        if command.tool_type is ToolType.ACTION:
            target = await self.dispatcher.resolve(command)
            clearances = {command.call_id: self.policy.clear(self.policy.judge(command, target))}
        return (await self.dispatcher.execute_commands([command], clearances))[0]

    async def run(self, tool: str, on: FakeControl | None = None, **arguments: JsonValue) -> Result:
        return await self.send(await self.command(tool, on, **arguments))


def bench(*controls: FakeControl, applications: tuple[FakeApplication, ...] = (), title: str = "Main") -> Bench:
    desktop = FakeDesktop(applications)
    return Bench(desktop, desktop.open(FakeWindow(title, list(controls), "app")))
