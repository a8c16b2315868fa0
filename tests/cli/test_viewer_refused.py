"""Errors of `desktop vnc` that need no desktop; none is started here."""

from pathlib import Path

import pytest

from cli.driver import Console

pytestmark = pytest.mark.requires("viewer.told")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nothing", "--port", "80"], "80 is no port for this"),
        (["nothing", "--web"], "fix: sudo apt-get install -y --no-install-recommends x11vnc websockify"),
        (["nothing"], "fix: sudo apt-get install -y --no-install-recommends x11vnc\n"),
    ],
)
def test_what_cannot_be_served_is_an_error_with_what_to_do(
    console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: list[str], said: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    done = console("desktop", "vnc", *options)
    assert (done.code, said in done.err, done.out) == (2, True, ""), done.err


def test_a_desktop_that_is_not_up_is_named_with_the_command_that_starts_it(
    console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "x11vnc").touch(mode=0o700)
    done = console("desktop", "vnc", "nothing")
    assert (done.code, "fix: deskhand desktop start nothing" in done.err, done.out) == (2, True, ""), done.err
