"""Number of tasks of a batch that run at a time, and the things that they may not share."""

import os
from pathlib import Path
from typing import Final

from deskhand.cli.human_model import NAME as HUMAN
from deskhand.cli.run_options import Preparation
from deskhand.core.errors import UsageError
from deskhand.desktop.backends import VIRTUAL
from deskhand.session.batch import Batch

_DESKTOP_BYTES: Final = 700_000_000
"""A desktop with two windows of LibreOffice, and the process of its session."""
_PER_CORE: Final = 1.5
"""Tasks for each core: a session waits for its applications half of the time."""


def worker_count(wanted: int | None, preparation: Preparation, tasks: int) -> int:
    """The number of tasks at a time: as `wanted`, else as many as cores and memory allow; at most one for each task.

    Raises: UsageError if several are wanted and would share a desktop, a file or the user.
    """
    if wanted is not None and wanted > 1:
        check_shared(preparation, f"--workers {wanted}")
    count = wanted if wanted is not None else 1 if _shared(preparation) else allowed_workers()
    return max(1, min(count, tasks))


def check_shared(preparation: Preparation, option: str) -> None:
    """Raises: UsageError if tasks that run beside each other would share a desktop, a file or the user."""
    if shared := _shared(preparation):
        name = option.split(maxsplit=1)[0]
        fix = "leave --workers out, or give --workers 1" if name == "--workers" else f"leave {name} out"
        raise UsageError(f"{option}: {shared}", fix=fix)


def allowed_workers() -> int:
    """As many tasks as the cores and the free memory of this machine carry; at least 1."""
    by_cores = int(len(os.sched_getaffinity(0)) * _PER_CORE)
    return max(1, min(by_cores, _free_bytes() // _DESKTOP_BYTES))


def check_outputs(preparation: Preparation, batch: Batch) -> None:
    """Raises: UsageError if all tasks would write the same new file."""
    if len(batch.left) < 2:
        return
    first, second = (preparation.paths(batch.folder / task.id) for task in batch.left[:2])
    if same := [path for path in first if path in second and not path.exists()]:
        raise UsageError(
            f"{len(batch.left)} tasks would write {same[0]}",
            fix="give a relative path, which is in the folder of each task",
        )


def _shared(preparation: Preparation) -> str:
    """Things that several tasks would share, as a sentence; empty: nothing."""
    if preparation.desktop != VIRTUAL:
        return f"the tasks would share the desktop {preparation.desktop}"
    if preparation.in_place and preparation.files:
        return f"the tasks would share the file {preparation.files[0]}"
    names = preparation.configuration.models
    if HUMAN in {names.model, names.host, names.app}:
        return "one user cannot take the place of several models"
    return ""


def _free_bytes() -> int:
    """The memory that programs can get without swapping."""
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return _DESKTOP_BYTES
