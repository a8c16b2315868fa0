# ruff: noqa: E501 - prompts as they are sent
"""What earlier steps, other windows and open menus look like in a prompt, exactly."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.commands import standard_catalogue
from deskhand.core.command import Effect, EffectClass, ResultStatus, ToolSpec, ToolType
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, AgentKind, ModelRequest, StepRecord, SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.models.scripted import ScriptedReply
from models.requests import ask, control, window
from notes import APP, Notes, prompt_of
from prompts.sent import told
from stage import assign, say, stage


def record(function: str, arguments: JsonObject, *, target: str = "", **more: str) -> ActionRecord:
    return ActionRecord(function, arguments, target, ResultStatus.SUCCESS, Effect.CONFIRMED, ran=True, **more)


def history(request: ModelRequest) -> list[str]:
    return told(request).partition("<<<UNTRUSTED history\n")[2].partition("\nUNTRUSTED>>>")[0].splitlines()


def screen(request: ModelRequest) -> list[str]:
    return told(request).partition("<<<UNTRUSTED the screen\n")[2].partition("\nUNTRUSTED>>>")[0].splitlines()


@pytest.mark.requires("prompt.exact")
def test_a_target_has_its_id_while_it_is_valid_and_evidence_calls_it_it() -> None:
    save = record(
        "invoke",
        {},
        target='button "Save" [1]',
        target_role="button",
        target_name="Save",
        evidence='button "Save" [1] is now focused',
    )
    size = record("set_edit_text", {"text": "12"}, target="textbox [2]", target_role="textbox")
    gone = record("invoke", {}, target='button "Gone" [9]', target_role="button", target_name="Gone")
    steps = [StepRecord(number, "CONTINUE", (save, size, gone), numbering=number) for number in (1, 2)]
    request = ask(done=steps, controls=[control(Role.BUTTON, "Save"), control(Role.TEXTBOX)])
    assert history(replace(request, numbering=2)) == [
        'Step 1: CONTINUE; invoke(button "Save") confirmed: it is now focused; set_edit_text(textbox, text="12") confirmed; invoke(button "Gone") confirmed',
        'Step 2: CONTINUE; invoke(button "Save" [1]) confirmed: it is now focused; set_edit_text(textbox [2], text="12") confirmed; invoke(button "Gone") confirmed',
    ]


@pytest.mark.requires("prompt.exact")
def test_long_arguments_are_cut_in_the_middle_defaults_are_left_out_and_a_result_stays_whole() -> None:
    row: JsonValue = ["North", "120"]
    cells: list[JsonValue] = [["Region", "Q1"], *[row] * 40, ["Total", "4800"]]
    rows: JsonObject = {"start": "A1", "rows": cells, "decimals": False}
    words = record("keyboard_input", {"keys": f"begin {'word ' * 40}end"})
    sheet = replace(control(Role.TABLE, "Sheet1"), traits=frozenset({Trait.OF_SHEET}))
    request = ask(done=[StepRecord(1, "CONTINUE", (record("write_table", rows), words))], controls=[sheet])
    result = "row, " * 150 + "the last row"
    ended = SubtaskRecord("a" * 200 + "b" * 300 + "c" * 200, "FINISH", Outcome.SUCCESS, result=result)
    request = replace(
        request, tools=tuple(standard_catalogue().specs(AgentKind.APP).values()), previous_subtasks=(ended,)
    )
    assert history(request) == [
        f"Ended subtask: {'a' * 147}…406…{'c' * 147}: success {result}",
        'Step 1: CONTINUE; write_table(rows=[["Region", "Q1"], ["North", "120"], ["N …681… ["North", "120"], ["Total", "4800"]]) confirmed; keyboard_input(keys="begin word word word word word word word" …129… "d word word word word word word word end") confirmed',
    ]


@pytest.mark.requires("prompt.exact")
def test_an_agent_sees_the_titles_of_other_windows_and_what_is_open_over_its_own() -> None:
    menu = control(Role.MENU, "Insert", parent="menubar:")
    inner = control(Role.MENU, "Media", parent=menu.handle)
    item = control(Role.MENUITEM, "Chart...", parent=inner.handle)
    request = ask(window=window("Untitled 1"), controls=[control(Role.MENUBAR), menu, inner, item])
    request = replace(request, other_windows=("report.odt", 'say "hi"'), more_windows=3)
    assert screen(request) == [
        "Window: Untitled 1",
        'Other windows: "report.odt", "say \\"hi\\"", and 3 more',
        '2 menu "Insert":',
        ' 3 menu "Media":',
        '  4 menuitem "Chart..."',
        'Open: menu "Insert" [2]; choose one of its items, or close it with {ESC}',
    ]


def test_a_list_that_dropped_down_is_open_and_a_menu_of_a_page_or_a_bar_is_not() -> None:
    box = control(Role.LIST, "Styles")
    item = replace(control(Role.LISTITEM, "Heading", parent=box.handle), traits=frozenset({Trait.IN_POPUP_LIST}))
    page = Fingerprint(Role.MENUITEM, "Home", ("document:Page", "menu:Site", "menuitem:Home"))
    in_page = replace(control(Role.MENUITEM, "Home", parent="menu:Site"), fingerprint=page)
    in_bar = control(Role.MENUITEM, "File", parent="menubar:")
    is_open = [
        [line for line in screen(ask(controls=controls)) if line.startswith("Open: ")]
        for controls in ([box, item], [control(Role.MENU, "Site"), in_page], [control(Role.MENUBAR), in_bar])
    ]
    assert is_open == [['Open: list "Styles" [1]; choose one of its items, or close it with {ESC}'], [], []]


@pytest.mark.requires("prompt.exact")
def test_a_host_is_told_which_window_is_in_front() -> None:
    calc = replace(window("Untitled 1", application="calc"), states=frozenset({"active"}))
    assert screen(ask(AgentKind.HOST, controls=[window("splash"), calc])) == [
        "Windows and agents, front first:",
        '1 window "splash"',
        '2 window "Untitled 1" of calc',
        'In front: window 2 "Untitled 1"',
    ]


def test_each_tool_is_one_line_also_where_its_server_describes_it_in_several() -> None:
    tool = ToolSpec(
        "lookup",
        "Looks up\n  a word.\n\nQuickly.",
        {},
        ToolType.ACTION,
        EffectClass.NONE,
        frozenset(),
        namespace="dictionary",
    )
    system = told(replace(ask(), tools=(*standard_catalogue().specs(AgentKind.APP).values(), tool)))
    assert "\n- lookup(): Looks up a word. Quickly.\n" in system
    tools = system.partition("\nTools (")[2].partition("\n\n# Rules")[0].splitlines()[1:]
    assert [line for line in tools if not line.startswith("- ")] == []


@pytest.mark.requires("prompt.exact")
async def test_what_was_read_without_a_name_stays_available_under_one_of_the_program(tmp_path: Path) -> None:
    notes = Notes()
    notes.text.value = "Dear Ada, " * 30

    def write(request: ModelRequest) -> ScriptedReply:
        name = next(iter(request.blackboard))
        return say("CONTINUE", "set_edit_text", "Text", args={"text": {"from": f"{name}.text"}})(request)

    quiet = say("CONTINUE", "invoke", "Quiet")
    app = [
        say("CONTINUE", "texts", "Text"),
        say("CONTINUE", "set_edit_text", "Text", args={"text": "x"}),
        quiet,
        quiet,
        write,
        say("FINISH"),
    ]
    it = stage(notes.desktop, {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: app}, log_path=tmp_path)
    await it.run()
    at_once, later = prompt_of(it.model.requests[2]), prompt_of(it.model.requests[5])
    assert '; texts(textbox "Text" [1]) done, saved as texts_2 → {"text": "Dear Ada, ' in at_once
    assert "\nData:\n- texts_2: text of 300 characters, shown in step 2\n" in at_once
    assert f'\nData:\n- texts_2: text of 300 characters; it begins {{"text": "{("Dear Ada, " * 30)[:150]}…\n' in later
    assert notes.text.value == "Dear Ada, " * 30
