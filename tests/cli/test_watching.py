"""`observe --watch`: what changes in a window is told as it changes."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import anyio
import pytest
from pydantic import TypeAdapter

from cli.driver import Console, environment
from deskhand.cli.observe_watch import Output, follow
from deskhand.core.errors import ApplicationUnresponsive, ElementStale
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.windows import Quiet, Settled, Until
from deskhand.perception.control_search import Sought
from deskhand.perception.delta import Delta
from deskhand.perception.labels import Labeller


def labels() -> Callable[[Observation], Awaitable[tuple[TargetInfo, ...]]]:
    labeller = Labeller()

    async def label(observation: Observation) -> tuple[TargetInfo, ...]:
        return labeller.label(observation)

    return label


@pytest.mark.requires("cli.watch")
async def test_each_change_is_told_and_nothing_else() -> None:
    desktop = FakeDesktop()
    name = FakeControl(Role.TEXTBOX, "Name", "Ada")
    save = FakeControl(Role.BUTTON, "Save")
    window = desktop.open(FakeWindow("Main", [name, save]))
    told: list[str] = []
    noted: list[str] = []
    arrived = anyio.Event()

    def show(_: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        nonlocal arrived
        told.append(changed.text if changed else " ".join(control.name for control in seen))
        arrived.set()

    async def next_line() -> str:
        nonlocal arrived
        with anyio.fail_after(30):
            await arrived.wait()
        arrived = anyio.Event()
        return told[-1]

    async def watch() -> None:
        (target, *_) = await desktop.windows()
        await follow(desktop, target, Sought(), Output(labels(), show, noted.append))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        assert await next_line() == "Name Save"
        name.value = "Bob"
        desktop.touch()
        assert await next_line() == '~ 1 textbox "Name" = "Bob" (focused)'
        desktop.touch()
        window.controls.remove(save)
        desktop.touch()
        assert await next_line() == '- 2 button "Save"'
        desktop.close_window(window)
    assert len(told) == 3
    assert len(noted) == 1
    assert "Main" in noted[0]


@pytest.mark.long
@pytest.mark.requires("cli.watch-goes-on")
async def test_one_that_does_not_answer_is_waited_for_and_loses_nothing() -> None:
    desktop = FakeDesktop()
    name = FakeControl(Role.TEXTBOX, "Name", "Ada")
    window = desktop.open(FakeWindow("Main", [name, FakeControl(Role.BUTTON, "Save")]))
    told: list[str] = []
    noted: list[str] = []

    def show(_: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        told.append(changed.text if changed else " ".join(control.name for control in seen))

    def then(happens: Callable[[], None]) -> None:
        happens()
        desktop.touch()

    def cut_short() -> None:
        desktop.faults.truncate_after = 1

    def change() -> None:
        desktop.faults.truncate_after = None
        name.value = "Bob"

    silent = ApplicationUnresponsive("it does not answer")
    desktop.faults.fail("observe", silent, on_call=2)
    desktop.faults.fail("observe", silent, on_call=3)
    for call, happens in enumerate((desktop.touch, desktop.touch, desktop.touch, cut_short, change), 1):
        desktop.faults.before("observe", partial(then, happens), on_call=call)
    desktop.faults.before("observe", lambda: desktop.close_window(window), on_call=6)
    with anyio.fail_after(20):
        await follow(desktop, (await desktop.windows())[0], Sought(), Output(labels(), show, noted.append))
    assert told == ["Name Save", '~ 1 textbox "Name" = "Bob" (focused)']
    assert noted[0] == "it does not answer"
    assert noted[1].startswith("not everything could be read")
    assert "Main" in noted[2]
    assert len(noted) == 3


@pytest.mark.requires("cli.watch-goes-on")
async def test_what_is_called_otherwise_is_told_also_where_the_rest_was_not_read() -> None:
    desktop = FakeDesktop()
    save = FakeControl(Role.BUTTON, "Save")
    window = desktop.open(FakeWindow("Main", [save, FakeControl(Role.BUTTON, "Save as")]))
    told: list[str] = []

    def show(_: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        told.append(changed.text if changed else " ".join(control.name for control in seen))

    def rename() -> None:
        save.name = "Done"
        desktop.faults.truncate_after = 1
        desktop.touch()

    desktop.faults.before("observe", desktop.touch, on_call=1)
    desktop.faults.before("observe", rename, on_call=2)
    desktop.faults.before("observe", lambda: desktop.close_window(window), on_call=3)
    with anyio.fail_after(20):
        telling = Output(labels(), show, lambda _: None)
        await follow(desktop, (await desktop.windows())[0], Sought(name="/^Save/"), telling)
    assert told == ["Save Save as", '- 1 button "Save" (focused)']


class LongText(FakeDesktop):
    """One whose windows list the tables on their other pages once those were asked for; `asked` has each look."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[bool] = []

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        self.asked.append(other_pages)
        seen = await super().observe(window, picture=picture, texts=texts, deadline_s=deadline_s)
        return seen if any(self.asked) else replace(seen, controls=())


