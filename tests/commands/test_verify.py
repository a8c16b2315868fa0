"""Satisfied, unsatisfied or unknown, each with its reason (contract 4.2)."""

from pathlib import Path

import pytest

from commands.bench import Bench, bench
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ReplyDefect
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.ports import CheckResult, Satisfaction, satisfaction
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, Trait
from deskhand.core.type_checks import items_of
from deskhand.desktop.fake import FakeControl, FakeWindow

SAVE: JsonValue = {"role": "button", "name": "Save"}
BOLD: JsonValue = {"role": "checkbox", "name": "Bold"}


def window() -> tuple[Bench, FakeControl]:
    bold = FakeControl(Role.CHECKBOX, "Bold", states={"checked"})
    off = FakeControl(Role.BUTTON, "Off", states={"disabled"})
    return bench(FakeControl(Role.BUTTON, "Save"), bold, off, FakeControl(Role.TEXTBOX, "Name", "Ada")), bold


async def looked(it: Bench, **expect: JsonValue) -> tuple[Satisfaction, list[str]]:
    result = await it.run("verify", expect=expect, wait_s=0.5)
    checks = items_of(result.result, CheckResult)
    assert result.ok
    return satisfaction(checks), [check.detail for check in checks]


@pytest.mark.requires("verify.three")
async def test_what_holds_is_satisfied_and_says_what_was_seen(tmp_path: Path) -> None:
    it, _ = window()
    (tmp_path / "a.txt").write_text("one two")
    off: JsonValue = {"name": "Off"}
    held: list[tuple[dict[str, JsonValue], str]] = [
        ({"window": "Main"}, '"Main" is open'),
        ({"shows": SAVE}, 'button "Save" shows'),
        ({"shows": {"name": "Name", "value": "Ada"}}, 'textbox "Name" shows'),
        ({"shows": BOLD, "states": ["checked", "enabled"]}, 'checkbox "Bold" shows and is checked, enabled'),
        ({"shows": off, "states": ["not enabled"]}, 'button "Off" shows and is not enabled'),
        ({"gone": {"name": "Cancel"}}, 'control "Cancel" is gone: it is not among 4 controls of "Main"'),
        ({"file": str(tmp_path / "a.txt"), "contains": "two"}, 'a.txt: "two" is in its 7 bytes'),
    ]
    for expect, detail in held:
        assert await looked(it, **expect) == (Satisfaction.SATISFIED, [detail])


@pytest.mark.requires("verify.three")
async def test_what_does_not_hold_is_unsatisfied_and_says_what_is_instead(tmp_path: Path) -> None:
    it, _ = window()
    it.window.rect = Rect(500, 20, 900, 300)
    it.window.controls.append(FakeControl(Role.BUTTON, "Away", rect=Rect(700, 50, 760, 70)))
    (tmp_path / "a.txt").write_text("one two")
    failing: list[tuple[dict[str, JsonValue], str]] = [
        ({"window": "Other"}, 'no window is called "Other"; open are: "Main"'),
        ({"shows": {"name": "Cancel"}}, 'control "Cancel" is not among 5 controls of "Main"'),
        ({"shows": BOLD, "states": ["not checked"]}, 'checkbox "Bold" shows and is not as wanted: not checked'),
        ({"gone": SAVE}, 'button "Save" shows'),
        ({"shows": {"name": "Away"}}, 'button "Away" lies off the screen'),
        ({"file": str(tmp_path / "b.txt")}, f"{tmp_path / 'b.txt'} is not there, or empty"),
        ({"file": str(tmp_path / "a.txt"), "contains": "three"}, 'a.txt: "three" is not in its 7 bytes'),
    ]
    for expect, detail in failing:
        assert await looked(it, **expect) == (Satisfaction.UNSATISFIED, [detail])


