"""What a select of a page of Chromium drops down, which may be scrolled; the title says what was chosen."""

from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import TargetDisabled, TargetHidden
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import page

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.choose")]

PAGE: Final = """<!doctype html><title>Chosen:</title>
<p><label>Short <select><option>Apple<option disabled>Pear<optgroup label=More><option>Plum<option>Fig</optgroup>
</select></label>
<p><label>Long <select id=long></select></label>
<script>
for (let number = 0; number < COUNT; number++) long.add(new Option(`Item ${number}`))
long.selectedIndex = 100
addEventListener("change", event => { document.title = `Chosen: ${event.target.value}` })
</script>"""


async def title_of(desktop: LinuxDesktop, window: TargetInfo) -> str:
    return next(now.name for now in await desktop.windows() if now.handle == window.handle)


async def boxes(desktop: LinuxDesktop, window: TargetInfo) -> dict[str, TargetInfo]:
    async def shown() -> dict[str, TargetInfo] | None:
        seen = await desktop.observe(window, picture=False)
        found = {control.name: control for control in seen.controls if control.type is Role.COMBOBOX}
        return found if {"Short", "Long"} <= found.keys() else None

    found = await desktop.wait_until(shown, deadline_s=20)
    assert found is not None
    return found


async def items(desktop: LinuxDesktop, window: TargetInfo, count: int) -> dict[str, TargetInfo]:
    async def dropped() -> dict[str, TargetInfo] | None:
        seen = await desktop.observe(window, picture=False)
        found = {control.name: control for control in seen.controls if control.type is Role.MENUITEM}
        return found if len(found) == count else None

    found = await desktop.wait_until(dropped, deadline_s=10)
    assert found is not None
    return found


@pytest.mark.full("the other takes the same way", but=["200-1"])
@pytest.mark.parametrize(("count", "scale"), [(200, 1), (600, 2)])
async def test_items_of_a_list_that_may_be_scrolled_have_no_place_and_are_chosen_wherever_they_are(
    count: int, scale: int, tmp_path: Path
) -> None:
    flags = (f"--force-device-scale-factor={scale}", "--window-size=500,200")
    async with page(tmp_path, PAGE.replace("COUNT", str(count)), "Chosen:", *flags) as (desktop, window):
        tools = Tools(desktop)
        found = await boxes(desktop, window)
        assert found["Long"].value == "Item 100"
        seen = await desktop.observe(window, picture=False)
        assert not any(control.type is Role.MENUITEM for control in seen.controls), "nothing is dropped down"

        await desktop.do_action(found["Short"], "open")
        short = await items(desktop, window, 4)
        assert not any(item.rect.empty for item in short.values())
        assert "enabled" not in short["Pear"].states
        assert (await tools.run(window, "click_input", short["Fig"])).effect is Effect.CONFIRMED
        assert await title_of(desktop, window) == "Chosen: Fig"

        await desktop.do_action((await boxes(desktop, window))["Long"], "open")
        scrolled = await items(desktop, window, count)
        assert all(item.rect.empty for item in scrolled.values())
        refused = await tools.run(window, "click_input", scrolled["Item 2"])
        assert refused.error is not None
        assert refused.error.type == TargetHidden.__name__

        for item in (f"Item {count - 1}", "Item 2"):
            chosen = await tools.run(window, "select_item", (await boxes(desktop, window))["Long"], item=item)
            assert chosen.effect is Effect.CONFIRMED, chosen
            assert await title_of(desktop, window) == f"Chosen: {item}"
            assert "collapsed" in (await boxes(desktop, window))["Long"].states


ELSEWHERE: Final = """<!doctype html><title>Presses: 0</title>
<button onclick="document.title = `Presses: ${++presses}`">Press</button>
<label>Short <select><option>Apple<option>Pear</select></label>
<label>Long <input role=combobox></label><script>let presses = 0</script>"""


