"""The requests of LibreOffice's own interface, carried out by it or, where it is not to be had, by its windows."""

import re
import shutil
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

import anyio

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.file_format import format_defect
from deskhand.commands.effects.sheet_copy import active_sheet, read_facts, read_sheet
from deskhand.commands.effects.text_copy import Kind, counts_in, precedes_paragraph, read_texts
from deskhand.commands.techniques.cells import is_to_read, open_sheet, parse_range
from deskhand.commands.techniques.file_dialog import FileChoice, write_through
from deskhand.commands.techniques.office_windows import sheets, texts
from deskhand.commands.techniques.office_windows.dialogs import Way, dialog, next_dialog
from deskhand.commands.techniques.office_windows.sheets import Block
from deskhand.commands.techniques.office_windows.undoing import Steps
from deskhand.commands.techniques.own_interface import own_interface
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused, ApplicationUnresponsive, ChangeRefused, DeskhandError, InterfaceAbsent
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.desktop.protocols.application_interface import ApplicationInterface, Document, DocumentKind

_KINDS: Final = {
    "Writer": DocumentKind.TEXT,
    "Calc": DocumentKind.SHEET,
    "Impress": DocumentKind.SLIDES,
    "Draw": DocumentKind.DRAWING,
}
_MODULE: Final = re.compile(rf" - .*\b({'|'.join(_KINDS)})\b[^-]*$")
_COPY: Final = Way("Save a Copy", menu=("File", "Save a Copy..."))
_EXPORT: Final = Way("Export as PDF", menu=("File", "Export As", "Export as PDF..."))
_EXPORT_SHEET: Final = Way("Export as PDF", menu=("File", "Export as PDF..."))
_WHOLE_S: Final = 10.0
_SUFFIX: Final = {
    DocumentKind.TEXT: ".odt",
    DocumentKind.SHEET: ".ods",
    DocumentKind.SLIDES: ".odp",
    DocumentKind.DRAWING: ".odg",
}
_UNDO_S: Final = 15.0
_BY_HAND: Final = "use the menus and dialogs of the window"


@asynccontextmanager
async def document_interface(
    tools: ToolContext, call: Call, window: TargetInfo
) -> AsyncGenerator[ApplicationInterface]:
    """The application's own interface, else the same requests by the menus, keys and dialogs of its window.

    Raises: InterfaceAbsent for a window without a document of a known kind, ApplicationGone, ApplicationUnresponsive.
    """
    async with own_interface(tools, window) as interface:
        if interface is not None:
            yield interface
            return
    if Trait.HAS_OWN_INTERFACE not in window.traits:
        raise InterfaceAbsent(f'the program of "{window.name}" has no interface of its own', fix=_BY_HAND)
    with TemporaryDirectory(prefix="deskhand-windows-") as folder:
        call = replace(call, window=window, target=None)
        yield await _Windows(tools, call, window, Path(folder)).begin()


