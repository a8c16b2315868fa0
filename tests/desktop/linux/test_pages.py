"""Controls of web pages that Chromium tells in ways of its own."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo
from deskhand.desktop.linux.idle.wait import Activity, Subject
from deskhand.desktop.protocols.windows import Application, Quiet, Settled
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop, page

pytestmark = pytest.mark.desktop

PAGE = """<!doctype html><meta charset=utf-8><title>Controls</title>
<label>Day <input type=date value="2024-02-07"></label> <label>Other <input type=date></label>
<input type=checkbox role=switch aria-label=Wifi> <button aria-pressed=false>Bold</button>
<input aria-label=Log readonly value=text> <input aria-label=Off disabled>
<select aria-label=Mode><option>
  Device
</option></select>
<table><tr><th>Item<th>Act<tr><td>Pen<td><button>Remove</button></table>
<ul><li><b>Two</b> <span>lines</span><br><span>of it</span></ul>"""


@pytest.mark.requires("observe.chromium")
async def test_controls_of_a_page_read_as_the_page_has_them(tmp_path: Path) -> None:
    async with page(tmp_path, PAGE, "Controls") as (desktop, window):

        async def parts() -> list[tuple[str, str]] | None:
            seen = await desktop.observe(window, picture=False)
            found = [control for control in seen.controls if control.type is Role.SPINBUTTON]
            read = [(part.value, await desktop.read_text(part)) for part in found]
            return read if len(read) == 6 else None

        assert sorted(await desktop.wait_until(parts, deadline_s=20) or []) == [
            *[("", "")] * 3,
            ("02", "02"),
            ("07", "07"),
            ("2024", "2024"),
        ]
        seen = await desktop.observe(window, picture=False)
        types = {control.name: control.type for control in seen.controls}
        assert (types["Wifi"], types["Bold"]) == (Role.SWITCH, Role.BUTTON)
        told = [(control.name, control.value) for control in seen.controls if control.type is Role.COMBOBOX]
        assert told == [("Mode", "Device")]
        assert Role.MENUITEM not in types.values(), "what is chosen stands in the box"
        assert [control.name for control in seen.controls if control.type is Role.LISTITEM] == ["• Two lines of it"]
        enabled = {control.name for control in seen.controls if "enabled" in control.states}
        assert {"Log", "Off"} & enabled == {"Log"}
        table = next(control for control in seen.controls if control.type is Role.TABLE)
        assert (await desktop.read_table(table))[1] == ("Pen", "Remove")


RICH = """<!doctype html><meta charset=utf-8><title>Rich</title>
<div contenteditable role=textbox aria-multiline=true aria-label=Body><p>First one</p><p>Second <b>bold</b> one</p>
<ul><li>Item</ul></div>
<table aria-label=Orders aria-rowcount=1001><tr><th>Item<tr aria-rowindex=2><td>Pen<tr aria-rowindex=3><td>Ink</table>
<table aria-label=Whole aria-rowcount=2><tr><th>Item<tr><td>Pen</table>"""


@pytest.mark.requires("observe.chromium", "command.read-table")
async def test_a_text_of_blocks_reads_as_it_is_seen_and_a_part_of_a_table_is_not_taken_for_all_of_it(
    tmp_path: Path,
) -> None:
    async with page(tmp_path, RICH, "Rich") as (desktop, window):
        tools = Tools(desktop)
        body = await tools.find(window, "Body", Role.TEXTBOX)
        assert (await desktop.read_text(body)).splitlines() == ["First one", "Second bold one", "• Item"]
        for text in ("Hello world", "Another one"):
            done = await tools.run(window, "set_edit_text", await tools.find(window, "Body", Role.TEXTBOX), text=text)
            assert done.effect is Effect.CONFIRMED, done
            seen = await desktop.observe(window, picture=False)
            assert text in {shown for each in seen.controls for shown in (each.name, each.value)}
        whole = await desktop.read_table(await tools.find(window, "Whole", Role.TABLE))
        assert whole == (("Item",), ("Pen",))
        with pytest.raises(ActionRefused, match="has 1001 rows, of which its page holds 3 just now"):
            await desktop.read_table(await tools.find(window, "Orders", Role.TABLE))


AWAY = """<!doctype html><meta charset=utf-8><title>Away</title>
<section aria-label=Top style="height:300px"><h2>Top</h2>
<div role=dialog aria-label=Modal style="position:fixed;left:100px;top:60px;width:300px">
<p>Delete everything?</p><button>Yes</button><div style="position:absolute;top:-900px"><button>Lost</button>
<button style="position:fixed;left:500px;top:60px">Found</button></div></div></section>
<div id=s style="height:150px;overflow:auto;position:fixed;top:250px">
<table><tr><th style="position:sticky;top:0"><button>Sort</button></th></tr></table></div>
<p>Lead</p><div style="height:5000px"></div>
<script>
const table = s.firstElementChild
for (let row = 0; row < 30; row++) table.insertRow().insertCell().textContent = `Row ${row}`
onload = () => { s.scrollTop = 300; scrollTo(0, 2500); requestAnimationFrame(() => { document.title = "Away now" }) }
</script>"""


@pytest.mark.requires("observe.chromium")
async def test_what_keeps_its_place_on_the_screen_is_seen_though_what_it_stands_in_is_scrolled_away(
    tmp_path: Path,
) -> None:
    async with page(tmp_path, AWAY, "Away now") as (desktop, window):

        async def settled() -> dict[str, TargetInfo] | None:
            seen = await desktop.observe(window, picture=False)
            found = {control.name: control for control in seen.controls}
            return found if "Found" in found and "Lead" not in found else None

        found = await desktop.wait_until(settled, deadline_s=20)
        assert found
        assert found["Yes"].parent == found["Found"].parent == found["Modal"].handle
        assert not {"Top", "Lost", "Row 0"} & {*found}
        assert [name for name in found if name in {"Modal", "Yes", "Sort"}] == ["Modal", "Yes", "Sort"]


TICKING = """<!doctype html><meta charset=utf-8><title>Ticking</title><p id=said>tick 0</p>
<script>let n = 0; setInterval(() => { said.textContent = `tick ${++n}` }, 200)</script>"""


@pytest.mark.full("few close a window by its button while its page ticks")
@pytest.mark.requires("identity.record", "observe.chromium")
async def test_what_closes_a_window_and_its_tab_is_the_same_while_the_page_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(TICKING, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("chromium", ("chromium", page.as_uri()), window="Ticking"))

        async def seen() -> tuple[str, list[Fingerprint | None]] | None:
            controls = (await desktop.observe(window, picture=False)).controls
            said = next((control.value for control in controls if control.value.startswith("tick ")), "")
            closing = [control.fingerprint for control in controls if control.name == "Close"]
            assert [control.name for control in controls if control.type is Role.TAB] == ["Ticking"]
            return (said, closing) if said and len(closing) >= 2 else None

        first = await desktop.wait_until(seen, deadline_s=20)
        assert first

        async def other() -> tuple[str, list[Fingerprint | None]] | None:
            now = await seen()
            return now if now and now[0] != first[0] else None

        second = await desktop.wait_until(other, deadline_s=20)
        assert second
        assert second[1] == first[1]


HOVERED = """<!doctype html><title>Hovered 0</title>
<script>
function come(event) { document.querySelector("nav").hidden = false; }
function press(event) { document.title = "Hovered 1"; }
</script>
<p><button onmouseenter="come()">Products</button></p>
<p><button onmouseenter="come()" onclick="press()">Count</button></p>
<nav hidden><ul><li><a href="#pears">Pears</a></li></ul></nav>"""

CHECKED = """<!doctype html><title>Wrap on</title>
<button onclick="menu.hidden = !menu.hidden" aria-haspopup=menu>Actions</button>
<div role=menu id=menu hidden><div role=menuitem tabindex=0>Other</div>
<div role=menuitemcheckbox aria-checked=true tabindex=0 onclick="turn(this)">Wrap</div></div>
<script>
function turn(item) {
  item.ariaChecked = item.ariaChecked != "true"
  menu.hidden = true
  document.title = item.ariaChecked == "true" ? "Wrap on" : "Wrap off"
}
</script>"""

NEVER_AT_REST = """<!doctype html><meta charset=utf-8><title>Busy</title><button>Press</button>
<div id=s style="position:fixed;width:30px;height:30px;background:red"></div>
<script>
let turn = 0
setInterval(() => { turn += 7; s.style.left = turn % 600 + "px"; s.style.top = 100 + turn % 400 + "px" }, 50)
</script>"""


@pytest.mark.requires("observe.chromium")
async def test_a_page_that_is_never_at_rest_is_waited_for_once_before_an_action(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[Quiet] = []
    quiet = Activity.quiet

    async def noted(
        activity: Activity, subject: Subject, start: float, *, quiet_s: float, deadline_s: float
    ) -> Settled:
        settled = await quiet(activity, subject, start, quiet_s=quiet_s, deadline_s=deadline_s)
        waits.append(settled.reason)
        return settled

    async with page(tmp_path, NEVER_AT_REST, "Busy") as (desktop, window):

        async def button() -> TargetInfo | None:
            seen = await desktop.observe(window, picture=False)
            return next((control for control in seen.controls if control.name == "Press"), None)

        found = await desktop.wait_until(button, deadline_s=20)
        assert found is not None
        monkeypatch.setattr(Activity, "quiet", noted)
        for _ in range(3):
            assert (await desktop.resolve(found)).rect == found.rect
        assert waits == [Quiet.DEADLINE]


@pytest.mark.full("what comes with the pointer is tried in test_hover_hints")
@pytest.mark.requires("effect.about", "observe.chromium")
async def test_a_click_is_not_confirmed_by_what_a_page_does_as_the_pointer_comes(tmp_path: Path) -> None:
    async with page(tmp_path, HOVERED, "Hovered 0") as (desktop, window):
        tools = Tools(desktop)
        clicked = await tools.run(window, "click_input", await tools.find(window, "Products", Role.BUTTON))
        assert clicked.effect is Effect.UNVERIFIABLE, clicked  # Chromium may tell so only after the click
        assert "but as the pointer came" in clicked.evidence or "nothing was painted there" in clicked.evidence, clicked
        assert await tools.find(window, "Pears", Role.LINK)
        await desktop.hover(Point(window.rect.right - 5, window.rect.bottom - 5))
        clicked = await tools.run(window, "click_input", await tools.find(window, "Count", Role.BUTTON))
        assert (clicked.effect, "Hovered 1" in clicked.evidence) == (Effect.CONFIRMED, True), clicked.evidence


@pytest.mark.full("a check item of LibreOffice is tried")
@pytest.mark.requires("effect.about", "observe.chromium")
async def test_of_a_check_item_whose_menu_closes_nobody_says_that_it_did_nothing(tmp_path: Path) -> None:
    async with page(tmp_path, CHECKED, "Wrap on") as (desktop, window):
        tools, value = Tools(desktop), {"value": False}
        for tool, arguments, title in (("set_value", value, "Wrap off"), ("click_input", {}, "Wrap on")):
            opened = await tools.run(window, "invoke", await tools.find(window, "Actions", Role.BUTTON))
            assert opened.effect is Effect.CONFIRMED, opened
            turned = await tools.run(window, tool, await tools.find(window, "Wrap", Role.MENUITEMCHECKBOX), **arguments)
            assert turned.effect is (Effect.UNVERIFIABLE if tool == "set_value" else Effect.CONFIRMED), turned
            assert title in turned.evidence
