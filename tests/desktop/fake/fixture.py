"""The fixture application of the conformance suite on the fake desktop."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeTable, FakeWindow
from deskhand.desktop.protocols.windows import Application
from desktop.conformance import PATIENCE_S, PEOPLE, FixtureState


class FixtureApplication:
    """Its controls and what they do; `state` is read off the controls and counters themselves."""

    def __init__(self, desktop: FakeDesktop) -> None:
        self._desktop = desktop
        self._pressed = 0
        self._volatile_pressed = 0
        self._label = FakeControl(Role.LABEL, "Pressed 0 times")
        self._check = FakeControl(Role.CHECKBOX, "Check me")
        self._name = FakeControl(Role.TEXTBOX, "Name")
        self._secret = FakeControl(Role.PASSWORD, "Secret")
        self._items = [FakeControl(Role.LISTITEM, name) for name in ("Apple", "Pear", "Plum")]
        self._count = FakeControl(Role.SPINBUTTON, "Count", "0", limits=(0, 100))
        self._opened = ""
        self._people = [FakeControl(Role.LABEL, name) for name in PEOPLE]
        self._volatile = FakeControl(Role.GROUP, children=[self._new_volatile()])
        ok = FakeControl(Role.BUTTON, "OK", states={"default"}, on_click=lambda: desktop.close_window(self._dialog))
        self._dialog = FakeWindow("Question", [ok], "fixture", rect=Rect(120, 120, 320, 200), dialog=True)
        self.window = FakeWindow("Fixture", self._controls(), rect=Rect(20, 20, 420, 560))

    def _controls(self) -> list[FakeControl]:
        grid = FakeTable.of([[f"r{row}c{column}" for column in range(3)] for row in range(3)])
        open_dialog = FakeControl(
            Role.MENUITEM, "Open dialog...", on_click=lambda: self._desktop.open(self._dialog) and None
        )
        return [
            FakeControl(Role.MENUBAR, children=[FakeControl(Role.MENU, "File", children=[open_dialog])]),
            FakeControl(Role.BUTTON, "Press me", on_click=self._press),
            self._label,
            self._check,
            self._name,
            self._secret,
            FakeControl(Role.LIST, "Fruit", children=list(self._items)),
            FakeControl(Role.TABLE, "Grid", table=grid),
            self._count,
            FakeControl(Role.LIST, "People", children=[self._row(person) for person in self._people]),
            FakeControl(Role.BUTTON, "Turn", on_click=lambda: self._show(*PEOPLE[::-1])),
            FakeControl(Role.BUTTON, "Scroll", on_click=lambda: self._show("Bob", "Eve")),
            FakeControl(Role.BUTTON, "Off", states={"disabled"}),
            FakeControl(Role.BUTTON, "Renew", on_click=lambda: self._replace(1)),
            FakeControl(Role.BUTTON, "Double", on_click=lambda: self._replace(2)),
            FakeControl(Role.BUTTON, "Remove", on_click=lambda: self._replace(0)),
            self._volatile,
        ]

    def _row(self, person: FakeControl) -> FakeControl:
        def open_it() -> None:
            self._opened = person.name

        return FakeControl(Role.LISTITEM, children=[person, FakeControl(Role.BUTTON, "Open", on_click=open_it)])

    def _show(self, *people: str) -> None:
        for person, name in zip(self._people, people, strict=True):
            person.name = name

    def _new_volatile(self) -> FakeControl:
        def press() -> None:
            self._volatile_pressed += 1

        return FakeControl(Role.BUTTON, "Volatile", on_click=press)

    def _replace(self, number: int) -> None:
        self._volatile.children[:] = [self._new_volatile() for _ in range(number)]

    def _press(self) -> None:
        self._pressed += 1
        self._label.name = f"Pressed {self._pressed} times"

    def state(self) -> FixtureState:
        return FixtureState(
            pressed=self._pressed,
            checked="checked" in self._check.states,
            name=self._name.value,
            secret=self._secret.value,
            selected=",".join(item.name for item in self._items if "selected" in item.states),
            count=float(self._count.value),
            dialog=self._dialog in self._desktop.shown_windows,
            volatile_pressed=self._volatile_pressed,
            opened=self._opened,
        )


class FakeUnderTest:
    """The fake desktop with the fixture application open; another application's window lies behind it."""

    def __init__(self, desktop: FakeDesktop, application: FixtureApplication, window: TargetInfo) -> None:
        self.desktop = desktop
        self.screen = desktop.screen
        self.window = window
        self._application = application

    def state(self) -> FixtureState:
        return self._application.state()

    async def eventually(self, holds: Callable[[FixtureState], bool]) -> FixtureState:
        async def look() -> FixtureState | None:
            return self.state() if holds(self.state()) else None

        with anyio.fail_after(PATIENCE_S):
            state = await self.desktop.wait_until(look, deadline_s=1.0)
        if state is None:
            raise TimeoutError(f"the application still says {self.state()}")
        return state

    async def kill(self) -> None:
        self.desktop.faults.application_dies(self._application.window)


@asynccontextmanager
async def fake_under_test() -> AsyncGenerator[FakeUnderTest]:
    """A fresh desktop for one test."""
    running: list[FixtureApplication] = []

    def start(desktop: FakeDesktop, _: Path | None) -> FakeWindow:
        running.append(FixtureApplication(desktop))
        return running[-1].window

    desktop = FakeDesktop([FakeApplication("fixture", start)], screen=Rect(0, 0, 640, 600))
    desktop.open(FakeWindow("Behind", [FakeControl(Role.BUTTON, "Press me")], "other"))
    window = await desktop.launch(Application("fixture", ("fixture",), window="^Fixture$"))
    yield FakeUnderTest(desktop, running[-1], window)
    await desktop.close()
