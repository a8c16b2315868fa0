"""`fill`: several controls of a form in one call, each judged, run and confirmed by itself (decision 0098)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands import standard_catalogue
from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result
from deskhand.core.errors import ReplyDefect
from deskhand.core.events import ActionFinished, VerdictGiven
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.windows import Settled, Until
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.playbook_tools import tool_problems
from deskhand.policy.engine import RuleSet
from deskhand.policy.rules import parse_rules
from deskhand.session.single_action import Caller, Hand, NotAllowed
from notes import APP, Notes, prompt_of
from stage import Answer, Person, Stage, assign, rule, say, stage

pytestmark = pytest.mark.requires("tool.fill")

ASKS = rule("{name: City}", "confirm", "ask-city")
DENIES = rule("{name: City}", "deny", "no-city")
ALL: Mapping[str, JsonValue] = {
    "Name": "Grace",
    "Agree": True,
    "Count": 7,
    "City": "Ulm",
    "Size": "Large",
    "Password": "hunter2",
}


class Later(FakeDesktop):
    """Does what is `due` once it was quiet for half a second."""

    due: Callable[[], None] | None = None

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        if self.due is not None and quiet_s >= 0.4:
            self.due()
            self.due = None
        return await super().settle(window, until=until, quiet_s=quiet_s, deadline_s=deadline_s)


class Form:
    """A form of six controls on the in-memory desktop, and a caller that may be asked for approvals."""

    def __init__(self, *decisions: bool, rules: str = "") -> None:
        self.desktop = Later()
        self.name = FakeControl(Role.TEXTBOX, "Name", states={"editable"})
        self.agree = FakeControl(Role.CHECKBOX, "Agree")
        self.count = FakeControl(Role.SPINBUTTON, "Count", "1", states={"editable"}, number=1)
        self.city = FakeControl(Role.TEXTBOX, "City", states={"editable"})
        self.sizes = [FakeControl(Role.LISTITEM, name) for name in ("Small", "Medium", "Large")]
        self.secret = FakeControl(Role.PASSWORD, "Password", states={"editable"})
        size = FakeControl(Role.LIST, "Size", children=self.sizes)
        volume = FakeControl(Role.SLIDER, "Volume", "5", number=5)
        self.controls = [self.name, self.agree, self.count, self.city, size, self.secret, volume]
        self.window = self.desktop.open(FakeWindow("Form", self.controls, "form"))
        self.person = Person(decides=decisions)
        caller = Caller("a test", rules=RuleSet(parse_rules(rules, "test") if rules else ()))
        self.hand = Hand(self.desktop, Configuration(), self.person, caller)

    async def fill(self, values: Mapping[str, JsonValue]) -> Result:
        root = next(each for each in await self.desktop.windows() if each.name == "Form")
        seen = await self.desktop.observe(root, picture=False)
        controls = tuple(replace(control, id=str(number)) for number, control in enumerate(seen.controls, 1))
        ids = {control.name: control.id for control in controls}
        given: list[JsonValue] = [{"id": ids[name], "name": name, "value": value} for name, value in values.items()]
        return await self.hand.act("fill", {"values": given}, window=root, seen=replace(seen, controls=controls))

    @property
    def chosen(self) -> list[str]:
        return [item.name for item in self.sizes if "selected" in item.states]


def effects(result: Result) -> list[tuple[str, str]]:
    """Name and effect of each control."""
    rows = [dict(pairs_of(row)) for row in items_of(result.result, object)]
    return [(str(row["name"]), str(row["effect"])) for row in rows]


async def test_each_control_gets_its_value_in_the_way_that_fits_its_role() -> None:
    form = Form()
    result = await form.fill(ALL)
    assert effects(result) == [(name, "confirmed") for name in ALL]
    assert (result.ok, result.effect) == (True, Effect.CONFIRMED), result
    assert (form.name.value, form.city.value, form.secret.value) == ("Grace", "Ulm", "hunter2")
    assert ("checked" in form.agree.states, form.count.value, form.chosen) == (True, "7", ["Large"])
    assert "hunter2" not in f"{result.result}{result.evidence}"


@pytest.mark.parametrize("number", ["0", 0, 1, "3.5"])
async def test_a_number_stays_a_number_however_it_is_written(number: JsonValue) -> None:
    form = Form()
    assert (await form.fill({"Count": number})).effect is Effect.CONFIRMED
    assert form.count.value == str(number)


def renames(form: Form) -> None:
    form.city.name = "Town"


def changes(form: Form) -> None:
    form.city.value = "Bonn"


def checks(form: Form) -> None:
    form.agree.states.add("checked")


def opens(form: Form) -> None:
    form.desktop.open(FakeWindow("Really?", [FakeControl(Role.BUTTON, "OK")], "form", dialog=True, owner=form.window))


@pytest.mark.parametrize(
    ("surprise", "told"),
    [
        (renames, 'is called "Town" now'),
        (changes, 'reads "Bonn" now'),
        (checks, "is checked now"),
        (opens, '"Really?" opened'),
    ],
)
async def test_a_field_that_changes_something_else_stops_it_and_the_rest_is_skipped(
    surprise: Callable[[Form], None], told: str
) -> None:
    form = Form()
    form.name.on_text = lambda _: surprise(form)
    result = await form.fill({"Name": "Grace", "Count": 7, "City": "Ulm"})
    assert effects(result) == [("Name", "partial"), ("Count", "skipped"), ("City", "skipped")]
    assert (result.effect, told in result.evidence) == (Effect.PARTIAL, True), result.evidence
    assert (form.count.value, form.city.value) != ("7", "Ulm")


async def test_a_field_that_takes_its_value_back_later_is_noticed_by_the_next_one() -> None:
    form = Form()
    form.city.on_text = lambda _: setattr(form.name, "value", "")
    result = await form.fill({"Name": "Grace", "City": "Ulm", "Count": 7})
    assert effects(result) == [("Name", "partial"), ("City", "partial"), ("Count", "skipped")]
    assert 'textbox "Name" [1] reads "" now' in result.evidence


@pytest.mark.parametrize("last", ["Name", "Password", "Count", "Agree"])
async def test_a_value_that_is_taken_back_after_the_last_control_is_not_confirmed(last: str) -> None:
    form = Form()

    def take_back() -> None:
        form.name.value = form.secret.value = form.count.value = ""
        form.agree.states.discard("checked")

    form.desktop.due = take_back
    result = await form.fill({"City": "Ulm", last: ALL[last]})
    assert (result.effect, effects(result)) == (Effect.PARTIAL, [("City", "confirmed"), (last, "partial")]), result
    assert "now" in result.evidence


async def test_an_earlier_value_that_is_taken_back_after_the_last_control_is_not_confirmed() -> None:
    form = Form()
    form.desktop.due = lambda: setattr(form.name, "value", "")
    result = await form.fill({"Name": "Grace", "City": "Ulm"})
    assert effects(result) == [("Name", "partial"), ("City", "partial")]
    assert "0 of 2 confirmed" in result.evidence
    assert 'textbox "Name" [1] reads "" now' in result.evidence


@pytest.mark.parametrize(
    ("given", "shows", "effect"),
    [
        ("5551234", "555-1234", "partial"),
        ("grace", "Grace", "partial"),
        ("5", "5.00", "confirmed"),
        ("1234", "1,234.00", "confirmed"),
        ("0123", "123", "partial"),
    ],
)
async def test_a_field_that_formats_its_text_is_confirmed_only_with_an_equal_value(
    given: str, shows: str, effect: str
) -> None:
    form = Form()
    form.desktop.due = lambda: setattr(form.name, "value", shows)
    result = await form.fill({"Name": given})
    assert effects(result) == [("Name", effect)]
    assert f'reads "{shows}" now' in result.evidence


async def test_a_field_that_is_made_anew_is_compared_and_one_that_is_gone_is_not_confirmed() -> None:
    form = Form()
    anew = FakeControl(Role.TEXTBOX, "Name", states={"editable"})

    def renew() -> None:
        form.window.controls[0] = anew

    form.city.on_text = lambda _: renew()
    result = await form.fill({"Name": "Grace", "City": "Ulm"})
    assert effects(result) == [("Name", "partial"), ("City", "partial")]
    assert 'reads "" now' in result.evidence
    gone = Form()
    gone.city.on_text = lambda _: gone.window.controls.remove(gone.name)
    result = await gone.fill({"Name": "Grace", "City": "Ulm"})
    assert (effects(result)[0], "is gone" in result.evidence) == (("Name", "partial"), True), result


async def test_a_field_that_appears_is_reported_and_stops_nothing() -> None:
    form = Form()
    form.agree.on_click = lambda: form.window.controls.append(FakeControl(Role.TEXTBOX, "Why", states={"editable"}))
    result = await form.fill({"Agree": True, "City": "Ulm"})
    assert result.effect is Effect.CONFIRMED
    assert 'textbox "Why" appeared' in result.evidence


@pytest.mark.parametrize("number", [99, "99"])
async def test_a_number_beyond_the_limits_of_its_field_is_not_confirmed(number: JsonValue) -> None:
    form = Form()
    form.count.limits = 0, 10

    def keep(_: str) -> None:
        form.count.value, form.count.number = "99", 99

    form.count.on_text = keep
    result = await form.fill({"Count": number, "City": "Ulm"})
    assert effects(result) == [("Count", "partial"), ("City", "skipped")]
    assert ("it takes 0 to 10" in result.evidence, form.count.value) == (True, "99"), result


@pytest.mark.parametrize("name", ["Name", "Count", "Password"])
async def test_a_value_that_its_program_calls_invalid_is_not_confirmed(name: str) -> None:
    form = Form()
    field = {"Name": form.name, "Count": form.count, "Password": form.secret}[name]
    field.on_text = lambda _: field.states.add("invalid_entry")
    result = await form.fill({name: ALL[name]})
    assert effects(result) == [(name, "partial")]
    assert "calls that invalid" in result.evidence


async def test_a_text_that_equals_a_secret_is_in_no_result() -> None:
    form = Form()
    result = await form.fill({"Name": "hunter2", "City": "at hunter2", "Password": "hunter2"})
    assert result.effect is Effect.CONFIRMED
    assert "hunter2" not in f"{result.result}{result.evidence}"
    assert form.name.value == "hunter2"
    form.desktop.due = lambda: setattr(form.name, "value", "")
    failed = await form.fill({"Name": "hunter3", "Password": "hunter3"})
    assert "hunter3" not in f"{failed.result}{failed.evidence}{failed.error}"


async def test_a_result_names_each_control_once_and_has_values_as_they_were_given() -> None:
    form = Form()
    result = await form.fill({"Agree": True, "Count": 99, "Small": True, "Volume": 2.5})
    rows = [dict(pairs_of(row)) for row in items_of(result.result, object)]
    assert [row["value"] for row in rows] == [True, 99, True, 2.5]
    assert [type(row["value"]) for row in rows] == [bool, int, bool, float]
    assert result.evidence.count('checkbox "Agree"') == 1
    assert result.evidence.startswith('checkbox "Agree" [2] is checked; spinbutton "Count" [3]: ')


async def test_a_field_that_rejects_its_value_stops_it() -> None:
    form = Form()
    form.name.on_text = lambda _: setattr(form.name, "value", "")
    result = await form.fill({"Agree": True, "Name": "Grace", "Count": 7})
    assert [name for name, effect in effects(result) if effect == "confirmed"] == ["Agree"]
    assert effects(result)[2] == ("Count", "skipped")
    assert result.effect is Effect.PARTIAL
    assert "1 of 3 confirmed" in result.evidence


@pytest.mark.parametrize("gone", ["removed", "renamed"])
async def test_a_control_that_goes_away_meanwhile_is_not_replaced_by_another(gone: str) -> None:
    form = Form()

    def surprise() -> None:
        if gone == "removed":
            form.window.controls.remove(form.city)
        else:
            form.city.name = "Town"

    form.agree.on_click = surprise
    result = await form.fill({"Agree": True, "City": "Ulm"})
    assert result.effect is Effect.PARTIAL, result
    assert form.city.value == ""


async def test_a_denied_control_keeps_all_from_being_filled() -> None:
    form = Form(rules=DENIES)
    with pytest.raises(NotAllowed, match="no-city"):
        await form.fill(ALL)
    assert (form.name.value, form.city.value) == ("", "")


@pytest.mark.parametrize("approved", [True, False])
async def test_the_user_is_asked_once_and_before_the_first_control(approved: bool) -> None:
    form = Form(approved, rules=ASKS)
    form.person.when_asked = lambda: asked.append(form.name.value)
    asked: list[str] = []
    if approved:
        assert (await form.fill(ALL)).effect is Effect.CONFIRMED
    else:
        with pytest.raises(NotAllowed):
            await form.fill(ALL)
    assert asked == [""]
    assert [verdict.facts.control_name for verdict in form.person.shown[0].facts] == ["City"]
    assert form.city.value == ("Ulm" if approved else "")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"Name": True}, "takes a text"),
        ({"Agree": 3}, "takes true or false"),
        ({"Agree": "maybe"}, "true or false"),
        ({"Count": "2026-02-30"}, "there is no 2026-02-30"),
        ({"Volume": "loud"}, "takes a number"),
        ({"Small": "yes"}, "true to select it"),
    ],
)
async def test_a_value_that_does_not_fit_is_refused_before_anything_is_sent(
    values: Mapping[str, JsonValue], told: str
) -> None:
    form = Form()
    with pytest.raises(ReplyDefect, match=told):
        await form.fill({"City": "Ulm", **values})
    assert form.city.value == ""


def test_a_control_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ReplyDefect, match="given twice"):
        standard_catalogue().validate("fill", {"values": [{"id": "1", "value": "a"}, {"id": "1", "value": "b"}]})


@given(st.sampled_from(Role), st.one_of(st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text()))
def test_every_control_and_value_is_one_valid_call_or_refused(role: Role, value: bool | float | str) -> None:
    catalogue = standard_catalogue()
    target = TargetInfo(TargetKind.CONTROL, "It", role, id="1")
    given: JsonObject = {"values": [{"id": "1", "name": "It", "value": value}]}
    try:
        (part,) = catalogue.parts("fill", catalogue.validate("fill", given), lambda _label, _name: target)
    except ReplyDefect:
        return
    assert part.tool in {"set_edit_text", "set_value", "select_item"}
    assert (part.target, part.arguments["id"], part.arguments["name"]) == (target, "1", "It")


@given(st.dictionaries(st.sampled_from([*ALL]), st.none(), min_size=1), st.integers(0, 5))
async def test_what_is_confirmed_reads_back_and_nothing_after_a_surprise_is_touched(
    names: Mapping[str, None], bad: int
) -> None:
    form = Form()
    lying = [form.name, form.city, form.secret][bad % 3]
    lying.on_text = lambda _: setattr(lying, "value", "x")
    result = await form.fill({name: ALL[name] for name in names})
    told = effects(result)
    stopped = next((number for number, (_, effect) in enumerate(told) if effect != "confirmed"), len(told))
    assert all(effect == "skipped" for _, effect in told[stopped + 1 :]), told
    confirmed = {name for name, effect in told if effect == "confirmed"}
    shown = {"Name": form.name.value, "City": form.city.value, "Count": form.count.value, "Size": "".join(form.chosen)}
    assert all(shown[name] == str(ALL[name]) for name in confirmed & shown.keys()), (told, shown)
    assert (result.effect is Effect.CONFIRMED) == (stopped == len(told))


def filling(values: Mapping[str, JsonValue]) -> Answer:
    """A reply that fills controls by their names."""

    def answer(request: ModelRequest) -> JsonObject:
        ids = {control.name: control.id for control in request.controls}
        given: list[JsonValue] = [{"id": ids[name], "value": value} for name, value in values.items()]
        return {"status": "CONTINUE", "function": "fill", "args": {"values": given}}

    return answer


def one_app(
    notes: Notes, values: Mapping[str, JsonValue], log_path: Path, person: Person | None = None, rules: str = ""
) -> Stage:
    host = [assign("Notes", "Fill it in"), say("FINISH")]
    replies = [filling(values), say("FINISH", result="done")]
    return stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=log_path, person=person, rules=rules)


async def test_an_agent_fills_a_form_in_one_step_and_the_journal_has_each_control(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password", states={"editable"})])
    it = one_app(notes, {"Text": "Ada", "Counter": True, "Password": "pw1234"}, tmp_path)
    ending = await it.run()
    assert ending.outcome is Outcome.SUCCESS
    finished = it.events.of(ActionFinished)
    parts = [each for each in finished if each.agent == APP]
    assert [(each.tool, each.effect) for each in parts] == [
        ("set_edit_text", "confirmed"),
        ("set_value", "confirmed"),
        ("set_edit_text", "confirmed"),
    ]
    judged = [each for each in it.events.of(VerdictGiven) if each.agent == APP]
    assert [each.target.name for each in judged if each.target] == ["Text", "Counter", "Password"]
    assert (notes.text.value, "checked" in notes.count.states) == ("Ada", True)
    later = [prompt_of(request) for request in it.model.requests[2:]]
    assert all("pw1234" not in prompt for prompt in later)


async def test_an_unconfirmed_part_stops_the_rest_and_the_agent_is_told(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.lie("do_action")
    it = one_app(notes, {"Counter": True, "Text": "Ada"}, tmp_path)
    await it.run()
    assert notes.text.value == ""
    told = [(action.function, action.status.value) for action in it.model.requests[2].steps_done[-1].actions]
    assert told == [("set_value", "none"), ("set_edit_text", "skipped")]


async def test_a_form_whose_control_needs_an_approval_is_held_as_a_whole(tmp_path: Path) -> None:
    notes = Notes()
    rules = rule("{name: Counter}", "confirm")
    person = Person(decides=[True])
    person.when_asked = lambda: asked.append(notes.text.value)
    asked: list[str] = []
    it = one_app(notes, {"Text": "Ada", "Counter": True}, tmp_path, person, rules)
    await it.run()
    assert (asked, notes.text.value, "checked" in notes.count.states) == ([""], "Ada", True)


PLAYBOOK = """\
playbook: 1
name: filling
params: {who: text}
agents:
  notes:
    - tool: fill
      args:
        values:
          - {on: {role: checkbox, name: Counter}, value: true}
          - {on: {role: textbox, name: Text}, value: "${who}"}
    - {tool: invoke, on: {role: button, name: Save}, status: FINISH}
