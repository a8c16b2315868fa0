"""The requests by name; each gets the view of the document and its own arguments."""

from collections.abc import Callable, Mapping

from . import documents

REQUESTS: Mapping[str, Callable[..., dict[str, object]]] = {
    "check_suffix": documents.check_suffix,
    "save": documents.save,
    "copy": documents.copy,
    "export_pdf": documents.export_pdf,
}
