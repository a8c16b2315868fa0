"""The reference flows, step by step (contract 2.5)."""

from pathlib import Path

import pytest

from deskhand.core.events import SubtaskAssigned
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow, spreadsheet
from stage import assign, say, stage

SALES = [["Region", "Sales"], ["North", "12"], ["South", "7"]]


def office() -> tuple[FakeDesktop, FakeTable]:
    """A document with a table, and an empty spreadsheet."""
    desktop = FakeDesktop()
    bar, cells = spreadsheet()
    desktop.open(FakeWindow("Excel", [bar, cells], "excel", rect=Rect(200, 150, 620, 460), focused=cells))
    desktop.open(FakeWindow("Word", [FakeControl(Role.TABLE, "Sales", table=FakeTable.of(SALES))], "word"))
    assert cells.table is not None
    return desktop, cells.table


@pytest.mark.requires("round.two-applications", "memory.blackboard-shared", "pipeline.data-handed-on")
async def test_two_applications_take_turns_under_the_host(tmp_path: Path) -> None:
    desktop, sheet = office()
    entered: JsonObject = {"start": "A1", "rows": {"from": "sales.cells"}}
    it = stage(
        desktop,
        {
            "HostAgent": [
                assign("Word", "Extract the sales table"),
                assign("Excel", "Enter it and make a bar chart"),
                say("FINISH", result="the chart is made"),
            ],
            "AppAgent/word": [
                say("CONTINUE", "read_table", "Sales", save_as="sales"),
                say("FINISH", result="3 rows read"),
            ],
            "AppAgent/excel": [
                say("CONTINUE", "write_table", args=entered),
                say("FINISH", result="entered"),
            ],
        },
        log_path=tmp_path,
    )
    ending = await it.run("Extract sales table from Word and create bar chart in Excel")
    assert it.events.edges() == [
        ("host", "CONTINUE", "ASSIGN", "llm"),
        ("host", "ASSIGN", "app:CONTINUE", "system"),
        ("app", "CONTINUE", "CONTINUE", "llm"),
        ("app", "CONTINUE", "FINISH", "llm"),
        ("app", "FINISH", "host:CONTINUE", "system"),
        ("host", "CONTINUE", "ASSIGN", "llm"),
        ("host", "ASSIGN", "app:CONTINUE", "system"),
        ("app", "CONTINUE", "CONTINUE", "llm"),
        ("app", "CONTINUE", "FINISH", "llm"),
        ("app", "FINISH", "host:CONTINUE", "system"),
        ("host", "CONTINUE", "FINISH", "llm"),
    ]
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "the chart is made")
    assert sheet.texts() == SALES
    saved = it.services.blackboard.data["sales"]
    assert (saved.application, saved.step) == ("word", 2)
    assert [record.result for record in it.services.blackboard.subtasks] == ["3 rows read", "entered"]
    second_host_step = it.model.requests[3]
    assert [r.result for r in second_host_step.previous_subtasks] == ["3 rows read"]
    assert [e.application for e in it.events.of(SubtaskAssigned)] == ["word", "excel"]


def export_application() -> tuple[FakeDesktop, list[str]]:
    """A window of 50 controls whose twelfth opens a dialog of 30; its first is OK, its fifth CSV."""
    desktop, done = FakeDesktop(), list[str]()

    def ok() -> None:
        done.append("exported")
        desktop.close_window(dialog)

    boxes = [FakeControl(Role.CHECKBOX, f"Option {n}") for n in range(2, 31)]
    boxes[3] = FakeControl(Role.RADIO, "CSV")
    dialog = FakeWindow("Export", [FakeControl(Role.BUTTON, "OK", on_click=ok), *boxes], "tables", dialog=True)
    buttons = [FakeControl(Role.BUTTON, f"Button {n}") for n in range(1, 51)]
    buttons[11] = FakeControl(Role.BUTTON, "Export", on_click=lambda: desktop.open(dialog) and None)
    desktop.open(FakeWindow("Tables", buttons, "tables", rect=Rect(0, 0, 640, 480)))
    return desktop, done


@pytest.mark.requires("round.one-application", "state.screenshot")
async def test_one_application_exports_through_a_dialog(tmp_path: Path) -> None:
    desktop, done = export_application()
    it = stage(
        desktop,
        {
            "HostAgent": [assign("Tables", "Extract table"), say("FINISH")],
            "AppAgent/tables": [
                say("SCREENSHOT", "invoke", control_label="12", control_text="Export"),
                say("CONTINUE", "select_item", control_label="5", control_text="CSV"),
                say("FINISH", "invoke", control_label="1", control_text="OK", result="exported as CSV"),
            ],
        },
        log_path=tmp_path,
    )
    ending = await it.run("Extract table")
    assert it.events.edges() == [
        ("host", "CONTINUE", "ASSIGN", "llm"),
        ("host", "ASSIGN", "app:CONTINUE", "system"),
        ("app", "CONTINUE", "SCREENSHOT", "llm"),
        ("app", "SCREENSHOT", "CONTINUE", "llm"),
        ("app", "CONTINUE", "FINISH", "llm"),
        ("app", "FINISH", "host:CONTINUE", "system"),
        ("host", "CONTINUE", "FINISH", "llm"),
    ]
    seen = [(len(r.controls), r.controls[0].id) for r in it.model.requests if r.agent_name == "AppAgent/tables"]
    assert seen == [(50, "1"), (30, "1"), (30, "1")]
    assert (ending.outcome, done) == (Outcome.SUCCESS, ["exported"])
    assert it.services.blackboard.subtasks[0].result == "exported as CSV"
