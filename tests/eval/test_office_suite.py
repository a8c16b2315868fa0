"""The checks of the suite office-20 pass a right outcome and none that is wrong, half done, damaged or untouched."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
import yaml

from deskhand.models.playbook_file import load_playbook
from eval import office_sheets, office_texts
from eval.office_edits import Edit, Outcomes
from tools.make_office_suite import DOCUMENTS, SUITE, write

OUTCOMES: Final[dict[str, Outcomes]] = {
    "total-of-a-column": office_sheets.TOTAL,
    "freeze-the-first-row": office_sheets.FREEZE,
    "sort-by-two-keys": office_sheets.SORT,
    "remove-duplicates": office_sheets.DUPLICATES,
    "number-formats": office_sheets.FORMATS,
    "conditional-format": office_sheets.CONDITION,
    "chart-of-a-table": office_sheets.CHART,
    "summary-on-a-second-sheet": office_sheets.SUMMARY,
    "filter-rows": office_sheets.FILTER,
    "merge-two-lists": office_sheets.MERGE,
    "replace-in-a-letter": office_texts.RENAMED,
    "heading-styles": office_texts.STYLES,
    "insert-a-table": office_texts.TABLE,
    "export-to-pdf": office_texts.PDF,
    "change-the-date": office_texts.DATE,
    "add-a-slide": office_texts.ADDED,
    "rename-slides": office_texts.NAMES,
    "hide-a-slide": office_texts.HIDDEN,
    "table-into-a-sheet": office_texts.TAKEN,
    "totals-into-a-letter": office_texts.FILLED,
}
TASKS: Final = sorted(OUTCOMES)
WRONG: Final = [
    pytest.param(task, edits, id=f"{task}: {name}")
    for task, outcomes in OUTCOMES.items()
    for name, edits in [
        *((name, [*outcomes.right, *more]) for name, more in outcomes.wrong.items()),
        *outcomes.undone.items(),
    ]
]


def files_of(task: str) -> list[str]:
    return [Path(name).name for name in DOCUMENTS if Path(name).parent.name == task]


def work_of(task: str, folder: Path, edits: Sequence[Edit] = ()) -> Path:
    """A folder with the task's files, after these edits."""
    folder.mkdir()
    for file in files_of(task):
        shutil.copy(SUITE / task / file, folder)
    for edit in edits:
        edit(folder)
    return folder


def fault(task: str, work: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The reason of a check; empty if it passes. Any other exception is a fault of the check."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location(f"check_{task}", SUITE / task / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check: Callable[[Path, Path], None] = module.check
    wrong: type[Exception] = sys.modules["reading"].Wrong
    try:
        check(work, SUITE / task)
    except wrong as reason:
        return str(reason)
    return ""


@pytest.mark.requires("eval.office-20")
@pytest.mark.parametrize("task", TASKS)
def test_a_right_outcome_passes(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = work_of(task, tmp_path / "work", OUTCOMES[task].right)
    assert fault(task, work, monkeypatch) == ""


@pytest.mark.requires("eval.office-20")
@pytest.mark.parametrize(("task", "edits"), WRONG)
def test_a_wrong_outcome_fails(
    task: str, edits: Sequence[Edit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fault(task, work_of(task, tmp_path / "work", edits), monkeypatch)


@pytest.mark.requires("eval.office-20")
@pytest.mark.parametrize("task", TASKS)
def test_a_missing_an_empty_and_a_damaged_file_fail(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in files_of(task):
        work = work_of(task, tmp_path / f"without-{file}", OUTCOMES[task].right)
        whole = (work / file).read_bytes()
        for content in (None, b"", whole[: len(whole) // 2]):
            (work / file).unlink()
            if content is not None:
                (work / file).write_bytes(content)
            assert fault(task, work, monkeypatch), (file, content)
            (work / file).write_bytes(whole)
        assert fault(task, work, monkeypatch) == ""


@pytest.mark.requires("eval.office-20")
@pytest.mark.parametrize("task", TASKS)
def test_as_a_command_the_check_says_passed_by_0_and_failed_by_1_with_one_line(task: str, tmp_path: Path) -> None:
    done = work_of(task, tmp_path / "done", OUTCOMES[task].right)
    untouched = work_of(task, tmp_path / "untouched")
    answers: list[tuple[int, int, str]] = []
    for work in (done, untouched):
        ended = subprocess.run(
            [sys.executable, SUITE / task / "check.py"],
            cwd=work,
            env={**os.environ, "DESKHAND_TASK": str(SUITE / task), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        answers.append((ended.returncode, len(ended.stdout.splitlines()), ended.stderr))
    assert answers == [(0, 0, ""), (1, 1, "")]


@pytest.mark.requires("eval.office-20")
def test_each_of_the_20_tasks_has_a_request_a_check_and_a_solution_that_loads() -> None:
    folders = sorted(path.parent.name for path in SUITE.glob("*/task.yaml"))
    assert folders == TASKS
    assert len(folders) == 20
    for task in folders:
        stated = yaml.safe_load((SUITE / task / "task.yaml").read_text(encoding="utf-8"))
        assert stated["request"]
        assert sorted(stated["files"]) == sorted(files_of(task))
        assert stated["check"] == ["python", "check.py"]
        assert load_playbook(SUITE / task / stated["solution"]).name == task


def test_the_documents_are_those_that_the_script_writes(tmp_path: Path) -> None:
    write(tmp_path)
    for name in DOCUMENTS:
        assert content(tmp_path / name) == content(SUITE / name), f"{name}: python3 -m tools.make_office_suite"


def content(path: Path) -> dict[str, bytes]:
    """The parts of a file, whatever its compression."""
    if not zipfile.is_zipfile(path):
        return {"": path.read_bytes()}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
