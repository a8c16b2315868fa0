"""The agents' tools (contract 4.2), one module a subject.

A new tool is an `Arguments` class, a coroutine whose docstring is its description for the model, and an entry in its
module's `TOOLS`. Arguments with an `id` (`TargetArguments`) get the control as `call.target`, resolved again. The
coroutine sets `tools.delivered` right before it sends anything, and checks the effect.
"""

from deskhand.commands.catalogue import Catalogue
from deskhand.commands.tools import (
    data_collection,
    file_dialog,
    form,
    holding,
    keyboard,
    pointing,
    replacement_window,
    saving,
    selecting,
    sheet_ranges,
    spreadsheet,
    table_reading,
    text_changes,
    text_input,
    values,
    verify,
    waiting,
    windows,
)


def standard_catalogue() -> Catalogue:
    """Every tool shipped with the program."""
    modules = (
        data_collection,
        replacement_window,
        verify,
        waiting,
        windows,
        pointing,
        selecting,
        values,
        text_input,
        form,
        keyboard,
        holding,
        table_reading,
        spreadsheet,
        sheet_ranges,
        file_dialog,
        saving,
        text_changes,
    )
    return Catalogue(tool for module in modules for tool in module.TOOLS)
