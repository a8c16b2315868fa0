"""The ShellAgent's machine: the AppAgent's rows without SCREENSHOT (SPEC 2.2)."""

from dataclasses import replace
from functools import cache

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
from deskhand.states.table import TransitionTable, packaged_table


class ShellAgentStateManager(AgentStateManager):
    """The registry of the ShellAgent's states."""

    machine = "shell"

    @classmethod
    def table(cls) -> TransitionTable:
        return _table()


@cache
def _table() -> TransitionTable:
    return TransitionTable(
        replace(row, machine=ShellAgentStateManager.machine)
        for row in packaged_table().of(AppAgentStateManager.machine)
        if AppAgentStatus.SCREENSHOT not in {row.source, row.to}
    )


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