@pytest.mark.full("test_effects has the same on a desktop in memory")
async def test_a_click_that_only_closes_what_was_dropped_down_elsewhere_is_not_confirmed(tmp_path: Path) -> None:
    async with page(tmp_path, ELSEWHERE, "Presses: 0") as (desktop, window):
        tools = Tools(desktop)
        opened = await tools.run(window, "click_input", (await boxes(desktop, window))["Short"])
        assert opened.effect is Effect.CONFIRMED, opened.evidence
        await items(desktop, window, 2)
        press = await tools.find(window, "Press", Role.BUTTON)
        taken = await tools.run(window, "click_input", press)
        assert await title_of(desktop, window) == "Presses: 0", "the list takes the click that closes it"
        assert taken.effect is Effect.UNVERIFIABLE, taken
        assert "was open, and closed by it" in taken.evidence
        missing = await tools.run(window, "select_item", (await boxes(desktop, window))["Short"], item="Kiwi")
        assert missing.error is not None
        assert "closed again" in missing.error.fix, "a list that was opened in vain takes the next click"
        assert (await tools.run(window, "click_input", press)).effect is Effect.CONFIRMED

        async def pressed() -> bool:  # that the button has the keyboard is told before the page is called otherwise
            return await title_of(desktop, window) == "Presses: 1"

        assert await desktop.wait_until(pressed, deadline_s=10)


LATE: Final = """<!doctype html><title>Chosen:</title>
<p><label>Short <select disabled><option>Apple<option>Pear<option disabled>Fig</select></label>
<p><label>Long <select><option disabled selected>Loading<option disabled>Fig</select></label>
<script>
addEventListener("change", event => { document.title = `Chosen: ${event.target.value}` })
setTimeout(() => { document.querySelector("select").disabled = false; document.title = "Ready" }, 1000)
</script>"""


@pytest.mark.full("such lists are rare; other lists that drop down are tried")
async def test_items_of_a_list_that_was_disabled_at_first_are_chosen_and_disabled_ones_are_not(tmp_path: Path) -> None:
    async with page(tmp_path, LATE, "Chosen:") as (desktop, window):
        await boxes(desktop, window)  # what it tells of the page is read before

        async def ready() -> bool:
            return await title_of(desktop, window) == "Ready"

        assert await desktop.wait_until(ready, deadline_s=20)
        tools = Tools(desktop)
        chosen = await tools.run(window, "select_item", (await boxes(desktop, window))["Short"], item="Pear")
        assert chosen.effect is Effect.CONFIRMED, chosen
        assert await title_of(desktop, window) == "Chosen: Pear"
        await desktop.do_action((await boxes(desktop, window))["Long"], "open")
        disabled = await items(desktop, window, 2)
        assert [item for item, control in disabled.items() if "enabled" in control.states] == []
        with pytest.raises(TargetDisabled):
            await desktop.do_action(disabled["Loading"], "")
        for name in ("Long", "Short"):
            refused = await tools.run(window, "select_item", (await boxes(desktop, window))[name], item="Fig")
            assert refused.error is not None
            assert "is disabled" in refused.error.message


OWN: Final = """<!doctype html><title>Chosen:</title>
<label>Short <select><option>Apple</select></label>
<p><input role=combobox aria-label=Long aria-expanded=false aria-controls=offered>
<ul id=offered role=listbox aria-label=Offered hidden style="padding:0; max-height:90px; overflow:auto">
<li role=option>Paris<li role=option>Rome<li role=option>Prague<li role=option>Oslo<li role=option>Bonn
<li role=option>Bern<li role=option>Riga<li role=option>Kyiv<li role=option>Lima</ul>
<script>
const box = document.querySelector("input"), offered = document.querySelector("ul")
const open = is => { offered.hidden = !is; box.ariaExpanded = is }
box.addEventListener("click", () => open(offered.hidden))
offered.addEventListener("click", event => {
  box.value = event.target.textContent
  document.title = `Chosen: ${box.value}`
  open(false)
})
</script>"""


async def test_any_item_of_a_list_that_a_page_drops_down_itself_is_chosen_whether_it_is_open_or_not(
    tmp_path: Path,
) -> None:
    async with page(tmp_path, OWN, "Chosen:") as (desktop, window):
        tools = Tools(desktop)
        for name, is_open in (("Rome", False), ("Prague", True), ("Lima", True), ("Paris", True), ("Kyiv", False)):
            if is_open:
                await tools.run(window, "click_input", (await boxes(desktop, window))["Long"])
                assert "expanded" in (await boxes(desktop, window))["Long"].states
            chosen = await tools.run(window, "select_item", (await boxes(desktop, window))["Long"], item=name)
            assert (chosen.effect, await title_of(desktop, window)) == (Effect.CONFIRMED, f"Chosen: {name}"), chosen
