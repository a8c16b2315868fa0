"""Conditions and loops of playbooks: what is left out, what comes next, and that it follows from the request alone."""

from dataclasses import replace
from functools import cache
from itertools import count

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, ModelRequest, StepRecord
from deskhand.core.roles import Role
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.section_position import MAX_ROWS, progress, unroll
from deskhand.models.steps import Playbook
from models.requests import ask, control, window

FORM = """\
playbook: 1
name: form
params: {draft: {type: text, default: "no"}}
agents:
  form:
    - {tool: read_table, on: {role: table}, save_as: sales}
    - {tool: invoke, on: {role: button, name: OK}, when: {shows: {role: dialog, name: "/tip/i"}}}
    - for_each: row in ${sales.cells}
      steps:
        - {tool: set_edit_text, on: {role: textbox, name: Region}, args: {text: "${row.Region}"}}
        - {tool: invoke, on: {role: button, name: Big}, when: {value: "${row.Sales}", is: ">=10"}}
        - {tool: invoke, on: {role: button, name: Add}}
    - {tool: invoke, on: {role: button, name: Save}, unless: {value: "${draft}", is: "yes"}, status: FINISH}
    - {status: FINISH, result: left as a draft}
"""
CELLS: list[JsonValue] = [["Region", "Sales"], ["North", "3"], ["South", "12"]]
CONTROLS = (
    control(Role.TABLE, "Sales"),
    control(Role.TEXTBOX, "Region"),
    *(control(Role.BUTTON, name) for name in ("OK", "Big", "Add", "Save")),
)
ALL = ["read_table", "Region=North", "Add", "Region=South", "Big", "Add", "Save"]


@cache
def parsed(text: str) -> Playbook:
    """Read once: reading takes longer than answering."""
    return parse_playbook(text, "form.yaml")


class Form:
    """Plays the pipeline: shows the form, keeps records, runs what it is told to."""

    def __init__(self, text: str = FORM, *, told: bool = True, **parameters: object) -> None:
        self.playbook = parsed(text)
        self.parameters = parameters
        self.told = told
        self.cells = CELLS
        self.tip = False
        self.board: dict[str, JsonValue] = {}
        self.done: list[StepRecord] = []
        self.log: list[str] = []

    def request(self, problem: str = "") -> ModelRequest:
        shown = window("Tip of the day", role=Role.DIALOG) if self.tip else window("Form")
        return ask(done=self.done, window=shown, controls=CONTROLS, blackboard=self.board, problem=problem)

    async def reply(self, problem: str = "") -> tuple[JsonObject, int | None]:
        """Of a model made for this one question: it can have kept nothing."""
        answered = await PlaybookModel(self.playbook, self.parameters).respond(self.request(problem))
        return answered.content, answered.position

    def carry_out(
        self, content: JsonObject, position: int | None, *, refused: bool = False, fails: bool = False
    ) -> None:
        function = str(content.get("function", ""))
        name = str(content.get("control_text", ""))
        role = next((item.type for item in CONTROLS if item.name == name), "")
        status = ResultStatus.FAILURE if refused or fails else ResultStatus.SUCCESS
        effect = Effect.REFUSED if refused else Effect.PARTIAL if fails else Effect.CONFIRMED
        action = ActionRecord(
            function, {}, "", status, effect, ran=not refused, target_role=str(role), target_name=name
        )
        actions = (action,) if function else ()
        problem = "it was disabled" if refused else "half done" if fails else ""
        self.done.append(
            StepRecord(
                len(self.done) + 1,
                "CONTINUE",
                actions,
                problem,
                str(content["status"]),
                position=position if self.told else None,
            )
        )
        if refused or fails or not function:
            return
        args = content["args"]
        assert isinstance(args, dict)
        self.log.append(f"{name}={args['text']}" if "text" in args else name if function == "invoke" else function)
        if content.get("save_as"):
            self.board[str(content["save_as"])] = {"cells": self.cells}
        if name == "OK":
            self.tip = False

    async def finish(self) -> JsonObject:
        """Goes on to the end."""
        for _ in range(40):
            content, position = await self.reply()
            if content["status"] == "FAIL":
                return content
            self.carry_out(content, position)
            if content["status"] == "FINISH":
                return content
        raise AssertionError("it does not end")


