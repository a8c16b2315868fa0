"""The program as a whole: help, version, mistakes on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.driver import SESSION_KEYS, Console, environment
from deskhand.cli.app import VERBS
from deskhand.core.errors import MissingRequirement
from deskhand.core.outcomes import Outcome
from deskhand.session.round import Ending

_HEAVY = ("pydantic_ai", "mcp", "pydantic", "PIL", "dbus_fast", "Xlib", "mss", "jinja2", "yaml", "anyio", "rich")


@pytest.mark.requires("cli.light-verbs")
@pytest.mark.long
def test_what_looks_at_a_desktop_or_acts_on_it_imports_nothing_that_thinks() -> None:
    program = (
        "import sys, deskhand.cli.act, deskhand.cli.observe, deskhand.cli.windows\n"
        "rooms = ('agents', 'states', 'pipeline', 'prompts', 'session.build', 'models.language')\n"
        "print([room for room in rooms if 'deskhand.' + room in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]", "each call of a script would wait for them"


@pytest.mark.requires("cli.light-help")
def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from deskhand.cli.app import run; code = run(['--help']); "
        f"heavy = [name for name in {_HEAVY!r} if name in sys.modules]; print('HEAVY', heavy); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.endswith("HEAVY []\n"), done.stdout


@pytest.mark.long
def test_modules_in_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    for name in ("mcp", "typer", "anyio", "yaml", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n")
    done = subprocess.run(
        [sys.executable, "-m", "deskhand", "mcp", "--desktop", "nowhere"],
        cwd=tmp_path,
        env=environment(XDG_STATE_HOME=str(tmp_path)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "nowhere" in done.stderr, "a server whose desktop is not there serves, and reports that"


def test_help_lists_every_verb(console: Console) -> None:
    done = console("--help")
    assert done.code == 0
    for verb in VERBS:
        assert f"  {verb.name} " in done.out


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_verb_explains_itself(console: Console, verb: str) -> None:
    done = console(verb, "--help")
    assert done.code == 0
    assert f"deskhand {verb}" in done.out


def test_the_version_is_printed(console: Console) -> None:
    done = console("--version")
    assert done.code == 0
    assert done.out.startswith("deskhand ")


@pytest.mark.requires("cli.public-names")
def test_the_package_runs_as_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deskhand", "nosuch"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("deskhand: ")


def test_no_arguments_print_the_help_and_are_a_usage_error(console: Console) -> None:
    done = console()
    assert done.code == 2
    assert "Commands:" in done.out


@pytest.mark.requires("cli.one-json-object", "cli.exit-codes")
@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--format", "pdf", "--json"],
        ["demo", "--json", "--bogus"],
        ["run", "--json"],
        ["run", "x", "--json", "--max-step", "many"],
    ],
)
def test_a_mistake_in_a_session_verb_is_told_as_a_session_that_never_began(
    console: Console, arguments: list[str]
) -> None:
    done = console(*arguments)
    assert done.code == 2
    assert set(done.json) == SESSION_KEYS
    assert done.item("error", "type") == "UsageError"
    assert done.item("error", "message")
    assert done.err.startswith("deskhand: ")


@pytest.mark.requires("cli.one-json-object")
@pytest.mark.parametrize("arguments", [["nosuch", "--json"], ["windows", "--bogus", "--json"], ["desktop", "--json"]])
def test_a_mistake_elsewhere_is_told_as_an_error(console: Console, arguments: list[str]) -> None:
    done = console(*arguments)
    assert done.code == 2
    assert set(done.json) == {"error"}


def test_a_mistake_leads_to_the_help_of_its_verb(console: Console) -> None:
    assert "fix: deskhand screenshot --help" in console("screenshot").err
    assert "fix: deskhand --help" in console("nosuch").err


def test_json_after_the_double_dash_is_not_for_us(console: Console) -> None:
    done = console("launch", "--bogus", "--", "program", "--json")
    assert done.code == 2
    assert done.out == ""


@pytest.mark.requires("cli.exit-codes")
def test_an_unforeseen_error_is_told_and_ends_with_four(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr("deskhand.desktop.machine_check.requirements", broken)
    done = console("doctor", "--json")
    assert done.code == 4
    assert done.item("error", "type") == "ZeroDivisionError"
    assert "nothing to divide by" in done.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = "import sys; from deskhand.cli.app import run; sys.exit(run(['--help']))"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate(timeout=30)
    assert b"Traceback" not in told


def test_json_is_ascii_so_that_no_encoding_can_break_it(console: Console) -> None:
    done = console("demo", "--document", "größe.pdf", "--json")
    assert done.out.isascii()
    assert "größe.pdf" in json.loads(done.out)["reason"]


@pytest.mark.requires("cli.exit-codes")
@pytest.mark.parametrize(
    ("encoding", "told"), [("latin-1", b"deskhand \xe9 \\u65e5 \\udcff\n"), ("utf-8", "é 日 ".encode() + b"\\udcff\n")]
)
def test_what_the_encoding_of_stdout_lacks_is_escaped_and_no_error(encoding: str, told: bytes) -> None:
    program = "import deskhand; deskhand.__version__ = 'é 日 \\udcff'; from deskhand.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"],
        env=environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(told)


@pytest.mark.requires("cli.exit-codes")
@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.SUCCESS, 0),
        (Outcome.FAILED, 1),
        (Outcome.REJECTED, 3),
        (Outcome.ERROR, 4),
        (Outcome.STEP_LIMIT, 5),
        (Outcome.BUDGET, 5),
        (Outcome.TIMEOUT, 6),
        (Outcome.CANCELLED, 6),
    ],
)
def test_every_outcome_has_its_exit_code(outcome: Outcome, code: int) -> None:
    assert Ending(outcome, "").exit_code == code


def test_an_error_with_an_exit_code_of_its_own_decides() -> None:
    assert Ending(Outcome.ERROR, "", MissingRequirement.exit_code).exit_code == 2
