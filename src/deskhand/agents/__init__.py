"""The agents: their states, strategies and models (contract 3.4)."""

from deskhand.agents.agent import BasicAgent
from deskhand.agents.app import AppAgent
from deskhand.agents.factory import AgentFactory, BringsAgent, MakeAgent, ThirdPartyAgent
from deskhand.agents.host import HostAgent
from deskhand.agents.text import TextAgent

__all__ = [
    "AgentFactory",
    "AppAgent",
    "BasicAgent",
    "BringsAgent",
    "HostAgent",
    "MakeAgent",
    "TextAgent",
    "ThirdPartyAgent",
]
