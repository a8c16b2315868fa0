"""The visible state decides whether an action that may have happened did (ADR 0119)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.commands import CommandDispatcher
from deskhand.core.events import ActionIntended, ControlState, TargetData
from deskhand.core.file_stamp import stamps_of
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.applications import Applications
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.windows import Application
from deskhand.session.unknown_actions import Judge, Judged
from stage import stage


def form() -> tuple[FakeDesktop, dict[str, FakeControl]]:
    """A window with a control of each kind."""
    controls = [
        FakeControl(Role.TEXTBOX, "Text", "Dear"),
        FakeControl(Role.PASSWORD, "Secret"),
        FakeControl(Role.CHECKBOX, "Urgent"),
        FakeControl(Role.CHECKBOX, "Hidden", traits=frozenset({Trait.CHECK_NOT_EXPOSED})),
        FakeControl(Role.LISTITEM, "Letter"),
        FakeControl(Role.BUTTON, "Send"),
        FakeControl(Role.STATUS, "Sent", "no"),
    ]
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", controls, "form"))
    return desktop, {control.name: control for control in controls}


def dispatcher(desktop: FakeDesktop, folder: Path) -> CommandDispatcher:
    return stage(desktop, {}, log_path=folder).services.dispatcher


def intent(tool: str, control: FakeControl, before: str | None = "", **more: object) -> ActionIntended:
    return ActionIntended.model_validate(
        {
            "step": 2,
            "agent": "AppAgent/form",
            "call_id": "1",
            "tool": tool,
            "at": 1.0,
            "target": TargetData(role=control.role.value, name=control.name),
            "before": ControlState(handle=control.handle, value=before),
            **more,
        }
    )


Change = Callable[[dict[str, FakeControl]], None]


def nothing(_: dict[str, FakeControl]) -> None:
    """The action was never carried out."""


def put(name: str, value: str) -> Change:
    def change(controls: dict[str, FakeControl]) -> None:
        controls[name].value = value

    return change


def check(controls: dict[str, FakeControl]) -> None:
    controls["Urgent"].states.add("checked")


SETS: JsonObject = {"text": "Ada"}
TYPES: JsonObject = {"keys": "Ada"}
HAPPENED, AGAIN, UNKNOWN = (True, False), (False, True), (None, False)


@pytest.mark.requires("resume.once")
@pytest.mark.parametrize(
    ("tool", "on", "before", "more", "change", "expected"),
    [
        ("set_edit_text", "Text", "Dear", {"arguments": SETS}, put("Text", "Ada"), HAPPENED),
        ("set_edit_text", "Text", "Dear", {"arguments": SETS}, put("Text", "Ad"), AGAIN),
        ("set_edit_text", "Text", "Dear", {"arguments": {**SETS, "clear": False}}, put("Text", "DearAda"), UNKNOWN),
        ("set_edit_text", "Secret", None, {"arguments": SETS}, put("Secret", "Ada"), AGAIN),
        ("keyboard_input", "Text", "Dear", {"arguments": TYPES}, put("Text", "DearAda"), HAPPENED),
        ("keyboard_input", "Text", "Dear", {"arguments": TYPES}, put("Text", "DearA"), UNKNOWN),
        ("keyboard_input", "Text", "Dear", {"arguments": TYPES}, nothing, AGAIN),
        ("keyboard_input", "Text", "Dear", {"arguments": {"keys": "{ENTER}"}}, nothing, UNKNOWN),
        ("invoke", "Urgent", "", {}, check, HAPPENED),
        ("invoke", "Urgent", "", {}, nothing, AGAIN),
        ("click_input", "Urgent", "", {"arguments": {"count": 2}}, nothing, UNKNOWN),
        ("click_input", "Urgent", "", {"arguments": {"count": 1, "button": "left"}}, nothing, AGAIN),
        ("invoke", "Hidden", "", {}, nothing, UNKNOWN),
        ("invoke", "Letter", "", {}, nothing, UNKNOWN),  # it may have been opened
        ("invoke", "Send", "", {}, nothing, UNKNOWN),
        ("save_document", "Text", "", {}, nothing, AGAIN),  # under its own name: twice is as once
        ("save_document", "Text", "", {"arguments": {"path": "/new.odt"}}, nothing, UNKNOWN),
        ("invoke", "Send", "", {"expect": {"shows": {"name": "Sent", "value": "yes"}}}, put("Sent", "yes"), HAPPENED),
        ("invoke", "Send", "", {"expect": {"shows": {"name": "Sent", "value": "yes"}}}, nothing, UNKNOWN),
        ("invoke", "Send", "", {"expect": {"effect": "confirmed"}}, put("Sent", "yes"), UNKNOWN),
        ("select_application_window", "Send", "", {}, nothing, AGAIN),
    ],
)
async def test_an_action_happened_or_may_be_repeated_only_where_that_is_visible(  # noqa: PLR0917 - a table
    tmp_path: Path,
    tool: str,
    on: str,
    before: str | None,
    more: dict[str, JsonObject],
    change: Change,
    expected: tuple[bool | None, bool],
) -> None:
    desktop, controls = form()
    announced = intent(tool, controls[on], before, **more)
    change(controls)
    (window,) = await desktop.windows()
    told = await Judge(dispatcher(desktop, tmp_path), Applications(())).judge(announced, window)
    assert (told.happened, told.may_repeat) == expected, told.evidence
    assert told.evidence
    assert not [call for call in desktop.calls if call.method in {"do_action", "set_text", "click", "press"}]


@pytest.mark.requires("resume.once")
async def test_a_file_that_was_there_before_proves_nothing(tmp_path: Path) -> None:
    desktop, controls = form()
    file = tmp_path / "a.pdf"
    file.write_text("old")
    (window,) = await desktop.windows()
    judge = Judge(dispatcher(desktop, tmp_path), Applications(()))
    after = intent("invoke", controls["Send"], expect={"file": str(file)}, files=stamps_of([str(file)]))
    before = after.model_copy(update={"files": {str(file): None}})
    assert (await judge.judge(before, window)).happened is True
    assert (await judge.judge(after, window)).happened is None


@pytest.mark.requires("resume.once")
@pytest.mark.parametrize(("windows", "expected"), [(1, True), (2, None), (0, None)])
async def test_a_launch_happened_if_there_is_one_new_window_of_it(
    tmp_path: Path, windows: int, expected: bool | None
) -> None:
    desktop, controls = form()
    launch = intent("launch_application", controls["Send"], arguments={"application": "editor"})
    opened = [desktop.open(FakeWindow(f"Letter {number}", [], "editor")) for number in range(windows + 1)]
    known = Applications.of([Application("editor", ("editor",))])
    worked_in = frozenset({(await desktop.windows())[-2].handle})
    told: Judged = await Judge(dispatcher(desktop, tmp_path), known, worked_in).judge(launch, None)
    assert told.happened is expected
    assert not told.may_repeat
    assert (told.window.name if told.window else "") == ("Letter 1" if expected else "")
    assert len(opened) == windows + 1
