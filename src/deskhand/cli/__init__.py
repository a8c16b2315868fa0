"""The command line: one file per verb; each parses, calls one function of a lower room, and renders."""

from deskhand.cli.app import main

__all__ = ["main"]
