"""Layer 3: the catalogue of tools and the dispatcher that runs them (contract 4.1, 4.2, 4.3)."""

from deskhand.commands.call import ToolContext, ToolOutcome
from deskhand.commands.catalogue import Catalogue, Tool
from deskhand.commands.dispatcher import CommandDispatcher
from deskhand.commands.tools import standard_catalogue

__all__ = ["Catalogue", "CommandDispatcher", "Tool", "ToolContext", "ToolOutcome", "standard_catalogue"]
