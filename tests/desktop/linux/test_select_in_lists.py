"""Items chosen by the beginning of their name, alone or beside others, in lists of pages and programs; and editors of
pages. The title of the window is the judge.
"""

from pathlib import Path

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.ports import CheckResult, Satisfaction
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop, page
from support import ROOT

pytestmark = pytest.mark.desktop

PAGE = """<!doctype html><title>Shop</title>
<label>Country <select id=country><option>Albania<option>France<option selected>Germany<option>Georgia
<option>United Kingdom of Great Britain</select></label>
<label>Sizes <select id=sizes multiple size=4><option selected>Small<option>Medium<option>Large</select></label>
<label>Rows <select id=rows multiple size=4><option>Row 1<option>Row 2<option>Row 3<option>Row 4<option>Row 5
<option>Row 6<option>Row 7<option>Row 8<option>Row 9<option>Row 10</select></label>
<div id=box role=combobox tabindex=0 aria-label=Category aria-expanded=false aria-haspopup=listbox>Kitchen</div>
<iframe id=frame srcdoc="<body contenteditable><p>Old text.</p></body>"></iframe>
<div contenteditable><p>One two</p><p>Three</p></div>
<script>
const chosen = list => [...list.selectedOptions].map(item => item.value);
const show = () => {
  const text = frame.contentDocument?.body?.innerText.trim() ?? '';
  document.title = ['Shop', country.value, [...chosen(sizes), ...chosen(rows)], box.innerText, text].join('|');
};
let list;
const toggle = () => {
  if (list) { list.remove(); list = null; box.ariaExpanded = false; return; }
  list = document.createElement('ul');
  list.role = 'listbox';
  for (const name of ['Kitchen', 'Bath', 'Garden', 'Garden tools']) {
    const item = document.createElement('li');
    item.role = 'option'; item.innerText = name; item.ariaSelected = name == box.innerText;
    item.onclick = () => { box.innerText = name; toggle(); };
    list.append(item);
  }
  document.body.append(list);
  box.ariaExpanded = true;
};
box.onclick = toggle;
setInterval(show, 50);
</script>"""


