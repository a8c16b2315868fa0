"""A user's work in real applications is recorded, and the recording does the same in a fresh one."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from desktop.linux.everyday import FORMS
from record.working import PASSWORD, WORKS, recorded, replayed
from support import need

IS_FULL: Final = os.environ.get("DESKHAND_TRIALS") == "full"
TRIALS: Final = 20 if IS_FULL else 1
TRIED: Final = tuple(WORKS) if IS_FULL else ("Qt 5",)


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("record.same-state", "record.passwords")
@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("trial", range(TRIALS))
async def test_a_recording_of_a_users_work_leads_to_the_same_state(name: str, trial: int, tmp_path: Path) -> None:
    need(*([FORMS[name][1]] if name in FORMS else []))
    work = WORKS[name] if IS_FULL else replace(WORKS[name], deeds=WORKS[name].deeds[:12])
    text, state = await recorded(work, tmp_path / "recorded")
    assert PASSWORD not in text
    assert await replayed(work, text, tmp_path / "replayed") == state, f"trial {trial}\n{text}"
