"""Requests that are done by the pointer: dragging, and pressing what is drawn."""

import re

from deskhand.core.geometry import Point
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from tools.miniwob.page import Page, words
from tools.miniwob.rules import rule


@rule(r"Drag (\S+) (?:to|down|up|left|right) ?(?:by one|by one position|the .+)?\.")
async def drag_item(page: Page, match: re.Match[str]) -> None:
    items = page.of(Role.LISTITEM)
    source = [words(each) for each in items].index(match[1])
    await _drag_to(page, items, source, _target(match[0], source, len(items)))


def _target(request: str, source: int, count: int) -> int:
    """Return the place that a request names, in rows of three if there are nine."""
    if numbered := re.search(r"the (\d)\w\w position", request):
        return int(numbered[1]) - 1
    across = 3 if count == 9 else 1
    steps = {"up by": -across, "down by": across, "left by": -1, "right by": 1}
    for phrase, step in steps.items():
        if phrase in request:
            return source + step
    if across == 1:
        return 0 if "top" in request else count - 1
    row = 0 if "top" in request else 2 if "bottom" in request else 1
    return 3 * row + (0 if "left" in request else 2 if "right" in request else 1)


async def _drag_to(page: Page, items: list[TargetInfo], source: int, target: int) -> None:
    """Drag an item a little beyond the middle of another one, which makes room."""
    start, end = items[source].rect.center, items[target].rect.center
    down, across = (end.y > start.y) - (end.y < start.y), (end.x > start.x) - (end.x < start.x)
    await page.drag(start, Point(end.x + 6 * across, end.y + 6 * down))


@rule(r"Sort the numbers in increasing order, starting with the lowest number at the top of the list\.")
async def sort_numbers(page: Page, _match: re.Match[str]) -> None:
    for place in range(len(page.of(Role.LISTITEM))):
        items = page.of(Role.LISTITEM)
        numbers = [int(words(each)) for each in items]
        source = numbers.index(sorted(numbers)[place])
        if source != place:
            await _drag_to(page, items, source, place)
            await page.look()
    await page.submit()


@rule(
    r"Drag the item (up|down|left|right) then press Submit\.",
    r"Drag the circle (up|down|left|right) then press Submit\.",
)
async def drag_shape(page: Page, match: re.Match[str]) -> None:
    shapes = page.of(Role.IMAGE) or [each for each in page.of(Role.SECTION) if each.rect.width < 60 and not words(each)]
    start = shapes[-1].rect.center
    moves = {"up": (0, -22), "down": (0, 22), "left": (-22, 0), "right": (22, 0)}
    across, down = moves[match[1]]
    await page.drag(start, Point(start.x + across, start.y + down))
    await page.submit()


@rule(r"Drag the smaller box so that it is completely inside the larger box\.")
async def drag_box(page: Page, _match: re.Match[str]) -> None:
    await page.drag(page.find("s").rect.center, page.find("L").rect.center)
    await page.submit()


@rule(r"Click on the grid coordinate \((-?\d+),(-?\d+)\)\.")
async def grid(page: Page, match: re.Match[str]) -> None:
    dots = page.of(Role.IMAGE)
    columns = sorted({each.rect.left for each in dots})
    rows = sorted({each.rect.top for each in dots}, reverse=True)
    x, y = columns[int(match[1]) + 2], rows[int(match[2]) + 2]
    await page.click(next(each for each in dots if (each.rect.left, each.rect.top) == (x, y)))


@rule(r"Click on the numbers in ascending order\.")
async def ascending(page: Page, _match: re.Match[str]) -> None:
    numbers = sorted(
        (each for each in page.of(Role.SECTION) if words(each).isdigit()), key=lambda each: int(words(each))
    )
    for number in numbers:
        await page.click_at(number.rect.center)
