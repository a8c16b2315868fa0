"""The plug-in of pytest, in a run of pytest as a tester starts it."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deskhand.testing.repeats import repeated_name

GUIDE = Path(__file__).parents[2] / "docs" / "testing.md"
TESTS = """
import os
import signal

import pytest
from deskhand.testing import expect

pytestmark = pytest.mark.app("featherpad")
WRITTEN = []


def test_types(app, desktop):
    editor = app.textbox().nth(0)
    editor.type("left behind")
    expect(editor).to_have_value("left behind")
    WRITTEN.append(desktop.environment["HOME"] + "/left")
    open(WRITTEN[0], "w").close()


def test_finds_nothing_of_the_test_before(app, desktop):
    assert [window.title for window in desktop.windows()] == ["Untitled"]
    assert not os.path.exists(WRITTEN[0])


def test_renamed_label(app):
    expect(app.button("Undoo")).to_be_visible(timeout_s=0.5)


def test_crash(launch):
    editor = launch(argv=["sh", "-c", "echo talkative; exec featherpad --standalone"])
    os.kill(editor.info.pid, signal.SIGSEGV)
    editor.button("New").press()


@pytest.mark.app(argv=["sh", "-c", "echo broken build; exit 3"])
def test_broken_build(app):
    pass
"""
PLAYBOOK = """
playbook: 1
name: new document
host:
  - {tool: launch_application, args: {application: featherpad}, status: ASSIGN, agent: editor, subtask: A new document}
  - {status: FINISH, result: done}
agents:
  editor:
    - {tool: invoke, on: {role: button, name: BUTTON}, expect: {effect: confirmed}, status: FINISH}
