"""Requests that are done by pressing buttons."""

import operator
import re

import anyio

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from tools.miniwob.page import Page, words
from tools.miniwob.rules import MOST_TURNS, number_in, rule


@rule(r'Click on the "(.+)" button\.', r"Click button (ONE|TWO)\.", r"Click the (cancel) button\.")
async def press_named(page: Page, match: re.Match[str]) -> None:
    await page.click(page.find(match[1], Role.BUTTON, exact=False))


@rule(r"Click the button\.")
async def press_only(page: Page, _match: re.Match[str]) -> None:
    await page.click(page.of(Role.BUTTON)[0])


@rule(r"Click button ONE, then click button TWO\.")
async def press_both(page: Page, _match: re.Match[str]) -> None:
    await page.press("ONE", Role.BUTTON)
    await page.press("TWO", Role.BUTTON)


@rule(r"Click button ONE, wait (\d+) seconds, then click button TWO\.")
async def press_late(page: Page, match: re.Match[str]) -> None:
    one, two = page.find("ONE", Role.BUTTON), page.find("TWO", Role.BUTTON)
    await page.click(one)
    spent = page.moves[-1].seconds
    await anyio.sleep(max(0.0, float(match[1]) - spent))  # the request asks for it
    await page.click(two)


@rule(r'Close the dialog box by clicking the "x"\.', r'Click the button in the dialog box labeled "(.+)"\.')
async def press_in_dialog(page: Page, match: re.Match[str]) -> None:
    named = match[1] if match.re.groups else "x"
    await page.click(page.find("Close" if named == "x" else named, Role.BUTTON))


@rule(r'Click on a "(\w+)" widget\.')
async def press_widget(page: Page, match: re.Match[str]) -> None:
    def fits(control: TargetInfo) -> bool:
        lines = "multi_line" in control.states
        by_kind = {
            "text": control.type is Role.TEXTBOX and not lines,
            "textarea": control.type is Role.TEXTBOX and lines,
        }
        return by_kind.get(match[1], control.type == match[1])

    await page.click(next(each for each in page.area if fits(each)))


@rule(r"Buy the ticket with the (.+)\.")
async def buy_ticket(page: Page, match: re.Match[str]) -> None:
    buttons = page.of(Role.BUTTON)
    times = [each for each in page.area if re.fullmatch(r"\d+h \d+m", words(each))]
    if "cost" in match[1]:
        measures = [number_in(each.name) for each in buttons]
    else:
        measures = [int(hours) * 60 + int(minutes) for hours, minutes in (re.findall(r"\d+", words(t)) for t in times)]
    best = max if re.search("expensive|longest|highest", match[1]) else min
    await page.click(buttons[measures.index(best(measures))])


@rule(r"Mark the numbers below as odd or even and press submit when done\.")
async def mark_odd(page: Page, _match: re.Match[str]) -> None:
    while True:
        numbers = [each for each in page.area if re.fullmatch(r"-?\d+", words(each))]
        for number in numbers:
            named = "Odd" if int(words(number)) % 2 else "Even"
            row = [each for each in page.of(Role.BUTTON) if abs(each.rect.center.y - number.rect.center.y) < 15]
            await page.click(next(each for each in row if each.name == named))
        await page.submit()
        return


@rule(r"Generate (?:an (odd|even) number|a number (less|greater) than (\d+)), then press submit\.")
async def generate(page: Page, match: re.Match[str]) -> None:
    def fits(number: int) -> bool:
        if match[1]:
            return (number % 2 == 1) == (match[1] == "odd")
        return (operator.lt if match[2] == "less" else operator.gt)(number, int(match[3]))

    for _ in range(MOST_TURNS):
        await page.press("Generate", Role.BUTTON)
        numbers = [int(words(each)) for each in page.area if re.fullmatch(r"-?\d+", words(each))]
        if numbers and fits(numbers[0]):
            await page.submit()
            return


@rule(r"Find and pick the card with the greatest number, then press submit\.")
async def greatest(page: Page, _match: re.Match[str]) -> None:
    cards = [each for each in page.area if re.fullmatch(r"-?\d+", words(each))]
    await page.click(max(cards, key=lambda each: int(words(each))))
    await page.submit()
