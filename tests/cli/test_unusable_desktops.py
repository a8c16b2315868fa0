"""What the verbs say of a desktop whose entry was not written by this version; none is started here."""

from pathlib import Path

import pytest

from cli.driver import Console

pytestmark = pytest.mark.requires("cli.stale-desktops")


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That of the desktop `old`."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "deskhand/desktops/old.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"name": "old", "since": 2}')
    return file


def test_a_desktop_with_an_unknown_entry_is_listed_beside_those_that_are_up(console: Console, entry: Path) -> None:
    done = console("desktop", "list", "--json")
    [told] = done.items("unusable")
    assert (done.code, done.json) == (0, {"desktops": [], "ended": [], "unusable": [told]})
    assert told["type"] == "RegistryUnusable"
    assert str(entry) in str(told["message"])
    spoken = console("desktop", "list")
    assert (spoken.code, spoken.out) == (0, "")
    assert f"deskhand: {told['message']}\n  fix: {told['fix']}\n" in spoken.err


@pytest.mark.parametrize(
    "verb",
    [
        ["desktop", "stop", "old"],
        ["desktop", "stop", "--all"],
        ["desktop", "env", "old"],
        ["observe", "--desktop", "old"],
        ["observe"],
    ],
)
def test_each_verb_that_means_it_says_what_to_do(console: Console, entry: Path, verb: list[str]) -> None:
    done = console(*verb)
    assert done.code == 2
    assert str(entry) in done.err
    assert "fix: deskhand desktop stop old with the version that started it" in done.err
    assert entry.exists()
