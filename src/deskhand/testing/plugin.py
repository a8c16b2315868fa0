"""Plug-in of pytest: private desktops, programs on them, and a record of each failed test.

It is imported by every run of pytest beside which Deskhand is installed, so everything else is imported when a test
first asks for a desktop.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

import pytest

from deskhand.testing import options
from deskhand.testing.app_marker import APP, require_arguments
from deskhand.testing.repeats import FIXTURE, PROPERTY, add_repeats, repeated_name, write_repeats
from deskhand.testing.tracebacks import shorten

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from deskhand.sync import Desktop, Window
    from deskhand.testing.playbook_tests import PlaybookFile
    from deskhand.testing.recorded_test import RecordedTest
    from deskhand.testing.worker_desktop import WorkerDesktop

_DESKTOPS: Final = frozenset({"desktop", "fresh_desktop"})
"""Fixtures that every test on a desktop depends on."""
_PLAYBOOK: Final = re.compile(rb"^playbook:", re.MULTILINE)
_RECORD: Final[pytest.StashKey[RecordedTest]] = pytest.StashKey()


class Launch(Protocol):
    """The fixture `launch`: starts a program on the test's desktop and returns its window."""

    def __call__(
        self,
        application: str = "",
        file: Path | str | None = None,
        *,
        argv: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Window: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "app(application, file, *, argv, environment): the program of the fixture `app`, as of `launch`",
    )
    if options.filmed(config):
        from deskhand.testing.video import require_encoder

        require_encoder()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    require_arguments(metafunc.definition, signature(Launch.__call__))
    if not _DESKTOPS.isdisjoint(metafunc.fixturenames):
        add_repeats(metafunc, options.repetitions(metafunc.config))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PlaybookFile | None:
    if not (file_path.suffix == ".yaml" and file_path.name.startswith("test_")):
        return None
    if not _PLAYBOOK.search(file_path.read_bytes()):
        return None
    from deskhand.testing.playbook_tests import PlaybookFile

    return PlaybookFile.of(file_path, parent)


@pytest.fixture(scope="session")
def _deskhand_worker(pytestconfig: pytest.Config) -> Iterator[WorkerDesktop]:
    from deskhand.testing.worker_desktop import WorkerDesktop

    worker = WorkerDesktop(
        options.size(pytestconfig),
        options.timeout_s(pytestconfig),
        update_references=options.updates_references(pytestconfig),
    )
    yield worker
    worker.close()


@pytest.fixture(name=FIXTURE)
def _deskhand_repetition(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def desktop(_deskhand_worker: WorkerDesktop, request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A private desktop without any program: one for each process of pytest, cleaned before each test."""
    yield from _recorded(_deskhand_worker.clean(), request)


@pytest.fixture
def fresh_desktop(_deskhand_worker: WorkerDesktop, request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A private desktop of this test alone."""
    with _deskhand_worker.fresh() as opened:
        yield from _recorded(opened, request)


@pytest.fixture
def launch(desktop: Desktop) -> Launch:
    """Start programs on `desktop`: `launch("gedit")`, `launch(argv=["./build/app", "--debug"])`."""
    return desktop.launch


@pytest.fixture
def app(launch: Launch, request: pytest.FixtureRequest) -> Window:
    """The window of the program that the test's marker `app` names, or the setting `deskhand_app`."""
    marker = request.node.get_closest_marker(APP)
    if marker is not None:
        return launch(*marker.args, **marker.kwargs)
    configured = options.application(request.config)
    if not configured:
        pytest.fail("the fixture `app` has no program: write @pytest.mark.app(…), or set deskhand_app", pytrace=False)
    return launch(configured)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.excinfo is not None and not item.config.getoption("fulltrace"):
        shorten(call.excinfo.value)
        call.excinfo = pytest.ExceptionInfo[BaseException].from_exception(call.excinfo.value)
    report = yield
    record = item.stash.get(_RECORD, None)
    if record is not None and report.failed and call.excinfo is not None and call.when != "teardown":
        record.finish(call.excinfo.value)
        report.sections.append(("Deskhand", record.describe()))
        item.user_properties.append(("deskhand_folder", str(record.folder)))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines: list[str] = []
    write_repeats(chain.from_iterable(terminalreporter.stats.values()), lines.append)
    if lines:
        terminalreporter.section("Deskhand: repeated tests")
        terminalreporter.write_line("\n".join(lines))


def _recorded(desktop: Desktop, request: pytest.FixtureRequest) -> Iterator[Desktop]:
    from deskhand.testing.recorded_test import RecordedTest

    test: pytest.Item = request.node
    film = options.filmed(test.config)
    folder = options.record_folder(test.config, test.name)
    record = RecordedTest(desktop, folder, test.nodeid, film=bool(film), keep_all=film == "all")
    test.stash[_RECORD] = record
    if name := repeated_name(test.nodeid):
        test.user_properties.append((PROPERTY, name))
    with ExitStack() as stack:
        stack.callback(record.close)
        yield desktop
        record.finish()
        test.user_properties.extend(record.counts().items())