class Shop:
    """The page, its tools, and its state as its title shows it."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo) -> None:
        self.desktop, self.window, self.tools = desktop, window, Tools(desktop)

    async def one(self, role: Role, name: str) -> TargetInfo:
        async def look() -> TargetInfo | None:
            seen = await self.desktop.observe(self.window, picture=False)
            return next((c for c in seen.controls if c.type is role and c.name.startswith(name)), None)

        found = await self.desktop.wait_until(look, deadline_s=20)
        assert found is not None
        return found

    async def run(self, tool: str, role: Role, name: str, **arguments: JsonValue) -> Result:
        return await self.tools.run(self.window, tool, await self.one(role, name), **arguments)

    async def has(self, *parts: str) -> bool:
        async def look() -> bool | None:
            titles = [now.name for now in await self.desktop.windows() if now.handle == self.window.handle]
            return True if titles and titles[0].split("|")[1:] == [*parts] else None

        return bool(await self.desktop.wait_until(look, deadline_s=10))


async def _carets_of_paragraphs_are_read(shop: Shop) -> None:
    seen = await shop.desktop.observe(shop.window, picture=False)
    three = next(control for control in seen.controls if control.value == "Three")
    assert (await shop.tools.run(shop.window, "click_input", three)).delivered
    await shop.tools.run(shop.window, "keyboard_input", None, keys="{END}")
    for keys, moved_to in (
        ("{HOME}", "character 0 now"),
        ("{RIGHT}", "character 1 now"),
        ("{UP}", "character 1 now"),
        ("{END}", "character 7 now"),
    ):
        moved = await shop.tools.run(shop.window, "keyboard_input", None, keys=keys)
        assert moved.effect is Effect.CONFIRMED, (keys, moved.evidence)
        assert moved.evidence.endswith(f"its caret is at {moved_to}")
    assert 'paragraph with value "One two"' in moved.evidence


@pytest.mark.full("test_filling and test_dropped_lists choose in pages")
@pytest.mark.requires("act.choose", "act.tools")
async def test_boxes_lists_and_editors_of_a_page(tmp_path: Path) -> None:
    async with page(tmp_path, PAGE, "^Shop") as (desktop, window):
        shop = Shop(desktop, window)
        result = await shop.run("select_item", Role.COMBOBOX, "Country", item="united king")
        assert result.evidence.endswith('shows "United Kingdom of Great Britain"'), result
        refused = await shop.run("select_item", Role.COMBOBOX, "Country", item="Ge")
        assert refused.error is not None
        assert refused.error.message.endswith('2 items begin with "Ge": "Germany", "Georgia"'), refused
        await shop.run("invoke", Role.COMBOBOX, "Country")
        item = await shop.run("select_item", Role.MENUITEM, "France")
        assert (item.effect, item.evidence) == (Effect.CONFIRMED, 'combobox "Country" shows "France"'), item
        assert await shop.has("France", "Small", "Kitchen", "Old text.")

        await shop.run("invoke", Role.COMBOBOX, "Country")
        again = await shop.run("select_item", Role.MENUITEM, "France")
        assert again.evidence == 'combobox "Country" shows "France" already'
        alone = await shop.run("select_item", Role.LIST, "Sizes", item="Medium")
        assert alone.effect is Effect.CONFIRMED, alone
        assert await shop.has("France", "Medium", "Kitchen", "Old text.")
        added = await shop.run("select_item", Role.LISTITEM, "Large", add=True)
        assert added.effect is Effect.CONFIRMED, added
        assert await shop.has("France", "Medium,Large", "Kitchen", "Old text.")

        chosen = await shop.run("select_item", Role.COMBOBOX, "Category", item="Garden")
        assert (chosen.effect, chosen.evidence[-14:]) == (Effect.CONFIRMED, 'shows "Garden"'), chosen
        begun = await shop.run("select_item", Role.COMBOBOX, "Category", item="Garden t")
        assert begun.effect is Effect.CONFIRMED, begun
        assert await shop.has("France", "Medium,Large", "Garden tools", "Old text.")

        part = await shop.run("set_edit_text", Role.PARAGRAPH, "", text="New text.")
        assert (part.effect, part.delivered) == (Effect.REFUSED, False), part
        assert part.error is not None
        assert part.error.fix.startswith("write into section")
        written = await shop.run("set_edit_text", Role.SECTION, "", text="2 customers")
        assert (written.effect, written.evidence) == (Effect.CONFIRMED, 'reads "2 customers"'), written
        assert await shop.has("France", "Medium,Large", "Garden tools", "2 customers")

        await _carets_of_paragraphs_are_read(shop)
        first = await shop.run("select_item", Role.LIST, "Rows", item="Row 1")
        assert (first.effect, first.evidence) == (Effect.CONFIRMED, 'listitem "Row 1" is selected'), first
        beside = await shop.run("select_item", Role.LIST, "Rows", item="Row 9", add=True)
        assert (beside.effect, beside.evidence) == (Effect.CONFIRMED, 'listitem "Row 9" is selected'), beside
        assert await shop.has("France", "Medium,Large,Row 1,Row 9", "Garden tools", "2 customers")
        only = await shop.run("select_item", Role.LIST, "Rows", item="Row 4")
        assert only.effect is Effect.CONFIRMED, only
        assert await shop.has("France", "Medium,Large,Row 4", "Garden tools", "2 customers")
        missing = await shop.run("select_item", Role.LIST, "Rows", item="Row 11")
        assert missing.evidence.startswith('list "Rows" has no item \'Row 11\'; it lists "Row 1"'), missing
        assert await shop.has("France", "Medium,Large,Row 4", "Garden tools", "2 customers")


@pytest.mark.requires("act.choose")
@pytest.mark.parametrize("toolkit", ["gtk3", "qt"])
async def test_an_item_is_selected_alone_unless_it_is_to_be_added(tmp_path: Path, toolkit: str) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("/usr/bin/python3", str(ROOT / f"tests/apps/several_{toolkit}.py"))
        window = await desktop.launch(Application("several", argv, window="^Several"))
        tools = Tools(desktop)

        async def select(name: str, **arguments: JsonValue) -> Result:
            async def look() -> TargetInfo | None:
                seen = await desktop.observe(window, picture=False)
                return next((control for control in seen.controls if control.name == name), None)

            item = await desktop.wait_until(look, deadline_s=20)
            assert item is not None
            return await tools.run(window, "select_item", item, **arguments)

        async def title() -> str:
            return next(now.name for now in await desktop.windows() if now.handle == window.handle)

        for name in ("East", "North", "South"):
            result = await select(name)
            assert (result.effect, await title()) == (Effect.CONFIRMED, f"Several {name}"), result
        added = await select("North", add=True)
        assert added.effect is not Effect.CONFIRMED, "GTK 3 selects it alone, Qt is refused"
        assert await title() == ("Several North" if added.delivered else "Several South")
        seen = await desktop.observe(window, picture=False)
        whole = next(control for control in seen.controls if control.type in {Role.LIST, Role.TABLE, Role.TREE})
        for wanted in ("North", "eas"):
            result = await tools.run(window, "select_item", whole, item=wanted)
            assert result.effect is Effect.CONFIRMED, result
        assert await title() == "Several East"
        unclear = await tools.run(window, "select_item", whole, item="Nor")
        assert unclear.error is not None
        assert unclear.error.message.endswith('2 items begin with "Nor": "North", "Northwest"')
        if toolkit == "gtk3":
            await require_values(tools, window)


async def require_values(tools: Tools, window: TargetInfo) -> None:
    """A label with a name of its own, a number with a unit and a hidden text are compared by what they show."""
    for name, value, satisfied, detail in (
        ("Total", "400,00 ms", Satisfaction.SATISFIED, "shows"),
        ("Total", "300,00 ms", Satisfaction.UNSATISFIED, 'reads "400,00 ms"'),
        ("Delay", "400", Satisfaction.SATISFIED, "shows"),
        ("Delay", "40", Satisfaction.UNSATISFIED, 'reads "400,00 ms"'),
        ("Word", "open sesame", Satisfaction.UNKNOWN, "is never read back"),
        ("East", "400", Satisfaction.UNSATISFIED, 'reads "East"'),
    ):
        expected: JsonValue = {"shows": {"name": name, "value": value}}
        result = await tools.run(window, "verify", None, expect=expected, wait_s=0)
        (check,) = items_of(result.result, CheckResult)
        assert (check.verdict, check.detail[-len(detail) :]) == (satisfied, detail), (name, value)
