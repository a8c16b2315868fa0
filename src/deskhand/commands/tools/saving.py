"""Saving the document of a window in one step (contract 4.2)."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field

from deskhand.commands.call import Call, ExpectedEffect, Expects, Focus, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.effects.confirmation import outcome
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.file_format import format_defect
from deskhand.commands.effects.message_box import name_of, text_of
from deskhand.commands.effects.snapshot import QUICK_S, before
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.techniques.file_dialog import FileChoice, check_new_path, choose, shows
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.commands.techniques.office_windows.interface import document_interface
from deskhand.commands.techniques.own_interface import free_window, own_interface
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import dialog_over, listed
from deskhand.core.command import Effect, EffectClass, Needed, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.file_stamp import Stamp, stamp_of
from deskhand.core.patterns import in_title
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_SAVE: Final = Chord("s", ("ctrl",))
_SAVE_AS: Final = Chord("s", ("ctrl", "shift"))
_DIALOG_S: Final = 5.0
_NAMED_S: Final = 3.0
_SAVED_S: Final = 40.0
_OWN_FORMAT: Final = re.compile(r"(use|keep)\b(?!.*\b(odf|opendocument)\b).*", re.IGNORECASE)
"""The button that keeps the file's format, of LibreOffice's question about it."""
_ANSWERED_S: Final = 10.0


class SaveDocument(Arguments):
    path: str = Field(default="", description="absolute path to save as, its suffix is the format; empty: its own file")
    overwrite: bool = Field(default=False, description="a file at the path may be replaced")


class ExportPdf(Arguments):
    path: str = Field(description="absolute path of the PDF")
    overwrite: bool = Field(default=False, description="a file at the path may be replaced")


async def export_pdf(tools: ToolContext, call: Call, arguments: ExportPdf) -> ToolOutcome:
    """Writes the window's document as a PDF; the document stays as it is."""
    path = Path(arguments.path)
    if path.suffix.lower() != ".pdf":
        raise ActionRefused(f"{path.name} does not end with .pdf", fix="add .pdf to the name")
    window = await free_window(tools, call)
    check_new_path(path, overwrite=arguments.overwrite, own=False)
    async with document_interface(tools, call, window) as interface:
        earlier = stamp_of(path)
        tools.delivered = True
        try:
            await interface.change("export_pdf", path=str(path), deadline_s=_SAVED_S)
        except ActionRefused as refusal:
            return _not_saved(path, earlier, refusal.message, interface.route)
        return _outcome(_of_file(tools.desktop, window, path, earlier), interface.route, path)


async def save_document(tools: ToolContext, call: Call, arguments: SaveDocument) -> ToolOutcome:
    """Saves the window's document, and answers questions about its format."""
    desktop = tools.desktop
    window = await free_window(tools, call)
    path = Path(arguments.path) if arguments.path else None
    if path is not None:
        check_new_path(path, overwrite=arguments.overwrite, own=shows(desktop, window, path))
    async with own_interface(tools, window) as interface:
        if interface is not None:
            return await _by_interface(tools, window, interface, path)
    if path is None:
        return await _by_keys(tools, call, window)
    return await _by_dialog(tools, call, window, path, overwrite=arguments.overwrite)


async def _by_interface(
    tools: ToolContext, window: TargetInfo, interface: ApplicationInterface, path: Path | None
) -> ToolOutcome:
    """The file, which the application wrote and closed, is the proof."""
    desktop, document = tools.desktop, interface.document
    file = path or document.path
    if file is None:
        raise ActionRefused("the document has no file yet", fix="give a path")
    if path is None and document.read_only:
        raise ActionRefused(f"{file.name} is open for reading only", fix="give another path")
    await interface.read("check_path", path=str(file))
    earlier = stamp_of(file)
    tools.delivered = True
    try:
        told = await interface.change("save", path=str(path or ""), deadline_s=_SAVED_S)
    except ActionRefused as refusal:
        return _not_saved(file, earlier, refusal.message, interface.route)
    if alone := told["alone"]:
        tools.notes.append(f"of its sheets the file has {alone!r} alone, which is in front")
    found = _of_file(desktop, window, file, earlier)
    if found.effect is Effect.CONFIRMED:
        desktop.note_file(window, file)
        if path is not None and not await _is_named_after(desktop, window, file):
            message = f"{found.message}, and its window is not named after it"
            found = Finding(Effect.UNVERIFIABLE, message)
    return _outcome(found, interface.route, file)


def _not_saved(file: Path, earlier: Stamp | None, reason: str, route: Route) -> ToolOutcome:
    now = stamp_of(file)
    left = "is as it was" if now == earlier and now is not None else "is empty" if now and not now.size else ""
    state = left or ("is not there" if now is None else "is changed, and may be damaged")
    message = f"it was not saved: {reason}; {file.name} {state}"
    return ToolOutcome(None, Effect.PARTIAL, route, message, retry_safe=False)


def _of_file(desktop: Desktop, window: TargetInfo, file: Path, earlier: Stamp | None) -> Finding:
    """The finding on a file that should have been written, whole, in its format, and closed."""
    now = stamp_of(file)
    if now is None or now == earlier:
        return Finding(Effect.PARTIAL, f"{file.name} was not written")
    if desktop.is_writing(window, file):
        return Finding(Effect.UNVERIFIABLE, f"{file.name} is still being written")
    if not now.size:
        return Finding(Effect.UNVERIFIABLE, f"{file.name} was written and is empty: check whether the disk is full")
    try:
        defect = format_defect(file)
    except OSError as error:
        return Finding(Effect.UNVERIFIABLE, f"{file.name} was written and cannot be read: {error.strerror}")
    if defect:
        return Finding(Effect.PARTIAL, f"it was written, but {defect}")
    return Finding(Effect.CONFIRMED, f"{file.name} was written ({now.size} bytes)")


