"""A question before any window, dialogs closed by their own buttons, and a file saved by a key, in Qt and Swing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.outcomes import Outcome
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.report.summary import SessionSummary, summarise
from deskhand.session.build import SessionPlan, run_session
from desktop.linux.fixture import BRIDGE, JAVA
from support import ROOT, need

pytestmark = pytest.mark.desktop

APPS: Final = ROOT / "tests/apps"
PROGRAMS: Final[Mapping[str, tuple[str, ...]]] = {
    "Qt": ("/usr/bin/python3", str(APPS / "orders_qt.py"), "{file}"),
    "Swing": (*JAVA, str(APPS / "OrdersSwing.java"), "{file}"),
}
BOOK: Final = """\
playbook: 1
name: orders
params: {keys: text, file: path}
host:
  - {on: {role: dialog, name: Unfinished}, status: ASSIGN, agent: answer, subtask: Go on with the order}
  - {on: {role: dialog, name: Clerk}, status: ASSIGN, agent: clerk, subtask: Order three pens}
  - {status: FINISH, result: ordered}
agents:
  answer:
    - {tool: invoke, on: {role: button, name: Go on}, status: FINISH}
  clerk:
    - {tool: set_edit_text, on: {role: textbox, name: Name}, args: {text: kim}}
    - {tool: invoke, on: {role: button, name: OK}}
    - {tool: set_edit_text, on: {role: textbox, name: Order}, args: {text: 3 pens}}
    - {tool: keyboard_input, args: {keys: "${keys}"}, expect: {effect: confirmed, file: "${file}"}}
    - {status: FINISH}
"""


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    return "asyncio"


async def ordered(toolkit: str, folder: Path, keys: str) -> tuple[SessionSummary, str]:
    """Run the playbook; return the end of the session and the text of the file."""
    file = folder / "order.txt"
    file.write_text("nothing yet\n", encoding="utf-8")
    argv = PROGRAMS[toolkit]
    program = {"argv": argv[:-1], "argv_with_file": argv}
    plan = SessionPlan(
        session_id="orders",
        session_dir=folder / "log",
        requests=("Order three pens",),
        model=PlaybookModel(parse_playbook(BOOK, "orders.yaml"), {"keys": keys, "file": str(file)}),
        configuration=Configuration.model_validate({"applications": {"orders": program}}),
        files=(file,),
        opens_with="orders",
        in_place=True,
    )
    await run_session(plan)
    return summarise(plan.session_dir), file.read_text(encoding="utf-8")


@pytest.mark.full("other toolkits take the same way", but=["Qt"])
@pytest.mark.requires(
    "session.asked-at-opening",
    "session.finished-by-closing",
    "session.follows-window",
    "pipeline.expected-file",
    "effect.saved",
)
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_an_order_is_begun_by_a_question_and_ends_in_its_file(toolkit: str, tmp_path: Path) -> None:
    need(BRIDGE)
    summary, text = await ordered(toolkit, tmp_path, "{VK_CONTROL}s")
    assert (summary.outcome, text) == (Outcome.SUCCESS, "kim: 3 pens\n"), summary.reason


@pytest.mark.full("test_expected_files has the same in memory")
@pytest.mark.requires("pipeline.expected-file")
async def test_a_file_that_no_action_wrote_meets_no_expectation(tmp_path: Path) -> None:
    summary, text = await ordered("Qt", tmp_path, "{END}")
    assert (summary.outcome, text) == (Outcome.FAILED, "nothing yet\n")
    assert "was not written since the action began" in summary.reason