@pytest.mark.requires("verify.three")
async def test_a_window_or_dialog_is_meant_by_a_part_of_its_title() -> None:
    it, _ = window()
    it.desktop.open(FakeWindow("Save report.odt As", [FakeControl(Role.BUTTON, "OK")], "app", dialog=True))
    dialog: JsonValue = {"role": "dialog", "name": "report.odt"}
    assert await looked(it, window="save report.odt") == (Satisfaction.SATISFIED, ['"Save report.odt As" is open'])
    assert await looked(it, shows=dialog) == (Satisfaction.SATISFIED, ['dialog "Save report.odt As" shows'])
    assert await looked(it, gone=dialog) == (Satisfaction.UNSATISFIED, ['dialog "Save report.odt As" shows'])
    assert (await looked(it, window="report"))[0] is Satisfaction.SATISFIED
    assert (await looked(it, window="port"))[0] is Satisfaction.UNSATISFIED


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize("within", [["Save As"], {"role": "dialog", "name": "Save As"}, {"role": "dialog"}])
async def test_what_shows_in_a_dialog_is_within_the_dialog_and_not_gone(within: JsonValue) -> None:
    it, _ = window()
    it.desktop.open(FakeWindow("Save As", [FakeControl(Role.BUTTON, "OK")], "app", dialog=True))
    inside: JsonValue = {"role": "button", "name": "OK", "within": within}
    elsewhere: JsonValue = {"role": "button", "name": "OK", "within": ["Open"]}
    itself: JsonValue = {"role": "dialog", "name": "Save As", "within": within}
    assert await looked(it, gone=inside) == (Satisfaction.UNSATISFIED, ['button "OK" shows'])
    assert await looked(it, shows=inside) == (Satisfaction.SATISFIED, ['button "OK" shows'])
    for absent in (elsewhere, itself):
        assert (await looked(it, gone=absent))[0] is Satisfaction.SATISFIED


@pytest.mark.requires("verify.three")
async def test_what_shows_is_looked_for_in_a_dialog_of_the_window_and_not_in_that_of_another() -> None:
    it, _ = window()
    other = it.desktop.open(FakeWindow("Other", [], "app"))
    find = it.desktop.open(FakeWindow("Find", [], "app", dialog=True, owner=other))
    await it.desktop.activate(await it.root())
    it.desktop.open(FakeWindow("More", [], "app", dialog=True, owner=find))
    assert (await looked(it, gone=SAVE))[0] is Satisfaction.UNSATISFIED
    own = it.desktop.open(FakeWindow("Own", [], "app", dialog=True, owner=it.window))
    assert (await looked(it, gone=SAVE))[0] is Satisfaction.SATISFIED
    own.owner = None  # as one that belongs to no window: the process decides
    assert (await looked(it, gone=SAVE))[0] is Satisfaction.SATISFIED


@pytest.mark.requires("verify.three")
async def test_of_several_the_nth_is_looked_at_and_more_than_there_are_show_nowhere() -> None:
    it = bench(FakeControl(Role.CHECKBOX, "Row", states={"checked"}), FakeControl(Role.CHECKBOX, "Row"))
    asked: list[tuple[int | str, Satisfaction, Satisfaction]] = [
        (1, Satisfaction.SATISFIED, Satisfaction.UNSATISFIED),
        ("first", Satisfaction.SATISFIED, Satisfaction.UNSATISFIED),
        (2, Satisfaction.UNSATISFIED, Satisfaction.UNSATISFIED),
        ("last", Satisfaction.UNSATISFIED, Satisfaction.UNSATISFIED),
        (3, Satisfaction.UNSATISFIED, Satisfaction.SATISFIED),
    ]
    for nth, checked, gone in asked:
        row: JsonValue = {"name": "Row", "nth": nth}
        assert (await looked(it, shows=row, states=["checked"]))[0] is checked
        assert (await looked(it, gone=row))[0] is gone
    it.desktop.faults.truncate_after = 1
    assert (await looked(it, shows={"name": "Row", "nth": "last"}))[0] is Satisfaction.UNKNOWN


@pytest.mark.requires("verify.three")
async def test_a_role_that_there_is_not_is_refused_and_the_roles_are_listed_also_within() -> None:
    it, _ = window()
    typo: JsonValue = {"role": "buton", "name": "Save"}
    inside: JsonValue = {"name": "Save", "within": {"role": "buton"}}
    for expect in ({"gone": typo}, {"shows": typo}, {"gone": inside}):
        with pytest.raises(ReplyDefect, match=r"there is no role 'buton'; roles are alert, .*, window"):
            await looked(it, **expect)


