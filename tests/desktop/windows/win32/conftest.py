"""A prefix of Wine on a virtual desktop, and the server in it."""

import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from support import need
from win32_helper import PACKAGE, Helper, Prefix, helper_in, new_prefix, user_folder
from win32_programs import COMPILER


@pytest.fixture(scope="session")
def wine_folder() -> Path:
    """The user's folder with Windows' Python and the template of prefixes."""
    return user_folder()


@pytest.fixture(scope="session")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hook that reads live menus, built once."""
    need(COMPILER)
    library = tmp_path_factory.mktemp("hook") / "hook.dll"
    source = PACKAGE / "win32/hook.c"
    subprocess.run([COMPILER, "-O2", "-s", "-shared", "-o", library, source], check=True, capture_output=True)
    return library


@pytest.fixture(scope="session")
def prefix(wine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Prefix]:
    """A prefix on a desktop of its own, for all tests of Windows programs."""
    place = tmp_path_factory.mktemp("windows")
    with start_blocking_portal() as portal:
        desktop = portal.call(partial(start_virtual, "windows", root=place, size=(1280, 800)))
        try:
            prefix = new_prefix(wine_folder, place / "prefix", desktop.environment)
            yield prefix
            prefix.end()
        finally:
            portal.call(desktop.close)


@pytest.fixture(scope="session")
def python(wine_folder: Path) -> Path:
    """Windows' Python."""
    found = next(wine_folder.glob("python-*/python.exe"), wine_folder / "python.exe")
    need(found)
    return found


@pytest.fixture(scope="session")
def helper(prefix: Prefix, python: Path, hook: Path) -> Generator[Helper]:
    """A server with the hook."""
    with helper_in(prefix, python, hook) as helper:
        yield helper
