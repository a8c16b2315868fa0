"""What every test gets: an asyncio event loop, a home of its own, no desktop of ours, and nothing left running."""

import os
import select
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
from hypothesis import settings

from support import FULL, has_parameter, is_in_ci
from windows_programs import build_program

# How long an example takes depends on the machine, so none has a deadline; CI runs the same sample every time.
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("full", deadline=None, max_examples=2000)
pytest.register_assert_rewrite("desktop.conformance")  # its assertions are explained like those of a test

settings.load_profile(os.environ.get("DESKHAND_TRIALS", "ci"))

RUN_VARIABLE = "DESKHAND_TEST_RUN"
"""Set for every process that the tests start, so that those left over are found by it."""

_DESKTOP_VARIABLES = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_STARTER_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "SESSION_MANAGER",
)
_XDG_FOLDERS = ("CONFIG", "CACHE", "DATA", "STATE")


LONGEST: Final = (
    *(f"desktop/linux/test_{name}.py" for name in ("tools_in_toolkits", "office_tools", "spreadsheet_cells")),
    *("cli/test_demo.py", "demo/test_model_tasks.py", "demo/test_demo.py", "cli/test_readme.py"),
    *(f"desktop/linux/test_{name}.py" for name in ("office_drawings", "deceiving", "typing", "application_interface")),
    *("cli/test_named_desktop.py", "demo/test_language_model.py"),
    *(
        f"desktop/linux/test_{name}.py"
        for name in (
            *("dragging", "writer_tables", "caret_effects", "choosing", "viewport", "reobservation", "saving"),
            *("browser_parts", "office", "pressed_in_pages", "toolkits", "mutating", "settling", "lying"),
            *("confirmed_cells", "adversity", "places_swing", "pages_in_pages"),
        )
    ),
    *("cli/test_guarding.py", "tools/test_wheel.py", "desktop/test_conformance.py"),
)
"""The files on real desktops that take longest."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what full trials alone have; the longest files come first, so that at the end no process is left alone
    with one of them.
    """
    if not any("[" in argument for argument in config.args):
        _require_known_parameters(items)
    if not FULL:
        left_out = {item for item in items if not is_in_ci(item.name, item.get_closest_marker("full"))}
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]
    places = {Path(__file__).parent / file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def _require_known_parameters(items: Iterable[pytest.Item]) -> None:
    """Raises: pytest.UsageError where a marker `full` keeps a parameter that its test has not."""
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for item in items:
        for kept in marker.kwargs.get("but", ()) if (marker := item.get_closest_marker("full")) else ():
            names[item.nodeid.partition("[")[0], kept].append(item.name)
    for (test, kept), found in names.items():
        if not any(has_parameter(name, kept) for name in found):
            raise pytest.UsageError(f"{test} has no parameter {kept!r}, which its marker `full` keeps")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def own_environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty HOME and XDG folders below it; no display and no bus; without a desktop also none of the applications
    and MIME types of the machine. Returns the home.
    """
    home = tmp_path_factory.mktemp("home")
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    for name in _XDG_FOLDERS:
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    if request.node.get_closest_marker("desktop") is None:
        monkeypatch.setenv("XDG_DATA_DIRS", str(home / "share"))
    for name in (*_DESKTOP_VARIABLES, *(name for name in os.environ if name.startswith(("DESKHAND_", "OTEL_")))):
        if name not in {RUN_VARIABLE, "DESKHAND_TRIALS"}:
            monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def win32_oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of `apps/win32_oracle.c`, built once."""
    return build_program("win32_oracle", tmp_path_factory.mktemp("win32"))


@pytest.fixture(scope="session", autouse=True)
def no_process_left_over() -> Iterator[None]:
    """Fails the run where a process that the tests started outlives them, wherever it was re-parented to."""
    run = uuid4().hex
    os.environ[RUN_VARIABLE] = run
    yield
    del os.environ[RUN_VARIABLE]
    left = _still_there(run, deadline=time.monotonic() + 5.0)
    assert not left, f"processes that the tests started are still there: {left}"


def _still_there(run: str, deadline: float) -> dict[int, str]:
    """Those that are not gone at the deadline; what was told to end may take a moment."""
    for pid in _processes_of(run):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
        os.close(handle)
    return _processes_of(run)


def _processes_of(run: str) -> dict[int, str]:
    """Process id → command line of those whose environment carries this run; zombies have none."""
    marker = f"{RUN_VARIABLE}={run}".encode()
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
        except OSError:  # gone in the meantime, or another user's
            continue
    return found
