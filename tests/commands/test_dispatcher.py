"""The one door to the tools (contract 4.1, 4.3)."""

from dataclasses import replace

import pytest

from commands.bench import Bench, bench
from deskhand.commands import standard_catalogue
from deskhand.core.command import (
    Clearance,
    Command,
    Effect,
    ResultStatus,
    ToolType,
    status_of_effect,
)
from deskhand.core.errors import ClearanceMissing, DesktopGone, ElementStale, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.roles import Role
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.desktop.fake import FakeControl, FakeWindow
from deskhand.pipeline.actions import found_lines


def button(log: list[str], name: str = "Save") -> FakeControl:
    return FakeControl(Role.BUTTON, name, on_click=lambda: log.append(name))


@pytest.mark.requires("command.clearance")
async def test_an_action_without_a_clearance_never_gets_through() -> None:
    log: list[str] = []
    it = bench(save := button(log))
    with pytest.raises(ClearanceMissing, match="invoke was sent without a clearance"):
        await it.dispatcher.execute_commands([await it.command("invoke", save)])
    assert (log, it.desktop.calls_of("do_action")) == ([], [])


@pytest.mark.requires("command.clearance")
async def test_a_clearance_is_for_one_command_on_one_target_once() -> None:
    log: list[str] = []
    it = bench(save := button(log), tidy := button(log, "Tidy"))
    first, other = await it.command("invoke", save), await it.command("invoke", tidy)
    clearance = it.policy.clear(it.policy.judge(first, first.target))
    forged = Clearance(other.call_id, clearance.digest, "made up")
    for command, given in ((other, clearance), (first, clearance), (other, forged)):
        with pytest.raises(ClearanceMissing):
            await it.dispatcher.execute_commands([command], {command.call_id: given})
    assert log == []
    good = it.policy.clear(it.policy.judge(first, first.target))
    assert (await it.dispatcher.execute_commands([first], {first.call_id: good}))[0].delivered
    with pytest.raises(ClearanceMissing, match="used before"):
        await it.dispatcher.execute_commands([first], {first.call_id: good})
    assert log == ["Save"]


@pytest.mark.requires("command.clearance")
async def test_a_clearance_does_not_cover_changed_arguments() -> None:
    it = bench(box := FakeControl(Role.TEXTBOX, "Text"))
    command = await it.command("set_edit_text", box, text="good")
    clearance = it.policy.clear(it.policy.judge(command, command.target))
    changed = replace(command, parameters={**command.parameters, "text": "evil"})
    with pytest.raises(ClearanceMissing, match="another command or target"):
        await it.dispatcher.execute_commands([changed], {changed.call_id: clearance})
    assert box.value == ""


@pytest.mark.requires("command.one-result-each")
async def test_every_command_has_one_result_in_order_whatever_became_of_the_others() -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"))
    it.desktop.faults.hang("screenshot")
    looks = ("get_app_window_info", "capture_desktop_screenshot", "no_such_tool", "get_desktop_app_info")
    commands = [Command(tool, {}, ToolType.DATA_COLLECTION, window=await it.root()) for tool in looks]
    results = await it.dispatcher.execute_commands(commands)
    assert [r.call_id for r in results] == [c.call_id for c in commands]
    assert [r.status.value for r in results] == ["success", "failure", "failure", "success"]
    assert [r.error.type for r in results if r.error] == ["ActionDeadline", "DispatchError"]


@pytest.mark.requires("command.one-result-each")
async def test_a_command_ends_at_its_own_deadline() -> None:
    it = bench(save := button([]))
    it.desktop.faults.hang("do_action")
    command = replace(await it.command("invoke", save), deadline_s=7.0)
    result = await it.send(command)
    assert result.error is not None
    assert result.error.message == "invoke did not finish within 7 s"
    assert (result.status, result.effect, result.delivered, result.retry_safe) == (
        ResultStatus.FAILURE,
        Effect.UNVERIFIABLE,
        True,
        False,
    )