async def _is_named_after(desktop: Desktop, window: TargetInfo, file: Path) -> bool:
    async def named() -> bool | None:
        now = await listed(desktop, window)
        return True if now is not None and in_title(file.name).search(now.name) else None

    return bool(await desktop.wait_until(named, deadline_s=_NAMED_S))


def _outcome(found: Finding, route: Route, file: Path) -> ToolOutcome:
    data = {"path": str(file)} if found.effect is Effect.CONFIRMED else None
    return ToolOutcome(data, found.effect, route, found.message, retry_safe=False)


async def _by_keys(tools: ToolContext, call: Call, window: TargetInfo) -> ToolOutcome:
    """Save the window's own file with Ctrl+S."""
    desktop = tools.desktop
    call = replace(call, window=window, target=None)
    await desktop.activate(window)
    earlier = await before(tools, call)
    tools.delivered = True
    await press_in_order(desktop, call, [_SAVE])
    found = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    if found.effect is not Effect.CONFIRMED and await _keep_format(desktop, window):
        found = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    if await _close_name_dialog(desktop, window):
        return ToolOutcome(
            None, Effect.PARTIAL, Route.SYNTHETIC_INPUT, "it was not saved: it has no file yet; give a path"
        )
    file = earlier.file.path if earlier.file else None
    if found.effect is Effect.CONFIRMED and file is not None and (defect := format_defect(file)):
        found = Finding(Effect.PARTIAL, f"{found.message}; {defect}", retry_safe=False)
    data = {"path": str(file)} if file is not None and found.effect is Effect.CONFIRMED else None
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE, data=data)


async def _by_dialog(tools: ToolContext, call: Call, window: TargetInfo, path: Path, *, overwrite: bool) -> ToolOutcome:
    """Save under another name with Ctrl+Shift+S and the dialog that it opens."""
    desktop = tools.desktop
    await desktop.activate(window)
    tools.delivered = True
    await desktop.press([_SAVE_AS])

    async def opened() -> TargetInfo | None:
        return await _name_dialog(desktop, window)

    if await wait_for_program(desktop, window, opened, deadline_s=_DIALOG_S) is None:
        raise ActionRefused(
            f"Ctrl+Shift+S opened no dialog for a name in {window.describe}",
            fix="open the dialog by a menu, then use choose_file",
        )
    earlier = stamp_of(path)
    chosen = FileChoice(path, create=True, overwrite=overwrite)
    try:
        done = await choose(tools, replace(call, window=window, target=None), chosen)
    except BaseException:
        await _close_name_dialog(desktop, window)
        raise
    if done.effect is not Effect.CONFIRMED and not await _keep_format(desktop, window):
        return replace(done, route=Route.SYNTHETIC_INPUT)

    async def written() -> Finding | None:
        found = _of_file(desktop, window, path, earlier)
        return found if found.effect is Effect.CONFIRMED else None

    found = await desktop.wait_until(written, deadline_s=_ANSWERED_S) or _of_file(desktop, window, path, earlier)
    if found.effect is Effect.CONFIRMED:
        desktop.note_file(window, path)
    return _outcome(found, Route.SYNTHETIC_INPUT, path)


async def _keep_format(desktop: Desktop, window: TargetInfo) -> bool:
    """Answer LibreOffice's question about the format by keeping that of the file; True if it was asked."""
    dialog = dialog_over(window, await desktop.windows())
    if dialog is None:
        return False
    seen = await desktop.observe(dialog, picture=False)
    buttons = [control for control in seen.controls if control.type is Role.BUTTON]
    keeping = [button for button in buttons if _OWN_FORMAT.fullmatch(comparable_name(button.name))]
    if len(keeping) != 1 or len(buttons) > 4:
        return False
    await desktop.do_action(keeping[0])

    async def closed() -> bool | None:
        return True if await listed(desktop, dialog) is None else None

    await desktop.wait_until(closed, deadline_s=_ANSWERED_S)
    return True


async def _name_dialog(desktop: Desktop, window: TargetInfo) -> TargetInfo | None:
    """The dialog over the window that asks for a name."""
    dialog = dialog_over(window, await desktop.windows())
    if dialog is None:
        return None
    seen = await desktop.observe(dialog, picture=False)
    fields = (control for control in seen.controls if control.type is Role.TEXTBOX and "editable" in control.states)
    return dialog if any(fields) else None


async def _close_name_dialog(desktop: Desktop, window: TargetInfo) -> bool:
    """Close a dialog that asks for a name; True if there was one."""
    dialog = await _name_dialog(desktop, window)
    if dialog is None:
        return False
    if not await desktop.ask_to_close(dialog):
        raise ActionRefused(f"{name_of(dialog)} stays open: {await text_of(desktop, dialog)}", fix="close it")
    return True


_SAVING: Final = Expects(
    (
        Rule(
            "",
            "the file was written in its format and closed, and with a path the window is named after it; LibreOffice "
            "writes it through its own interface",
            expect=lambda _: ExpectedEffect(focus=Focus.ANYBODY, saves=True, saves_unknown=True),
        ),
    )
)
_EXPORTED: Final = Expects((Rule("", "the file was written, whole, as a PDF"),))
TOOLS = (
    action(
        ExportPdf,
        export_pdf,
        effect_class=EffectClass.CREATE_FILE,
        expects=_EXPORTED,
        deadline_s=60.0,
        needs=Needed.OFFICE_DOCUMENT,
    ),
    action(
        SaveDocument,
        save_document,
        effect_class=EffectClass.CREATE_FILE,
        expects=_SAVING,
        deadline_s=60.0,
        needs=Needed.DOCUMENT,
    ),
)
