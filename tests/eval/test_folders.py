"""Reading suites in folders."""

import sys
from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.eval.folders import FolderTask, read_suite
from deskhand.eval.suite import Budget
from eval.suites import FAILING, PASSING, task, write_suite


def problems(folder: Path) -> list[str]:
    """Problems of a suite, without its folder."""
    with pytest.raises(UsageError) as caught:
        read_suite(folder)
    return [line.replace(f"{folder}/", "") for line in caught.value.message.splitlines()]


def test_a_task_has_its_own_keys_and_those_of_the_suite(tmp_path: Path) -> None:
    defaults = """\
description: Sums and notes
defaults:
  tags: [calc]
  answers: {which sheet: the first, how many: "3"}
  budget: {steps: 30, cost_usd: 0.5}
  confirm: approve
"""
    lines = ("files: [sales.ods, pictures/a.png]", "budget: {steps: 10}", "answers: {which sheet: the last}")
    more = {"sales.ods": "", "pictures/a.png": "", "solution.yaml": ""}
    sums = {**task("Add up", "", *lines, "applications: [calc]", "solution: solution.yaml"), **more}
    suite = read_suite(write_suite(tmp_path / "s", {"sum": sums, "note": task("Write", "", "tags: [x]")}, defaults))
    assert (suite.name, suite.description) == ("s", "Sums and notes")
    note, sum_ = suite.tasks
    assert isinstance(sum_, FolderTask)
    assert (note.details.request, note.details.tags, note.details.approves) == ("Write", ("x",), True)
    assert sum_.details.tags == ("calc",)
    assert sum_.details.answers == {"which sheet": "the last", "how many": "3"}
    assert sum_.details.budget == Budget(steps=10, cost_usd=0.5)
    assert sum_.details.solution == tmp_path / "s/sum/solution.yaml"
    assert sum_.check == (sys.executable, str(tmp_path / "s/sum/check.py"))
    assert (sum_.files, sum_.applications) == (("sales.ods", "pictures/a.png"), ("calc",))


@pytest.mark.requires("eval.suite")
def test_every_problem_of_every_task_is_reported_with_its_place(tmp_path: Path) -> None:
    write_suite(
        tmp_path,
        {
            "a": {"task.yaml": "- no mapping"},
            "A": {"task.yaml": "request: 5\ncheck: [python, check.py]\nchek: [x]\nbudget: {step: 3}\nconfirm: maybe"},
            "b": {"task.yaml": "request: Do it\nfiles: [gone.ods, ../up.ods]\nsolution: gone.yaml"},
            "c": {"task.yaml": "check: [python, gone.py]\nfiles: [x, x]", "x": ""},
            "d": {"task.yaml": "request: hi\ncheck: [no-such-program]"},
            "e": {"task.yml": "request: hi"},
            "f": {"task.yaml": "request: hi\n  check: x"},
            "not a task": {"task.yaml": ""},
            "_shared": {"checks.py": ""},
        },
    )
    assert problems(tmp_path) == [
        "A/task.yaml:1: request: it is no text",
        "A/task.yaml:3: there is no key 'chek'; did you mean 'check'?",
        "A/task.yaml:4: there is no key 'budget.step'; did you mean 'steps'?",
        "A/task.yaml:5: confirm: it is not 'never' or 'approve'",
        "a: only the case of its name differs from that of A",
        "a/task.yaml:1: the task is a mapping of keys, not a list",
        "b/task.yaml:1: there is no check, the command that judges the result: check: [python, check.py]",
        "b/task.yaml:2: files: there is no file b/gone.ods",
        "b/task.yaml:2: files: ../up.ods is not beside task.yaml",
        "b/task.yaml:3: there is no file b/gone.yaml",
        "c/task.yaml:1: there is no request",
        "c/task.yaml:1: check: there is no file c/gone.py",
        "c/task.yaml:2: files: x is there twice",
        "d/task.yaml:2: check: there is no program 'no-such-program', and no file d/no-such-program",
        "e: there is no file task.yaml in it; folders that are no task begin with _",
        "f/task.yaml:2: not YAML: mapping values are not allowed here",
        "not a task: a task is named by letters, digits, '_' and '-', at most 80; other folders begin with '_'",
        "not a task/task.yaml:1: there is no request",
        "not a task/task.yaml:1: there is no check, the command that judges the result: check: [python, check.py]",
    ]


