"""The packaged kinds of agents that need no window of their own."""

from typing import Final

from deskhand.agents.factory import ThirdPartyAgent
from deskhand.agents.shell import SHELL

THIRD_PARTY: Final[tuple[ThirdPartyAgent, ...]] = (SHELL,)
"""Offered to the host of every session; this is the one place to add a kind."""