@pytest.mark.requires("model.playbook.loop", "model.playbook.condition")
async def test_a_loop_does_its_steps_for_each_row_and_conditions_leave_out_what_does_not_fit() -> None:
    form = Form()
    assert (await form.finish())["status"] == "FINISH"
    assert form.log == ALL


@pytest.mark.requires("model.playbook.condition")
async def test_what_shows_decides_when_its_turn_comes_and_is_not_asked_again() -> None:
    form = Form()
    form.carry_out(*(await form.reply()))
    form.tip = True
    await form.finish()
    assert form.log == ["read_table", "OK", *ALL[1:]]
    late = Form()
    for _ in range(3):
        late.carry_out(*(await late.reply()))
    late.tip = True
    await late.finish()
    assert late.log == ALL, "a step that was left out stays left out"


@pytest.mark.requires("model.playbook.condition")
async def test_a_second_one_that_does_not_show_leaves_its_step_out() -> None:
    form = Form(FORM.replace('{role: dialog, name: "/tip/i"}', "{role: button, name: /OK|Add/, nth: 3}"))
    await form.finish()
    assert form.log == ALL


@pytest.mark.requires("model.playbook.condition")
async def test_a_parameter_decides_and_a_step_without_a_condition_follows() -> None:
    form = Form(draft="yes")
    assert (await form.finish())["result"] == "left as a draft"
    assert form.log == ALL[:-1]


@pytest.mark.requires("model.playbook.keeps-nothing")
@given(st.sets(st.integers(0, 20), max_size=12))
def test_asked_again_and_refused_now_and_then_it_does_the_same(refused: set[int]) -> None:
    async def run() -> None:
        form = Form()
        for number in count():
            content, position = await form.reply()
            assert await form.reply() == (content, position), "asking twice changes nothing"
            assert content["status"] != "FAIL", content
            form.carry_out(content, position, refused=number in refused)
            if form.log[-1:] == ["Save"]:
                break
        assert form.log == ALL

    anyio.run(run)


@pytest.mark.requires("model.playbook.keeps-nothing")
@pytest.mark.parametrize("told", [True, False])
async def test_a_session_that_goes_on_from_its_records_goes_on_where_it_was(told: bool) -> None:
    """Also where the records do not say which step they were made from, as those of another model do not."""
    for stop in range(len(ALL) + 1):
        form = Form(told=told)
        for _ in range(stop):
            form.carry_out(*(await form.reply()))
        resumed = Form(told=told)
        resumed.done, resumed.board, resumed.log = list(form.done), dict(form.board), list(form.log)
        assert (await resumed.finish())["status"] == "FINISH"
        assert resumed.log == ALL


async def test_held_actions_that_ran_later_count_for_the_step_they_were_made_from() -> None:
    form = Form()
    form.carry_out(*(await form.reply()))
    content, position = await form.reply()
    form.carry_out(content, position, refused=True)
    held = form.done[-1]
    form.done[-1] = replace(
        held, problem="", actions=(replace(held.actions[0], ran=True, status=ResultStatus.SUCCESS, effect=None),)
    )
    assert (await form.reply())[1] == 4, "the next step of the first row that is not left out"


@pytest.mark.requires("model.playbook.loop")
async def test_a_row_that_fails_stops_with_its_line_and_row() -> None:
    form = Form()
    for _ in range(3):
        form.carry_out(*(await form.reply()))
    content, position = await form.reply()
    form.carry_out(content, position, fails=True)
    said = str((await form.reply())[0]["comment"])
    assert said == "form.yaml:10: form step 3 (set_edit_text), row 2: half done"
    refused = str((await Form().reply("unknown id 9"))[0]["comment"])
    assert refused == "form.yaml:6: form step 1 (read_table): the reply made from it was refused: unknown id 9"