def test_wrong_defaults_are_reported_once_and_not_as_missing_keys_of_tasks(tmp_path: Path) -> None:
    tasks = {"a": {"task.yaml": "request: hi"}}
    write_suite(tmp_path, tasks, "defaults:\n  check: python check.py\n  budget: {steps: 0}\nname: x")
    assert problems(tmp_path) == [
        "suite.yaml:2: defaults.check: it is no list",
        "suite.yaml:3: defaults.budget.steps: it is not at least 1",
        "suite.yaml:4: there is no key 'name'; known: defaults, description",
    ]


@pytest.mark.parametrize("name", ["gone", "empty", "file"])
def test_a_folder_without_tasks_is_no_suite(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (message,) = problems(tmp_path / name)
    assert str(tmp_path / name) in message


def test_tasks_are_chosen_by_id_and_tag(tmp_path: Path) -> None:
    tasks = {"a": task("x", "", "tags: [calc]"), "b": task("x", "", "tags: [writer]"), "c": task()}
    suite = read_suite(write_suite(tmp_path, tasks))
    assert [each.details.id for each in suite.chosen(["tag:writer", "a"])] == ["a", "b"]
    assert [each.details.id for each in suite.chosen([])] == ["a", "b", "c"]
    with pytest.raises(UsageError, match=r"has no 'tag:calk'; did you mean 'tag:calc'\?"):
        suite.chosen(["tag:calk"])


def test_the_digest_changes_with_any_file_and_not_with_traces_of_running_it(tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "s", {"a": task()})
    before = read_suite(folder).digest
    write_suite(folder, {"a/__pycache__": {"check.pyc": "x"}, "a": {".~lock.x#": ""}})
    assert read_suite(folder).digest == before
    write_suite(folder, {"a": {".hidden": "x"}})
    hidden = read_suite(folder).digest
    assert hidden != before
    outside = write_suite(tmp_path / "outside", {"b": task()})
    (folder / "b").symlink_to(outside / "b")
    (folder / "b/loop").symlink_to(folder)
    linked = read_suite(folder).digest
    write_suite(outside, {"b": {"check.py": PASSING}})
    assert len({before, hidden, linked, read_suite(folder).digest}) == 4


@pytest.mark.parametrize("files", ["[.]", "[d/note.txt, d]", "[d, d/note.txt]", "[secret]"])
def test_files_that_are_no_part_of_the_task_or_there_twice_are_refused(files: str, tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "s", {"a": {**task("x", FAILING, f"files: {files}"), "d/note.txt": "x"}})
    (tmp_path / "secret").touch()
    (folder / "a/secret").symlink_to(tmp_path / "secret")
    (message,) = problems(folder)
    assert message.startswith("a/task.yaml:3: files: ")


async def test_a_trial_works_on_copies_and_the_check_reads_them(tmp_path: Path) -> None:
    check = "import sys\nprint(sys.argv[1:], open(sys.argv[1]).read())\nraise SystemExit(1)"
    lines = ("files: [note.txt]",)
    files = {**task("x", check, *lines), "note.txt": "old", "wanted.txt": ""}
    files["task.yaml"] = files["task.yaml"].replace("check.py]", "check.py, note.txt, wanted.txt]")
    (only,) = read_suite(write_suite(tmp_path / "s", {"a": files})).tasks
    work = tmp_path / "work"
    work.mkdir()
    async with only.set_up(work, 1) as setup:
        assert setup.files == (work / "note.txt",)
        setup.files[0].write_text("new")
        verdict = await setup.check(tmp_path / "summary.json")
    assert verdict.reason == f"['note.txt', '{tmp_path}/s/a/wanted.txt'] new"
    assert (tmp_path / "s/a/note.txt").read_text() == "old"
