"""Fixtures of the tests of the resident server."""

from collections.abc import Iterator

import pytest

from cli.driver import environment, processes_with
from desktop.linux.fixture import PROGRAM
from resident.served import Up
from support import wait_until_ended

SYSTEM_PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("resident")
    env = environment(XDG_STATE_HOME=str(folder / "state"), HOME=str(folder))
    made = Up(env, folder)
    assert made("desktop", "start", "office").code == 0
    launched = made("launch", "--", SYSTEM_PYTHON, PROGRAM, folder / "state.json")
    assert launched.code == 0, launched.err
    yield made
    made("desktop", "stop", "--all")
    wait_until_ended(processes_with(str(folder / "state")))
