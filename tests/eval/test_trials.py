"""Trials: fresh files, verdicts of the checks, and evaluations that are cut off and continued."""

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import StoreBusy, UsageError
from deskhand.core.outcomes import Outcome
from deskhand.eval.folders import read_suite
from deskhand.eval.results import Run
from deskhand.eval.suite import Setup, SuiteTask
from deskhand.eval.trials import Trial, Trials, check_tasks
from deskhand.report.summary import SessionSummary
from deskhand.session.round import Ending
from deskhand.store.journal import held
from eval.sessions import RUN, Sessions, note_task
from eval.suites import FAILING, PASSING, task, write_suite
from support import ROOT


def tasks_of(folder: Path, *names: str) -> tuple[SuiteTask, ...]:
    return read_suite(write_suite(folder / "suite", {name: note_task() for name in names})).tasks


async def ran(
    tasks: Sequence[SuiteTask], out: Path, sessions: Sessions, *, repeat: int = 1, run: Run = RUN
) -> dict[str, str]:
    """Run the trials that are left; return the results of all, by the names of trials."""
    with Trials(tasks, out, run, repeat=repeat) as trials:
        await trials.run(sessions.run, lambda _trial, _result: None)
    return {f"{each.task}.{each.trial}": str(each.result) for each in trials.results.trials}


@pytest.mark.requires("eval.check", "eval.trials")
async def test_the_check_decides_whatever_the_session_claims(tmp_path: Path) -> None:
    plans = {
        "lie.1": ("nothing", Outcome.SUCCESS),
        "crash.1": ("crash", Outcome.SUCCESS),
        "shy.1": ("old, new", Outcome.FAILED),
    }
    tasks, out = tasks_of(tmp_path, "good", "lie", "crash", "shy"), tmp_path / "out"
    found = await ran(tasks, out, Sessions(plans))
    assert found == {"crash.1": "error", "good.1": "passed", "lie.1": "failed", "shy.1": "passed"}
    written = {each["task"]: each for each in json.loads((out / "results.json").read_text())["trials"]}
    assert written["lie"]["reason"] == "the note is 'nothing' (success)"
    assert (written["good"]["tokens"], written["good"]["cost_usd"], written["good"]["seconds"]) == (1000, 0.25, 3.0)
    assert written["crash"]["reason"].endswith("ValueError: the check cannot read it")
    assert written["shy"]["outcome"] == "failed"


@pytest.mark.requires("eval.trials")
async def test_every_trial_has_fresh_files_in_a_folder_of_its_own(tmp_path: Path) -> None:
    sessions, out = Sessions(), tmp_path / "out"
    await ran(tasks_of(tmp_path, "a", "b"), out, sessions, repeat=2)
    assert sessions.ran == ["a.1", "b.1", "a.2", "b.2"]
    assert {(out / "a" / number / "work/note.txt").read_text() for number in "12"} == {"old, new"}
    assert (tmp_path / "suite/a/note.txt").read_text() == "old"


@pytest.mark.requires("eval.trials")
async def test_the_same_command_runs_what_is_left_and_more_repeats_continue(tmp_path: Path) -> None:
    tasks, out = tasks_of(tmp_path, "a", "b"), tmp_path / "out"
    await ran(tasks[:1], out, Sessions())
    again = Sessions()
    await ran(tasks, out, again)
    assert again.ran == ["b.1"]
    assert len(await ran(tasks, out, again, repeat=2)) == 4
    assert again.ran == ["b.1", "a.2", "b.2"]