"""


@pytest.mark.parametrize("lies", [False, True])
async def test_a_playbook_fills_a_form_and_goes_on_only_if_all_of_it_is_confirmed(lies: bool, tmp_path: Path) -> None:
    notes = Notes()
    if lies:
        notes.desktop.faults.lie("do_action")
    model = PlaybookModel(parse_playbook(PLAYBOOK, "filling.yaml"), {"who": "Ada"})
    window = next(iter(await notes.desktop.windows()))
    it = stage(notes.desktop, model, log_path=tmp_path, hostless=window)
    ending = await it.run()
    came = ending.outcome is Outcome.SUCCESS, notes.text.value, notes.log
    assert came == ((False, "", []) if lies else (True, "Ada", ["Save"]))


def test_a_wrong_value_in_a_playbook_is_found_before_it_runs() -> None:
    catalogue = standard_catalogue()
    text = PLAYBOOK.replace("{role: checkbox, name: Counter}", "{rolle: checkbox}")
    tools = {tool.spec.name: tool.spec for tool in catalogue}
    assert tool_problems(parse_playbook(PLAYBOOK.replace("${who}", "x"), "f"), tools, catalogue.validate) == []
    found = tool_problems(parse_playbook(text.replace("${who}", "x"), "filling.yaml"), tools, catalogue.validate)
    assert [problem.split(":")[1] for problem in found] == ["6"]
    assert "on: rolle" in found[0]
