"""What the registry of named desktops says where its files are not as it wrote them; no desktop is started here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.core.errors import RegistryUnusable
from deskhand.desktop.linux.named import open_named, stop_named


def _no_folder(registry: Path) -> Path:
    registry.touch()
    return registry


def _no_locks(registry: Path) -> Path:
    registry.mkdir()
    (registry / ".locks").touch()
    return registry / ".locks/one"


def _no_lock(registry: Path) -> Path:
    lock = registry / ".locks/one"
    lock.mkdir(parents=True)
    return lock


def _no_entry(registry: Path) -> Path:
    entry = registry / "one.json"
    entry.mkdir(parents=True)
    return entry


@pytest.mark.requires("cli.stale-desktops")
@pytest.mark.parametrize("happens", [_no_folder, _no_locks, _no_lock, _no_entry])
async def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    tmp_path: Path, happens: Callable[[Path], Path]
) -> None:
    registry = tmp_path / "desktops"
    file = happens(registry)
    with pytest.raises(RegistryUnusable, match=f" {file}, where it is kept which desktops are up: ") as told:
        await stop_named("one", registry=registry)
    assert "free some space there" in told.value.fix
    assert told.value.exit_code == 2


async def test_an_entry_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    _no_entry(tmp_path / "desktops")
    with pytest.raises(RegistryUnusable, match="could not read"):
        await open_named("one", registry=tmp_path / "desktops")