@pytest.mark.requires("mcp.files")
async def test_a_link_that_comes_while_it_is_waited_is_not_followed_out_of_the_folders(tmp_path: Path) -> None:
    it, _ = window()
    folder, secret = tmp_path / "project", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("xyzzy")
    file = folder / "file"
    it.allow_files_in(folder)
    it.desktop.faults.before("wait_until", lambda: file.symlink_to(secret))
    result = await it.run("verify", expect={"file": str(file), "contains": "xyzzy"}, wait_s=5)
    assert result.error is not None
    assert (result.error.type, result.result) == ("FileOutOfBounds", None)


@pytest.mark.requires("mcp.files")
@pytest.mark.parametrize("path", ["\0", "~/secret", "../secret"])
async def test_what_is_no_path_or_leads_elsewhere_is_in_no_folder(tmp_path: Path, path: str) -> None:
    it, _ = window()
    it.allow_files_in(tmp_path)
    result = await it.run("verify", expect={"file": path}, wait_s=0)
    assert result.error is not None
    assert result.error.type == "FileOutOfBounds"


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize("part", ["shows", "gone"])
async def test_what_could_not_be_looked_at_is_unknown(part: str) -> None:
    it, _ = window()
    cancel: dict[str, JsonValue] = {part: {"name": "Cancel"}}
    it.desktop.faults.truncate_after = 1
    verdict, (detail,) = await looked(it, **cancel)
    assert (verdict, "not all was read" in detail) == (Satisfaction.UNKNOWN, True)
    it.desktop.faults.truncate_after = None
    for number in range(1, 9):
        it.desktop.faults.fail("observe", ApplicationUnresponsive("it is stopped"), on_call=number + 1)
    assert await looked(it, **{part: SAVE}) == (Satisfaction.UNKNOWN, ["it is stopped"])


@pytest.mark.requires("verify.three")
async def test_what_was_found_is_known_also_where_not_everything_was_read() -> None:
    it, _ = window()
    it.desktop.faults.truncate_after = 1
    assert (await looked(it, shows=SAVE))[0] is Satisfaction.SATISFIED
    assert (await looked(it, gone=SAVE))[0] is Satisfaction.UNSATISFIED


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize("part", ["shows", "gone"])
async def test_what_a_formula_gives_is_unknown_where_the_cell_does_not_tell_it(part: str) -> None:
    it = bench(FakeControl(Role.CELL, "E2", states={"result_untold"}), FakeControl(Role.CELL, "E3", states={"empty"}))
    error, empty = [dict[str, JsonValue](name=name, value="#DIV/0!") for name in ("E2", "E3")]
    told = 'cell "E2" has a formula whose result is not exposed'
    assert await looked(it, **{part: error}) == (Satisfaction.UNKNOWN, [told])
    assert (await looked(it, **{part: empty}))[0] is not Satisfaction.UNKNOWN
    assert (await looked(it, shows={"name": "E2"}))[0] is Satisfaction.SATISFIED
    kept = bench(FakeControl(Role.CELL, "E2", "old", states={"result_untold"}))
    old: dict[str, JsonValue] = {"name": "E2", "value": "old"}
    assert await looked(kept, **{part: old}) == (Satisfaction.UNKNOWN, [told])


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize(
    ("role", "states", "state", "known"),
    [
        (Role.MENUITEM, (), "not checked", False),
        (Role.MENUITEM, (), "checked", False),
        (Role.MENUITEM, ("checked",), "not checked", True),
        (Role.MENUITEMCHECKBOX, (), "not checked", True),
        (Role.CHECKBOX, ("checked_untold",), "not checked", False),
        (Role.BUTTON, (), "not checked", False),
        (Role.BUTTON, ("checked",), "checked", True),
        (Role.GROUP, ("editable",), "not focused", False),
        (Role.TEXTBOX, ("editable", "focusable"), "not focused", True),
    ],
)
async def test_a_state_that_a_control_does_not_tell_of_itself_is_unknown(
    role: Role, states: tuple[str, ...], state: str, known: bool
) -> None:
    traits = frozenset({Trait.CHECK_NOT_EXPOSED}) if role is Role.BUTTON else NO_TRAITS
    it = bench(FakeControl(Role.BUTTON, "First"), FakeControl(role, "It", states=set(states), traits=traits))
    verdict, (detail,) = await looked(it, shows={"name": "It"}, states=[state])
    assert (verdict is not Satisfaction.UNKNOWN) == known, detail


