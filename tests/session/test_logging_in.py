"""A splash screen, a log-in and the program behind it, on a real desktop; questions at the opening of a file."""

import json
from pathlib import Path

import pytest

from cli.driver import deskhand
from deskhand.config.sections import Configuration
from deskhand.core.outcomes import Outcome
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.report.summary import SessionSummary, summarise
from deskhand.session.build import SessionPlan, run_session
from support import ROOT

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    return "asyncio"


SHOP = """\
playbook: 1
name: shop
params: {password: text}
host:
  - {on: {role: dialog, name: Shop}, status: ASSIGN, agent: login, subtask: Log in}
  - {on: {role: window, name: Shop}, status: ASSIGN, agent: seller, subtask: Sell two}
  - {status: FINISH, result: sold}
agents:
  login:
    - {tool: set_edit_text, on: {role: textbox, name: User}, args: {text: kim}}
    - {tool: keyboard_input, on: {role: password, name: Password}, args: {keys: "${password}{ENTER}"}, status: FINISH}
  seller:
    - {tool: invoke, on: {role: button, name: Sell}}
    - {tool: invoke, on: {role: button, name: Sell}, status: FINISH}
"""
"""The log-in ends with its window, and the shop comes later, under the same title."""


async def run_shop(password: str, folder: Path) -> tuple[SessionSummary, dict[str, object]]:
    """What came of a session, and what the shop itself says."""
    state = folder / "state.json"
    argv = ("/usr/bin/python3", f"{ROOT}/tests/apps/login_gtk3.py", str(state))
    plan = SessionPlan(
        session_id="shop",
        session_dir=folder / "log",
        requests=("Sell",),
        model=PlaybookModel(parse_playbook(SHOP, "shop.yaml"), {"password": password}),
        configuration=Configuration.model_validate({"applications": {"shop": {"argv": argv}}}),
        applications=("shop",),
    )
    await run_session(plan)
    return summarise(plan.session_dir), json.loads(state.read_text(encoding="utf-8"))


@pytest.mark.requires("session.finished-by-closing", "playbook.waits-for-window")
async def test_a_log_in_is_written_as_a_playbook(tmp_path: Path) -> None:
    summary, shop = await run_shop("secret", tmp_path)
    assert summary.outcome == Outcome.SUCCESS, summary.reason
    assert shop == {"user": "kim", "sold": 2}


@pytest.mark.requires("session.finished-by-closing")
async def test_a_program_that_dies_at_the_log_in_is_no_success(tmp_path: Path) -> None:
    summary, shop = await run_shop("crash", tmp_path)
    assert summary.outcome == Outcome.FAILED
    assert 'the window "Shop" is gone: its program died (signal 6)' in summary.reason
    assert shop == {"user": "", "sold": 0}


IMPORT = """\
playbook: 1
name: import
host:
  - {on: {role: dialog, name: "/^Text Import/"}, status: ASSIGN, agent: clerk, subtask: Import and add a row}
  - {status: FINISH, result: imported}
agents:
  clerk:
    - {tool: set_value, on: {role: checkbox, name: Tab}, args: {value: false}}
    - {tool: set_value, on: {role: checkbox, name: Comma}, args: {value: false}}
    - {tool: set_value, on: {role: checkbox, name: Semicolon}, args: {value: true}}
    - {tool: invoke, on: {role: button, name: OK}}
    - {tool: write_table, args: {start: A4, rows: [["West", "7"]]}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {status: FINISH, result: saved}
"""


@pytest.mark.full("a question at the opening is tried in test_orders")
@pytest.mark.requires("session.asked-at-opening", "session.follows-window", "session.documents")
def test_the_text_import_of_a_csv_is_answered_and_its_sheet_worked_on(tmp_path: Path) -> None:
    file, out = tmp_path / "data.csv", tmp_path / "out"
    file.write_text("Region;Amount\nNorth, upper;1\nSouth;2\n")
    (playbook := tmp_path / "import.yaml").write_text(IMPORT)
    done = deskhand("run", "Import", "--playbook", playbook, "--file", file, "--out", out, "--json")
    assert done.code == 0, done.err
    copy = out / "log" / "documents" / "data.csv"
    assert copy.read_text().splitlines() == ["Region;Amount", "North, upper;1", "South;2", "West;7"]
    assert done.item("documents") == [
        {"path": str(file), "copy": str(copy), "window": "data.csv - LibreOffice Calc", "changed": True}
    ]
    assert file.read_text() == "Region;Amount\nNorth, upper;1\nSouth;2\n"
