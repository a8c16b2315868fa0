"""Saving is confirmed by the file that was written, in every program that saves; the file itself is read by others."""

import logging
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from deskhand.core.command import Effect, Result, Route
from deskhand.core.errors import ApplicationGone
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.runtime.libreoffice_profile import settings_file
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.changing import APPS, SYSTEM_PYTHON
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_office import CALC, WRITER
from desktop.linux.test_office_drawings import DRAW, IMPRESS
from desktop.linux.test_same_titles import stranger_to
from documents import Text, write_docx, write_odt
from drawings import Shape, write_drawing
from spreadsheets import Sheet, write_ods
from support import need_sandbox

pytestmark = [pytest.mark.desktop, pytest.mark.requires("effect.saved")]

GEDIT: Final = Application("gedit", ("gedit", "--standalone"), ("gedit", "--standalone", "{file}"))
MOUSEPAD: Final = Application("mousepad", ("mousepad",), ("mousepad", "{file}"))
_EDITOR_QT: Final = (SYSTEM_PYTHON, str(APPS / "editor_qt.py"))
EDITOR_QT: Final = Application("editor", _EDITOR_QT, (*_EDITOR_QT, "{file}"), "Editor$")
PATIENCE_S: Final = 20.0


@dataclass
class Opened:
    """A file in a window of its own."""

    desktop: LinuxDesktop
    window: TargetInfo
    file: Path

    async def type(self, *keys: str) -> None:
        await self.desktop.activate(self.window)
        await self.desktop.press([Chord(key) for key in keys])
        await self.desktop.settle(self.window)

    async def keys(self, keys: str) -> Result:
        return await Tools(self.desktop).run(self.window, "keyboard_input", None, keys=keys)

    async def save(self) -> Result:
        began = monotonic()
        result = await self.keys("{VK_CONTROL}s")
        told = "%s: saving was %s in %.0f ms: %s"
        logging.getLogger(__name__).info(
            told, self.window.application, result.effect, (monotonic() - began) * 1000, result.evidence
        )
        return result

    async def press(self, role: Role, name: str) -> Result:
        tools = Tools(self.desktop)
        return await tools.run(self.window, "invoke", await tools.find(self.window, name, role))

    async def title(self) -> str:
        return next(window.name for window in await self.desktop.windows() if window.handle == self.window.handle)

    async def until_dialog(self, gone: TargetInfo | None = None) -> TargetInfo | None:
        """The dialog in front; with `gone`, until that is closed."""

        async def look() -> TargetInfo | bool | None:
            windows = await self.desktop.windows()
            if gone is not None:
                return True if all(window.handle != gone.handle for window in windows) else None
            return next((window for window in windows if window.type is Role.DIALOG), None)

        found = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        assert found
        return found if isinstance(found, TargetInfo) else None


async def opened(desktop: LinuxDesktop, application: Application, file: Path) -> Opened:
    window = await desktop.launch(application, file)
    await desktop.settle(window)
    return Opened(desktop, window, file)


def text_in(file: Path) -> str:
    """What stands in a document, its marks left out."""
    with zipfile.ZipFile(file) as archive:
        return re.sub(r"<[^>]*>", "", archive.read("content.xml").decode())


def read(file: Path) -> str:
    return text_in(file) if zipfile.is_zipfile(file) else file.read_text()


