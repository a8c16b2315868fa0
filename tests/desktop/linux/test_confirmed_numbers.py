"""Numbers and texts in fields that were confirmed are those that the program has, as its title reports."""

import logging
import random
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.confirmed_texts import WORDS, Tally, chance, trials
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import JAVA, linux_desktop
from support import QT6, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("effect.about")]

SAMPLE: Final = 3
PAGE: Final = """<!doctype html><meta charset=utf-8><title>Spins</title>
<button onclick="applied = numbers(); tell()">Apply</button>
<input type=number aria-label=Delay value=1 step=0.01> <input type=number aria-label=Gain value=-3.5 step=0.01>
<div role=toolbar><input aria-label=Style onkeydown="if (event.key == 'Enter') { chosen = this.value; tell() }"></div>
<script>
const fields = [...document.querySelectorAll("input[type=number]")]
let applied = "nothing", chosen = "none"
const numbers = () => fields.map(field => (+field.value).toFixed(2)).join(" ")
const tell = () => document.title = `Spins ${numbers()} style ${chosen} applied ${applied}`
fields.forEach(field => field.addEventListener("input", tell))
tell()
</script>"""
TOOLKITS: Final = ("GTK 3", "GTK 4", "Qt 5", "Qt 6", "Swing", "Chromium")
_TITLE: Final = re.compile(r"Spins (\S+) (\S+)(?: style (.*))? applied (.*)")
_WAITS_S: Final = 5.0


@dataclass
class Fields:
    """One toolkit's window with two number fields and, in most, a field in a toolbar."""

    toolkit: str
    desktop: LinuxDesktop
    window: TargetInfo

    async def field(self, name: str) -> TargetInfo:
        """A field by its name or, where a label has it, by its order."""
        seen = await self.desktop.observe(self.window, picture=False)
        if name == "Style":
            return replace(next(each for each in seen.controls if _is_style(each)), id="1")
        spins = [each for each in seen.controls if each.type is Role.SPINBUTTON]
        return replace(spins[("Delay", "Gain", "When").index(name)], id="1")

    async def run(self, tool: str, name: str, **arguments: JsonValue) -> Result:
        return await Tools(self.desktop).run(self.window, tool, await self.field(name), **arguments)

    async def has(self, name: str) -> str:
        """The state of the program once its window is quiet."""
        await self.desktop.settle(self.window)
        title = next(each.name for each in await self.desktop.windows() if each.handle == self.window.handle)
        found = _TITLE.match(title)
        assert found is not None, title
        return found[("Delay", "Gain", "Style").index(name) + 1] or ""

    async def apply(self) -> str:
        """The numbers that the button takes."""
        seen = await self.desktop.observe(self.window, picture=False)
        button = replace(next(each for each in seen.controls if each.name == "Apply"), id="1")
        pressed = await Tools(self.desktop).run(self.window, "invoke", button)
        assert pressed.delivered, pressed
        await self.desktop.settle(self.window)
        title = next(each.name for each in await self.desktop.windows() if each.handle == self.window.handle)
        return title.split(" applied ")[1].split(" - ")[0]


def _is_style(control: TargetInfo) -> bool:
    return control.name == "Style" and control.type is Role.TEXTBOX


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("numbers")) as desktop:
        yield desktop


async def opened(desktop: LinuxDesktop, toolkit: str, folder: Path) -> Fields:
    apps, page = ROOT / "tests/apps", folder / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    programs = {
        "GTK 3": ("/usr/bin/python3", str(apps / "spins_gtk.py"), "3.0"),
        "GTK 4": ("/usr/bin/python3", str(apps / "spins_gtk.py"), "4.0"),
        "Qt 5": ("/usr/bin/python3", str(apps / "spins_qt.py")),
        "Qt 6": (str(QT6), str(apps / "spins_qt.py")),
        "Swing": (*JAVA, str(apps / "SpinsSwing.java")),
        "Chromium": ("chromium", f"--app={page.as_uri()}"),
    }
    need(*([QT6] if toolkit == "Qt 6" else []))
    window = await desktop.launch(Application(toolkit, programs[toolkit], window="^Spins"))
    return Fields(toolkit, desktop, window)


def written(rng: random.Random) -> tuple[str, float]:
    """A number as somebody writes it, and its value."""
    number = round(rng.uniform(-999, 999), rng.choice((0, 0, 1, 2)))
    text = f"{number:.{rng.choice((0, 1, 2)) if number.is_integer() else 2}f}"
    return (text.replace(".", ",") if rng.random() < 0.3 else text) + rng.choice(("", "", "", " dB", " ms")), number


