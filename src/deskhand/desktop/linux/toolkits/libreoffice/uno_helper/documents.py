"""A document as a whole: what it is, saving, copies, exports."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from .answers import Refused
from .kept_texts import take_back
from .lines import require_input
from .runtime import properties, uno

TEXT, SHEET, SLIDES, DRAWING = "text", "sheet", "slides", "drawing"
_KINDS = (
    ("com.sun.star.text.GenericTextDocument", TEXT),
    ("com.sun.star.sheet.SpreadsheetDocument", SHEET),
    ("com.sun.star.presentation.PresentationDocument", SLIDES),
    ("com.sun.star.drawing.DrawingDocument", DRAWING),
)
_CSV = "Text - txt - csv (StarCalc)"
_CSV_OPTIONS = "44,34,76,1,,0,false,true,false"
"""Commas, double quotes, UTF-8 (without options it is a code page, which has a `?` for all others), texts as shown."""
_FILTERS = {
    TEXT: {
        "odt": "writer8",
        "ott": "writer8_template",
        "fodt": "OpenDocument Text Flat XML",
        "docx": "MS Word 2007 XML",
        "doc": "MS Word 97",
        "rtf": "Rich Text Format",
        "txt": "Text",
        "html": "HTML (StarWriter)",
    },
    SHEET: {
        "ods": "calc8",
        "ots": "calc8_template",
        "fods": "OpenDocument Spreadsheet Flat XML",
        "xlsx": "Calc MS Excel 2007 XML",
        "xls": "MS Excel 97",
        "csv": _CSV,
        "html": "HTML (StarCalc)",
    },
    SLIDES: {
        "odp": "impress8",
        "otp": "impress8_template",
        "fodp": "OpenDocument Presentation Flat XML",
        "pptx": "Impress MS PowerPoint 2007 XML",
        "ppt": "MS PowerPoint 97",
    },
    DRAWING: {"odg": "draw8", "otg": "draw8_template", "fodg": "OpenDocument Drawing Flat XML"},
}
_NATIVE = {TEXT: "odt", SHEET: "ods", SLIDES: "odp", DRAWING: "odg"}
_PDF = {TEXT: "writer_pdf_Export", SHEET: "calc_pdf_Export", SLIDES: "impress_pdf_Export", DRAWING: "draw_pdf_Export"}


def kind_of(document: Any) -> str:  # UNO's objects have no types; here and below
    """The kind of a document; empty for another, such as a formula or a database."""
    return next((kind for service, kind in _KINDS if document.supportsService(service)), "")


def described(document: Any, frames: list[Any]) -> dict[str, object]:
    """`frames`: all windows of this LibreOffice."""
    return {
        "kind": kind_of(document),
        "path": _path_of(document),
        "readonly": document.isReadonly(),
        "modified": document.isModified(),
        "windows": sum(_same(document, frame.Controller) for frame in frames),
    }


def save(view: Any, path: str) -> dict[str, object]:
    """Save in the document's own format and, with a path, under that name, in the format of its suffix.

    `alone`: the only sheet that is in the file then, if there are others.
    """
    document = view.Model
    if not path or path == _path_of(document):
        if not document.hasLocation():
            raise Refused("the document has no file yet", "give a path")
        if document.isReadonly():
            raise Refused("the document is open for reading only", "give another path")
        document.store()
    else:
        name = _filter(document, path)
        options = {"FilterOptions": _csv_options(document)} if name == _CSV else {}
        document.storeAsURL(uno.systemPathToFileUrl(path), properties(FilterName=name, **options))
    is_csv = _loaded(document).get("FilterName") == _CSV
    return {"path": _path_of(document), "alone": view.ActiveSheet.Name if is_csv and document.Sheets.Count > 1 else ""}


def _csv_options(document: Any) -> str:
    """The options that the file was opened or saved with, such as its separators."""
    loaded = _loaded(document)
    own = loaded.get("FilterOptions") if loaded.get("FilterName") == _CSV else ""
    return own or _CSV_OPTIONS


def _loaded(document: Any) -> dict[str, Any]:
    """The arguments that a document was loaded or saved with."""
    return {each.Name: each.Value for each in document.Args}


def copy(view: Any, path: str) -> dict[str, object]:
    """Write a copy in the native format; the document stays as it is."""
    document = view.Model
    suffix = _NATIVE[_known_kind(document)]
    filter_name = _FILTERS[kind_of(document)][suffix]
    document.storeToURL(uno.systemPathToFileUrl(path), properties(FilterName=filter_name))
    return {"suffix": suffix}


def export_pdf(view: Any, path: str) -> dict[str, object]:
    document = view.Model
    filter_name = _PDF[_known_kind(document)]
    document.storeToURL(uno.systemPathToFileUrl(path), properties(FilterName=filter_name))
    return {}


def check_path(view: Any, path: str) -> dict[str, object]:
    """Refuse a path in whose format the document cannot be saved, or where it would lose its password."""
    document = view.Model
    _filter(document, path)
    if path != _path_of(document) and "EncryptionData" in _loaded(document):
        raise Refused("the document has a password, which a file of another name would not have", "use File, Save As")
    return {}


@contextmanager
def one_step(document: Any, title: str) -> Generator[None]:
    """All changes in between are one step for Undo, but those of slides. After an error, or where nobody waits any
    more, they are undone.
    """
    manager = document.UndoManager
    manager.enterUndoContext(title)
    try:
        yield
        require_input()
    except BaseException:
        changed = _leave(manager, title)
        if changed:
            manager.undo()
        take_back()
        raise
    _leave(manager, title)


def _leave(manager: Any, title: str) -> bool:
    """True if the step has any changes: one without is not kept."""
    manager.leaveUndoContext()
    return manager.isUndoPossible() and manager.getCurrentUndoActionTitle() == title


def undo(view: Any, title: str) -> dict[str, object]:
    """Undo the last step if it has this title; of slides and drawings what this process wrote."""
    manager = view.Model.UndoManager
    is_last = manager.isUndoPossible() and manager.getCurrentUndoActionTitle() == title
    if is_last:
        manager.undo()
    return {"undone": take_back() or is_last}


def require_changeable(document: Any) -> None:
    if document.isReadonly():
        raise Refused("the document is open for reading only", "save it under another name first")


def _known_kind(document: Any) -> str:
    kind = kind_of(document)
    if not kind:
        raise Refused("the document is none of text, sheet, slides or drawing", "use its menus")
    return kind


def _filter(document: Any, path: str) -> str:
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower()
    known = _FILTERS[_known_kind(document)]
    if "." not in name:
        raise Refused(f"{name!r} has no suffix, which tells the format", f"add one of .{', .'.join(known)}")
    if suffix not in known:
        hint = "export_pdf makes one" if suffix == "pdf" else f"use one of .{', .'.join(known)}"
        raise Refused(f"a document of this kind is not saved as .{suffix}", hint)
    return known[suffix]


def _path_of(document: Any) -> str:
    url = document.URL
    return uno.fileUrlToSystemPath(url) if url.startswith("file:") else ""


def _same(document: Any, controller: Any) -> bool:
    model = controller.Model if controller is not None else None
    return model is not None and model == document
