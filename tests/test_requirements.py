"""The manifest and the tests name each other."""

from pathlib import Path

import pytest

from tools.check_requirements import problems

HERE = Path(__file__).parent
ENTRY = '[[requirement]]\nid = "room.thing"\nsource = "contract 1"\ntext = "It does."\n'


@pytest.mark.full("`make check` has the same")
@pytest.mark.requires("build.requirements")
@pytest.mark.long
def test_the_manifest_and_the_tests_of_this_project_fit_together() -> None:
    assert problems((HERE / "requirements.toml").read_text(encoding="utf-8"), HERE) == []


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    folder = tmp_path / "tests"
    folder.mkdir()
    return folder


def write_test(tests: Path, ids: str) -> None:
    (tests / "test_it.py").write_text(f"@pytest.mark.requires({ids})\ndef test_it():\n    pass\n")


def test_a_requirement_with_its_test_is_fine(tests: Path) -> None:
    write_test(tests, '"room.thing"')
    assert problems(ENTRY, tests) == []


@pytest.mark.requires("build.requirements")
def test_a_requirement_has_a_test_in_ci(tests: Path) -> None:
    full = '@pytest.mark.full("rare"{})\n@pytest.mark.requires("room.thing")\ndef test_it():\n    pass\n'
    (tests / "test_it.py").write_text(full.format(""))
    assert [problem.partition(";")[0] for problem in problems(ENTRY, tests)] == ["room.thing: has no test in CI"]
    (tests / "test_it.py").write_text(full.format(', but=["GTK 3"]'))
    assert problems(ENTRY, tests) == []


def test_a_requirement_with_a_reason_needs_no_test(tests: Path) -> None:
    assert problems(ENTRY + 'gap = "later"\n', tests) == []


@pytest.mark.requires("build.requirements")
@pytest.mark.parametrize(
    ("manifest", "ids", "said"),
    [
        (ENTRY, '"room.thing", "room.other"', "tests/test_it.py:1: room.other does not stand in the manifest"),
        (ENTRY, "", "tests/test_it.py:1: an id has to be written out"),
        (ENTRY, "NAME", "tests/test_it.py:1: an id has to be written out"),
        (ENTRY, None, "room.thing: has no test"),
        (ENTRY + 'gap = "later"\n', '"room.thing"', "room.thing: has a test now"),
        (ENTRY + ENTRY, '"room.thing"', "room.thing: stands in the manifest 2 times"),
        (ENTRY + 'note = "x"\n', '"room.thing"', "room.thing: unknown key note"),
        (ENTRY.replace("It does.", " "), '"room.thing"', "room.thing: text has to be a text"),
        (ENTRY + 'gap = ""\n', None, "room.thing: gap has to be a text"),
        (ENTRY.replace("room.thing", "Room"), None, "'Room': an id looks like"),
    ],
)
def test_what_does_not_fit_is_named(tests: Path, manifest: str, ids: str | None, said: str) -> None:
    if ids is not None:
        write_test(tests, ids)
    assert [problem for problem in problems(manifest, tests) if problem.startswith(said)]