@pytest.mark.requires("verify.three")
async def test_a_window_that_is_gone_shows_nothing() -> None:
    it, _ = window()
    command = await it.command("verify", expect={"gone": SAVE}, wait_s=0)
    other = await it.command("verify", expect={"shows": SAVE}, wait_s=0)
    it.desktop.close_window(it.window)
    verdicts = [satisfaction(items_of((await it.send(each)).result, CheckResult)) for each in (command, other)]
    assert verdicts == [Satisfaction.SATISFIED, Satisfaction.UNSATISFIED]


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize(("part", "then"), [("gone", Satisfaction.UNSATISFIED), ("shows", Satisfaction.SATISFIED)])
async def test_a_window_that_is_there_and_to_which_nothing_answers_is_unknown_and_not_gone(
    part: str, then: Satisfaction
) -> None:
    it, _ = window()
    nothing = ApplicationGone('No accessible window of process 7 answers to "Main".')
    it.desktop.faults.fail("observe", nothing, on_call=2)
    result = await it.run("verify", expect={part: SAVE}, wait_s=0)
    (check,) = items_of(result.result, CheckResult)
    assert (check.verdict, check.detail) == (Satisfaction.UNKNOWN, nothing.message)
    it.desktop.faults.fail("observe", nothing, on_call=2)
    assert (await looked(it, **{part: SAVE}))[0] is then


@pytest.mark.requires("verify.three")
async def test_a_table_on_another_page_does_not_show_and_is_not_gone_whether_it_was_looked_for_or_not() -> None:
    table: JsonValue = {"role": "table", "name": "Costs"}
    document = FakeControl(Role.DOCUMENT, "Letter", states={"other_pages_unlisted"})
    it = bench(document)
    assert (await looked(it, shows=table))[0] is Satisfaction.UNSATISFIED
    verdict, (detail,) = await looked(it, gone=table)
    assert (verdict, "find_controls with role=table" in detail) == (Satisfaction.UNKNOWN, True)
    assert (await looked(it, gone={"role": "button", "name": "Costs"}))[0] is Satisfaction.SATISFIED

    document.states.clear()
    document.children = [FakeControl(Role.TABLE, "Costs", states={"offscreen"})]
    lies_off = (Satisfaction.UNSATISFIED, ['table "Costs" lies off the screen'])
    assert await looked(it, shows=table) == lies_off
    assert await looked(it, gone=table) == (Satisfaction.UNSATISFIED, ['table "Costs" is on another page'])
    document.children = []
    assert (await looked(it, gone=table))[0] is Satisfaction.SATISFIED


@pytest.mark.requires("verify.three")
async def test_one_thing_that_does_not_hold_decides_over_what_is_unknown_and_that_over_what_holds() -> None:
    held, failed = CheckResult("a", ok=True), CheckResult("b", ok=False)
    unknown = CheckResult("c", ok=False, known=False)
    assert satisfaction([held, unknown, failed]) is Satisfaction.UNSATISFIED
    assert satisfaction([held, unknown]) is Satisfaction.UNKNOWN
    assert satisfaction([held]) is Satisfaction.SATISFIED
    assert satisfaction([]) is Satisfaction.UNKNOWN


@pytest.mark.requires("verify.three")
async def test_states_that_are_not_final_are_waited_for() -> None:
    it, bold = window()
    it.desktop.faults.late_states = lambda: bold.states.discard("checked")
    assert (await looked(it, shows=BOLD, states=["checked"]))[0] is Satisfaction.UNSATISFIED


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({}, "nothing is expected"),
        ({"effect": "confirmed"}, "belong to an action's result"),
        ({"shows": {"name": "Bold"}, "states": ["chekced"]}, "there is no state 'chekced'"),
        ({"window": "Main", "states": ["checked"]}, "states need a control"),
        ({"window": "Main", "contains": "x"}, "contains needs a file"),
        ({"file": "/a", "contains": "half \ud83d"}, r"characters that no text has: 'half \\ud83d'"),
        ({"gone": {"name": "Bold", "nth": 0}}, "greater than or equal to 1"),
    ],
)
async def test_what_can_never_hold_is_refused(expect: JsonValue, said: str) -> None:
    it, _ = window()
    with pytest.raises(ReplyDefect, match=said):
        await it.run("verify", expect=expect)