@pytest.mark.requires("eval.trials")
async def test_errors_are_run_again_on_demand_and_failures_are_not(tmp_path: Path) -> None:
    tasks, out = tasks_of(tmp_path, "crash", "down", "lie", "wrong"), tmp_path / "out"
    plans = {
        "crash.1": ("crash", Outcome.SUCCESS),
        "down.1": ("nothing", Outcome.ERROR),
        "lie.1": ("nothing", Outcome.SUCCESS),
        "wrong.1": ("nothing", Outcome.FAILED),
    }
    first = await ran(tasks, out, Sessions(plans))
    assert first == {"crash.1": "error", "down.1": "error", "lie.1": "failed", "wrong.1": "failed"}
    again = Sessions()
    with Trials(tasks[:2], out, RUN, retry_errors=True) as trials:
        await trials.run(again.run, lambda _trial, _result: None)
    assert again.ran == ["crash.1", "down.1"]
    assert [str(each.result) for each in trials.results.trials] == ["passed", "passed", "failed", "failed"]


@pytest.mark.requires("eval.check", "eval.trials")
async def test_a_session_that_ended_with_an_error_never_passes(tmp_path: Path) -> None:
    tasks = tasks_of(tmp_path, "down")
    assert await ran(tasks, tmp_path / "out", Sessions({"down.1": ("", Outcome.ERROR)})) == {"down.1": "error"}


@pytest.mark.requires("eval.trials")
async def test_a_suite_that_is_changed_meanwhile_ends_the_evaluation(tmp_path: Path) -> None:
    suite = read_suite(write_suite(tmp_path / "suite", {name: note_task() for name in ("a", "b")}))
    run = RUN.model_copy(update={"digest": suite.digest})
    sessions = Sessions()

    async def session(trial: Trial, setup: Setup, folder: Path) -> SessionSummary | Ending:
        if trial.name == "b.1":
            write_suite(tmp_path / "suite", {"b": {"check.py": PASSING}})
        return await sessions.run(trial, setup, folder)

    with Trials(suite.tasks, tmp_path / "out", run, read_digest=suite.read_digest) as trials:
        with pytest.raises(UsageError, match=r"changed while trial b\.1 ran"):
            await trials.run(session, lambda _trial, _result: None)
        assert [each.task for each in trials.results.trials] == ["a"]
        assert trials.missing == 1


@pytest.mark.requires("eval.trials")
async def test_a_killed_evaluation_begins_the_trial_that_was_cut_off_anew_on_fresh_files(tmp_path: Path) -> None:
    tasks, out = tasks_of(tmp_path, "a", "b"), tmp_path / "out"
    command = (sys.executable, "-m", "eval.killed_run", str(tmp_path / "suite"), str(out))
    done = await anyio.run_process(command, cwd=ROOT / "tests", env={"PYTHONPATH": f"{ROOT}/src"}, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (out / "a/2/work/note.txt").read_text() == "old, new"
    assert len(json.loads((out / "results.json").read_text())["trials"]) == 2
    again = Sessions()
    assert set((await ran(tasks, out, again, repeat=2)).values()) == {"passed"}
    assert again.ran == ["a.2", "b.2"]
    assert [path.name for path in (out / "a/2/work").iterdir()] == ["note.txt"]


@pytest.mark.requires("eval.trials")
async def test_a_cancelled_trial_has_no_result_and_results_are_complete_at_any_moment(tmp_path: Path) -> None:
    tasks, out = tasks_of(tmp_path, "a", "b", "c"), tmp_path / "out"
    seen: list[int] = []

    class Cancelled(Sessions):
        async def run(self, trial: Trial, setup: Setup, folder: Path) -> SessionSummary | Ending:
            seen.append(len(json.loads((out / "results.json").read_text())["trials"]))
            if trial.name == "b.1":
                scope.cancel()
                await anyio.sleep_forever()
            return await super().run(trial, setup, folder)

    with anyio.CancelScope() as scope:
        await ran(tasks, out, Cancelled())
    assert seen == [0, 1]
    again = Sessions()
    assert len(await ran(tasks, out, again)) == 3
    assert again.ran == ["b.1", "c.1"]


async def test_a_session_that_cannot_begin_is_an_error_with_its_reason(tmp_path: Path) -> None:
    class Absent(Sessions):
        async def run(self, trial: Trial, setup: Setup, folder: Path) -> SessionSummary | Ending:
            return Ending(Outcome.ERROR, "its process ended without a result (SIGKILL)")

    with Trials(tasks_of(tmp_path, "a"), tmp_path / "out", RUN) as trials:
        await trials.run(Absent().run, lambda _trial, _result: None)
    (only,) = trials.results.trials
    assert (only.result, only.outcome, only.reason) == ("error", "", "its process ended without a result (SIGKILL)")


@pytest.mark.requires("eval.trials")
@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"model": "n"}, "the model was m, and is n"),
        ({"digest": "e"}, "the suite has other content"),
        ({"settings": "t"}, "the settings differ"),
        ({"version": "0.2"}, "the version of Deskhand was 0.1.0, and is 0.2"),
    ],
)
async def test_results_of_another_run_are_refused(changed: dict[str, str], sentence: str, tmp_path: Path) -> None:
    tasks = tasks_of(tmp_path, "a")
    await ran(tasks, tmp_path / "out", Sessions())
    with pytest.raises(UsageError, match=f"results of another run: {sentence}"):
        Trials(tasks, tmp_path / "out", RUN.model_copy(update=changed))


