"""The agents' tools (contract 4.2), one module a subject.

A new tool is an `Arguments` class, a coroutine whose docstring is its description for the model, and an entry in its
module's `TOOLS`. Arguments with an `id` (`TargetArguments`) get the control as `call.target`, resolved again. The
coroutine sets `tools.delivered` right before it sends anything, and checks the effect.
"""

from typing import Final

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

_BY_INTERFACE_ALONE: Final = frozenset(
    {"sort_range", "format_range", "remove_duplicates", "insert_table", "export_pdf"}
)
"""Tools without another way than the application's own interface."""


def standard_catalogue(*, application_interface: bool = True) -> Catalogue:
    """Every tool shipped with the program; without `application_interface`, those that can do without it."""
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
    tools = (tool for module in modules for tool in module.TOOLS)
    return Catalogue(tool for tool in tools if application_interface or tool.spec.name not in _BY_INTERFACE_ALONE)
