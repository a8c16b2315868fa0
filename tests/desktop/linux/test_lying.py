"""Applications that lie over accessibility: each ends an observation in time and harms nobody else."""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

import anyio
import pytest

from deskhand.core.errors import ActionRefused, ApplicationGone, ApplicationUnresponsive, DesktopError
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application
from deskhand.desktop.linux.atspi.calls import parse_handle
from deskhand.desktop.linux.atspi.transport import BusTransport, Call
from deskhand.desktop.linux.atspi.visitor import NODE_LIMIT, TEXT_LIMIT
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from desktop.linux.fixture import LinuxUnderTest, SomePlace, launch_fixture, linux_desktop
from support import ROOT, wait_until_ended

pytestmark = pytest.mark.desktop

DEADLINE_S: Final = 1.0
BOUND_S: Final = 6.0
"""Far above the deadline, far below waiting for ever; the machine may be busy."""

PEER: Final = ROOT / "tests/desktop/linux/lying_peer.py"
TITLE: Final = "Liar"
BUTTONS: Final = 20
CALLS_LIMIT: Final = 10 * NODE_LIMIT


@dataclass
class Stage:
    """A desktop with the fixture application on it, and what that shows."""

    honest: LinuxUnderTest
    place: SomePlace
    shows: tuple[str, ...]
    control: TargetInfo


@dataclass
class Liar:
    """The lying peer, its window, and a line to tell it what to lie."""

    window: TargetInfo
    line: BusTransport

    async def say(self, lie: str, argument: str = "") -> dict[str, int]:
        """What it was asked since the last time: member → count."""
        call = Call("test.Liar", "/", "test.Liar", "Say", "ss", (lie, argument))
        return json.loads((await self.line.call(call, deadline_s=5))[0])

    def signal(self, number: signal.Signals) -> None:
        assert self.window.pid is not None
        os.kill(self.window.pid, number)


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("lying")
    async with linux_desktop(folder) as desktop:
        honest = await launch_fixture(desktop, folder / "state.json")
        seen = await desktop.observe(honest.window, picture=False)
        yield Stage(honest, await honest.place(), _described(seen), seen.controls[0])


@pytest.fixture
async def liar(stage: Stage) -> AsyncGenerator[Liar]:
    argv = (sys.executable, str(PEER), TITLE, stage.place.a11y_address)
    environment = {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("src", "tests"))}
    window = await stage.honest.desktop.launch(Application("liar", argv, window=f"^{TITLE}$", environment=environment))
    line = await BusTransport.connect(stage.place.a11y_address)
    liar = Liar(window, line)
    try:
        yield liar
    finally:
        await line.close()
        assert window.pid is not None
        with suppress(ProcessLookupError):
            os.kill(window.pid, signal.SIGKILL)
        wait_until_ended([window.pid])


@asynccontextmanager
async def visitor(stage: Stage) -> AsyncGenerator[LinuxDesktop]:
    """Somebody who sees the desktop for the first time."""
    desktop = await attach(stage.place)
    try:
        yield desktop
    finally:
        await desktop.close()


def _described(seen: Observation) -> tuple[str, ...]:
    assert seen.truncated is None
    return tuple(f"{control.handle} {control.describe} {control.rect}" for control in seen.controls)


async def look(desktop: LinuxDesktop, window: TargetInfo) -> Observation | DesktopError:
    try:
        return await desktop.observe(window, picture=False, deadline_s=DEADLINE_S)
    except DesktopError as error:
        return error


async def look_at_both(desktop: LinuxDesktop, stage: Stage, liar: Liar) -> Observation | DesktopError:
    """What comes of the liar; the honest application is observed meanwhile, whole."""
    found: list[Observation | DesktopError] = []

    async def look_at_liar() -> None:
        found.append(await look(desktop, liar.window))

    async def look_at_other() -> None:
        other = await desktop.observe(stage.honest.window, picture=False, deadline_s=BOUND_S)
        assert _described(other) == stage.shows

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look_at_liar)
            tasks.start_soon(look_at_other)
    return found[0]


async def outcome(stage: Stage, liar: Liar, lie: str, argument: str = "") -> Observation | DesktopError:
    """What comes of one lie, within bounds, and after it the truth again from the same observer."""
    async with visitor(stage) as desktop:
        await liar.say(lie, argument)
        seen = await look_at_both(desktop, stage, liar)
        asked = await liar.say("honest")
        assert sum(asked.values()) < CALLS_LIMIT
        if isinstance(seen, Observation):
            assert len(seen.controls) <= NODE_LIMIT
            assert max((len(f"{control.name}{control.value}") for control in seen.controls), default=0) <= TEXT_LIMIT
        with anyio.fail_after(BOUND_S):
            again = await desktop.observe(liar.window, picture=False, deadline_s=BOUND_S)
        assert (len(again.controls), again.truncated) == (BUTTONS, None)
    return seen


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
            await look_at_both(desktop, stage, liar)


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
        ("errors", ActionRefused),
        ("window_of_words", ApplicationGone),
        ("nothing_said", ApplicationGone),
    ],
)
async def test_an_application_that_says_nothing_of_its_window_is_told_as_such(
    stage: Stage, liar: Liar, lie: str, error: type[DesktopError]
) -> None:
    assert isinstance(await outcome(stage, liar, lie), error)


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


@pytest.mark.requires("desktop.deadlines", "desktop.lying")
async def test_a_stopped_application_harms_nobody_and_is_whole_again_when_it_goes_on(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        before = await look_at_both(desktop, stage, liar)
        liar.signal(signal.SIGSTOP)
        try:
            seen = await look_at_both(desktop, stage, liar)
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
