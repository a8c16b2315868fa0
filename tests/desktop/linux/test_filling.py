"""Forms of several toolkits are filled with one call; the form's own state decides."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.session.interactors import AutoInteractor
from deskhand.session.single_action import Caller, Hand
from desktop.linux.acting import SEEN_S, has_title
from desktop.linux.everyday import APPS, FORMS, OPENS_S, SYSTEM, staged, state_file
from desktop.linux.fixture import linux_desktop
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("tool.fill")]

Field = tuple[frozenset[Role], frozenset[str]]
NAME: Final[Field] = frozenset({Role.TEXTBOX}), frozenset({"Name"})
AGREE: Final[Field] = frozenset({Role.CHECKBOX}), frozenset({"Agree"})
SIZE: Final[Field] = frozenset({Role.COMBOBOX}), frozenset({"Size", "A4"})
COUNT: Final[Field] = frozenset({Role.SPINBUTTON}), frozenset({"Count"})
LARGE: Final[Field] = frozenset({Role.RADIO, Role.CHECKBOX}), frozenset({"Large"})
SMALL: Final[Field] = frozenset({Role.RADIO}), frozenset({"Small"})
VALUES: Final[Mapping[Field, JsonValue]] = {NAME: "Grace Hopper", AGREE: True, SIZE: "A5", COUNT: 7, LARGE: True}
STATE: Final[Mapping[str, JsonValue]] = {
    "name": "Grace Hopper",
    "agree": True,
    "size": "A5",
    "count": 7,
    "radio": ["Large"],
}


def field(name: str) -> Field:
    return frozenset({Role.TEXTBOX}), frozenset({name})


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    """One desktop for the forms of all toolkits."""
    async with linux_desktop(tmp_path_factory.mktemp("filling")) as desktop:
        yield desktop


def field_of(seen: Observation, wanted: Field) -> TargetInfo:
    roles, names = wanted
    found = (c for c in seen.controls if c.type in roles and (c.name in names or c.value in names))
    return next(found)


async def filled(desktop: LinuxDesktop, window: TargetInfo, values: Mapping[Field, JsonValue]) -> Result:
    seen = await desktop.observe(window, picture=False)
    controls = tuple(replace(control, id=str(number)) for number, control in enumerate(seen.controls, 1))
    seen = replace(seen, controls=controls)
    given: list[JsonValue] = [{"id": field_of(seen, field).id, "value": value} for field, value in values.items()]
    hand = Hand(desktop, Configuration(), AutoInteractor(), Caller("a test"))
    return await hand.act("fill", {"values": given}, window=window, seen=seen)


def effects(result: Result) -> list[object]:
    return [dict(pairs_of(row))["effect"] for row in items_of(result.result, object)]


@pytest.mark.full("other toolkits take the same way", but=["GTK 4", "Chromium"])
@pytest.mark.parametrize("application", ["GTK 4", "Qt 5", "Swing", "Chromium"])
async def test_a_form_is_filled_with_one_call(application: str, desktop: LinuxDesktop, tmp_path: Path) -> None:
    need(FORMS[application][1])
    async with staged(application, tmp_path, desktop) as stage:
        result = await filled(desktop, stage.window, VALUES)

        async def written() -> bool:
            state = await stage.state()
            return {key: state.get(key) for key in STATE} == STATE

        assert await desktop.wait_until(written, deadline_s=SEEN_S), await stage.state()
        await desktop.ask_to_close(stage.window)
    assert result.effect is Effect.CONFIRMED, result


@pytest.mark.full("what is rejected is tried in a page", but=["Renames", "Changes", "Asks", "Formats", "Takes back"])
@pytest.mark.parametrize(
    ("lies", "told", "is_late"),
    [
        ("Rejects", "", False),
        ("Renames", 'is called "Address" now', False),
        ("Changes", 'textbox "Other" reads "changed" now', False),
        ("Asks", "opened", False),
        ("Formats", 'reads "ULM" now', True),
        ("Takes back", 'reads "" now', True),
    ],
)
async def test_a_field_that_does_more_than_it_was_told_stops_the_rest(
    lies: str, told: str, is_late: bool, desktop: LinuxDesktop, tmp_path: Path
) -> None:
    file = tmp_path / "state.json"
    form = Application("lying", (SYSTEM, str(APPS / "lying_form_gtk3.py"), str(file)), window="^Lying form$")
    window = await desktop.launch(form, deadline_s=OPENS_S)
    values = {field(lies): "Ulm", field("Plain"): "Grace", field("Other"): "Ada"}
    result = await filled(desktop, window, values)
    state = await state_file(file)()
    for each in await desktop.windows():
        await desktop.ask_to_close(each)
    assert result.effect in {Effect.PARTIAL, Effect.SUSPECTED_NOOP, Effect.UNVERIFIABLE}, result
    assert told in result.evidence, result
    assert effects(result)[0] != "confirmed"
    assert effects(result)[-1] in {"skipped", "partial" if is_late else "skipped"}
    assert state["Other"] in {"", "changed"} or is_late


@pytest.mark.parametrize(
    ("last", "told", "effect"),
    [
        ("Takes back", 'reads "" now', Effect.PARTIAL),
        ("Formats", 'reads "ULM" now', Effect.PARTIAL),
        ("Reveals", 'textbox "Revealed" appeared', Effect.CONFIRMED),
    ],
)
async def test_what_the_last_field_does_later_is_seen(
    last: str, told: str, effect: Effect, desktop: LinuxDesktop, tmp_path: Path
) -> None:
    file = tmp_path / "state.json"
    form = Application("lying", (SYSTEM, str(APPS / "lying_form_gtk3.py"), str(file)), window="^Lying form$")
    window = await desktop.launch(form, deadline_s=OPENS_S)
    result = await filled(desktop, window, {field("Plain"): "Grace", field(last): "Ulm"})
    state = await state_file(file)()
    await desktop.ask_to_close(window)
    assert (result.effect, told in result.evidence) == (effect, True), result
    assert effects(result) == ["confirmed", effect.value]
    assert (state["Plain"], state[last] == "Ulm") == ("Grace", effect is Effect.CONFIRMED)


STRICT: Final = """<!doctype html><meta charset=utf-8><title>Strict</title>
<label>Count <input type=number id=count min=1 max=10 value=2></label>
<label>Steps <input type=number id=steps step=5 value=5></label>
<label>Mail <input type=email id=mail></label> <label>Free <input type=number id=free></label>
<script>
setInterval(() => document.title = ['Strict', count.validity.valid, steps.validity.valid, mail.validity.valid,
  free.value].join('|'), 30)
