"""Requests about dates, sliders, spinners and selections."""

import re
from typing import Final

from deskhand.core.geometry import Point
from deskhand.core.roles import Role
from tools.miniwob.page import Page, Unsolved, words
from tools.miniwob.rules import MOST_TURNS, number_in, rule


@rule(r"Select (\d+)/(\d+)/(\d+) as the date and hit submit\.")
async def pick_date(page: Page, match: re.Match[str]) -> None:
    await page.click(page.of(Role.TEXTBOX)[0])
    await page.look()
    await turn_to(page, int(match[3]), int(match[1]))
    await page.press(str(int(match[2])), Role.LINK)
    await page.submit()


_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


async def turn_to(page: Page, year: int, month: int) -> None:
    """Turn the pages of an open calendar to a month."""
    for _ in range(MOST_TURNS):
        text = " ".join(words(each) for each in page.area)
        shown = next((place for place, name in enumerate(_MONTHS, 1) if name in text), 0)
        if shown == 0:
            raise Unsolved(f"no month is shown; there are {page.shown}")
        shown_year = int((re.findall(r"\b20\d\d\b", text) or [str(year)])[0])
        if (shown_year, shown) == (year, month):
            return
        await page.press("Prev" if (shown_year, shown) > (year, month) else "Next", Role.LINK)


@rule(r"Select (-?\d+) with the spinner and hit Submit\.")
async def spin(page: Page, match: re.Match[str]) -> None:
    await page.fill(page.of(Role.SPINBUTTON)[0], match[1])
    await page.submit()


async def slide(page: Page, place: int, wanted: int) -> None:
    """Move the handle of a drawn slider to a number, which is shown beside it."""
    for _ in range(2 * MOST_TURNS):
        shown = [int(words(each)) for each in page.area if re.fullmatch(r"-?\d+", words(each))][place]
        if shown == wanted:
            return
        keys = ("{RIGHT}" if shown < wanted else "{LEFT}") * min(abs(wanted - shown), 20)
        await page.keys(keys)
        await page.look()


@rule(r"Select (-?\d+) with the slider and hit Submit\.")
async def use_slider(page: Page, match: re.Match[str]) -> None:
    await _take_slider(page, 0)
    await slide(page, 0, int(match[1]))
    await page.submit()


@rule(r"Set the sliders to the combination \[(.+)\] and submit\.")
async def use_sliders(page: Page, match: re.Match[str]) -> None:
    for place, wanted in enumerate(match[1].split(",")):
        await _take_slider(page, place)
        await slide(page, place, int(wanted))
    await page.submit()


@rule(r"Select (-?\d+) with the slider, click the (\w+) checkbox, then hit Submit\.")
async def slide_and_check(page: Page, match: re.Match[str]) -> None:
    await _take_slider(page, 0)
    await slide(page, 0, int(match[1]))
    await page.act(page.of(Role.CHECKBOX)[number_in(match[2]) - 1], "set_value", value=True)
    await page.submit()


async def _take_slider(page: Page, place: int) -> None:
    """Give the keyboard to the handle of a slider, by a click in its middle."""
    bars = [
        each for each in page.of(Role.SECTION) if not words(each) and 8 <= min(each.rect.width, each.rect.height) <= 12
    ]
    await page.click_at(bars[place].rect.center)
    await page.look()


@rule(r'Check the (\w+) radio button and enter the number "(.+)" into the (\w+) textbox\.')
async def radio_andnumber_in(page: Page, match: re.Match[str]) -> None:
    await page.act(page.of(Role.RADIO)[number_in(match[1]) - 1], "set_value", value=True)
    await page.look()
    await page.fill(page.fields[number_in(match[3]) - 1], match[2])
    await page.submit()


@rule(r'Choose (.+) from the dropdown, then click the button labeled "(.+)"\.')
async def drop_down(page: Page, match: re.Match[str]) -> None:
    await page.press("▾")
    item = page.maybe(match[1], Role.LISTITEM) or await page.scroll_to(match[1], Role.LISTITEM)
    await page.act(item, "invoke")  # half of it may be out of view, and a notch of the wheel is more than its list
    await page.submit(match[2])


@rule(
    r"Highlight the text in the paragraph below and click submit\.",
    r"Highlight the text in the (\w+) paragraph and click submit\.",
)
async def highlight(page: Page, match: re.Match[str]) -> None:
    texts = page.of(Role.PARAGRAPH) if match.re.groups else [each for each in page.of(Role.SECTION) if words(each)]
    text = texts[number_in(match[1]) - 1 if match.re.groups else 0]
    await page.act(text, "click_input", count=3)
    await page.submit()


@rule(r"Resize the textarea so that the (height|width) is (larger|smaller) than its initial size then press Submit\.")
async def resize(page: Page, match: re.Match[str]) -> None:
    area = page.fields[0].rect
    step = 20 if match[2] == "larger" else -20
    corner = Point(area.right - 4, area.bottom - 4)
    across, down = (step, 0) if match[1] == "width" else (0, step)
    await page.drag(corner, Point(corner.x + across, corner.y + down))
    await page.submit()
