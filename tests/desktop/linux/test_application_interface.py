"""LibreOffice's own interface: documents are saved through it, and nothing hangs or stays behind."""

import os
import signal
import sys
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from deskhand.core.command import Effect, Result, Route
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, DesktopError, InterfaceAbsent
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.libreoffice import uno_client
from deskhand.desktop.linux.toolkits.libreoffice.uno_helper.pipe import office_socket
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.changing import APPS, SYSTEM_PYTHON
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import UNO, linux_desktop
from desktop.linux.office import opened
from desktop.linux.test_office import CALC, WRITER
from documents import Text, read_odt, write_odt
from spreadsheets import Place, Sheet, read_ods, write_ods
from store.small_disk import small_disk
from support import need, wait_until_ended

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.application-interface")]

PATIENCE_S = 20.0
TO_READ = Application("writer", ("soffice", "--writer"), ("soffice", "--view", "{file}"))


@pytest.fixture(autouse=True)
def _needs_uno() -> None:
    need(UNO)


async def save(desktop: LinuxDesktop, window: TargetInfo, **arguments: str | bool) -> Result:
    return await Tools(desktop).run(window, "save_document", None, **arguments)


async def type_in(desktop: LinuxDesktop, window: TargetInfo, text: str) -> None:
    await desktop.activate(window)
    await desktop.press([Chord(letter) for letter in text])
    await desktop.settle(window)


def texts(file: Path) -> list[str]:
    return [paragraph.text for paragraph in read_odt(file)]


def pipes(pid: int) -> list[Path]:
    """Our pipes of a LibreOffice."""
    return list(Path("/tmp").glob(f"OSL_PIPE_{os.getuid()}_deskhand-{pid}-*"))


