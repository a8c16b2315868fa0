"""What is pressed by a click in a page of Chromium is what was meant, not what it stands in; the title says which."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.errors import TargetCovered
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.screen import Aim
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.pressed-itself")]

LINE: Final = 16
ROLES: Final = (
    "menu item",
    *("link", "push button", "check box", "radio button"),
    *("list item", "table cell", "tree item", "page tab"),
)
PAGE: Final = """<!doctype html><meta charset=utf-8><title>Pressed:</title><style>
body { font: 14px monospace; margin: 8px } label, p, .card { display: block; width: 320px; margin: 0 0 12px }
.card { position: relative; background: #fed } label.over { position: relative; height: 24px; width: 200px }
.over span { position: absolute; inset: 0; background: #8c8 } .gone { position: absolute; left: 100px; top: 0 }
i { display: inline-block; width: 14px; height: 14px; border: 2px solid; vertical-align: middle }
.nil { opacity: 0; width: 0; height: 0 } .far { position: absolute; left: -9999px }
.pixel { position: absolute; width: 1px; height: 1px; margin: -1px; clip: rect(0, 0, 0, 0) }
:checked + i { background: #06c } :checked + span { background: #06c }</style>
<label><input type=checkbox data-is=News>Send me the news and our <a href=#a data-is=Policy>privacy policy</a>
and all</label>
<label><input type=checkbox data-is=Terms>I agree to <a href=#a data-is=Rules><b>the general</b> terms and conditions
of all that is delivered</a> by this shop as of now</label>
<div class=card data-is=Card>An invoice of the second <a href=#a data-is=Quarter>quarter of the year</a> is here</div>
<p>A paragraph has the <a href=#a data-is=First>first of the links</a> and then <a href=#a data-is=Second>a second one
beside it</a> at its end</p>
<a href=#a data-is=Block style="display:block;width:200px;background:#def"><div>A link</div><div>of blocks</div></a>
<div class=card data-is=Path>Words <button class=gone style="clip-path:inset(50%)" data-is=A>Clipped path</button></div>
<div class=card data-is=Rect>Words <button class=gone style="clip:rect(0,0,0,0)" data-is=B>Clipped</button></div>
<div class=card data-is=Scale>Words
<div class=gone style="width:100px;height:30px;overflow:hidden">
<button style="transform:scale(0)" data-is=C>Scaled</button></div></div>
<div class=card data-is=None>Words <a class=gone href=#a style="pointer-events:none" data-is=D>Untouched</a></div>
<label class=over><input type=checkbox aria-label=Drawn data-is=Drawn><span></span></label>
<label class=over><input type=checkbox class=nil aria-label=Sized data-is=Sized><span></span></label>
<label><input type=radio name=plan class=pixel data-is=Basic> <i></i> Basic plan</label>
<label><input type=radio name=plan class=pixel data-is=Full> <i></i> Full plan</label>
<p><input type=checkbox class=far id=mail data-is=Mail><label for=mail><i></i> Letters</label></p>
<label style="width:96px;text-align:center"><input type=checkbox class=nil aria-label=Linked data-is=Linked><a href=#a
data-is=Inner>A link that fills it</a></label>
<script>
const tell = pressed => { document.title += ` ${pressed.dataset.is}` }
addEventListener("change", event => tell(event.target))
addEventListener("click", event => {
  const pressed = event.target.closest("a, button, label, .card")
  if (pressed?.dataset.is) tell(pressed)
  if (pressed?.href) event.preventDefault()
})
</script>"""

NESTED: Final = """<!doctype html><meta charset=utf-8><title>Pressed:</title><style>
body { font: 14px monospace; margin: 8px } .around { width: 300px; border: 1px solid; text-align: center }
.around > * { width: 160px } ul, li { margin: 0 } [role=tab] a { display: block; width: 300px }</style>
<div class=around style="padding:20px" role=button tabindex=0 aria-label=Card data-is=Card>
<button data-is=Remove>Remove</button></div>
<div role=listbox><div class=around role=option aria-label=Option data-is=Option>
<a href=#a data-is=Link>a link</a></div></div>
<ul><li class=around tabindex=0 aria-label=Item data-is=Item><input type=checkbox aria-label=Box data-is=Box></ul>
<div class=around role=gridcell tabindex=0 aria-label=Cell data-is=Cell>
<select aria-label=Choice><option>a</select></div>
<ul role=tree><li role=treeitem aria-expanded=true tabindex=0 data-is=Branch><span>Branch</span>
<ul role=group><li role=treeitem data-is=Leaf>Leaf</ul></ul>
<ul role=tablist><li role=tab class=around data-is=Outer><a href=#a data-is=Tab>Home</a></ul>
<div class=around role=button tabindex=0 aria-label=Full data-is=Full style="width:160px">
<button data-is=Inner>All of it</button></div>
<script>
for (const each of document.querySelectorAll("[data-is]")) each.addEventListener("click", event => {
  event.stopPropagation()
  event.preventDefault()
  document.title += ` ${each.dataset.is}`
})
</script>"""


class Page:
    """The page in a window of its own."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo) -> None:
        self._desktop = desktop
        self._window = window

    async def click(self, name: str) -> None:
        """As tools do: Chromium may go on telling for a moment what was at the point asked for before.

        Raises: TargetCovered.
        """
        refused: list[TargetCovered] = []

        async def aimed() -> Aim | None:
            now = await self._desktop.resolve(await self.named(name))
            try:
                return await self._desktop.aim(self._window, now.rect, now)
            except TargetCovered as error:
                refused.append(error)
                return None

        aim = await self._desktop.wait_until(aimed, deadline_s=20)
        if aim is None:
            raise refused[-1]
        await self._desktop.click(aim)

    async def pressed(self, *names: str) -> bool:
        """Whether these were pressed in this order and nothing else, once as many were."""

        async def found() -> list[str] | None:
            now = next(each for each in await self._desktop.windows() if each.handle == self._window.handle)
            told = now.name.partition("Pressed:")[2].split()
            return told if len(told) >= len(names) else None

        return await self._desktop.wait_until(found, deadline_s=10) == list(names)

    async def named(self, name: str) -> TargetInfo:
        async def found() -> TargetInfo | None:
            seen = await self._desktop.observe(self._window, picture=False)
            told = (each for each in seen.controls if each.name == name and each.raw_role in ROLES)
            return next(told, None)

        control = await self._desktop.wait_until(found, deadline_s=20)
        assert control is not None, name
        return control


@pytest.fixture(scope="module")
async def shown(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[LinuxDesktop, Path]]:
    folder = tmp_path_factory.mktemp("page")
    async with linux_desktop(folder) as desktop:
        yield desktop, folder


@asynccontextmanager
async def opened(shown: tuple[LinuxDesktop, Path], name: str, text: str) -> AsyncGenerator[Page]:
    desktop, folder = shown
    file = folder / name
    file.write_text(text, encoding="utf-8")
    window = await desktop.launch(Application("chromium", ("chromium", f"--app={file.as_uri()}"), window="Pressed:"))
    yield Page(desktop, window)
    await desktop.ask_to_close(window)


@pytest.fixture
async def page(shown: tuple[LinuxDesktop, Path]) -> AsyncGenerator[Page]:
    async with opened(shown, "page.html", PAGE) as page:
        yield page


@pytest.fixture
async def nested(shown: tuple[LinuxDesktop, Path]) -> AsyncGenerator[Page]:
    async with opened(shown, "nested.html", NESTED) as page:
        yield page


async def test_a_link_over_two_lines_is_pressed_itself_wherever_it_stands(page: Page) -> None:
    links = {
        "privacy policy": "Policy",
        "the general terms and conditions of all that is delivered": "Rules",
        "quarter of the year": "Quarter",
        "first of the links": "First",
        "a second one beside it": "Second",
        "A link of blocks": "Block",
    }
    rects = {link: (await page.named(link)).rect for link in links}
    assert [link for link, rect in rects.items() if rect.height < 2 * LINE] == ["a second one beside it"]
    for link in links:
        await page.click(link)
    assert await page.pressed(*links.values())


@pytest.mark.full("83 s; what a menu lies over is refused in another test")
async def test_what_cannot_be_seen_is_not_pressed_and_neither_is_its_card(page: Page) -> None:
    for name in ("Clipped path", "Clipped", "Scaled", "Untouched"):
        with pytest.raises(TargetCovered):
            await page.click(name)
    await page.click("A link of blocks")
    assert await page.pressed("Block")


async def test_a_box_below_what_its_label_draws_is_pressed_by_its_label(page: Page) -> None:
    await page.click("Drawn")
    assert await page.pressed("Drawn")


async def test_boxes_that_a_page_hides_are_where_their_labels_are_and_pressed_by_them(page: Page) -> None:
    for name, width in {"Sized": 200, "Basic plan": 320, "Full plan": 320, "Letters": 320}.items():
        box = await page.named(name)
        assert "showing" in box.states
        assert box.rect.width == width
        await page.click(name)
    assert await page.pressed("Sized", "Basic", "Full", "Mail")
    assert "checked" in (await page.named("Full plan")).states
    assert "checked" not in (await page.named("Basic plan")).states


@pytest.mark.full("such labels are rare")
async def test_a_link_in_the_label_of_a_hidden_box_is_not_the_box(page: Page) -> None:
    with pytest.raises(TargetCovered):
        await page.click("Linked")
    await page.click("Sized")
    assert await page.pressed("Sized")


async def test_what_holds_others_is_pressed_where_it_is_its_own(nested: Page) -> None:
    names = ("Card", "Option", "Item", "Cell", "Branch")
    for name in names:
        await nested.click(name)
    await nested.click("Leaf")
    await nested.click("Remove")
    assert await nested.pressed(*names, "Leaf", "Remove")


async def test_what_is_called_as_what_it_fills_stands_for_it(nested: Page) -> None:
    await nested.click("Home")
    assert await nested.pressed("Tab")


@pytest.mark.full("such buttons are rare")
async def test_what_has_no_place_of_its_own_is_not_pressed(nested: Page) -> None:
    with pytest.raises(TargetCovered, match="All of it"):
        await nested.click("Full")
    await nested.click("All of it")
    assert await nested.pressed("Inner")


OVERLAID = """<!doctype html><meta charset=utf-8><title>Pressed:</title>
<style>.over { position: absolute; margin-top: 17px; background: white }</style>
<button onclick="menu.hidden = !menu.hidden">Menu</button>
<div id=menu role=menu class=over hidden>
<div role=menuitem tabindex=-1 onclick="press('Paste')">Paste this in here</div></div>
<p><button onclick="press('Below')">Below</button>
<p><button onclick="press('Beside')">A long way beside all of it</button>
<script>function press(name) { document.title += " " + name }</script>"""


async def test_what_lies_under_the_words_of_an_open_menu_of_a_page_is_not_clicked(
    shown: tuple[LinuxDesktop, Path],
) -> None:
    """Chromium says that it is hit."""
    async with opened(shown, "overlaid.html", OVERLAID) as page:
        below = await page.named("Below")
        await page.click("Menu")
        item = await page.named("Paste this in here")
        assert item.rect.contains(below.rect.center)
        with pytest.raises(TargetCovered, match="Paste this in here"):
            await page.click("Below")
        await page.click("A long way beside all of it")
        await page.click("Menu")
        await page.click("Below")
        assert await page.pressed("Beside", "Below")
