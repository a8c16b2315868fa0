"""Applications that lie over accessibility: each ends an observation in time and harms nobody else."""

import signal
from typing import Final

import anyio
import pytest

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, DesktopError
from deskhand.core.observation import Observation
from deskhand.desktop.linux.atspi.calls import parse_handle
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT
from deskhand.desktop.linux.atspi.traversal import NODE_LIMIT
from desktop.linux.lying import BOUND_S, DEADLINE_S, USED_UP_S, Liar, Stage, look_at_both, visitor

pytestmark = pytest.mark.desktop

BUTTONS: Final = 20
CALLS_LIMIT: Final = 10 * NODE_LIMIT


ENDLESS: Final = frozenset({"late", "late_in_turns", "many_actions", "list_too_long", "silent", "silent_below"})


async def outcome(stage: Stage, liar: Liar, lie: str, argument: str = "") -> Observation | DesktopError:
    """What comes of one lie, within bounds, and after it the truth again from the same observer."""
    async with visitor(stage) as desktop:
        await liar.say(lie, argument)
        seen = await look_at_both(desktop, stage, liar, USED_UP_S if lie in ENDLESS else DEADLINE_S)
        asked = await liar.say("honest")
        assert sum(asked.values()) < CALLS_LIMIT
        if isinstance(seen, Observation):
            assert len(seen.controls) <= NODE_LIMIT
            assert max((len(f"{control.name}{control.value}") for control in seen.controls), default=0) <= TEXT_LIMIT
        with anyio.fail_after(BOUND_S):
            again = await desktop.observe(liar.window, picture=False, deadline_s=BOUND_S)
        assert (len(again.controls), again.truncated) == (BUTTONS, None)
    return seen


@pytest.mark.full(
    "the others end at the same limits",
    but=["endless", "deep", "deep_cells", "huge_names", "errors_below", "private_nothing_repeated"],
)
@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize(
    "lie",
    [
        "endless",
        "deep",
        "deep_cells",
        "wide",
        "first_only",
        "huge_names",
        "errors_below",
        "private_nothing_repeated",
    ],
)
async def test_an_application_without_end_or_answer_is_observed_in_part(stage: Stage, liar: Liar, lie: str) -> None:
    seen = await outcome(stage, liar, lie)
    assert isinstance(seen, Observation)
    assert seen.truncated is not None


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize(
    "lie",
    [
        "late",
        "late_in_turns",
        "many_actions",
        "absurd_numbers",
        "words_for_numbers",
        "list_in_circles",
        "list_too_long",
    ],
)
async def test_a_slow_or_absurd_application_costs_its_deadline_at_most(stage: Stage, liar: Liar, lie: str) -> None:
    seen = await outcome(stage, liar, lie)
    assert isinstance(seen, Observation | ApplicationUnresponsive)


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize(
    ("lie", "controls"),
    [
        ("honest", BUTTONS),
        ("circles", 3),
        ("nameless_circles", 3),
        ("numbers_for_words", 0),
        ("half_relations", BUTTONS),
        ("other_byte_order", BUTTONS),
        ("no_places", 0),
        ("no_address", BUTTONS),
        ("secretive", BUTTONS),
        ("private_hangs_up", BUTTONS),
        ("private_deaf", BUTTONS),
        ("private_silent", BUTTONS),
        ("private_broken_text", BUTTONS),
        ("private_half_pair", BUTTONS),
        ("private_two_in_one", BUTTONS),
        ("private_nowhere", BUTTONS),
        ("list", BUTTONS),
        ("list_without_some", BUTTONS),
        ("list_without_window", BUTTONS),
        ("list_of_others", BUTTONS),
        ("list_of_words", BUTTONS),
        ("list_refused", BUTTONS),
        ("list_never_said", BUTTONS),
    ],
)
async def test_nonsense_is_left_out_and_the_rest_is_seen(stage: Stage, liar: Liar, lie: str, controls: int) -> None:
    seen = await outcome(stage, liar, lie)
    assert isinstance(seen, Observation)
    assert (len(seen.controls), seen.truncated) == (controls, None)


@pytest.mark.requires("desktop.lying")
async def test_a_private_socket_of_somebody_else_is_not_used(stage: Stage, liar: Liar) -> None:
    seen = await outcome(stage, liar, "private_elsewhere", stage.place.a11y_address)
    assert isinstance(seen, Observation)
    assert (len(seen.controls), seen.truncated) == (BUTTONS, None)


