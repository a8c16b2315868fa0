"""The ShellAgent's machine: the AppAgent's without SCREENSHOT (contract 2.2)."""

from deskhand.core.statuses import AppAgentStatus
from deskhand.states.app import AppAgentStateManager


class ShellAgentStateManager(AppAgentStateManager, without=(AppAgentStatus.SCREENSHOT,)):
    """The registry of the ShellAgent's states."""

    machine = "shell"
