"""Requests about boxes, lists, menus, tabs and trees."""

import re

from deskhand.core.roles import Role
from tools.miniwob.page import Page, Unsolved, words
from tools.miniwob.rules import number_in, rule


@rule(r"Select (.+) from the list and click Submit\.")
async def choose(page: Page, match: re.Match[str]) -> None:
    await page.act(page.of(Role.COMBOBOX)[0], "select_item", item=match[1])
    await page.submit()


@rule(r"Select (.+) from the scroll list and click Submit\.")
async def choose_several(page: Page, match: re.Match[str]) -> None:
    for place, item in enumerate(match[1].split(", ")):
        await page.look()
        await page.act(page.of(Role.LIST)[0], "select_item", item=item, add=place > 0)
    await page.submit()


@rule(r"Select (.+) and click Submit\.")
async def check(page: Page, match: re.Match[str]) -> None:
    for name in [] if match[1] == "nothing" else match[1].split(", "):
        await page.act(page.find(name, Role.CHECKBOX, Role.RADIO), "set_value", value=True)
        await page.look()
    await page.submit()


@rule(r"Select (\S+(?:>\S+)*)")
async def choose_in_menus(page: Page, match: re.Match[str]) -> None:
    *outer, last = match[1].split(">")
    for name in outer:
        await page.act(await page.wait_for(name, Role.MENUITEM), "hover")
    await page.click(await page.wait_for(last, Role.MENUITEM))


@rule(r'Click the "Menu" button, and then find and click on the item labeled "(.+)"\.')
async def choose_in_menu(page: Page, match: re.Match[str]) -> None:
    await page.press("Menu", Role.BUTTON)
    if page.maybe(match[1], Role.MENUITEM) is None:
        await page.press("Playback", Role.MENUITEM)
    await page.click(await page.wait_for(match[1], Role.MENUITEM))


@rule(r"Click on (Tab #\d)\.")
async def choose_tab(page: Page, match: re.Match[str]) -> None:
    await page.click(page.find(match[1], Role.TAB))


@rule(
    r'Click on the link "(.+)"\.',
    r'Switch between the tabs to find and click on the link "(.+)"\.',
    r'Expand the sections below, to find and click on the link "(.+)"\.',
)
async def find_link(page: Page, match: re.Match[str]) -> None:
    for tab in [None, *(words(each) for each in page.of(Role.TAB))]:
        if tab is not None:
            await page.press(tab, Role.TAB)
        links = [each for each in page.of(Role.SECTION, Role.LINK) if words(each) == match[1]]
        if links:
            await page.click(links[0])
            return


@rule(r"Expand the section below and click submit\.")
async def expand(page: Page, _match: re.Match[str]) -> None:
    await page.click(page.of(Role.TAB)[0])
    await page.submit()


@rule(r'Navigate through the file tree\. Find and click on the folder or file named "(.+)"\.')
async def find_in_tree(page: Page, match: re.Match[str]) -> None:
    opened = set[str]()
    while (found := page.maybe(match[1], Role.SECTION, Role.LISTITEM)) is None:
        folders = [each for each in page.of(Role.SECTION) if words(each) and words(each) not in opened]
        if not folders:
            raise Unsolved(f"{match[1]!r} is in no folder; there are {page.shown}")
        opened.add(words(folders[0]))
        await page.click(folders[0])
        await page.look()
    await page.click(found)


@rule(r"Find (.+) in the contact book and click on their (.+)\.")
async def find_contact(page: Page, match: re.Match[str]) -> None:
    def heads() -> list[str]:
        return [words(each) for each in page.of(Role.HEADING)]

    while match[1] not in heads():
        await page.press(">", Role.LINK)
    entry = next(each for each in page.of(Role.SECTION) if words(each).lower().startswith(match[2].split()[0].lower()))
    await page.click(next(each for each in page.of(Role.LINK) if entry.rect.contains(each.rect.center)))


@rule(r'Use the textbox to enter "(.+)" and press "Search", then find and click the (\w+) search result\.')
async def search(page: Page, match: re.Match[str]) -> None:
    await page.fill(page.fields[0], match[1])
    await page.look()
    await page.press("Search", Role.BUTTON)
    place = number_in(match[2]) - 1
    for _ in range(place // 3):
        await page.press(">", Role.LINK)
    results = [each for each in page.of(Role.LINK) if len(words(each)) > 1 or words(each).isalpha()]
    await page.click(results[place % 3])