@pytest.mark.requires("desktop.lying")
async def test_a_private_socket_that_falls_silent_is_left_for_the_bus(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await liar.say("private_falls_silent")
        await look_at_both(desktop, stage, liar)
        seen = await look_at_both(desktop, stage, liar)
    assert isinstance(seen, Observation)
    assert (len(seen.controls), seen.truncated) == (BUTTONS, None)


@pytest.mark.requires("desktop.lying")
async def test_states_that_are_none_are_missed(stage: Stage, liar: Liar) -> None:
    seen = await outcome(stage, liar, "words_for_states")
    assert isinstance(seen, Observation)
    assert seen.controls == ()
    assert seen.truncated is not None


@pytest.mark.requires("desktop.lying")
async def test_answers_to_what_others_were_asked_are_not_believed(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await liar.say("forger")
        for _ in range(5):
            await look_at_both(desktop, stage, liar, USED_UP_S)


@pytest.mark.requires("desktop.lying")
async def test_what_belongs_to_another_window_is_not_shown_in_the_one_that_claims_it(stage: Stage, liar: Liar) -> None:
    ref = parse_handle(stage.control.handle)
    assert ref
    seen = await outcome(stage, liar, "foreign", f"{ref.bus} {ref.path}")
    assert isinstance(seen, Observation)
    assert [control.name for control in seen.controls] == ["b0"]
    assert seen.truncated is None


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize(
    ("lie", "error"),
    [
        ("silent", ApplicationUnresponsive),
        ("silent_below", ApplicationUnresponsive),
        ("errors", ApplicationUnresponsive),
        ("window_of_words", ApplicationGone),
        ("nothing_said", ApplicationGone),
    ],
)
async def test_an_application_that_says_nothing_of_its_window_is_told_as_such(
    stage: Stage, liar: Liar, lie: str, error: type[DesktopError]
) -> None:
    assert isinstance(await outcome(stage, liar, lie), error)


@pytest.mark.requires("desktop.lying")
async def test_a_window_that_answers_with_errors_is_in_the_picture_as_one_that_could_not_be_asked(
    stage: Stage, liar: Liar
) -> None:
    async with visitor(stage) as desktop:
        await liar.say("errors")
        picture = await desktop.screenshot()
        seen = await desktop.observe(stage.honest.window)
        assert picture.unchecked == (liar.window.name,)
        assert seen.picture is not None
        assert seen.truncated is None
        await liar.say("honest")


@pytest.mark.requires("desktop.application-dies", "desktop.lying")
async def test_an_application_that_ends_in_mid_walk_is_gone(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await liar.say("dies")
        assert isinstance(await look_at_both(desktop, stage, liar), ApplicationGone)
        assert isinstance(await look_at_both(desktop, stage, liar), ApplicationGone)


@pytest.mark.requires("desktop.manages-descendants")
async def test_a_table_that_manages_its_descendants_is_never_asked_for_them(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await liar.say("sheet")
        await look_at_both(desktop, stage, liar)
        asked = await liar.say("honest")
    assert asked["ChildCount"] == 1
    assert asked["GetChildren"] == 2  # of the application and of the window


@pytest.mark.requires("desktop.bulk")
async def test_elements_that_are_listed_together_are_not_asked_for_one_by_one(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await liar.say("list")
        seen = await look_at_both(desktop, stage, liar)
        asked = await liar.say("honest")
    assert isinstance(seen, Observation)
    assert len(seen.controls) == BUTTONS
    assert asked["GetItems"] == 1
    assert asked["GetExtents"] > BUTTONS
    assert asked["GetChildren"] == 1  # of the application


@pytest.mark.requires("desktop.bulk")
@pytest.mark.parametrize("reads_pictures", [True, False])
async def test_a_control_is_not_read_again_where_its_application_reported_nothing_since(
    stage: Stage, liar: Liar, reads_pictures: bool
) -> None:
    async with visitor(stage) as desktop:
        desktop.reads_pictures = reads_pictures
        seen = await desktop.observe(liar.window, picture=False, deadline_s=BOUND_S)
        await liar.say("honest")
        again = await desktop.resolve(seen.controls[0])
        asked = await liar.say("honest")
    assert again == seen.controls[0]
    assert asked.get("GetState", 0) == asked.get("GetExtents", 0) == 0


@pytest.mark.requires("desktop.deadlines", "desktop.lying")
async def test_a_stopped_application_harms_nobody_and_is_whole_again_when_it_goes_on(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        before = await look_at_both(desktop, stage, liar)
        liar.signal(signal.SIGSTOP)
        try:
            seen = await look_at_both(desktop, stage, liar, USED_UP_S)
            assert isinstance(seen, ApplicationUnresponsive)
            assert f"process {liar.window.pid}) is stopped" in str(seen)
            with anyio.fail_after(BOUND_S), pytest.raises(ApplicationUnresponsive):
                await desktop.observe(liar.window, picture=False, deadline_s=2 * BOUND_S)
        finally:
            liar.signal(signal.SIGCONT)
        with anyio.fail_after(BOUND_S):
            after = await desktop.observe(liar.window, picture=False, deadline_s=BOUND_S)
        assert isinstance(before, Observation)
        assert (after.controls, after.truncated) == (before.controls, None)