class _Windows:
    """Implements `ApplicationInterface`. `_copied`: the last copy, while the document is as it was then."""

    route = Route.SYNTHETIC_INPUT

    def __init__(self, tools: ToolContext, call: Call, window: TargetInfo, folder: Path) -> None:
        self._tools = replace(tools, delivered=False)
        self._call, self._window, self._folder = call, window, folder
        self._document = Document(DocumentKind.TEXT, None)
        self._copied: Path | None = None
        self._steps = Steps()

    @property
    def document(self) -> Document:
        return self._document

    async def begin(self) -> "_Windows":
        desktop, window = self._tools.desktop, self._window
        module = _MODULE.search(window.name)
        seen = await desktop.observe(window, picture=False)
        shown = [control for control in seen.controls if control.type is Role.DOCUMENT]
        if module is None or not shown:
            raise InterfaceAbsent(f'"{window.name}" shows a document of a kind that is not known', fix=_BY_HAND)
        read_only = is_to_read(seen, window.name) or all("editable" not in control.states for control in shown)
        path = desktop.file_of(window).if_certain
        self._document = Document(_KINDS[module[1]], path, read_only=read_only)
        return self

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        if request != "range_facts":
            raise _absent(request)
        rows, columns = parse_range(str(arguments["area"]))
        with _within(self._window, deadline_s):
            return read_facts(await self._copy(), rows, columns)

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        with _within(self._window, deadline_s):
            match request:
                case "copy":
                    shutil.copyfile(await self._copy(), str(arguments["path"]))
                    return {}
                case "export_pdf":
                    path = Path(str(arguments["path"]))
                    await _export_pdf(self._tools, self._call, self._document.kind, path)
                    return {}
                case "undo":
                    self._copied = None
                    return {"undone": await self._undo()}
                case _:
                    return await self._edit(request, arguments)

    async def _edit(self, request: str, arguments: JsonObject) -> JsonObject:
        """Change the document; what was changed before an error is undone. Raises: the error."""
        try:
            await self._require_possible(request, arguments)
        except ActionRefused as refusal:  # nothing was changed, and the dialogs that were open are closed
            raise ChangeRefused(refusal.message, fix=refusal.fix) from refusal
        self._steps = Steps()
        try:
            done = await self._edited(request, arguments)
        except DeskhandError as error:
            raise await self._taken_back(error) from error
        except BaseException:
            with anyio.move_on_after(_UNDO_S, shield=True):
                await self._undo()
            raise
        finally:
            self._copied = None
        if self._steps.count > 1:
            self._tools.notes.append(f"{self._steps.count} steps for Undo")
        return done

    async def _taken_back(self, error: DeskhandError) -> DeskhandError:
        """The error, with a note on the steps before it."""
        number = self._steps.count
        if not number:
            return error
        try:
            await self._steps.undo(self._tools.desktop, self._window)
        except DeskhandError:
            left = f"undo {self._steps.count} steps with Ctrl+Z, and look whether that was all"
            return ActionRefused(f"{error.message}; it was done in part", fix=left)
        return ActionRefused(f"{error.message}; {number} steps were undone with Ctrl+Z", fix=error.fix)

    async def _undo(self) -> bool:
        """True if there was anything to undo. A note has what is left of it where that is cut short."""
        try:
            return await self._steps.undo(self._tools.desktop, self._window)
        finally:
            if self._steps.count:
                self._tools.notes.append(f"{self._steps.count} steps of it are not undone: press Ctrl+Z for each")

    async def _require_possible(self, request: str, arguments: JsonObject) -> None:
        """Raises: ActionRefused for requests that dialogs do not carry out, or not as they are meant."""
        match request:
            case "replace":
                pairs = _pairs(arguments["pairs"])
                texts.require_one_line([text for pair in pairs for text in pair])
                await self._require_replaceable(pairs)
            case "insert_table":
                texts.require_one_line([str(arguments["after"])])
                await self._require_one_place(str(arguments["after"]))
            case "style":
                sheets.require_settable(arguments)
            case "sort":
                sheets.require_few_columns(parse_range(str(arguments["area"]))[1])
            case "keep_rows":
                return
            case _:
                raise _absent(request)

    async def _edited(self, request: str, arguments: JsonObject) -> JsonObject:
        desktop, window, steps = self._tools.desktop, self._window, self._steps
        match request:
            case "replace":
                await texts.replace(desktop, window, _pairs(arguments["pairs"]), steps)
            case "insert_table":
                if after := str(arguments["after"]):
                    to_next = precedes_paragraph(await self._copy(), after)
                    await texts.go_behind(desktop, window, after, to_next=to_next is True)
                return {"name": await texts.insert_table(desktop, window, _rows(arguments["rows"]), steps)}
            case "sort":
                block, header = await self._block(arguments), arguments["header"] is True
                await sheets.sort(block, _keys(arguments["keys"]), steps, header=header)
            case "style":
                block = await self._block(arguments)
                file = await self._copy()
                before = read_sheet(file, active_sheet(file), block.rows, block.columns)
                formats = {name: value for name, value in arguments.items() if name != "area"}
                await sheets.style(block, before, formats, steps)
            case _:
                kept = list(items_of(arguments["rows"], int))
                await sheets.keep_rows(await self._block(arguments), kept, steps)
        return {}

    async def _block(self, arguments: JsonObject) -> Block:
        rows, columns = parse_range(str(arguments["area"]))
        return Block(self._tools, self._call, await open_sheet(self._tools.desktop, self._call), rows, columns)

    async def _copy(self) -> Path:
        if self._copied is None:
            folder = mkdtemp(dir=self._folder)
            self._copied = await _write_copy(self._tools, self._call, self._document.kind, Path(folder))
        return self._copied

    async def _require_replaceable(self, pairs: list[tuple[str, str]]) -> None:
        """Raises: ActionRefused for documents and cells that the dialog would change otherwise."""
        if self._document.kind not in {DocumentKind.TEXT, DocumentKind.SHEET}:
            raise ActionRefused("only texts and sheets are changed by the windows", fix="use Edit, Find & Replace")
        if self._document.kind is not DocumentKind.SHEET:
            return
        copy = read_texts(await self._copy())
        if sum(counts_in(copy.fixed + copy.of(Kind.NUMBER), pairs)):
            raise ActionRefused(
                "cells with numbers or formulas have a text to find, and the dialog would change them too",
                fix="give more of the text, or write the cells with write_table",
            )

    async def _require_one_place(self, text: str) -> None:
        """Raises: ActionRefused unless one paragraph of the body has it, once."""
        if not text:
            return
        file = await self._copy()
        found = sum(counts_in(read_texts(file).of(Kind.TEXT), [(text, text)]))
        if found != 1:
            what = f"{found} places have" if found else "no place has"
            raise ActionRefused(f"{what} the text {text!r}", fix="give more of the text that is before the table")
        if precedes_paragraph(file, text) is None:
            raise ActionRefused(
                f"the text {text!r} is in a table, list, frame or note",
                fix="click at the place, leave after out",
            )


