"""The ShellAgent: carries a subtask out with commands, without a window (contract 2.2)."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from deskhand.agents.agent import BasicAgent
from deskhand.agents.factory import ThirdPartyAgent
from deskhand.commands.tools.shell import AUDIENCE, shell_tools
from deskhand.core.context import Context, RunMode
from deskhand.core.ports import Model
from deskhand.core.target import TargetInfo
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.services import Services
from deskhand.pipeline.shell.strategies import ShellAgentProcessor
from deskhand.states.shell import ShellAgentStateManager


class ShellAgent(BasicAgent):
    """Runs commands in a folder of the session, in a sandbox where there is one."""

    kind: ClassVar[str] = AUDIENCE
    manager_class = ShellAgentStateManager

    def __init__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,  # noqa: ARG002 - it needs no window
        process_name: str,
    ) -> None:
        super().__init__(name, services, models, mode=mode, application=process_name)

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: each agent's own context
        return ShellAgentProcessor(self, context)


SHELL: Final = ThirdPartyAgent(
    kind=AUDIENCE,
    title="ShellAgent",
    does="runs commands on files, in a folder of this session",
    make=ShellAgent,
    tools=shell_tools,
)