@pytest.mark.requires("command.effect")
async def test_what_was_refused_was_not_delivered_and_may_be_tried_again() -> None:
    log: list[str] = []
    save = button(log)
    save.states.add("disabled")
    result = await bench(save).run("invoke", save)
    assert (result.status, result.effect, result.delivered, result.retry_safe) == (
        ResultStatus.FAILURE,
        Effect.REFUSED,
        False,
        True,
    )
    assert result.error is not None
    assert (result.error.type, result.error.fix) == ("TargetDisabled", "find out what enables it, or wait")
    assert log == []


@pytest.mark.requires("command.effect")
async def test_an_action_that_broke_off_is_unverifiable_and_not_to_be_repeated() -> None:
    it = bench(save := button([]))
    it.desktop.faults.fail("do_action", DesktopGone("the bus died"))
    result = await it.run("invoke", save)
    assert (result.effect, result.delivered, result.retry_safe) == (Effect.UNVERIFIABLE, True, False)
    assert result.error is not None
    assert result.error.recoverable is False


@pytest.mark.requires("command.result-status")
def test_the_status_follows_from_the_effect() -> None:
    assert {effect.value: status_of_effect(effect).value for effect in Effect} == {
        "confirmed": "success",
        "partial": "failure",
        "refused": "failure",
        "unverifiable": "none",
        "suspected_noop": "none",
    }


@pytest.mark.requires("command.name-mismatch")
async def test_a_control_that_was_renamed_is_refused_before_anything_happens() -> None:
    log: list[str] = []
    it = bench(save := button(log))
    command = await it.command("invoke", save)
    save.name = "Send"
    with pytest.raises(ElementStale, match="is not called 'Save' any more"):
        await it.send(command)
    assert log == []


@pytest.mark.requires("command.name-mismatch")
async def test_a_control_that_is_called_by_another_name_is_refused_before_anything_happens() -> None:
    log: list[str] = []
    result = await bench(save := button(log)).run("invoke", save, name="Send")
    assert (result.effect, log) == (Effect.REFUSED, [])
    assert "is not called 'Send' any more" in result.evidence


@pytest.mark.requires("command.name-mismatch")
async def test_a_name_is_compared_as_names_are() -> None:
    log: list[str] = []
    it = bench(save := button(log, "_Save as…"))
    command = await it.command("invoke", save)
    assert (await it.send(replace(command, parameters={**command.parameters, "name": "Save  as..."}))).effect
    assert log == ["_Save as…"]


@pytest.mark.requires("command.stale-element")
async def test_a_stale_control_is_found_again_and_a_missing_or_doubled_one_is_named() -> None:
    log: list[str] = []
    group = FakeControl(Role.GROUP, children=[button(log)])
    it = bench(group)
    command = await it.command("invoke", group.children[0])
    for number, wanted in ((1, None), (0, "ElementStale"), (2, "AmbiguousTarget")):
        group.children[:] = [button(log) for _ in range(number)]
        if wanted is None:
            assert (await it.send(command)).effect is not Effect.REFUSED
            continue
        clearance = it.policy.clear(it.policy.judge(command, command.target))
        (result,) = await it.dispatcher.execute_commands([command], {command.call_id: clearance})
        assert result.error is not None
        assert (result.error.type, result.effect, len(result.error.candidates)) == (wanted, Effect.REFUSED, number)
    assert log == ["Save"]


async def test_a_window_that_is_gone_is_the_hosts_to_solve() -> None:
    it = bench(save := button([]))
    command = await it.command("invoke", save)
    it.desktop.faults.application_dies(it.window)
    clearance = it.policy.clear(it.policy.judge(command, command.target))
    (result,) = await it.dispatcher.execute_commands([command], {command.call_id: clearance})
    assert result.error is not None
    assert result.error.recoverable


