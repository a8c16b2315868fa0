"""Requests for which a form, a calendar or a list of offers is gone through: flights and colours."""

import re
from typing import Final

from deskhand.core.roles import Role
from tools.miniwob.numbers import turn_to
from tools.miniwob.page import Page, Unsolved, words
from tools.miniwob.rules import rule

_COLOURS: Final = {
    "red": "FF0000",
    "lime": "00FF00",
    "blue": "0000FF",
    "yellow": "FFFF00",
    "cyan": "00FFFF",
    "magenta": "FF00FF",
    "white": "FFFFFF",
    "black": "000000",
    "grey": "808080",
    "gray": "808080",
    "green": "008000",
    "orange": "FFA500",
    "pink": "FFC0CB",
    "purple": "800080",
    "olive": "808000",
    "navy": "000080",
    "maroon": "800000",
    "teal": "008080",
    "silver": "C0C0C0",
    "brown": "A52A2A",
}


@rule(r"Select (\w+) with the color picker and hit Submit\.")
async def pick_colour(page: Page, match: re.Match[str]) -> None:
    if match[1] not in _COLOURS:
        raise Unsolved(f"{match[1]} is no colour of the list")
    await page.fill(page.fields[0], _COLOURS[match[1]])
    await page.submit()


@rule(r"Book the (shortest|cheapest) one-way flight from: (.+) to: (.+) on (\d+)/(\d+)/(\d+)\.")
async def book_flight(page: Page, match: re.Match[str]) -> None:
    for name, place in (("From:", match[2]), ("To:", match[3])):
        await page.look()
        await page.fill(page.find(name, Role.TEXTBOX), place)
        await page.window.locator(Role.LISTITEM, text=place).nth(0).wait(timeout_s=5)
        await page.look()
        await page.click(next(each for each in page.of(Role.LISTITEM) if place in words(each)))
    await page.look()
    await page.click(next(each for each in page.of(Role.TEXTBOX) if "read_only" in each.states))
    await page.look()
    await turn_to(page, int(match[6]), int(match[4]))
    await page.press(str(int(match[5])), Role.LINK)
    await page.press("Search", Role.BUTTON)
    price = await _best_offer(page, by_price=match[1] == "cheapest")
    await page.click(await page.scroll_to(price, Role.BUTTON))


async def _best_offer(page: Page, *, by_price: bool) -> str:
    """Scroll through the offers and return the name of the button of the best one."""
    offers = dict[str, tuple[int, int]]()
    for _ in range(12):
        await page.look()
        times = [each for each in page.area if re.fullmatch(r"\d+h \d+m", words(each))]
        for button in (each for each in page.of(Role.BUTTON) if "$" in each.name):
            above = [each for each in times if each.rect.top < button.rect.top]
            if above:
                hours, minutes = re.findall(r"\d+", words(max(above, key=lambda each: each.rect.top)))
                price = int(re.sub(r"\D", "", button.name))
                offers[button.name] = (price, int(hours) * 60 + int(minutes))
        box = next((each for each in page.area if "scrollDown" in each.actions), None)
        if box is None or not (await page.act(box, "wheel_mouse_input", wheel_dist=-1)).ok:
            break
    if not offers:
        raise Unsolved(f"no offers; there are {page.shown}")
    if (box := next((each for each in page.area if "scrollDown" in each.actions), None)) is not None:
        await page.act(box, "wheel_mouse_input", wheel_dist=30)
    return min(offers, key=lambda name: offers[name][0 if by_price else 1])