def in_folder(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / name


async def test_text_editors_save_confirmed_by_the_file_and_say_what_was_not_saved(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        for application in (GEDIT, MOUSEPAD):
            file = in_folder(tmp_path / application.name, "notes.txt")
            namesake = in_folder(tmp_path / "elsewhere", "notes.txt")
            file.write_text("kept\n")
            it = await opened(desktop, application, file)
            await it.type("n", "e", "w", " ")
            assert (await it.title()).startswith("*")
            saved = await it.save()
            assert (saved.effect, saved.evidence) == (Effect.CONFIRMED, "notes.txt was written (9 bytes)")
            assert file.read_text() == "new kept\n"
            assert not (await it.title()).startswith("*"), "it has done with it"

            written = file.stat().st_mtime_ns
            namesake.write_text("somebody else's\n")
            again = await it.save()
            if application is MOUSEPAD:
                assert file.stat().st_mtime_ns == written
                assert again.evidence.startswith("nothing to save: notes.txt is as it was"), again
            assert again.effect is Effect.CONFIRMED

            await it.type("x")
            file.parent.rename(tmp_path / f"{application.name} moved")
            namesake.write_text("somebody else's again\n")
            failed = await it.save()
            assert failed.effect is not Effect.CONFIRMED, failed
            assert re.search(r"not (saved yet|written).* shows: .*\w", failed.evidence), failed
            assert not file.exists()


async def test_documents_of_libreoffice_save_confirmed_by_the_file(tmp_path: Path) -> None:
    note = [Shape("Note", (2, 2, 8, 3), "n")]
    documents = (
        (WRITER, write_odt(tmp_path / "letter.odt", Text("One."))),
        (CALC, write_ods(tmp_path / "sums.ods", Sheet(filled=(1, 1)))),
        (IMPRESS, write_drawing(tmp_path / "show.odp", note)),
        (DRAW, write_drawing(tmp_path / "plan.odg", note)),
    )
    async with linux_desktop(tmp_path / "desktop") as desktop:
        it = await opened(desktop, *documents[0])
        for application, file in documents:
            it = it if application is WRITER else await opened(desktop, application, file)
            await it.type(*([] if application in (WRITER, CALC) else ["tab"]), *"xyz", "enter")
            saved = await it.save()
            assert saved.effect is Effect.CONFIRMED, saved
            assert saved.evidence == f"{file.name} was written ({file.stat().st_size} bytes)"
            assert "xyz" in text_in(file), application.name
        await it.type("a", "b", "c")
        pressed = await it.press(Role.BUTTON, "Save")
        assert (pressed.effect, "was written" in pressed.evidence) == (Effect.CONFIRMED, True), pressed
        assert "abc" in text_in(it.file)
        await it.type("d", "e", "f")
        await it.press(Role.MENU, "File")
        chosen = await it.press(Role.MENUITEM, "Save")
        assert (chosen.effect, "was written" in chosen.evidence) == (Effect.CONFIRMED, True), chosen
        assert "abcdef" in text_in(it.file)


async def test_a_question_or_a_failure_in_place_of_saving_is_named_and_not_confirmed(tmp_path: Path) -> None:
    file = write_docx(in_folder(tmp_path / "files", "letter.docx"), Text("One."))
    before = file.read_bytes()
    async with linux_desktop(tmp_path / "desktop") as desktop:
        settings = Path(desktop.environment["XDG_CONFIG_HOME"]) / "libreoffice/4/user/registrymodifications.xcu"
        asks = re.sub(r'("WarnAlienFormat" oor:op="fuse"><value>)false', r"\1true", settings.read_text())
        settings.write_text(asks)
        it = await opened(desktop, WRITER, file)
        await it.type(*"new ")
        asked = await it.save()
        assert (asked.effect, file.read_bytes() == before) == (Effect.PARTIAL, True), asked
        assert "letter.docx is not saved yet" in asked.evidence
        assert 'dialog "Confirm File Format" shows' in asked.evidence
        dialog = await it.until_dialog()
        assert dialog is not None
        seen = await desktop.observe(dialog, picture=False)
        keep = next(control for control in seen.controls if control.name.startswith("Use Word"))
        kept = await Tools(desktop).run(it.window, "invoke", replace(keep, id="1"))
        assert (kept.effect, "letter.docx was written" in kept.evidence) == (Effect.CONFIRMED, True), kept
        assert "new One." in _text_of_docx(file)
        for name, path in (("memo", ""), ("note", str(file.with_name("other.docx")))):
            it = await opened(desktop, WRITER, write_docx(file.with_name(f"{name}.docx"), Text("One.")))
            await it.type(*"new ")
            saved = await Tools(desktop, own_interface=False).run(it.window, "save_document", None, path=path)
            assert (saved.effect, saved.route) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), saved
            assert "new One." in _text_of_docx(Path(path or it.file))
            assert all(window.type is not Role.DIALOG for window in await desktop.windows()), "its question is answered"


def _text_of_docx(file: Path) -> str:
    with zipfile.ZipFile(file) as archive:
        return re.sub(r"<[^>]*>", "", archive.read("word/document.xml").decode())


@pytest.mark.requires("tool.save-document")
async def test_save_document_saves_in_editors_of_gtk_and_qt_by_keys_and_the_file_dialog(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        for application in (MOUSEPAD, EDITOR_QT):
            file = in_folder(tmp_path / application.name, "notes.txt")
            file.write_text("kept\n")
            it = await opened(desktop, application, file)
            await it.type(*"new ")
            saved = await Tools(desktop).run(it.window, "save_document", None)
            assert (saved.effect, saved.route) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), saved
            assert saved.result == {"path": str(file)}
            assert file.read_text() == "new kept\n"
            other = file.with_name("other.txt")
            saved = await Tools(desktop).run(it.window, "save_document", None, path=str(other))
            assert (saved.effect, saved.result) == (Effect.CONFIRMED, {"path": str(other)}), saved
            await it.type(*"very ")
            saved = await Tools(desktop).run(it.window, "save_document", None)
            assert (saved.effect, file.read_text(), other.read_text()) == (
                Effect.CONFIRMED,
                "new kept\n",
                "new very kept\n",
            ), saved
            refused = await Tools(desktop).run(it.window, "save_document", None, path=str(file))
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)


