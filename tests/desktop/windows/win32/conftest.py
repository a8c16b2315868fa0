"""A prefix of Wine on a virtual desktop, and the server in it."""

import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from support import need
from win32_helper import PACKAGE, Helper, helper_in
from windows_programs import COMPILER, Prefix, new_prefix


@pytest.fixture(scope="session")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hook that reads live menus, built once."""
    need(COMPILER)
    library = tmp_path_factory.mktemp("hook") / "hook.dll"
    source = PACKAGE / "win32/hook.c"
    subprocess.run([COMPILER, "-O2", "-s", "-shared", "-o", library, source], check=True, capture_output=True)
    return library


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Generator[Prefix]:
    """A prefix on a desktop of its own, for all tests of Windows programs."""
    place = tmp_path_factory.mktemp("windows")
    with start_blocking_portal() as portal:
        desktop = portal.call(partial(start_virtual, "windows", root=place, size=(1280, 800)))
        try:
            prefix = new_prefix(place / "prefix", desktop.environment)
            yield prefix
            prefix.end()
        finally:
            portal.call(desktop.close)


@pytest.fixture(scope="session")
def helper(prefix: Prefix, hook: Path) -> Generator[Helper]:
    """A server with the hook."""
    with helper_in(prefix, hook) as helper:
        yield helper
