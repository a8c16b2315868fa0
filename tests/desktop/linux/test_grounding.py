"""Something that is only painted is seen by a server, labelled, clicked where it is, and not once it is gone."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from PIL import Image

from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.core.command import Command, Result, ToolType
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.grounding import OmniparserGrounding, targets_of
from deskhand.perception.merge import merge_target_info_list
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.policy.rules import default_rules
from deskhand.store.png import encode_png
from desktop.linux.fixture import linux_desktop
from desktop.linux.moving import mover
from stage import Clock
from support import wait_until_ended
from wire.omniparser import Element, icon, seer

pytestmark = pytest.mark.desktop

PROGRAM: Final = Path(__file__).parents[2] / "apps" / "gtk3_drawn.py"
COLOURS: Final = {"green": (26, 153, 51), "blue": (26, 51, 204)}


def sees_squares(image: Image.Image) -> list[Element]:
    """What a vision server would: finds the squares by their colour, and the button that the tree has too."""
    found: list[Element] = []
    for name, colour in COLOURS.items():
        bands = image.split()
        mask = None
        for band, wanted in zip(bands, colour, strict=True):
            near = Image.frombytes(
                "L", band.size, band.tobytes().translate(bytes(255 * (abs(v - wanted) < 12) for v in range(256)))
            )
            mask = near if mask is None else Image.composite(near, Image.new("L", near.size), mask)
        box = mask.getbbox() if mask else None
        if box is not None:
            left, top, right, bottom = box
            width, height = image.size
            found.append(icon(left / width, top / height, right / width, bottom / height, f"{name} square"))
    return found


@dataclass
class Drawn:
    desktop: LinuxDesktop
    window: TargetInfo
    log: Path

    async def clicks(self, count: int) -> list[list[str]]:
        async def enough() -> list[list[str]] | None:
            lines = self.log.read_text().splitlines() if self.log.exists() else []
            return [line.split() for line in lines] if len(lines) >= count else None

        found = await self.desktop.wait_until(enough, deadline_s=20)
        assert found is not None, f"{count} clicks did not arrive"
        return found

    async def click(self, target: TargetInfo, clock: Clock) -> Result:
        catalogue = standard_catalogue()
        surroundings = Surroundings(
            tool=lambda name: tool.spec if (tool := catalogue.get(name)) else None, named_applications=frozenset()
        )
        policy = RulePolicy(default_rules(), surroundings)
        dispatcher = CommandDispatcher(catalogue, ToolContext(self.desktop), policy, clock)
        parameters: JsonObject = {"id": target.id or "1", "name": target.name, "button": "left", "double": False}
        command = Command("click_input", parameters, ToolType.ACTION, target=target, window=self.window)
        clearance = policy.clear(policy.judge(command, target))
        (result,) = await dispatcher.execute_commands([command], {command.call_id: clearance})
        return result


@pytest.fixture
async def drawn(tmp_path: Path) -> AsyncGenerator[Drawn]:
    async with linux_desktop(tmp_path) as desktop:
        log = tmp_path / "clicks"
        window = await desktop.launch(
            Application("drawn", ("/usr/bin/python3", str(PROGRAM), str(log)), window="^Drawn$")
        )
        await desktop.settle(window)  # what is painted comes after the controls, and nothing but a wait tells it
        yield Drawn(desktop, window, log)
    assert window.pid is not None
    wait_until_ended([window.pid])


async def merged(it: Drawn, address: str) -> dict[str, TargetInfo]:
    seen = await it.desktop.observe(it.window)
    assert seen.picture is not None
    async with OmniparserGrounding(address) as server:
        boxes = (await server.parse(encode_png(seen.picture))).boxes
    found = targets_of(boxes, seen.picture, seen.window)
    return {target.name: target for target in merge_target_info_list(seen.controls, found, 0.1)}


@pytest.mark.requires("grounding.clicks")
async def test_what_is_only_painted_is_clicked_in_its_middle_also_after_its_window_moved(drawn: Drawn) -> None:
    with seer(sees_squares) as server:
        controls = await merged(drawn, server.address)
    assert {"Push", "green square", "blue square"} <= controls.keys()
    clock, blue, green = Clock(), controls["blue square"], controls["green square"]
    assert (blue.rect.width, blue.rect.height) == (50, 50)
    result = await drawn.click(blue, clock)
    assert result.delivered, result.evidence
    ((hit, x, y),) = await drawn.clicks(1)
    assert (hit, int(x), int(y)) == ("blue", blue.rect.center.x, blue.rect.center.y)

    with mover(drawn.desktop.environment) as moving:
        moving.move(drawn.window, 333, 222)
    dx, dy = await moved(drawn, drawn.window.rect)
    result = await drawn.click(green, clock)
    assert result.delivered, result.evidence
    hit, x, y = (await drawn.clicks(2))[1]
    assert (hit, int(x), int(y)) == ("green", green.rect.center.x + dx, green.rect.center.y + dy)


@pytest.mark.full("pipeline/test_grounding.py has the same in memory")
@pytest.mark.requires("grounding.clicks")
async def test_it_is_clicked_while_it_looks_the_same_and_nothing_is_once_it_does_not(drawn: Drawn) -> None:
    with seer(sees_squares) as server:
        controls = await merged(drawn, server.address)
    with mover(drawn.desktop.environment) as moving:
        moving.resize(drawn.window, 600, 500)
    await moved(drawn, drawn.window.rect)
    assert (await drawn.click(controls["green square"], Clock())).delivered
    assert [hit for hit, _, _ in await drawn.clicks(1)] == ["green"]

    await drawn.desktop.do_action(controls["Push"])
    await drawn.desktop.settle(drawn.window)
    for name in ("green square", "blue square"):
        result = await drawn.click(controls[name], Clock())
        assert result.error is not None
        assert (result.error.type, result.delivered) == ("ElementStale", False)
    assert len(await drawn.clicks(1)) == 1


async def moved(it: Drawn, old: Rect) -> tuple[int, int]:
    """Waits until the window is elsewhere or of another size, and painted; how far its corner moved."""

    async def place() -> Rect:
        return next(window.rect for window in await it.desktop.windows() if window.handle == it.window.handle)

    async def elsewhere() -> bool | None:
        return True if await place() != old else None

    assert await it.desktop.wait_until(elsewhere, deadline_s=20)
    await it.desktop.settle(it.window)
    rect = await place()
    return rect.left - old.left, rect.top - old.top
