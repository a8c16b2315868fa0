"""The requests by name; each gets the view of the document and its own arguments."""

from collections.abc import Callable, Mapping

from . import documents, sheets, texts

REQUESTS: Mapping[str, Callable[..., dict[str, object]]] = {
    "check_path": documents.check_path,
    "save": documents.save,
    "copy": documents.copy,
    "export_pdf": documents.export_pdf,
    "undo": documents.undo,
    "range_facts": sheets.facts,
    "sort": sheets.sort,
    "style": sheets.style,
    "keep_rows": sheets.keep_rows,
    "write_cells": sheets.write,
    "formulas": sheets.formulas,
    "replace": texts.replace,
    "insert_table": texts.insert_table,
}