@pytest.mark.requires("model.playbook.loop")
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([["Region", "Sales"]], ["read_table", "Save"]),
        ("none", "form.yaml:8: form: ${sales.cells} is not a list of rows"),
        (
            [["Region", "Sales"], *[["x", "1"]] * (MAX_ROWS + 1)],
            f"form.yaml:8: form: ${{sales.cells}} has {MAX_ROWS + 1} ",
        ),
        (
            [["Area", "Sales"], ["North", "1"]],
            "(set_edit_text), row 1: ${row.Region}: there is no 'Region' (it has: Area",
        ),
    ],
)
async def test_rows_that_are_not_as_expected(cells: JsonValue, said: list[str] | str) -> None:
    form = Form()
    form.cells = cells  # pyright: ignore[reportAttributeAccessIssue] - what a tool may return
    ended = await form.finish()
    if isinstance(said, list):
        assert form.log == said
    else:
        assert said in str(ended["comment"])


def rows_of(loop: str, body: str, cells: JsonValue) -> list[JsonValue]:
    text = f"""
playbook: 1
name: n
agents:
  a:
    - {{tool: read_table, save_as: t}}
    - {loop}
      tool: set_edit_text
      args: {{text: "{body}"}}
"""
    steps = parse_playbook(text, "n.yaml").agents["a"]
    return [place.values.get("row") for place in unroll(steps, {"t": cells}).places if place.row]


@pytest.mark.requires("model.playbook.loop")
def test_the_first_row_is_a_header_where_columns_are_called_by_name_or_it_says_so() -> None:
    cells: JsonValue = [["A", "B"], ["1", "2"]]
    assert rows_of("for_each: row in ${t}", "${row[0]}", cells) == cells
    assert rows_of("for_each: row in ${t}", "${row.A}", cells) == [{"A": "1", "B": "2"}]
    assert rows_of("for_each: row in ${t}", "${row[Unit price]}", [["Unit  price", ""], ["1"]]) == [
        {"Unit price": "1", "2": ""}
    ]
    assert rows_of("for_each: row in ${t}\n      header: true", "${row[1]}", cells) == [{"A": "1", "B": "2"}]
    assert rows_of("for_each: row in ${t}\n      header: false", "${row[1]}", cells) == cells


def test_columns_of_one_name_are_told_apart() -> None:
    assert rows_of("for_each: row in ${t}", "${row.A}", [["A", "A", None], ["1", "2", "3"]]) == [
        {"A": "1", "A 2": "2", "3": "3"}
    ]


@given(st.lists(st.sampled_from(["set_edit_text", "invoke", "read_table", "wait"]), max_size=12), st.integers(-2, 9))
def test_no_history_leads_astray(tools: list[str], position: int) -> None:
    """Whatever happened, the position is between the start and the end."""
    steps = parsed(FORM).agents["form"]
    places = unroll(steps, {"sales": {"cells": CELLS}, "draft": "no"}).places
    done = [
        StepRecord(
            number, "CONTINUE", (ActionRecord(tool, {}, "", ResultStatus.SUCCESS, None, ran=True),), position=position
        )
        for number, tool in enumerate(tools)
    ]
    assert 0 <= progress(places, done).position <= len(places)


def test_what_a_menu_needs_first_is_no_place_of_its_own() -> None:
    text = """
playbook: 1
name: n
agents:
  a:
    - {tool: invoke, on: {role: menuitem, within: [Insert], name: Chart}, when: {shows: {role: menu}}}
"""
    steps = parse_playbook(text, "n.yaml").agents["a"]
    opened = ActionRecord(
        "invoke", {}, "", ResultStatus.SUCCESS, None, ran=True, target_role="menu", target_name="Insert"
    )
    chosen = replace(opened, target_role="menuitem", target_name="Chart")
    places = unroll(steps, {}).places
    for position in (0, None):
        assert progress(places, [StepRecord(1, "SCREENSHOT", (opened,), position=position)]).position == 0
        done = [StepRecord(n, "CONTINUE", (action,), position=position) for n, action in enumerate((opened, chosen))]
        assert progress(places, done).position == 1