@pytest.mark.requires("cli.watch", "observe.other-pages")
@pytest.mark.parametrize(("role", "asked"), [("table", True), ("/table|list/", True), ("list", False)])
async def test_tables_on_other_pages_are_looked_for_once_where_tables_are_watched(role: str, *, asked: bool) -> None:
    desktop = LongText()
    window = desktop.open(FakeWindow("Main", [FakeControl(Role.TABLE, "Sales")]))
    told: list[str] = []

    def show(_: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        told.append(changed.text if changed else " ".join(control.name for control in seen))

    desktop.faults.before("observe", desktop.touch, on_call=1)
    desktop.faults.before("observe", desktop.touch, on_call=2)
    desktop.faults.before("observe", partial(desktop.close_window, window), on_call=3)
    with anyio.fail_after(30):
        await follow(desktop, (await desktop.windows())[0], Sought(role), Output(labels(), show, lambda _: None))
    assert desktop.asked == [asked, False, False]
    assert told == (["Sales"] if asked else [""])


@pytest.mark.requires("cli.watch-goes-on")
@pytest.mark.parametrize("closes", [True, False])
async def test_what_goes_while_it_is_looked_at_ends_it_only_where_the_window_went(*, closes: bool) -> None:
    desktop = FakeDesktop()
    name = FakeControl(Role.TEXTBOX, "Name", "Ada")
    window = desktop.open(FakeWindow("Main", [name]))
    told: list[str] = []
    noted: list[str] = []

    def show(_: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        told.append(changed.text if changed else " ".join(control.name for control in seen))

    def change() -> None:
        name.value = "Bob"
        desktop.touch()

    desktop.faults.before("observe", desktop.touch, on_call=1)
    desktop.faults.before("observe", partial(desktop.close_window, window) if closes else change, on_call=2)
    desktop.faults.fail("observe", ElementStale("it went"), on_call=2)
    desktop.faults.before("observe", desktop.touch, on_call=3)
    if not closes:
        desktop.faults.before("observe", partial(desktop.close_window, window), on_call=4)
    with anyio.fail_after(30):
        await follow(desktop, (await desktop.windows())[0], Sought(), Output(labels(), show, noted.append))
    assert told == ["Name"] if closes else ["Name", '~ 1 textbox "Name" = "Bob" (focused)']
    assert noted[0] == "it went"
    assert "Main" in noted[1]


class Restless(FakeDesktop):
    """One whose window is put away, is not quiet for another reason each time, and tells less than it shows."""

    def __init__(self) -> None:
        super().__init__()
        self._looks = 0

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        await super().settle(window, until=until, quiet_s=quiet_s, deadline_s=deadline_s)
        self._looks += 1
        return Settled(Quiet.DEADLINE, deadline_s, busy=(f"work {self._looks}",))

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        seen = await super().observe(window, picture=picture, texts=texts, deadline_s=deadline_s)
        away = replace(seen.window, states=seen.window.states | {MINIMIZED})
        return replace(seen, window=away, provisional=True, untold="its canvas tells nothing")


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> Restless:
    """What `--desktop memory` opens: its window gets a control after the second look, and is closed at the fourth."""
    made = Restless()
    window = made.open(FakeWindow("Main", []))

    @asynccontextmanager
    async def opened(choice: str, **_: object) -> AsyncGenerator[Restless]:
        assert choice == "memory"
        yield made

    def change() -> None:
        window.controls.append(FakeControl(Role.BUTTON, "Save"))
        made.touch()

    def close() -> None:
        made.close_window(window)

    for call, happens in enumerate((made.touch, made.touch, change, close), 1):
        made.faults.before("observe", happens, on_call=call)
    monkeypatch.setattr("deskhand.cli.desktop_choice.open_desktop", opened)
    return made


@pytest.mark.requires("cli.watch")
@pytest.mark.usefixtures("restless")
def test_what_observe_tells_beside_the_controls_is_told_once_while_it_holds(console: Console) -> None:
    done = console("observe", "--watch", "--desktop", "memory")
    assert (done.code, done.out) == (0, '+ 1 button "Save"\n\n')
    assert done.err.splitlines()[:-1] == [
        "(the window shows no control)",
        "(the window is minimized: no part of it is on the screen)",
        "(its canvas tells nothing)",
        "(not quiet within 1.00 s: work 1)",
        "(states, values in toolbars and the status bar may still change by themselves)",
        "(--final waits for that)",
    ]


@pytest.mark.requires("cli.watch")
@pytest.mark.usefixtures("restless")
def test_each_object_says_what_is_to_be_known_of_its_look(console: Console) -> None:
    done = console("observe", "--watch", "--desktop", "memory", "--json")
    lines = [TypeAdapter(JsonObject).validate_json(line) for line in done.out.splitlines()]
    told = ("truncated", "provisional", "unsettled", "untold")
    assert [[line[name] for name in told] for line in lines] == [
        [None, True, "not quiet within 1.00 s: work 1", "its canvas tells nothing"]
    ] * 2


@pytest.mark.requires("cli.watch-goes-on")
async def test_a_window_that_was_never_seen_is_an_error() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", []))
    desktop.faults.fail("observe", ApplicationUnresponsive("it does not answer"))
    told: list[str] = []
    with pytest.raises(ApplicationUnresponsive):
        await follow(desktop, (await desktop.windows())[0], Sought(), Output(labels(), _ignore, told.append))
    assert not told


def _ignore(observation: Observation, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
    raise AssertionError((observation, seen, changed))


@pytest.mark.requires("cli.watch-goes-on")
@pytest.mark.parametrize("gone", [True, False])
def test_a_reader_that_has_gone_is_noticed_with_nothing_to_print(*, gone: bool) -> None:
    code = "import sys; from deskhand.cli.console import reader_is_gone; sys.stdin.readline(); "
    code += "print(reader_is_gone(), file=sys.stderr)"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as asked:
        assert asked.stdin
        assert asked.stdout
        assert asked.stderr
        if gone:
            asked.stdout.close()
        asked.stdin.write("now\n")
        asked.stdin.close()
        assert asked.stderr.read().strip() == str(gone)
