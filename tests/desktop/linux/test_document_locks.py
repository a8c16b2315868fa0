"""Another user's lock is respected and named; our own is there while a document is open, and gone afterwards."""

from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.runtime.guardian import DOCUMENTS, OFFICE_PROFILE, remove
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from documents import Text, write_docx, write_odt
from spreadsheets import Sheet, write_ods

DANA: Final = "Dana Example,dana,frontdesk-pc,24.11.2026 16:10,file:///home/dana/.config/libreoffice/4;"
OFFICE: Final = Application("soffice", ("soffice",), ("soffice", "{file}"))


def content_of(file: Path) -> str:
    with ZipFile(file) as parts:
        return parts.read("content.xml").decode()


def lock_beside(file: Path) -> Path:
    return file.with_name(f".~lock.{file.name}#")


async def answered(desktop: LinuxDesktop, dialog: TargetInfo, name: str, title: str) -> TargetInfo:
    """Choose a button of the question, and return the window of the document, whose title begins so."""
    seen = await desktop.observe(dialog, picture=False)
    button = next(control for control in seen.controls if control.name == name)
    await Tools(desktop).run(dialog, "invoke", button)

    async def document() -> TargetInfo | None:
        named = [window for window in await desktop.windows() if window.name.startswith(title)]
        return named[0] if named else None

    window = await desktop.wait_until(document, deadline_s=20)
    assert window is not None
    await desktop.settle(window)
    return window


@pytest.mark.full("36 s; locks are respected and removed in tests without an office")
@pytest.mark.desktop
@pytest.mark.requires("applications.locks")
async def test_a_lock_of_another_user_is_named_and_respected_and_ours_is_removed_with_the_desktop(
    tmp_path: Path,
) -> None:
    letter, sheet, offer = tmp_path / "letter.odt", tmp_path / "parts, old.ods", tmp_path / "offer.docx"
    news = tmp_path / "news.odt"
    write_odt(letter, Text("Dear Dana,"))
    write_ods(sheet, Sheet((3, 2)))
    write_docx(offer, Text("One."))
    write_odt(news, Text("News."))
    for file in (letter, news):
        lock_beside(file).write_text(DANA)
    lock_beside(sheet).write_text(DANA.replace("Dana Example", "Kim"))
    before = {
        file: file.read_bytes() for file in (letter, news, sheet, offer, *map(lock_beside, (letter, news, sheet)))
    }
    async with linux_desktop(tmp_path / "desktop") as desktop:
        for file, holder in ((letter, "Dana Example"), (sheet, "Kim")):
            dialog = await desktop.launch(OFFICE, file)
            seen = await desktop.observe(dialog, picture=False)
            assert (dialog.type, dialog.name) == (Role.DIALOG, "Document in Use")
            assert any(holder in control.name for control in seen.controls)
            assert "Open" not in {control.name for control in seen.controls}, "it can be opened in spite of the lock"
            window = await answered(desktop, dialog, "Open Read-Only", file.name)
            typed = await Tools(desktop).run(window, "keyboard_input", None, keys="more{ENTER}")
            saved = await Tools(desktop).run(window, "keyboard_input", None, keys="{VK_CONTROL}s")
            assert Effect.CONFIRMED not in {typed.effect, saved.effect}, (typed, saved)
        copy = await answered(desktop, await desktop.launch(OFFICE, news), "Open Copy", "Untitled")
        typed = await Tools(desktop).run(copy, "keyboard_input", None, keys="{VK_CONTROL}{END} It is Friday.")
        await Tools(desktop).run(copy, "keyboard_input", None, keys="{VK_CONTROL}s")
        saved = await Tools(desktop).run(copy, "choose_file", None, path=str(tmp_path / "copy.odt"), create=True)
        assert (typed.effect, saved.effect) == (Effect.CONFIRMED, Effect.CONFIRMED), (typed, saved)
        assert "It is Friday." in content_of(tmp_path / "copy.odt")
        await desktop.launch(OFFICE, offer)
        assert "/desktop/" in lock_beside(offer).read_text(), "nobody else sees that it is open"
    lock = lock_beside(offer)
    assert not lock.exists(), "the next user would be told that it is open"
    assert {file: file.read_bytes() for file in before} == before


def test_the_locks_of_an_ended_desktop_are_removed_and_no_others(tmp_path: Path) -> None:
    directory, folder = tmp_path / "desktop-x", tmp_path / "o'dd & ö, (x)"
    settings = directory / OFFICE_PROFILE / "user/registrymodifications.xcu"
    settings.parent.mkdir(parents=True)
    folder.mkdir()
    ours = f",us,pc,1.1.2026,{(directory / OFFICE_PROFILE).as_uri()};"
    listed, noted, others, reopened = (folder / name for name in ("a%b.odt", "b.odt", "c.odt", "d.odt"))
    address = listed.as_uri().replace("&", "&amp;").replace("'", "&apos;")
    settings.write_text(f'<node oor:name="{address}" oor:op="replace"/>')
    (directory / DOCUMENTS).write_bytes(bytes(noted) + b"\0" + bytes(others) + b"\0" + b"/nowhere/x.odt\0")
    for file, text in ((listed, ours), (noted, ours), (others, DANA), (reopened, ours.replace("-x/", "-y/"))):
        lock_beside(file).write_text(text)
    remove([str(directory)])
    assert sorted(folder.iterdir()) == [lock_beside(others), lock_beside(reopened)]
    assert not directory.exists()