</script>
"""


@pytest.mark.full(
    "limits and formats are refused alike",
    but=["values0-it takes 1 to 10"],
)
@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"Count": 99}, "it takes 1 to 10"),
        ({"Count": "0"}, "it takes 1 to 10"),
        ({"Steps": 7}, "calls that invalid"),
        ({"Mail": "no mail"}, "calls that invalid"),
    ],
)
async def test_what_a_page_does_not_accept_is_not_confirmed_and_what_it_accepts_is(
    values: Mapping[str, JsonValue], told: str, strict: tuple[LinuxDesktop, TargetInfo]
) -> None:
    desktop, window = strict
    roles = frozenset({Role.TEXTBOX, Role.SPINBUTTON})
    good: Mapping[str, JsonValue] = {"Count": 3, "Steps": 10, "Mail": "grace@navy.mil", "Free": 12345}
    failed = await filled(desktop, window, {(roles, frozenset({name})): value for name, value in values.items()})
    fine = await filled(desktop, window, {(roles, frozenset({name})): value for name, value in good.items()})
    assert await has_title(desktop, window, "Strict|true|true|true|12345"), fine
    assert (failed.effect, told in failed.evidence) == (Effect.PARTIAL, True), failed
    assert fine.effect is Effect.CONFIRMED, fine


@pytest.fixture(scope="module")
async def strict(
    desktop: LinuxDesktop, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """A page that calls some values invalid."""
    need(FORMS["Chromium"][1])
    page = tmp_path_factory.mktemp("strict") / "strict.html"
    page.write_text(STRICT, encoding="utf-8")
    argv = ("chromium", f"--app={page.as_uri()}")
    window = await desktop.launch(Application("chromium", argv, window="^Strict"), deadline_s=OPENS_S)

    async def shown() -> bool | None:
        seen = await desktop.observe(window, picture=False)
        return True if any(control.name == "Free" for control in seen.controls) else None

    assert await desktop.wait_until(shown, deadline_s=OPENS_S)
    yield desktop, window
    await desktop.ask_to_close(window)


async def test_a_choice_that_a_closed_list_lacks_has_no_effect_and_its_choices_are_named(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    async with staged("GTK 4", tmp_path, desktop) as stage:
        result = await filled(desktop, stage.window, {SIZE: "A3"})
        state = await stage.state()
        await desktop.ask_to_close(stage.window)
    assert (result.effect, result.retry_safe) == (Effect.SUSPECTED_NOOP, True), result
    assert 'it lists "A4", "A5", "Letter"' in result.evidence
    assert (state["size"], state["menus"]) == ("A4", 0)


async def test_two_choices_of_which_one_alone_can_stay_are_not_confirmed(desktop: LinuxDesktop, tmp_path: Path) -> None:
    need(FORMS["Qt 5"][1])
    async with staged("Qt 5", tmp_path, desktop) as stage:
        result = await filled(desktop, stage.window, {LARGE: True, SMALL: True})
        state = await stage.state()
        await desktop.ask_to_close(stage.window)
    assert (result.effect, effects(result)) == (Effect.PARTIAL, ["partial", "partial"]), result
    assert 'radio "Large"' in result.evidence
    assert state["radio"] == ["Small"]