def left_behind(pid: int) -> list[str]:
    """Our processes for a LibreOffice."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            words = (folder / "cmdline").read_bytes().split(b"\0")
            found += [folder.name] if {b"uno_helper", str(pid).encode()} <= set(words) else []
    return found


async def nothing_left(desktop: LinuxDesktop, pid: int) -> bool:
    async def none() -> bool | None:
        return True if not left_behind(pid) else None

    with anyio.fail_after(PATIENCE_S):
        while not await desktop.wait_until(none, deadline_s=0.2):
            continue
    return True


async def test_a_document_is_saved_in_its_own_format_and_under_other_names(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("Dear all"))
    async with opened(office, WRITER, file) as window:
        await type_in(office, window, "new ")
        saved = await save(office, window)
        assert (saved.effect, saved.route) == (Effect.CONFIRMED, Route.APPLICATION_API), saved
        assert texts(file) == ["new Dear all"]
        other = tmp_path / "memo.docx"
        saved = await save(office, window, path=str(other))
        assert (saved.effect, saved.result) == (Effect.CONFIRMED, {"path": str(other)}), saved
        await type_in(office, window, "more ")
        before = other.read_bytes()
        again = await save(office, window)
        assert again.effect is Effect.CONFIRMED, again
        assert other.read_bytes() != before
        assert all(w.type is not Role.DIALOG for w in await office.windows()), "no question about its format is left"
        refused = await save(office, window, path=str(file))
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
        assert texts(file) == ["new Dear all"]
        assert (await save(office, window, path=str(file), overwrite=True)).effect is Effect.CONFIRMED
        assert texts(file) == ["new more Dear all"]
        assert (await save(office, window, path=str(tmp_path / "a.png"))).effect is Effect.REFUSED
        assert await nothing_left(office, window.pid or 0)
        (pipe,) = pipes(window.pid or 0)
        assert pipe.stat().st_mode & 0o777 == 0o600, "one for all calls, and for this user alone"


async def test_without_the_interface_the_windows_are_used_and_the_reason_is_said(
    office: LinuxDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("Dear all"))
    without_uno = (sys.executable, *uno_client.HELPER[1:])
    monkeypatch.setattr(uno_client, "HELPER", without_uno)
    async with opened(office, WRITER, file) as window:
        await type_in(office, window, "new ")
        saved = await save(office, window)
        assert (saved.effect, saved.route) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), saved
        assert saved.evidence.count("Python's module uno is not installed") == 1
        assert texts(file) == ["new Dear all"]
        other = tmp_path / "other.odt"
        assert (await save(office, window, path=str(other))).effect is Effect.CONFIRMED
        assert texts(other) == ["new Dear all"]


@pytest.mark.full("test_saving and test_save_document have such failures")
async def test_a_modal_dialog_a_read_only_file_and_a_full_disk_save_nothing(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("Dear all"))
    async with opened(office, WRITER, file) as window:
        tools = Tools(office)
        await office.do_action(await tools.find(window, "File", Role.MENU))
        await office.do_action(await tools.find(window, "Properties...", Role.MENUITEM))

        async def dialog() -> TargetInfo | None:
            return next((w for w in await office.windows() if w.type is Role.DIALOG), None)

        shown = await office.wait_until(dialog, deadline_s=PATIENCE_S)
        assert shown is not None
        refused = await save(office, window)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        await office.settle(shown)
        assert await office.ask_to_close(shown, deadline_s=PATIENCE_S)
        with small_disk(tmp_path / "disk", 4) as disk:
            failed = await save(office, window, path=str(disk / "letter.odt"))
            assert failed.effect is Effect.PARTIAL, failed
        assert texts(file) == ["Dear all"]
    async with opened(office, TO_READ, file) as window:
        refused = await save(office, window)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        copied = await save(office, window, path=str(tmp_path / "copy.odt"))
        assert copied.effect is Effect.CONFIRMED, copied
        assert texts(tmp_path / "copy.odt") == texts(file) == ["Dear all"]


def open_pipe_of(pid: int) -> str:
    """The pipe that a LibreOffice accepts connections on since the first use of its interface."""
    start = f"OSL_PIPE_{os.getuid()}_"
    (pipe,) = Path("/tmp").glob(f"{start}deskhand-{pid}-*")
    return pipe.name.removeprefix(start)


@pytest.mark.full("such documents are rare")
async def test_a_document_with_a_password_is_saved_with_it_or_not_at_all(tmp_path: Path) -> None:
    file = write_odt(tmp_path / "secret.odt", Text("Dear all"))
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = await desktop.launch(WRITER, file)
        assert (await save(desktop, window)).effect is Effect.CONFIRMED
        accept = f"pipe,name={open_pipe_of(window.pid or 0)};urp;"
        with anyio.fail_after(PATIENCE_S):
            await anyio.run_process([SYSTEM_PYTHON, str(APPS / "give_password.py"), accept])
        for path in (tmp_path / "open.odt", tmp_path / "open.txt"):
            refused = await save(desktop, window, path=str(path))
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
            assert not path.exists()
        await type_in(desktop, window, "new ")
        for arguments in ({}, {"path": str(file), "overwrite": True}):
            assert (await save(desktop, window, **arguments)).effect is Effect.CONFIRMED
            with zipfile.ZipFile(file) as archive:
                assert b"manifest:encryption-data" in archive.read("META-INF/manifest.xml")


@pytest.mark.full("second windows of a document are rare")
async def test_two_windows_of_one_document_save_the_same_file(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("Dear all"))
    async with opened(office, WRITER, file) as window:
        tools = Tools(office)
        known = {each.handle for each in await office.windows()}
        await office.do_action(await tools.find(window, "Window", Role.MENU))
        await office.do_action(await tools.find(window, "New Window", Role.MENUITEM))

        async def second() -> TargetInfo | None:
            return next((w for w in await office.windows() if w.handle not in known), None)

        other = await office.wait_until(second, deadline_s=PATIENCE_S)
        assert other is not None
        await office.settle(other)
        async with office.application_interface(other) as interface:
            assert (interface.document.path, interface.document.windows) == (file, 2)
        await type_in(office, other, "new ")
        assert (await save(office, other)).effect is Effect.CONFIRMED
        assert texts(file) == ["new Dear all"]


async def test_a_document_that_is_closed_meanwhile_is_gone(office: LinuxDesktop, tmp_path: Path) -> None:
    window = await office.launch(WRITER, write_odt(tmp_path / "letter.odt", Text("Dear all")))
    async with office.application_interface(window) as interface:
        assert await office.ask_to_close(window, deadline_s=PATIENCE_S)
        with pytest.raises(ApplicationGone):
            await interface.change("save", path="")
    assert await nothing_left(office, window.pid or 0)


async def test_a_window_without_a_document_or_of_another_program_has_no_interface(office: LinuxDesktop) -> None:
    (window, *_) = await office.windows()
    for wrong in (0x1, int(window.handle.removeprefix("x11:"), 16) + 1):
        with pytest.raises(InterfaceAbsent):
            await _open(office, TargetInfo(window.kind, "?", window.type, handle=f"x11:{wrong:#x}", pid=window.pid))
    with pytest.raises(InterfaceAbsent):
        await _open(office, TargetInfo(window.kind, "?", window.type, handle=window.handle, pid=os.getpid()))
    assert await nothing_left(office, window.pid or 0)


async def _open(desktop: LinuxDesktop, window: TargetInfo) -> None:
    async with desktop.application_interface(window):
        raise AssertionError("it was opened")


@dataclass(frozen=True)
class Words(Sheet):
    filled: Place = (1, 2)

    def text(self, row: int, column: int) -> str:
        return ("Ä Ω 日本", 'a,"b"')[column]


@pytest.mark.full("other names and formats are tried with a text")
async def test_a_sheet_is_saved_as_text_with_all_its_characters_and_its_own_separators(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    book, text, other = write_ods(tmp_path / "words.ods", Words()), tmp_path / "words.csv", tmp_path / "other.csv"
    async with opened(office, CALC, book) as window:
        assert (await save(office, window, path=str(text))).effect is Effect.CONFIRMED
        assert text.read_bytes() == b'\xc3\x84 \xce\xa9 \xe6\x97\xa5\xe6\x9c\xac,"a,""b"""\n'
        assert (await save(office, window, path=str(other))).effect is Effect.CONFIRMED
        assert other.read_bytes() == text.read_bytes()


