"""The in-memory desktop of one run: every action goes through the simulation."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from deskhand.certify.simulation import Simulation
from deskhand.core.errors import LaunchFailed
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import Call, FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.fake.layout import hit
from deskhand.desktop.protocols.windows import Application

_SCREEN: Final = Rect(0, 0, 400, 2000)
_LAUNCHED_S: Final = 5.0


class SimulatedDesktop(FakeDesktop):
    """A desktop of black pictures, whose applications are those of a simulation."""

    def __init__(self) -> None:
        super().__init__(name="simulation", screen=_SCREEN)
        self.simulation: Simulation | None = None

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        await self._enter(Call("launch", arguments={"application": application.name, "file": file}))
        window = self.simulation.launch() if self.simulation is not None else None

        async def opened() -> TargetInfo | None:
            return next((shown for shown in await self.windows() if window and shown.handle == window.handle), None)

        found = await self.wait_until(opened, deadline_s=min(deadline_s, _LAUNCHED_S)) if window is not None else None
        if found is None:
            raise LaunchFailed(f"{application.name} opened no window", fix="see whether it runs")
        return found

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        seen = await super().observe(window, picture=False, texts=texts, other_pages=other_pages, deadline_s=deadline_s)
        place = seen.window.rect
        return replace(seen, picture=Picture(bytes(3 * place.area), place)) if picture else seen

    async def screenshot(self, region: Rect | None = None) -> Picture:
        await self._enter(Call("screenshot", arguments={"region": region}))
        return Picture(bytes(3), Rect(0, 0, 1, 1))

    async def _act(self, call: Call, work: Callable[[], None]) -> None:
        if self.simulation is not None:
            work = partial(self.simulation.receive, call, work, self._aimed(call))
        await super()._act(call, work)

    def _aimed(self, call: Call) -> FakeControl | None:
        """The control that an action is for: by its handle, at the pointer, or with the keyboard."""
        if call.handle:
            controls = (control for window in self.shown_windows for control in window.all_controls())
            return next((control for control in controls if control.handle == call.handle), None)
        point = call.arguments.get("point")
        if isinstance(point, Point):
            window = next((shown for shown in self.shown_windows if shown.rect.contains(point)), None)
            return hit(window, point) if window is not None else None
        front: FakeWindow | None = self.shown_windows[0] if self.shown_windows else None
        return front.focused if front is not None and call.method == "press" else None