async def test_a_folder_with_other_content_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    tasks = tasks_of(tmp_path, "a")
    (tmp_path / "out/a/1").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not empty: a"):
        Trials(tasks, tmp_path / "out", RUN)
    assert (tmp_path / "out/a/1").is_dir()


def test_a_folder_serves_one_evaluation_at_a_time(tmp_path: Path) -> None:
    tasks = tasks_of(tmp_path, "a")
    with Trials(tasks, tmp_path / "out", RUN), pytest.raises(StoreBusy, match="evaluation in this folder"):
        Trials(tasks, tmp_path / "out", RUN)
    Trials(tasks, tmp_path / "out", RUN).__exit__()


async def test_a_session_of_a_killed_evaluation_that_still_runs_is_left_alone(tmp_path: Path) -> None:
    tasks, out = tasks_of(tmp_path, "a"), tmp_path / "out"
    await ran(tasks, out, Sessions())
    log = out / "a/2/log"
    log.mkdir(parents=True)
    with held(log), pytest.raises(StoreBusy, match=r"the session of trial a\.2 still runs"):
        Trials(tasks, out, RUN, repeat=2)


@pytest.mark.requires("eval.suite")
async def test_a_check_that_passes_on_untouched_files_is_refused_before_the_first_trial(tmp_path: Path) -> None:
    checks = {
        "fine": task("x", FAILING),
        "broken": task("x", "raise ValueError"),
        "empty": task("x", PASSING),
        "meant": task("x", PASSING, "untouched: passes"),
    }
    tasks = read_suite(write_suite(tmp_path / "s", checks)).tasks
    with pytest.raises(UsageError) as caught:
        await check_tasks(tasks, lambda _task, _setup: None)
    assert caught.value.message == "empty: its check passes on the untouched files, so that it cannot fail"
    others = [each for each in tasks if each.details.id != "empty"]
    (note,) = await check_tasks(others, lambda _task, _setup: None)
    assert note.startswith("broken, on its untouched files: the check is broken")


@pytest.mark.requires("eval.suite")
async def test_sessions_that_cannot_begin_are_reported_together(tmp_path: Path) -> None:
    def can_begin(of: SuiteTask, setup: Setup) -> None:
        assert setup.files[0].read_text() == "old"
        raise UsageError(f"no application {of.details.id}")

    with pytest.raises(UsageError, match="a: no application a\nb: no application b"):
        await check_tasks(tasks_of(tmp_path, "b", "a"), can_begin)


async def test_a_problem_of_many_tasks_is_one_sentence_with_its_fix(tmp_path: Path) -> None:
    def can_begin(of: SuiteTask, setup: Setup) -> None:
        raise UsageError("the price is unknown", fix="set models.prices")

    with pytest.raises(UsageError) as caught:
        await check_tasks(tasks_of(tmp_path, "b", "a"), can_begin)
    assert caught.value.message == "a, b: the price is unknown"
    assert caught.value.fix.startswith("set models.prices; ")