@dataclass(frozen=True)
class Numbers(Sheet):
    """A column of numbers from 1."""

    filled: Place = (1500, 1)

    def text(self, row: int, column: int) -> str:
        return str(row + 1)


@pytest.mark.full("changes that are given up are rare")
async def test_a_change_that_nobody_waits_for_is_undone_and_the_office_goes_on(tmp_path: Path) -> None:
    file = write_ods(tmp_path / "numbers.ods", Numbers())
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = await desktop.launch(CALC, file)
        odd: list[JsonValue] = list(range(0, 1500, 2))
        for deadline_s in (0.001, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3):
            async with desktop.application_interface(window) as interface:
                with pytest.raises(ApplicationUnresponsive):
                    await interface.change("keep_rows", area="A1:A1500", rows=odd, deadline_s=deadline_s)
        assert (await save(desktop, window)).effect is Effect.CONFIRMED
        assert [cell.value for cell in read_ods(file).values()] == [str(number) for number in range(1, 1501)]
        assert await nothing_left(desktop, window.pid or 0)


@pytest.mark.full("stopped and killed programs are tried on fixtures")
async def test_a_stopped_office_is_unresponsive_and_one_that_is_killed_in_a_request_is_gone(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = await desktop.launch(CALC)
        pid = window.pid or 0
        async with desktop.application_interface(window) as interface:
            os.kill(pid, signal.SIGSTOP)
            try:
                with pytest.raises(ApplicationUnresponsive):
                    await interface.read("copy", path=str(tmp_path / "copy.ods"), deadline_s=0.5)
            finally:
                os.kill(pid, signal.SIGCONT)
        assert await nothing_left(desktop, pid)
        async with desktop.application_interface(window) as interface:
            os.kill(pid, signal.SIGSTOP)
            with pytest.raises(ApplicationGone):
                await _killed_meanwhile(interface, pid, tmp_path / "copy.ods")
        assert left_behind(pid) == []
        assert office_socket(pid) == ""
        with pytest.raises((InterfaceAbsent, ApplicationGone)):
            await _open(desktop, window)
        assert left_behind(pid) == []
        assert pipes(pid)
        window = await desktop.launch(CALC)
        async with desktop.application_interface(window):
            assert not pipes(pid), "of one that was killed"
        assert await desktop.ask_to_close(window, deadline_s=PATIENCE_S)
        await to_thread.run_sync(wait_until_ended, [window.pid or 0])
        assert not pipes(window.pid or 0)


@pytest.mark.full("a trial of many calls")
async def test_many_calls_on_one_document_leave_the_program_able_to_open_the_next(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """Each call releases cells; an interface that is withdrawn at that moment makes LibreOffice wait for itself."""
    for number in range(4):
        file = write_ods(tmp_path / f"{number}.ods", Sheet())
        async with opened(office, CALC, file) as window:
            for _ in range(3):
                async with office.application_interface(window) as interface:
                    await interface.read("range_facts", area="A1:B2")


async def _killed_meanwhile(interface: ApplicationInterface, pid: int, copy: Path) -> None:
    errors: list[DesktopError] = []

    async def ask() -> None:
        try:
            await interface.read("copy", path=str(copy))
        except DesktopError as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()  # it was sent, and the office is stopped
        os.kill(pid, signal.SIGKILL)
    raise errors[0]