async def _write_copy(tools: ToolContext, call: Call, kind: DocumentKind, folder: Path) -> Path:
    """Write a copy in the OpenDocument format into an empty folder. Raises: ActionRefused, ElementNotFound."""
    choice = FileChoice(folder / f"copy{_SUFFIX[kind]}", create=True)
    async with dialog(tools.desktop, call.need_window(), _COPY) as opened:
        written = await write_through(tools, call, opened.window, choice)
    await _until_whole(tools, call, choice.path, written)
    return choice.path


async def _export_pdf(tools: ToolContext, call: Call, kind: DocumentKind, path: Path) -> None:
    """Write all of a document; a file there is replaced. Raises: ActionRefused with the reason, ElementNotFound."""
    desktop, root = tools.desktop, call.need_window()
    async with dialog(desktop, root, _EXPORT_SHEET if kind is DocumentKind.SHEET else _EXPORT) as options:
        await options.check(options.control(Role.RADIO, "All"), on=True)
        await options.check(options.control(Role.CHECKBOX, "View PDF after export"), on=False)
        known = {window.handle for window in await desktop.windows()}
        await options.confirm()
        chooser = await next_dialog(options, root, known)
        written = await write_through(tools, call, chooser.window, FileChoice(path, create=True, overwrite=True))
    await _until_whole(tools, call, path, written)


async def _until_whole(tools: ToolContext, call: Call, path: Path, written: Finding) -> None:
    """Raises: ActionRefused."""
    if written.effect is not Effect.CONFIRMED:
        raise ActionRefused(written.message, fix="choose another file, or look at the message")
    desktop, root = tools.desktop, call.need_window()

    async def whole() -> bool | None:
        return True if not desktop.is_writing(root, path) and not format_defect(path) else None

    if not await desktop.wait_until(whole, deadline_s=_WHOLE_S):
        raise ActionRefused(f"{path.name} was not whole after {_WHOLE_S:g} s", fix="wait, then look at it")


@contextmanager
def _within(window: TargetInfo, deadline_s: float) -> Generator[None]:
    """Raises: ApplicationUnresponsive at the deadline."""
    try:
        with anyio.fail_after(deadline_s):
            yield
    except TimeoutError as error:
        raise ApplicationUnresponsive(
            f'"{window.name}" was not done within {deadline_s:g} s', fix="look whether a dialog is in the way, or wait"
        ) from error


def _absent(request: str) -> InterfaceAbsent:
    return InterfaceAbsent(f"{request} needs the application's own interface", fix=_BY_HAND)


def _pairs(value: JsonValue) -> list[tuple[str, str]]:
    return [(old, new) for old, new in _rows(value)]


def _rows(value: JsonValue) -> list[list[str]]:
    return [list(items_of(row, str)) for row in items_of(value, object)]


def _keys(value: JsonValue) -> list[tuple[int, bool]]:
    keys = (dict(pairs_of(key)) for key in items_of(value, object))
    return [(int(str(key["column"])), key["descending"] is True) for key in keys]
