"""Saving in one step is judged by the file: whole, in its format, closed; never by the application's own answer."""

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from commands.bench import Bench
from deskhand.core.command import Effect, Result, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.application_interface import Document, DocumentKind
from deskhand.desktop.protocols.input import Chord

pytestmark = pytest.mark.requires("tool.save-document")

ODT = "application/vnd.oasis.opendocument.text"


def write_zip(path: Path, media: str = ODT) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", media)


def write_nothing(_: Path) -> None:
    return


def write_half(path: Path) -> None:
    path.write_text("half")


def write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


class Office:
    """An office suite whose interface saves as `saves` does, whatever it answers."""

    route = Route.APPLICATION_API

    def __init__(self, file: Path | None, *, read_only: bool = False) -> None:
        self.document = Document(DocumentKind.TEXT, file, read_only=read_only)
        self.desktop = FakeDesktop()
        self.saves: Callable[[Path], None] = write_zip
        title = f"{file.name if file else 'Untitled 1'} - LibreOffice Writer"
        self.window = self.desktop.open(FakeWindow(title, [FakeControl(Role.DOCUMENT, "Text")], "libreoffice-writer"))
        self.bench = Bench(self.desktop, self.window)
        self.asked: list[str] = []
        self.alone = ""
        self.exports: bytes | None = None

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        return await self.change(request, deadline_s=deadline_s, **arguments)

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        self.asked.append(request)
        if request == "save":
            path = Path(str(arguments["path"])) if arguments["path"] else self.document.path
            assert path is not None
            self.saves(path)
            self.desktop.touch()
        elif request == "export_pdf" and self.exports is not None:
            write_bytes(Path(str(arguments["path"])), self.exports)
        return {"path": "", "alone": self.alone}

    async def export(self, path: Path, *, overwrite: bool = False) -> Result:
        self.desktop.interfaces[(await self.bench.root()).handle] = self
        return await self.bench.run("export_pdf", path=str(path), overwrite=overwrite)

    async def save(self, path: Path | str = "", *, overwrite: bool = False) -> Result:
        root = await self.bench.root()
        self.desktop.interfaces[root.handle] = self
        if self.document.path is not None:
            self.desktop.note_file(root, self.document.path)
        return await self.bench.run("save_document", path=str(path), overwrite=overwrite)


async def test_a_document_is_saved_by_the_application_itself_and_confirmed_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "letter.odt"
    result = await Office(file).save()
    assert (result.effect, result.route) == (Effect.CONFIRMED, Route.APPLICATION_API)
    assert result.evidence == f"letter.odt was written ({file.stat().st_size} bytes)"
    office = Office(file)
    office.alone = "June"
    assert "of its sheets the file has 'June' alone" in (await office.save()).evidence


@pytest.mark.parametrize(
    ("saves", "effect", "told"),
    [
        (write_nothing, Effect.PARTIAL, "was not written"),
        (Path.touch, Effect.UNVERIFIABLE, "empty"),
        (write_half, Effect.PARTIAL, "no file of the kind .odt"),
        (partial(write_zip, media="application/zip"), Effect.PARTIAL, "has the format application/zip"),
    ],
)
async def test_an_application_that_only_says_it_saved_confirms_nothing(
    tmp_path: Path, saves: Callable[[Path], None], effect: Effect, told: str
) -> None:
    office = Office(tmp_path / "letter.odt")
    office.saves = saves
    result = await office.save()
    assert result.effect is effect
    assert told in result.evidence


async def test_a_file_that_is_still_open_for_writing_is_not_confirmed(tmp_path: Path) -> None:
    file = tmp_path / "letter.odt"
    office = Office(file)
    office.desktop.files_being_written.add(file)
    assert (await office.save()).effect is Effect.UNVERIFIABLE


async def test_an_error_of_the_application_says_what_became_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "letter.odt"
    file.write_text("old")

    def fail(path: Path) -> None:
        raise ActionRefused(f"LibreOffice reports an error: no space for {path.name}")

    office = Office(file)
    office.saves = fail
    result = await office.save()
    assert result.effect is Effect.PARTIAL
    assert result.evidence.endswith("no space for letter.odt; letter.odt is as it was")


async def test_an_existing_file_is_refused_before_anything_happens_unless_it_may_be_replaced(tmp_path: Path) -> None:
    other = tmp_path / "other.odt"
    other.write_text("old")
    office = Office(tmp_path / "letter.odt")
    refused = await office.save(other)
    assert (refused.effect, refused.delivered, office.asked) == (Effect.REFUSED, False, [])
    assert other.read_text() == "old"


async def test_a_window_that_is_not_named_after_the_new_file_leaves_it_unverified(tmp_path: Path) -> None:
    office = Office(tmp_path / "letter.odt")
    assert (await office.save(tmp_path / "new.odt")).effect is Effect.UNVERIFIABLE

    def rename(path: Path) -> None:
        write_zip(path)
        office.window.title = f"{path.name} - LibreOffice Writer"

    office.saves = rename
    assert (await office.save(tmp_path / "newer.odt")).effect is Effect.CONFIRMED


async def test_without_a_file_or_for_reading_only_a_path_is_asked_for(tmp_path: Path) -> None:
    assert (await Office(None).save()).error is not None
    read_only = Office(tmp_path / "letter.odt", read_only=True)
    refused = await read_only.save()
    assert refused.effect is Effect.REFUSED
    assert refused.error is not None
    assert refused.error.fix == "give another path"
    assert "save" not in read_only.asked


async def test_a_dialog_over_the_window_is_answered_first(tmp_path: Path) -> None:
    office = Office(tmp_path / "letter.odt")
    label = FakeControl(Role.LABEL, "Really?")
    office.desktop.open(FakeWindow("Question", [label], "libreoffice-writer", dialog=True, owner=office.window))
    refused = await office.save()
    assert (refused.effect, office.asked) == (Effect.REFUSED, [])
    assert "Really?" in refused.evidence


async def test_an_editor_without_an_interface_saves_by_its_keys(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    desktop = FakeDesktop()

    def key(chord: Chord) -> bool:
        if chord == Chord("s", ("ctrl",)):
            file.write_text("new")
            window.title = "notes.txt - Editor"
        return True

    text = FakeControl(Role.TEXTBOX, "Text", on_key=key)
    window = desktop.open(FakeWindow("*notes.txt - Editor", [text], "editor", focused=text))
    bench = Bench(desktop, window)
    desktop.note_file(await bench.root(), file)
    result = await bench.run("save_document")
    assert (result.effect, result.route) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT)
    assert result.result == {"path": str(file)}
