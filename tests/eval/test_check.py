"""The verdict of a check: its exit code and first line."""

from pathlib import Path

import anyio.lowlevel
import pytest

from deskhand.eval.check import run_check
from deskhand.eval.suite import Judgement, Verdict
from eval.suites import PYTHON


async def verdict(tmp_path: Path, program: str, *, limit_s: float = 20.0) -> Verdict:
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    return await run_check((PYTHON, "-c", program), tmp_path, work, tmp_path / "summary.json", limit_s=limit_s)


@pytest.mark.requires("eval.check")
@pytest.mark.parametrize(
    ("program", "judgement", "reason"),
    [
        ("", "passed", ""),
        ("print('fine')", "passed", ""),
        ("print(); print('B12 is empty'); print('more'); exit(1)", "failed", "B12 is empty"),
        ("exit(1)", "error", "the check is broken: it failed without a reason"),
        ("print('looking'); open('gone')", "error", "No such file or directory: 'gone'"),
        (
            "print('half'); 1 / 0",
            "error",
            "the check is broken: it raised an error: ZeroDivisionError: division by zero",
        ),
        ("open('gone')", "error", "No such file or directory: 'gone'"),
        ("print('half'); exit(2)", "error", "the check is broken: it ended with exit code 2"),
        ("import os; os.kill(os.getpid(), 11)", "error", "the check is broken: it ended with SIGSEGV"),
        ("print('x' * 9_000_000); exit(1)", "failed", "x" * 500),
        (r"import sys; sys.stdout.buffer.write(b'\xff\x1b[2J\n'); exit(1)", "failed", "\ufffd\x1b[2J"),
    ],
)
async def test_only_exit_code_0_passes_and_only_1_with_a_line_fails(
    program: str, judgement: str, reason: str, tmp_path: Path
) -> None:
    found = await verdict(tmp_path, program)
    assert found.judgement == judgement
    assert found.reason.endswith(reason)


LEAVES = "import subprocess; p = subprocess.Popen(['sleep', '99']); open('pid', 'w').write(str(p.pid));"


@pytest.mark.requires("eval.check")
async def test_a_check_that_hangs_is_broken_and_nothing_of_it_stays(tmp_path: Path) -> None:
    found = await verdict(tmp_path, f"{LEAVES} p.wait()", limit_s=5.0)
    assert found == Verdict(Judgement.ERROR, "the check is broken: it did not end within 5 s")
    await ended(tmp_path / "work/pid")


async def test_a_process_that_a_check_leaves_behind_is_ended(tmp_path: Path) -> None:
    assert await verdict(tmp_path, f"{LEAVES} print('no'); exit(1)") == Verdict(Judgement.FAILED, "no")
    await ended(tmp_path / "work/pid")


async def ended(pid: Path) -> None:
    """Return when the process whose number is in a file has ended."""
    with anyio.fail_after(10):
        while _runs(pid):
            await anyio.lowlevel.checkpoint()


def _runs(pid: Path) -> bool:
    stat = Path(f"/proc/{pid.read_text()}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


async def test_a_check_that_cannot_be_started_is_broken(tmp_path: Path) -> None:
    found = await run_check(("/nonexistent",), tmp_path, tmp_path, tmp_path / "summary.json")
    assert found.judgement is Judgement.ERROR


async def test_a_check_runs_in_the_work_folder_and_knows_its_task_and_the_summary(tmp_path: Path) -> None:
    program = "import os; e = os.environ; print(os.getcwd(), e['DESKHAND_TASK'], e['DESKHAND_SUMMARY']); exit(1)"
    found = await verdict(tmp_path, program)
    assert found.reason == f"{tmp_path}/work {tmp_path} {tmp_path}/summary.json"
