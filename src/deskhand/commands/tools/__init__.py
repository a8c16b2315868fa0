"""The tools agents know (SPEC 4.2), one module a subject."""

from deskhand.commands.catalogue import Catalogue
from deskhand.commands.tools import files, look, pointing, tables, text, windows


def standard_catalogue() -> Catalogue:
    """Every tool shipped with the program."""
    return Catalogue((*look.TOOLS, *windows.TOOLS, *pointing.TOOLS, *text.TOOLS, *tables.TOOLS, *files.TOOLS))
