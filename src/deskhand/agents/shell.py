"""The ShellAgent: carries a subtask out with commands, without a window (contract 2.2)."""

from typing import ClassVar, Final

from deskhand.agents.factory import ThirdPartyAgent
from deskhand.agents.text import TextAgent
from deskhand.commands.tools.shell import AUDIENCE, shell_tools
from deskhand.pipeline.shell.strategies import ShellAgentProcessor
from deskhand.states.shell import ShellAgentStateManager


class ShellAgent(TextAgent):
    """Runs commands in a folder of the session, in a sandbox where there is one."""

    kind: ClassVar[str] = AUDIENCE
    templates = "shell"
    manager_class = ShellAgentStateManager
    processor_class = ShellAgentProcessor


SHELL: Final = ThirdPartyAgent(
    kind=AUDIENCE,
    title="ShellAgent",
    does="runs commands on files, in a folder of this session",
    make=ShellAgent,
    tools=shell_tools,
)
