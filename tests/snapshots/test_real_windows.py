"""References of real windows, whose applications are started anew for each comparison."""

import json
import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.ports import Satisfaction
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.snapshots.comparison import Comparison, accept, compare_within
from deskhand.snapshots.reference_file import read_reference
from desktop.linux.fixture import linux_desktop
from support import FULL, ROOT, wait_until_ended

TRIALS: Final = 20 if FULL else 2
CHANGES: Final = {"save": "Store", "bold": False, "blue": True}

pytestmark = [pytest.mark.desktop, pytest.mark.requires("snapshot.real")]


@asynccontextmanager
async def started(desktop: LinuxDesktop, *argv: str) -> AsyncGenerator[TargetInfo]:
    """The window of a program, which ends with the block."""
    window = await desktop.launch(Application(Path(argv[0]).name, argv))
    try:
        yield window
    finally:
        assert window.pid is not None
        os.kill(window.pid, 15)
        wait_until_ended([window.pid])


def fixture(toolkit: str, **changes: object) -> tuple[str, ...]:
    return "/usr/bin/python3", str(ROOT / f"tests/apps/snapshot_{toolkit}.py"), json.dumps(changes)


async def compared(desktop: LinuxDesktop, reference: Path, *argv: str, wait_s: float = 5.0) -> Comparison:
    async with started(desktop, *argv) as window:
        return await compare_within(desktop, window, reference, wait_s)


def set_tolerance(path: Path, tolerance_px: int) -> None:
    """Edit a reference as a user does."""
    text = re.sub("(?m)^tolerance_px: .*$", f"tolerance_px: {tolerance_px}", path.read_text())
    path.write_text(text)
    reference = read_reference(path)
    assert reference is not None
    assert reference.tolerance_px == tolerance_px


async def test_a_window_that_is_started_anew_is_like_its_reference_and_each_change_of_it_is_named(
    tmp_path: Path,
) -> None:
    programs = {"gtk3": fixture("gtk3"), "qt": fixture("qt"), "calculator": ("gnome-calculator",)}
    tolerances_px = {"calculator": 12}  # opens in one of two heights, see docs/limits.md
    async with linux_desktop(tmp_path) as desktop:
        for name, argv in programs.items():
            reference = tmp_path / f"{name}.yaml"
            async with started(desktop, *argv) as window:
                await accept(desktop, window, reference)
            if name in tolerances_px:
                set_tolerance(reference, tolerances_px[name])
            for _ in range(TRIALS):
                same = await compared(desktop, reference, *argv)
                assert same.verdict is Satisfaction.SATISFIED, f"{name}: {same.detail}"
        for toolkit in ("gtk3", "qt"):
            reference = tmp_path / f"{toolkit}.yaml"
            changed = await compared(desktop, reference, *fixture(toolkit, **CHANGES), wait_s=0.0)
            assert changed.verdict is Satisfaction.UNSATISFIED
            *words, picture = changed.detail.splitlines()
            assert words == ['checkbox "Bold" is gone', 'button "Save" is now named "Store"'], toolkit
            assert re.search(r"differs in .+ % of its pixels, around [0-9]+,[0-9]+ 120×80$", picture), picture
            moved = await compared(desktop, reference, *fixture(toolkit, left=34), wait_s=0.0)
            assert moved.detail == 'button "Save" moved 14 px to the right'
