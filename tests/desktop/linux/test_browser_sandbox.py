"""The arguments that a browser of a private desktop is started with: a stand-in for it prints them."""

import subprocess
from pathlib import Path

import pytest

from deskhand.desktop.linux.runtime.home import Folders, prepare

UNWANTED = {"--no-sandbox", "--test-type"}


def stand_in(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.mark.requires("desktop.browser-sandbox")
@pytest.mark.parametrize(
    ("user", "namespaces", "has_sandbox"),
    [("1000", "true", True), ("1000", "false", False), ("0", "true", False)],
    ids=["a user", "a user without namespaces", "root"],
)
def test_a_browser_keeps_its_sandbox_where_it_can_have_one(
    tmp_path: Path, user: str, namespaces: str, has_sandbox: bool
) -> None:
    programs, folders = tmp_path / "bin", Folders(tmp_path / "desktop", tmp_path / "runtime")
    programs.mkdir()
    folders.runtime.mkdir()
    stand_in(programs, "chromium", 'printf "%s\\n" "$@"')
    stand_in(programs, "id", f"echo {user}")
    stand_in(programs, "unshare", namespaces)
    path = f"{programs}:/usr/bin:/bin"
    prepare(folders, {"PATH": path})
    command = [folders.wrappers / "chromium", "--app=about:blank"]
    arguments = subprocess.run(command, env={"PATH": path}, check=True, capture_output=True, text=True).stdout.split()
    assert not UNWANTED.intersection(arguments) if has_sandbox else {*arguments} > UNWANTED
    assert "--force-renderer-accessibility" in arguments
    assert "--app=about:blank" in arguments
