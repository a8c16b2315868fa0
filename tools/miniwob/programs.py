"""Requests in pages that are small programs: a terminal, a game, an inbox."""

import re
from typing import Final

from deskhand.core.roles import Role
from tools.miniwob.page import FIELDS, Page, Unsolved, words
from tools.miniwob.rules import MOST_TURNS, rule


@rule(r"Use the terminal below to delete a file (?:ending with the extension \.(\S+)|that has no file extension\.)")
async def use_terminal(page: Page, match: re.Match[str]) -> None:
    await page.click(page.find("terminal"))
    await page.keys("ls{ENTER}")
    await page.look()
    names = [name for each in page.area for name in words(each).split()]
    fits = [
        name for name in names if (name.endswith(f".{match[1]}") if match[1] else re.fullmatch(r"[a-z0-9_]+", name))
    ]
    fits = [name for name in fits if name not in {"ls", "terminal"}]
    if not fits:
        raise Unsolved(f"no such file; there are {page.shown}")
    await page.keys(f"rm {fits[-1]}{{ENTER}}")


@rule(r'Enter an item that starts with "(.+?)"(?: and ends with "(.+)")?\.')
async def complete(page: Page, match: re.Match[str]) -> None:
    field = page.fields[0]
    await page.click(field)
    await page.keys(match[1])
    await page.look()
    items = [words(each) for each in page.area if words(each).startswith(match[1]) and each.type not in FIELDS]
    item = next((each for each in items if each.endswith(match[2] or "")), None)
    if item is None:
        raise Unsolved(f"no such item is offered; there are {page.shown}")
    await page.press(item)
    await page.submit()


@rule(r"Buy (\w+) stock when the price is less than \$([\d.]+)\.")
async def buy_stock(page: Page, match: re.Match[str]) -> None:
    for _ in range(50 * MOST_TURNS):
        await page.look(settle=False)
        prices = [each for each in page.area if re.fullmatch(r"\$[\d.]+", words(each))]
        if prices and float(words(prices[0])[1:]) < float(match[2]):
            break
    await page.act(page.find("Buy", Role.BUTTON), "invoke")


_WON: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@rule(r"Playing as 'X', win a game of tic-tac-toe\.")
async def tic_tac_toe(page: Page, _match: re.Match[str]) -> None:
    mine = set[int]()
    while not page.over:
        fields = [each for each in page.area if 36 <= each.rect.width <= 48 and 36 <= each.rect.height <= 48]
        marked = {place for place, each in enumerate(fields) if each.type is Role.IMAGE}
        theirs, free = marked - mine, [place for place in range(9) if place not in marked]
        if not free:
            return
        place = _best(mine, theirs, free)
        mine.add(place)
        await page.click(fields[place])
        if not await page.episode.ended(0.2):
            await page.look()


def _best(mine: set[int], theirs: set[int], free: list[int]) -> int:
    """Return the field that wins, else one that prevents a loss, else one that threatens most."""
    for own in (mine, theirs):
        for line in _WON:
            left = [place for place in line if place not in own]
            if len(left) == 1 and left[0] in free:
                return left[0]
    return max(free, key=lambda place: (sum(place in line for line in _WON if not theirs & set(line)), place == 4))


@rule(
    r"Using the text editor, give the text (.+) the style (bold|italics|underlined) and press Submit\.",
    r"Using the text editor, give (everything) the style (bold|italics|underlined) and press Submit\.",
)
async def format_text(page: Page, match: re.Match[str]) -> None:
    editor = next(each for each in page.area if {"editable", "multi_line"} <= each.states)
    text = words(next(each for each in page.of(Role.PARAGRAPH)))
    await page.click(editor)
    await page.keys("{VK_CONTROL}{HOME}")
    if match[1] == "everything":
        await page.keys("{VK_CONTROL}a")
    else:
        before = text.index(match[1])
        await page.keys("{RIGHT}" * before) if before else None
        await page.keys("{VK_SHIFT}{RIGHT}" * len(match[1]))
    await page.look()
    buttons = [each for each in page.of(Role.BUTTON) if not each.name]
    await page.click(buttons[("bold", "italics", "underlined").index(match[2])])
    await page.submit()