"""


@dataclass(frozen=True)
class Run:
    output: str
    cases: dict[str, ElementTree.Element]
    out: Path

    def folder(self, name: str) -> Path:
        return self.out / name


def example(language: str) -> str:
    """The first example of the page in that language, as it stands there."""
    return GUIDE.read_text().partition(f"```{language}\n")[2].partition("```")[0]


def pytest_run(folder: Path, *options: str) -> Run:
    junit = folder / "junit.xml"
    command = [sys.executable, "-m", "pytest", "-n", "0", f"--junitxml={junit}", *options]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
    assert junit.exists(), done.stdout + done.stderr
    cases = {str(case.get("name")): case for case in ElementTree.parse(junit).iter("testcase")}  # noqa: S314 - ours
    return Run(done.stdout, cases, folder / "out")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("tester")
    (folder / "pytest.ini").write_text("[pytest]\ndeskhand_size = 800x600\n")
    (folder / "test_editor.py").write_text(TESTS)
    (folder / "test_calculator.py").write_text(example("python"))
    (folder / "test_product.yaml").write_text(example("yaml"))
    (folder / "test_new.yaml").write_text(PLAYBOOK.replace("BUTTON", "New"))
    (folder / "test_news.yaml").write_text(PLAYBOOK.replace("BUTTON", "News"))
    (folder / "test_data.yaml").write_text("not: a playbook\n")
    return pytest_run(folder, "--deskhand-out=out", "--deskhand-video=failed")


@pytest.mark.desktop
@pytest.mark.requires("testing.fixtures")
def test_each_test_begins_on_a_clean_desktop(run: Run) -> None:
    for name in ("test_types", "test_finds_nothing_of_the_test_before", "test_a_product_is_worked_out"):
        assert not [*run.cases[name].iter("failure"), *run.cases[name].iter("error")], run.output


@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_a_failure_names_the_nearest_control_and_the_files_about_it(run: Run) -> None:
    (failure,) = run.cases["test_renamed_label"].iter("failure")
    assert failure.text
    assert re.search(r'nearest: button "Undo" at \d+, \d+', failure.text)
    assert "anyio" not in failure.text
    folder = run.folder("test_renamed_label")
    assert f"report of all actions: {folder / 'report.html'}" in run.output
    assert "Undoo" in (folder / "report.html").read_text()
    (controls,) = folder.glob("controls_*.txt")
    assert 'button "Undo"' in controls.read_text()


@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_properties_count_the_effects_of_actions(run: Run) -> None:
    properties = {each.get("name"): each.get("value") for each in run.cases["test_types"].iter("property")}
    assert properties["deskhand_actions"] == "2"
    assert properties["deskhand_confirmed"] == "2"
    renamed = {each.get("name"): each.get("value") for each in run.cases["test_renamed_label"].iter("property")}
    assert renamed["deskhand_folder"] == str(run.folder("test_renamed_label"))


@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_a_program_that_does_not_start_is_an_error_with_its_output(run: Run) -> None:
    (error,) = run.cases["test_broken_build"].iter("error")
    assert error.text
    assert "ended with exit code 3. Its output: broken build" in error.text


@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_a_crash_is_named_with_the_programs_output(run: Run) -> None:
    (failure,) = run.cases["test_crash"].iter("failure")
    assert failure.text
    assert "signal 11" in failure.text
    texts = [file.read_text() for file in (run.folder("test_crash") / "output").iterdir()]
    assert any("talkative" in text for text in texts)
    assert f"output of programs: {run.folder('test_crash') / 'output'}" in run.output


@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_folders_of_passed_tests_are_removed(run: Run) -> None:
    left = sorted(folder.name for folder in run.out.iterdir())
    assert left == ["test_broken_build", "test_crash", "test_news", "test_renamed_label"]


@pytest.mark.desktop
@pytest.mark.requires("testing.video")
@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffmpeg is not installed")
def test_a_failed_test_has_a_video(run: Run) -> None:
    asked = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0"]
    video = run.folder("test_renamed_label") / "video.webm"
    assert subprocess.check_output([*asked, video], text=True).strip() == "vp8,800,600"
    of_playbook = run.folder("test_news") / "video.webm"
    assert subprocess.check_output([*asked, of_playbook], text=True).startswith("vp8,")
    assert f"video: {of_playbook}" in run.output


@pytest.mark.desktop
@pytest.mark.requires("testing.playbooks")
def test_playbooks_are_tests(run: Run) -> None:
    for name in ("test_new", "test_product"):
        assert not [*run.cases[name].iter("failure"), *run.cases[name].iter("error")], run.output
    (failure,) = run.cases["test_news"].iter("failure")
    assert failure.text
    assert "test_news.yaml: " in failure.text
    assert 'button "New"' in failure.text
    assert "test_data" not in run.cases


@pytest.mark.desktop
@pytest.mark.requires("testing.repeats")
def test_repeated_tests_are_counted_across_processes(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('size', [1, 2])\n"
        "def test_it(desktop, deskhand_repetition, size):\n"
        "    assert size == 1 or deskhand_repetition != 2\n"
    )
    done = pytest_run(tmp_path, "-n", "2", "--deskhand-repeat=3")
    assert len(done.cases) == 6
    assert "3/3  100.0 % (43.9–100.0 %)  Pass^3 100.0 %  test_it.py::test_it[1]" in done.output
    assert "2/3  66.7 % (20.8–93.9 %)  Pass^3 0.0 %  test_it.py::test_it[2]" in done.output


@pytest.mark.full("such folders are rare")
@pytest.mark.desktop
@pytest.mark.requires("testing.records")
def test_a_record_that_cannot_be_written_leaves_the_failure_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "def test_fails(desktop, tmp_path):\n"
        "    import pathlib\n"
        "    out = pathlib.Path('out')\n"
        "    (out / 'test_fails' / 'report.html').mkdir()\n"
        "    assert 1 == 2\n"
        "def test_passes():\n    pass\n"
    )
    done = pytest_run(tmp_path, "--deskhand-out=out")
    assert "assert 1 == 2" in done.output
    assert "the record is incomplete: Could not write the report" in done.output
    assert "1 failed, 1 passed" in done.output


@pytest.mark.requires("testing.fixtures")
def test_mistakes_in_the_marker_of_the_program_are_errors_of_collection(tmp_path: Path) -> None:
    mistakes = {
        "'gedit', enviroment={}": "it has no argument 'enviroment'; did you mean 'environment'?",
        "'gedit', 'a.txt', 'b.txt'": "too many positional arguments",
        "argv='./build --new'": "argv is a text: write a list",
    }
    for number, arguments in enumerate(mistakes):
        test = f"import pytest\n@pytest.mark.app({arguments})\ndef test_it(app):\n    pass\n"
        (tmp_path / f"test_{number}.py").write_text(test)
    done = pytest_run(tmp_path)
    assert [problem for problem in mistakes.values() if f"of test_it: {problem}" not in done.output] == []
    assert "3 errors" in done.output
    assert "Traceback" not in done.output


@pytest.mark.requires("testing.playbooks")
def test_a_playbook_with_mistakes_is_an_error_of_collection(tmp_path: Path) -> None:
    (tmp_path / "test_it.yaml").write_text("playbook: 1\nname: it\nagents: {a: [{tol: x}]}\n")
    (tmp_path / "test_agent.yaml").write_text("playbook: 1\nname: it\nagents: {a: [{status: FINISH}]}\n")
    done = pytest_run(tmp_path)
    assert "test_it.yaml:3" in done.output
    assert "no steps for the host" in done.output


@pytest.mark.requires("testing.repeats")
@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("t.py::test_a[1-of-3]", "t.py::test_a"),
        ("t.py::test_a[2-of-3-b]", "t.py::test_a[b]"),
        ("t.py::test_a[b-3-of-3]", "t.py::test_a[b]"),
        ("t.py::test_a[b]", ""),
    ],
)
def test_the_name_of_a_repeated_test_is_that_without_its_number(name: str, without: str) -> None:
    assert repeated_name(name) == without
