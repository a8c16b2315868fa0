"""What is wrong with a plan or a batch is told, all of it, before anything starts (contract 2.3)."""

import json
from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.session.plan_file import read_plan, read_tasks


def written(folder: Path, *things: object, name: str = "file.json") -> Path:
    path = folder / name
    path.write_text("\n".join(thing if isinstance(thing, str) else json.dumps(thing) for thing in things))
    return path


def problems(path: Path, *, tasks: bool = False) -> list[str]:
    with pytest.raises(UsageError) as caught:
        (read_tasks if tasks else read_plan)(path)
    assert caught.value.fix
    return caught.value.message.splitlines()


@pytest.mark.requires("cli.plan-file")
def test_a_plan_has_a_task_steps_and_perhaps_an_object_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.odt").touch()
    plan = read_plan(written(tmp_path, {"task": "Polish it", "steps": ["Make it bold", "Save it"], "object": "a.odt"}))
    assert (plan.task, plan.steps, plan.object) == ("Polish it", ("Make it bold", "Save it"), str(tmp_path / "a.odt"))
    assert read_plan(written(tmp_path, {"task": "x", "steps": ["y"]})).object is None


@pytest.mark.requires("cli.plan-file")
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, ["task: it is missing", "steps: it is missing"]),
        ({"task": 1, "steps": "x"}, ["task: it is no text", "steps: it is no list"]),
        ({"task": " ", "steps": []}, ["task: it is empty", "steps: it is empty"]),
        ({"task": "x", "steps": ["a", "", 3]}, ["steps[1]: it is empty", "steps[2]: it is no text"]),
        ({"task": "x", "steps": ["a"], "objekt": "y"}, ["objekt: there is no such key"]),
        ({"task": "x", "steps": ["a"], "object": 5}, ["object: it is no text"]),
        ({"task": "", "steps": ["a"], "object": "none.odt"}, ["task: it is empty", "object: there is no file /"]),
        ({"task": "x", "steps": ["a"], "object": "x" * 300}, ["object: there is no file /"]),
        ({"task": "x", "steps": ["a"], "object": "~nobody-here/x"}, ["object: "]),
        ({"task": "x", "steps": ["a"], "object": "a\0b"}, ["object: it is no valid text"]),
        ([], ["it is no JSON object"]),
        ("{", ["not JSON"]),
        ('{"task": "\\ud800", "steps": ["a"]}', ["task: it is no valid text"]),
        ("[" * 100_000, ["nested too deeply"]),
        ('{"task": ' + "[" * 900 + "]" * 900 + "}", ["nested too deeply"]),
        ('{"task": ' + "9" * 5000 + "}", ["digits"]),
    ],
)
def test_everything_that_is_wrong_with_a_plan_is_told_at_once(tmp_path: Path, content: object, told: list[str]) -> None:
    path = written(tmp_path, content)
    found = problems(path)
    assert len(found) == len(told)
    for line, wanted in zip(found, told, strict=True):
        assert line.startswith(f"{path}: ")
        assert wanted in line


def test_a_plan_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    assert "No such file" in problems(tmp_path / "none.json")[0]
    (tmp_path / "b.json").write_bytes(b"\xff\xfe")
    assert "UTF-8" in problems(tmp_path / "b.json")[0]


@pytest.mark.requires("cli.batch")
def test_tasks_are_the_lines_of_a_file_or_the_files_of_a_folder_in_order(tmp_path: Path) -> None:
    one = {"id": "b", "task": "One", "object": "a.odt", "close": True}
    two = {"id": "a", "task": "Two", "object": "/there/b.odt"}
    lines = written(tmp_path, one, "", two, name="tasks.jsonl")
    folder = tmp_path / "folder"
    folder.mkdir()
    written(folder, json.dumps(two, indent=2), name="2.json")
    written(folder, one, name="1.json")
    written(folder, "not a task", name="README.txt")
    for path, base in ((lines, tmp_path), (folder, folder)):
        tasks = read_tasks(path)
        assert [(task.id, task.task, task.object, task.close) for task in tasks] == [
            ("b", "One", str(base / "a.odt"), True),
            ("a", "Two", "/there/b.odt", False),
        ]


@pytest.mark.requires("cli.batch")
def test_a_line_ends_where_the_file_says_so_and_not_within_a_text(tmp_path: Path) -> None:
    said = "One\u2028two\x85three"
    path = tmp_path / "tasks.jsonl"
    path.write_bytes("\r\n".join(f'{{"id": "{name}", "task": "{said}"}}' for name in "ab").encode())
    assert [(task.id, task.task) for task in read_tasks(path)] == [(name, said) for name in "ab"]


@pytest.mark.requires("cli.batch")
def test_everything_that_is_wrong_with_a_batch_is_told_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"id": "a", "task": "x"},
        {"id": "a", "task": "y", "close": "yes"},
        {"id": "a", "task": "z"},
        "nothing",
        {"id": "../b", "task": ""},
        name="tasks.jsonl",
    )
    told = [
        "2: close: it is neither true nor false",
        f"3: the id 'a' is taken by {path}:1",
        "4: not JSON",
        "5: id: it is to name a folder",
        "5: task: it is empty",
    ]
    found = problems(path, tasks=True)
    assert len(found) == len(told)
    for line, wanted in zip(found, told, strict=True):
        assert line.startswith(f"{path}:{wanted}")


@pytest.mark.parametrize("bad", ["", ".", "..", ".hidden", "a/b", "a b", "ä", "x" * 101, "tasks_status.json", "-a", 5])
def test_an_id_is_safe_as_the_name_of_a_folder(tmp_path: Path, bad: object) -> None:
    assert "id: " in problems(written(tmp_path, {"id": bad, "task": "x"}), tasks=True)[0]


def test_a_batch_without_tasks_is_told(tmp_path: Path) -> None:
    assert "there are no tasks" in problems(tmp_path, tasks=True)[0]
    assert "there are no tasks" in problems(written(tmp_path, ""), tasks=True)[0]
