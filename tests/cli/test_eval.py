"""`deskhand eval`: sessions in processes of their own, in applications in memory whose effects are in a file."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from cli.batch_world import Remote, processes, remote
from cli.driver import Console
from deskhand.cli.batch_progress import BatchProgress
from deskhand.cli.eval import SOLUTIONS, EvalOptions, evaluate
from deskhand.cli.eval_sessions import TrialSessions
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.eval.folders import read_suite
from deskhand.session.plan_file import Task
from eval.results import RUN, results
from eval.suites import FAILING, task, write_suite
from two_applications import PLAYBOOK

pytestmark = pytest.mark.usefixtures("no_server_left")
SENT = """\
import pathlib
effects = pathlib.Path("../effects.log")
if not effects.exists() or "Send" not in effects.read_text().split():
    print("no mail was sent")
    raise SystemExit(1)
"""
WANTS_TWO = SENT + "print('one mail is not enough')\nraise SystemExit(1)\n"


def run_suite(folder: Path, preparation: Remote, options: EvalOptions) -> int:
    return evaluate(read_suite(folder), preparation, options)


def written(out: Path) -> dict[str, dict[str, object]]:
    trials = json.loads((out / "results.json").read_text())["trials"]
    return {f"{trial['task']}.{trial['trial']}": trial for trial in trials}


@pytest.mark.requires("eval.check", "eval.figures", "eval.trials")
def test_trials_run_side_by_side_and_claims_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {"good": task("x", SENT, "confirm: approve"), "lie": task("x", WANTS_TWO, "confirm: approve")}
    tasks["mortal"] = task("x", SENT, "confirm: approve")
    tasks["refused"] = task("x", SENT)
    suite, out = write_suite(tmp_path / "s", tasks), tmp_path / "out"
    options = EvalOptions("m", workers=2, out=out, as_json=True)
    assert run_suite(suite, remote(deaths=1), options) == 4
    found = written(out)
    assert {name: (trial["result"], trial["outcome"]) for name, trial in found.items()} == {
        "good.1": ("passed", "success"),
        "lie.1": ("failed", "success"),
        "mortal.1": ("error", ""),
        "refused.1": ("failed", "failed"),
    }
    assert found["lie.1"]["reason"] == "one mail is not enough"
    assert found["mortal.1"]["reason"] == "its process ended without a result (SIGKILL)"
    pids = [pid for name in ("good", "lie", "refused") for pid in processes(out / name / "1")]
    assert len({*pids, os.getpid()}) == 4
    printed = json.loads(capsys.readouterr().out)
    assert (printed["outcome"], printed["all"]["passed"], printed["all"]["false_successes"]) == ("error", 1, 1)
    assert (out / "lie/1/report.html").exists()
    assert 'href="lie/1/report.html"' in (out / "report.html").read_text()

    before = {name: (out / name / "1/summary.json").stat().st_mtime_ns for name in ("good", "lie")}
    assert run_suite(suite, remote(), replace(options, as_json=False)) == 4  # nothing is left to run
    assert {name: (out / name / "1/summary.json").stat().st_mtime_ns for name in before} == before
    text = capsys.readouterr().out
    assert "lie.1: false success: one mail is not enough" in text
    assert "1 of 4 trials passed; 1 false success; 1 error" in text


@pytest.mark.requires("eval.trials")
def test_solutions_take_the_place_of_the_model_and_each_task_has_its_own(tmp_path: Path) -> None:
    other = PLAYBOOK.replace("Dear Ada", "Dear Bob")
    suite = {
        "ada": {**task("x", SENT, "confirm: approve", "solution: s.yaml"), "s.yaml": PLAYBOOK},
        "bob": {**task("x", SENT, "confirm: approve", "solution: s.yaml"), "s.yaml": other},
    }
    out = tmp_path / "out"
    assert run_suite(write_suite(tmp_path / "s", suite), remote(), EvalOptions(SOLUTIONS, workers=2, out=out)) == 0
    texts = {name: (out / name / "1/effects.log").read_text().split("\n")[0] for name in suite}
    assert texts == {"ada": "Text=Dear Ada", "bob": "Text=Dear Bob"}


def test_a_task_without_a_solution_is_named_before_the_first_trial(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", {"a": task(), "b": task("x", FAILING, "applications: [no-such-program]")})
    with pytest.raises(UsageError, match="a: the task a has no solution"):
        run_suite(suite, remote(), EvalOptions(SOLUTIONS, out=tmp_path / "out"))
    with pytest.raises(UsageError, match=r"b: .*no-such-program"):
        run_suite(suite, remote(), EvalOptions("m", out=tmp_path / "out", only=("b",)))
    assert not (tmp_path / "out/results.json").exists()


async def test_a_task_has_its_files_budget_and_answers_and_never_more_than_the_user_allows(tmp_path: Path) -> None:
    lines = ("files: [a.txt]", "budget: {steps: 9, seconds: 60, cost_usd: 2}", "answers: {Sheet: the last}")
    files = {**task("x", FAILING, *lines), "a.txt": ""}
    (only,) = read_suite(write_suite(tmp_path / "s", {"a": files})).tasks
    settings = Configuration.model_validate(
        {"system": {"max_seconds": 30.0}, "knowledge": {"learn_from_success": True}}
    )
    sessions = TrialSessions(replace(remote(), configuration=settings), solutions=False, watching=NoProgress())
    (tmp_path / "work").mkdir()
    async with only.set_up(tmp_path / "work", 1) as setup:
        prepared = sessions.preparation(only.details, setup)
    system = prepared.configuration.system
    assert (system.max_step, system.max_seconds, system.max_usd) == (9, 30.0, 2.0)
    assert not prepared.configuration.knowledge.learn_from_success
    assert (prepared.files, prepared.in_place) == ((tmp_path / "work/a.txt",), True)
    answers = await prepared.interactor.ask("app", ("Which sheet?", "Shall I?"))
    assert answers.answers == {"Which sheet?": "the last", "Shall I?": "proceed"}


@pytest.mark.requires("eval.trials")
def test_an_evaluation_that_was_stopped_prints_its_results_and_the_same_command_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = write_suite(tmp_path / "s", {name: task("x", SENT, "confirm: approve") for name in ("a", "idle")})
    out = tmp_path / "out"
    options = EvalOptions("m", workers=1, out=out, as_json=True)
    began = BatchProgress.began

    def stop_when_idle(progress: BatchProgress, task: Task) -> None:
        began(progress, task)
        if task.id == "idle.1":
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(BatchProgress, "began", stop_when_idle)
    assert run_suite(suite, remote(hangs=True), options) == 6
    printed = json.loads(capsys.readouterr().out)
    assert (printed["outcome"], printed["error"]["type"], list(written(out))) == ("cancelled", "Cancelled", ["a.1"])
    monkeypatch.undo()
    assert run_suite(suite, remote(), options) == 0
    assert len(processes(out / "a/1")) == 1


@pytest.mark.requires("eval.compare")
def test_a_comparison_prints_what_got_worse_and_exits_with_1(tmp_path: Path, console: Console) -> None:
    for name, trials in {"a": "++++++", "b": "------"}.items():
        (tmp_path / name).mkdir()
        results({"sum": trials, "note": "++++++"}).write(tmp_path / name)
    done = console("eval", "compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert done.code == 1
    assert done.out.splitlines()[2].split()[:3] == ["sum", "worse", "6/6"]
    assert done.out.splitlines()[-1].startswith("1 worse (beyond noise: sum), 0 better")
    same = console("eval", "compare", str(tmp_path / "a"), str(tmp_path / "a"), "--json")
    assert (same.code, same.json["change"], same.json["error"]) == (0, "the same", None)
    results({"sum": "+"}, run=RUN.model_copy(update={"digest": "other"})).write(tmp_path / "b")
    other = console("eval", "compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert (other.code, other.out) == (2, "")
    assert "of different suites" in other.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gone",), "there is no folder gone, and no suite of this name is shipped"),
        (("./gone",), "cannot read the suite gone"),
        (("{suite}",), "no model is chosen"),
        (("{suite}", "--solutions", "--model", "x:y"), "exclude each other"),
        (("{suite}", "--solutions"), "no task of the suite s has a solution"),
        (("{suite}", "--model", "human"), "a user as the model cannot be evaluated"),
        (("{suite}", "--model", "ollama:x", "--only", "b"), "the suite s has no 'b'"),
        (("{suite}", "--model", "ollama:x", "--against", "gone"), "gone has no results.json"),
        (("{suite}", "--model", "ollama:x", "--out", "{suite}/out"), "is inside the suite"),
    ],
)
def test_a_wrong_command_is_a_sentence(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "s", {"a": task()})
    done = console("eval", *(each.format(suite=tmp_path / "s") for each in arguments))
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


def test_eval_alone_lists_the_shipped_suites(console: Console) -> None:
    assert console("eval", "--json").json["error"] is None
    assert console("eval").code == 0


class NoProgress:
    """Takes note of nothing."""

    def began(self, task: object) -> None: ...

    def stepped(self, task: object, step: int, told: str) -> None: ...

    def remarked(self, task: object, told: str) -> None: ...

    def ended(self, task: object, outcome: object, reason: str) -> None: ...

    def asking(self, task: object) -> None: ...

    def asked(self) -> None: ...
