"""The ShellAgent's machine: the AppAgent's rows without SCREENSHOT (contract 2.2)."""

from dataclasses import replace

from deskhand.core.statuses import AppAgentStatus
from deskhand.states.app import (
    AppAgentStateManager,
    ConfirmAppAgentState,
    ContinueAppAgentState,
    ErrorAppAgentState,
    FailAppAgentState,
    FinishAppAgentState,
    NoneAppAgentState,
    PendingAppAgentState,
)
from deskhand.states.base import AgentStateManager
from deskhand.states.table import TransitionTable


class ShellAgentStateManager(AgentStateManager):
    """The registry of the ShellAgent's states."""

    machine = "shell"

    @classmethod
    def rows(cls) -> TransitionTable:
        if cls._rows is None:
            app = AppAgentStateManager.rows()
            kept = (row for row in app if AppAgentStatus.SCREENSHOT not in {row.source, row.to})
            cls._rows = TransitionTable(replace(row, machine=cls.machine) for row in kept)
        return cls._rows


@ShellAgentStateManager.register
class ContinueShellAgentState(ContinueAppAgentState, status=AppAgentStatus.CONTINUE):
    pass


@ShellAgentStateManager.register
class PendingShellAgentState(PendingAppAgentState, status=AppAgentStatus.PENDING):
    pass


@ShellAgentStateManager.register
class ConfirmShellAgentState(ConfirmAppAgentState, status=AppAgentStatus.CONFIRM):
    pass


@ShellAgentStateManager.register
class FinishShellAgentState(FinishAppAgentState, status=AppAgentStatus.FINISH, subtask_end=True, terminal=True):
    pass


@ShellAgentStateManager.register
class FailShellAgentState(FailAppAgentState, status=AppAgentStatus.FAIL, subtask_end=True, terminal=True):
    pass


@ShellAgentStateManager.register
class ErrorShellAgentState(
    ErrorAppAgentState, status=AppAgentStatus.ERROR, subtask_end=True, round_end=True, terminal=True
):
    pass


@ShellAgentStateManager.register
class NoneShellAgentState(NoneAppAgentState, status="", subtask_end=True, round_end=True):
    pass