async def number_case(fields: Fields, tally: Tally, rng: random.Random) -> None:
    name, (text, number) = rng.choice(("Delay", "Gain")), written(rng)
    tool = rng.choice(("set_edit_text", "set_value", "keyboard_input", "keyboard_input"))
    keys = "{VK_CONTROL}a" + text + rng.choice(("", "{TAB}", "{ENTER}"))
    given: dict[str, JsonValue] = {"set_edit_text": text, "set_value": number, "keyboard_input": keys}
    arguments = {{"set_edit_text": "text", "set_value": "value", "keyboard_input": "keys"}[tool]: given[tool]}
    result = await fields.run(tool, name, **arguments)
    has = float(await fields.has(name))
    about = f"{fields.toolkit} {tool} {name} {arguments}"
    if rng.random() < 0.3 and result.effect is Effect.CONFIRMED:
        applied = float((await fields.apply()).split()[("Delay", "Gain").index(name)])
        about, has = f"{about} applied {applied}", has if applied == has else float("nan")
    tally.add(f"{about} has {has}", result, lambda: abs(has - number) < 0.006)


async def style_case(fields: Fields, tally: Tally, rng: random.Random) -> None:
    """A field that acts on Enter: a text that is only in it applies nothing."""
    text = rng.choice(WORDS)
    tool, keys = rng.choice(("set_edit_text", "keyboard_input")), "{VK_CONTROL}a" + text + rng.choice(("", "{ENTER}"))
    before = await fields.has("Style")
    arguments: dict[str, JsonValue] = {"text": text} if tool == "set_edit_text" else {"keys": keys}
    result = await fields.run(tool, "Style", **arguments)
    has = await fields.has("Style")
    right = has == text and (has != before or "{ENTER}" in keys) and tool != "set_edit_text"
    tally.add(f"{fields.toolkit} {tool} {arguments} has {has}", result, lambda: right)


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Chromium"])
@pytest.mark.parametrize("toolkit", TOOLKITS)
async def test_a_confirmed_number_is_the_one_that_the_program_has(
    desktop: LinuxDesktop, toolkit: str, tmp_path: Path
) -> None:
    fields = await opened(desktop, toolkit, tmp_path)
    numbers, styles = Tally(f"numbers in {toolkit}"), Tally(f"fields that act on Enter in {toolkit}")
    for number in range(trials(SAMPLE)):
        await number_case(fields, numbers, chance(numbers.kind, number))
        if toolkit != "GTK 4":  # it has no toolbars
            await style_case(fields, styles, chance(styles.kind, number))
    await desktop.ask_to_close(fields.window, deadline_s=_WAITS_S)
    for tally in (numbers, styles):
        logging.info("%s", tally)
        for each in tally.missed():
            logging.info("not confirmed: %s", each)
    assert numbers.wrong() + styles.wrong() == []
    assert numbers.share > 0.5


@pytest.mark.full("numbers in Chromium are confirmed in another test")
async def test_a_number_field_of_a_page_reads_what_it_displays(desktop: LinuxDesktop, tmp_path: Path) -> None:
    fields = await opened(desktop, "Chromium", tmp_path)
    for number in (-955.21, 210.8, -163.06, 33.3, 44.4, 796.9):
        result = await fields.run("set_value", "Gain", value=number)
        assert result.effect is Effect.CONFIRMED, result

        async def displayed(number: float = number) -> bool:
            return float(await fields.has("Gain")) == number

        assert await desktop.wait_until(displayed, deadline_s=_WAITS_S), number
    await desktop.ask_to_close(fields.window, deadline_s=_WAITS_S)


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.parametrize("toolkit", ["Qt 5", "Qt 6"])
async def test_a_date_is_no_number_that_its_field_has_to_agree_with(
    desktop: LinuxDesktop, toolkit: str, tmp_path: Path
) -> None:
    fields = await opened(desktop, toolkit, tmp_path)
    for tool, arguments, date in (
        ("set_edit_text", {"text": "24/12/2027"}, "2027-12-24"),
        ("keyboard_input", {"keys": "{VK_CONTROL}a05/06/2028"}, "2028-06-05"),
    ):
        result = await fields.run(tool, "When", **arguments)
        await desktop.settle(fields.window)
        title = next(each.name for each in await desktop.windows() if each.handle == fields.window.handle)
        is_set = title.split(" on ")[1].split(" - ")[0] == date
        assert is_set or tool == "keyboard_input", "it has a cursor in each part of the date"
        assert (result.effect is Effect.CONFIRMED) is is_set, result
    await desktop.ask_to_close(fields.window, deadline_s=_WAITS_S)
