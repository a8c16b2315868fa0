"""Requests about lists of messages and dishes, which are longer than their view."""

import re
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from tools.miniwob.page import Page, Unsolved, words
from tools.miniwob.rules import rule


async def _message_by(page: Page, name: str) -> tuple[TargetInfo, list[TargetInfo]]:
    """Scroll to the message of a sender; return the name, and the icons beside it: star, trash."""
    sender = await page.scroll_to(name)
    row = next(each for each in page.area if each.handle == sender.parent)
    icons = sorted((each for each in page.inside(row) if each.type is Role.IMAGE), key=lambda each: each.rect.left)
    return sender, icons


@rule(r"Find the email by (.+) and click the (star|trash) icon to .*")
async def mark_message(page: Page, match: re.Match[str]) -> None:
    _, icons = await _message_by(page, match[1])
    await page.click(icons[0 if match[2] == "star" else 1])


@rule(r'Find the email by (.+) and reply to them with the text "(.*)"\.')
async def reply(page: Page, match: re.Match[str]) -> None:
    sender, _ = await _message_by(page, match[1])
    await page.click(sender)
    await page.look()
    await page.press("Reply")
    await page.fill(page.fields[-1], match[2])
    await _send(page)


@rule(r"Find the email by (.+) and forward that email to (.+)\.")
async def forward(page: Page, match: re.Match[str]) -> None:
    await _forward(page, match[1], match[2])


async def _forward(page: Page, by: str, to: str) -> None:
    sender, _ = await _message_by(page, by)
    await page.click(sender)
    await page.look()
    await page.press("Forward")
    await page.fill(page.fields[0], to)
    await _send(page)


async def _send(page: Page) -> None:
    """Press the icon at the right of the bar, which sends."""
    await page.look()
    await page.click(max(page.of(Role.IMAGE), key=lambda each: each.rect.left))


# Posts, each with icons below it in this order
_ICONS: Final = ("Reply", "Retweet", "Like", "More")


@rule(r'For the user (@\S+), click on the "(.+)" button\.')
async def press_of_post(page: Page, match: re.Match[str]) -> None:
    await page.scroll_to(match[1], below=60)
    icons = _icons_of(page, match[1])[0]
    if match[2] in _ICONS:
        await page.click(icons[_ICONS.index(match[2])])
        return
    await page.click(icons[-1])
    await page.look()
    await page.click(await page.scroll_to(match[2], exact=False))


def _icons_of(page: Page, user: str) -> list[list[TargetInfo]]:
    """Return the icons of each post of a user that is in view."""
    heads = [each for each in page.area if user in words(each).split() and each.type is Role.SECTION]
    rows = list[list[TargetInfo]]()
    for head in heads:
        below = [each for each in page.of(Role.IMAGE) if each.rect.top > head.rect.bottom]
        top = min((each.rect.center.y for each in below), default=0)
        rows.append(sorted((each for each in below if each.rect.center.y - top < 6), key=lambda each: each.rect.left))
    return [row for row in rows if len(row) == len(_ICONS)]


# Dishes, each with a minus and a plus beside it


@rule(r"Order one of each item: (.+)")
async def order_named(page: Page, match: re.Match[str]) -> None:
    for name in match[1].split(", "):
        await _add(page, await page.scroll_to(name.strip()))
    await _order(page)


@rule(r"Order (\d+) items that are (\S+)")
async def order_kind(page: Page, match: re.Match[str]) -> None:
    left = int(match[1])
    icon = await page.scroll_to(match[2], Role.IMAGE, below=10)
    dish = [each for each in page.of(Role.SECTION) if each.rect.bottom <= icon.rect.top + 4 and len(words(each)) > 1]
    for _ in range(left):
        await _add(page, max(dish, key=lambda each: each.rect.bottom))
    await _order(page)


async def _add(page: Page, dish: TargetInfo) -> None:
    plus = [each for each in page.of(Role.SECTION) if words(each) == "+" and abs(each.rect.top - dish.rect.top) < 6]
    if not plus:
        raise Unsolved(f"{words(dish)!r} has no plus; there are {page.shown}")
    await page.click(plus[0])
    await page.look()


async def _order(page: Page) -> None:
    await page.click(await page.scroll_to("Order!", Role.BUTTON))


@rule(r'Click the "(.+)" button on (all|\d+) posts? by (@\S+) and then click Submit\.')
async def press_of_posts(page: Page, match: re.Match[str]) -> None:
    icon = ("Reply", "Retweet", "Like", "Share").index(match[1])
    left = 99 if match[2] == "all" else int(match[2])
    pressed = set[str]()
    for _ in range(30):
        await page.look()
        row = next((each for each in _icons_of(page, match[3]) if each[icon].handle not in pressed), None)
        if row is not None and left:
            pressed.add(row[icon].handle)
            left -= 1
            await page.click(row[icon])
            continue
        box = next(each for each in page.area if "scrollDown" in each.actions)
        if page.maybe("Submit", Role.BUTTON) is not None:
            break
        await page.act(box, "wheel_mouse_input", wheel_dist=-1)
    await page.click(await page.scroll_to("Submit", Role.BUTTON, below=4))


@rule(
    r"(?:Forward|Send|Give) to (?P<to>\w+) the (?:email|message|mail)(?: you got)? from (?P<by>\w+)\.",
    r"(?:Forward|Send|Give) (?P<to>\w+) the (?:email|message|information)(?: you (?:got|received))? from "
    r"(?P<by>\w+)[.,]",
    r"(?:Forward|Send) (?P<to>\w+) the (?:message|information) (?P<by>\w+) sent (?:to )?you\.",
    r"Go to the (?:email|message) (?:by|from) (?P<by>\w+)(?:\. Send| and send) it to (?P<to>\w+)\.",
    r"(?:Please f|F)orward the (?:email|mail|information|message) (?:from|by) (?P<by>\w+) to (?P<to>\w+)\.",
    r"(?:Please find|Search for|Navigate to) the (?:message|mail) (?:by |from )?(?P<by>\w+)(?: sent you)?"
    r"(?:, then send| and send|\. Forward) it to (?P<to>\w+)\.",
    r"(?P<to>\w+) (?:wants|is waiting for) the email (?:you got from|by) (?P<by>\w+)\.",
    r"(?P<to>\w+) wants the email (?P<by>\w+) sent to you\.",
    r"(?:The|I want the) mail by (?P<by>\w+) (?:should be forwarded|to be sent) to (?P<to>\w+)\.",
    r"Please forward to (?P<to>\w+) the email by (?P<by>\w+)\.",
    r"(?P<by>\w+) wants his or her message to be sent to (?P<to>\w+)\.",
)
async def forward_in_other_words(page: Page, match: re.Match[str]) -> None:
    await _forward(page, match["by"], match["to"])