async def test_what_may_only_be_read_is_not_saved_and_the_programs_say_so(tmp_path: Path) -> None:
    need_sandbox()
    folder = tmp_path / "read only"
    notes, letter = in_folder(folder, "notes.txt"), in_folder(folder, "letter.odt")
    notes.write_text("kept\n")
    write_odt(letter, Text("kept"))
    confined = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", str(folder), str(folder))
    async with linux_desktop(tmp_path / "desktop") as desktop:
        settings = Path(desktop.environment["XDG_CONFIG_HOME"]) / "libreoffice/4/user/registrymodifications.xcu"
        unlocked = settings_file({"/org.openoffice.Office.Common/Misc": {"UseLocking": "false"}})
        item = re.findall("<item.*</item>", unlocked)[0]  # else it asks, since it cannot write a lock there
        settings.write_text(settings.read_text().replace("</oor:items>", f"{item}</oor:items>"))
        for application, file, told in (
            (GEDIT, notes, "notes.txt was not written; its window still shows unsaved changes"),
            (MOUSEPAD, notes, 'notes.txt is not saved yet: dialog "Save Changes" shows: The document is read-only'),
            (WRITER, letter, "letter.odt is not saved yet: a dialog without a title shows: Error saving the document"),
        ):
            argv = (*confined, *application.argv_with_file)
            it = await opened(desktop, replace(application, argv_with_file=argv), file)
            await it.type(*"new ")
            failed = await it.save()
            assert (failed.effect is Effect.CONFIRMED, failed.evidence[: len(told)]) == (False, told), failed
    assert (notes.read_text(), read(letter)) == ("kept\n", "kept")


async def _asked_about_a_path_that_is_typed(it: Opened, path: Path) -> None:
    """A path and Enter open a question: the path is in its field, and that nothing was saved is not confirmed."""
    await it.keys("{VK_CONTROL}{VK_SHIFT}s")
    dialog = await it.until_dialog()
    typed = await it.keys(f"{{VK_CONTROL}}a{path}{{ENTER}}")
    assert (typed.effect, "appeared" in typed.evidence) == (Effect.UNVERIFIABLE, True), typed
    assert read(path) == "somebody's"
    question = await it.until_dialog()
    assert dialog is not None
    assert question is not None
    assert question.handle != dialog.handle
    async with stranger_to(it.desktop) as stranger:
        seen = await stranger.observe(question, picture=False)
        assert any("already exists" in control.name for control in seen.controls), seen.controls

    async def all_closed() -> bool | None:
        """True without a dialog; one that is open is closed. LibreOffice shows its dialog anew after the question."""
        windows = [window for window in await it.desktop.windows() if window.type is Role.DIALOG]
        with suppress(ApplicationGone):
            for window in windows[:1]:
                await it.desktop.activate(window)
                await it.desktop.press([Chord("esc")])
        return None if windows else True

    assert await it.desktop.wait_until(all_closed, deadline_s=PATIENCE_S)


@pytest.mark.full("saving and its questions are tried in other tests")
@pytest.mark.requires("command.overwrite")
async def test_a_file_dialog_saves_over_the_open_file_and_over_another_where_that_is_asked_for(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        for application in (MOUSEPAD, GEDIT, WRITER):
            suffix = "odt" if application is WRITER else "txt"
            file, other = (in_folder(tmp_path / application.name, f"{name}.{suffix}") for name in ("own", "other"))
            write_odt(file, Text("kept")) if application is WRITER else file.write_text("kept\n")
            other.write_text("somebody's")
            it = await opened(desktop, application, file)

            async def save_as(path: Path, it: Opened = it, **arguments: JsonValue) -> Result:
                await it.keys("{VK_CONTROL}{VK_SHIFT}s")
                await it.until_dialog()
                return await Tools(desktop).run(it.window, "choose_file", None, path=str(path), **arguments)

            await it.type(*"one ")
            own = await save_as(file, create=True)
            assert (own.effect, own.evidence) == (
                Effect.CONFIRMED,
                f"{file.name} was written ({file.stat().st_size} bytes)",
            )
            assert "one kept" in read(file)

            await it.type(*"two ")
            await _asked_about_a_path_that_is_typed(it, other)
            refused = await save_as(other, create=True)
            assert (refused.effect, other.read_text()) == (Effect.REFUSED, "somebody's")
            replaced = await Tools(desktop).run(it.window, "choose_file", None, path=str(other), overwrite=True)
            assert (replaced.effect, "was written" in replaced.evidence) == (Effect.CONFIRMED, True), replaced
            assert "one two kept" in read(other)
            assert other.name in await it.title()

            await it.type("x")
            saved = await it.save()
            assert saved.evidence == f"{other.name} was written ({other.stat().st_size} bytes)", saved
            assert "one two xkept" in read(other)
            assert "one kept" in read(file)
