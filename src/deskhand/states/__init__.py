"""Layer 1: the state machines and nothing else (contract 2.1, 2.2)."""

from deskhand.states.app import AppAgentState, AppAgentStateManager
from deskhand.states.base import AgentState, AgentStateManager, archive, redirect
from deskhand.states.host import HostAgentState, HostAgentStateManager
from deskhand.states.moves import Move
from deskhand.states.table import Edge, TransitionTable, packaged_table

__all__ = [
    "AgentState",
    "AgentStateManager",
    "AppAgentState",
    "AppAgentStateManager",
    "Edge",
    "HostAgentState",
    "HostAgentStateManager",
    "Move",
    "TransitionTable",
    "archive",
    "packaged_table",
    "redirect",
]
