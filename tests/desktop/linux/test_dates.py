"""Dates in ISO form in fields of Qt, Swing and Chromium; the program's own state decides."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent, has_title
from desktop.linux.everyday import APPS, OPENS_S, SYSTEM, state_file
from desktop.linux.fixture import JAVA, linux_desktop
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("tool.dates")]

FIELDS: Final = frozenset({Role.SPINBUTTON, Role.TEXTBOX})
PAGE: Final = """<!doctype html><meta charset=utf-8><title>Dates</title>
<label>Due <input type=date id=due value=2020-01-02></label> <label>Empty <input type=date id=empty></label>
<label>Start <input type=datetime-local id=start value=2020-01-02T03:04></label>
<label>At <input type=time id=at value=03:04></label>
<script>
setInterval(() => document.title = ['Dates', due.value, empty.value, start.value, at.value].join('|'), 30)
</script>
"""


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    """One desktop for the forms of all toolkits."""
    async with linux_desktop(tmp_path_factory.mktemp("dates")) as desktop:
        yield desktop


async def entered(desktop: LinuxDesktop, window: TargetInfo, dates: Mapping[str, str]) -> dict[str, Result]:
    agent, results = Agent(desktop), dict[str, Result]()
    for name, text in dates.items():
        await agent.see(window, name)
        seen = await desktop.observe(window, picture=False)
        field = next(control for control in seen.controls if control.name == name and control.type in FIELDS)
        results[name] = await agent.act("set_edit_text", seen, replace(field, id="1"), text=text)
    return results


def effects(results: Mapping[str, Result]) -> dict[str, Effect | None]:
    return {name: result.effect for name, result in results.items()}


async def test_a_date_field_of_qt_gets_a_date_in_its_own_form(desktop: LinuxDesktop, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    app = Application("dates", (SYSTEM, str(APPS / "dates_qt.py"), str(file)), window="^Dates$")
    window = await desktop.launch(app, deadline_s=OPENS_S)
    dates = {"Due": "2026-03-12", "Start": "2026-03-12T22:20", "Unclear": "2026-03-12", "Plain": "2026-02-30"}
    came = effects(await entered(desktop, window, dates))
    refused = await entered(desktop, window, {"Due": "2026-02-30"})
    state = await state_file(file)()
    await desktop.ask_to_close(window)
    assert came == {**dict.fromkeys(dates, Effect.CONFIRMED), "Unclear": Effect.REFUSED}
    assert (refused["Due"].effect, refused["Due"].delivered) == (Effect.REFUSED, False), refused
    assert state == {
        "Due": "2026-03-12",
        "Start": "2026-03-12T22:20",
        "Unclear": "2020-01-02",
        "Plain": "2026-02-30",
        **dict.fromkeys(("pressed", "silent", "counted", "asked"), 0),
    }


async def test_a_date_spinner_of_swing_is_left_so_that_the_date_counts(desktop: LinuxDesktop, tmp_path: Path) -> None:
    need(Path("/usr/share/java/java-atk-wrapper.jar"))
    file = tmp_path / "state.json"
    app = Application("dates", (*JAVA, str(APPS / "DatesSwing.java"), str(file)), window="^Dates$")
    window = await desktop.launch(app, deadline_s=OPENS_S)
    came = await entered(desktop, window, {"Due": "2026-03-12"})

    async def written() -> bool | None:
        return True if (await state_file(file)())["Due"] == "2026-03-12" else None

    is_written = await desktop.wait_until(written, deadline_s=20)
    await desktop.ask_to_close(window)
    assert (came["Due"].effect, is_written) == (Effect.CONFIRMED, True), came


async def test_dates_and_times_of_a_page_are_entered_by_their_parts(desktop: LinuxDesktop, tmp_path: Path) -> None:
    need(Path("/usr/bin/chromium"))
    (tmp_path / "dates.html").write_text(PAGE, encoding="utf-8")
    page = (tmp_path / "dates.html").as_uri()
    window = await desktop.launch(Application("chromium", ("chromium", f"--app={page}"), window="^Dates"))
    dates = {"Due": "2026-03-12", "Empty": "2026-12-31", "Start": "2026-03-12 22:20", "At": "00:05"}
    came = effects(await entered(desktop, window, dates))
    again = await entered(desktop, window, {"Due": "2026-03-12"})
    refused = effects(await entered(desktop, window, {"Due": "2026-02-30", "Start": "2026-03-12"}))
    shows = await has_title(desktop, window, "Dates|2026-03-12|2026-12-31|2026-03-12T22:20|00:05")
    await desktop.ask_to_close(window)
    assert came == dict.fromkeys(dates, Effect.CONFIRMED)
    assert (again["Due"].delivered, again["Due"].effect) == (False, Effect.CONFIRMED)
    assert refused == dict.fromkeys(refused, Effect.REFUSED)
    assert shows
