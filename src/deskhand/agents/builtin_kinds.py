"""The kinds of agents that come with the program and need no window of their own."""

from typing import Final

from deskhand.agents.factory import ThirdPartyAgent
from deskhand.agents.shell import SHELL

THIRD_PARTY: Final[tuple[ThirdPartyAgent, ...]] = (SHELL,)
"""Offered to the host of every session; a kind is added here and nowhere else."""