@pytest.mark.requires("command.catalogue")
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("nothing", {}, "there is no tool 'nothing'"),
        ("invoke", {"id": "1", "colour": "red"}, "invoke: colour: Extra inputs are not permitted"),
        ("invoke", {"idd": "1"}, "invoke: idd: Extra inputs are not permitted"),
        ("click_on_coordinates", {"x": 2, "y": 0}, "click_on_coordinates: x: Input should be less than or equal to 1"),
        ("wheel_mouse_input", {"wheel_dist": "far"}, "wheel_mouse_input: wheel_dist: Input should be a valid integer"),
    ],
)
def test_arguments_that_do_not_fit_are_said_in_one_sentence(tool: str, arguments: JsonObject, said: str) -> None:
    with pytest.raises(ReplyDefect, match=said):
        standard_catalogue().validate(tool, arguments)


@pytest.mark.requires("command.catalogue", "command.tool-arguments")
def test_every_tool_stands_in_the_catalogue_with_its_documented_arguments() -> None:
    documented = {
        "click_input": "id name button=left double=False count=1 hold=",
        "click_on_coordinates": "x y button=left double=False count=1 hold=",
        "drag_on_coordinates": "start_x start_y end_x end_y button=left via= hold=",
        "hover": "id= name= x= y=",
        "hold_button": "x y button=left",
        "hold_keys": "keys seconds=0",
        "let_go": "what=all x= y=",
        "clipboard": "text=",
        "set_edit_text": "id name text clear=True",
        "keyboard_input": "keys literal= id= name=",
        "wheel_mouse_input": "wheel_dist id= name= x= y= sideways=False hold=",
        "wait": "seconds",
        "annotation": "control_labels",
        "summary": "text",
        "invoke": "id name action=",
        "select_item": "id name item= add=",
        "set_value": "id name value",
        "read_table": "id name range formulas=",
        "write_table": "start rows decimals= formulas=",
        "sort_range": "range by header",
        "format_range": "range bold= italic= number_format= align= background= color=",
        "remove_duplicates": "range header columns=",
        "choose_file": "path create=False overwrite=False",
        "fill": "values",
        "save_document": "path= overwrite=",
        "export_pdf": "path overwrite=",
        "replace_text": "pairs id= name=",
        "insert_table": "rows after=",
        "find_controls": "role= name= text= region= show=",
        "texts": "id name start",
        "wait_for": "text= role= name= value= state= title= picture= region= gone= seconds=",
        "launch_application": "application file=",
        "select_application_window": "id name",
    }
    catalogue = standard_catalogue()
    offered = {**catalogue.specs(AgentKind.APP), **catalogue.specs(AgentKind.HOST)}
    assert set(offered) == set(documented)
    for name, arguments in documented.items():
        properties = offered[name].parameters["properties"]
        assert isinstance(properties, dict)
        assert set(properties) == {argument.partition("=")[0] for argument in arguments.split()}
        assert (offered[name].namespace, bool(offered[name].description)) == ("deskhand", True)
        required = offered[name].parameters.get("required", [])
        assert isinstance(required, list)
        assert not {a.partition("=")[0] for a in arguments.split() if "=" in a} & {str(r) for r in required}


async def test_the_data_tools_look_and_change_nothing() -> None:
    table = FakeControl(Role.TABLE, "T")
    it = bench(FakeControl(Role.BUTTON, "Save"), FakeControl(Role.TEXTBOX, "Name", "Ada"), table)
    it.desktop.open(FakeWindow("Ask", [FakeControl(Role.BUTTON, "OK")], "app", dialog=True))
    before = len(it.desktop.calls)
    results = {
        tool: (await it.run(tool)).result
        for tool in (
            "get_desktop_app_info",
            "get_app_window_info",
            "get_app_window_controls_target_info",
            "observe_window",
        )
    }
    assert results["get_desktop_app_info"] == [
        {"title": "Ask", "application": "app", "pid": 1000},
        {"title": "Main", "application": "app", "pid": 1000},
    ]
    assert getattr(results["get_app_window_info"], "name", "") == "Ask"
    assert len(str(results["get_app_window_controls_target_info"])) > 10
    changing = {"do_action", "set_text", "click", "press", "activate", "focus", "select"}
    assert not changing & {call.method for call in it.desktop.calls[before:]}


@pytest.mark.requires("command.data-fields")
async def test_controls_are_plain_data_with_the_fields_that_are_asked_for_and_a_tree() -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"), FakeControl(Role.TEXTBOX, "Name", "Ada"))
    asked: list[JsonValue] = ["name", "type"]
    rows = [{"name": "Save", "type": "button"}, {"name": "Name", "type": "textbox"}]
    for tool in ("get_app_window_controls_info", "get_app_window_controls_target_info"):
        assert (await it.run(tool, field_list=asked)).result == rows
    save = items_of((await it.run("get_app_window_controls_info")).result, object)[0]
    assert [name for name, _ in pairs_of(save)] == [
        "id",
        "type",
        "role",
        "raw_role",
        "name",
        "value",
        "states",
        "rect",
        "actions",
    ]
    tree = dict(pairs_of((await it.run("get_ui_tree")).result))
    assert [dict(pairs_of(child))["name"] for child in items_of(tree["children"], object)] == ["Save", "Name"]
    assert (await it.run("capture_desktop_screenshot", all_screens=True)).ok


@pytest.mark.requires("command.data-fields")
@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "get_app_window_controls_info",
            {"field_list": ["name", "colour"]},
            "get_app_window_controls_info: field_list: a control has no colour; it has id, type, role",
        ),
        ("capture_desktop_screenshot", {"all_screens": False}, "capture_desktop_screenshot: all_screens: "),
        ("get_ui_tree", {"deep": True}, "get_ui_tree: deep: "),
    ],
)
async def test_an_argument_that_a_data_tool_does_not_take_is_named_in_its_result(
    tool: str, arguments: JsonObject, message: str
) -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"))
    command = Command(tool, arguments, ToolType.DATA_COLLECTION, window=await it.root())
    (result,) = await it.dispatcher.execute_commands([command])
    assert result.error is not None
    assert (result.ok, result.error.type) == (False, "ReplyDefect")
    assert message in result.error.message


async def find(it: Bench, **wanted: str | list[float]) -> list[str]:
    found = (await it.run("find_controls", **wanted)).result  # type: ignore[arg-type] - a list of numbers is JSON
    assert isinstance(found, list)
    return [str(item["name"]) for item in found]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


async def test_controls_are_found_by_role_name_text_and_region() -> None:
    it = bench(
        FakeControl(Role.BUTTON, "Save"), FakeControl(Role.BUTTON, "Save as"), FakeControl(Role.TEXTBOX, "N", "x1")
    )
    assert await find(it, role="button") == ["Save", "Save as"]
    assert await find(it, name="save") == []
    assert await find(it, name="/save/i") == ["Save", "Save as"]
    assert await find(it, text="x1") == ["N"]
    assert await find(it, region=[0, 0, 1, 1]) == ["Save", "Save as", "N"]
    assert await find(it, region=[0.99, 0.99, 1, 1]) == []


@pytest.mark.requires("prompt.same-names")
async def test_found_controls_of_one_name_have_their_place() -> None:
    it = bench(FakeControl(Role.BUTTON, "OK"), FakeControl(Role.BUTTON, "OK"), FakeControl(Role.BUTTON, "Open"))
    found = (await it.run("find_controls", role="button")).result
    assert [line.partition(") ")[2] for line in found_lines(found).splitlines()] == [
        'button "OK" (upper)',
        'button "OK" (lower)',
        'button "Open"',
    ]


@pytest.mark.requires("observe.reservations")
async def test_what_was_looked_for_where_not_everything_could_be_read_is_said_so() -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"), FakeControl(Role.BUTTON, "Open"))
    it.desktop.faults.truncate_after = 1
    found = await it.run("find_controls", name="Open")
    assert (found.result, found.evidence) == ([], "not everything could be read: deadline")
