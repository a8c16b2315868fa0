"""Going to a page of a document by its title, which is exposed only while that page is in view (contract 4.2)."""

import re
from typing import Final, NamedTuple

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.effects.snapshot import PATIENT_S, QUICK_S
from deskhand.commands.techniques.escalation import click_once
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import front_window
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import PAGE_TITLE, TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_PAGE: Final = re.compile(r"\w+ (?P<number>\d+) of (?P<last>\d+)(?:: (?P<title>.*))?")


class _Page(NamedTuple):
    """The page in view and the number of the last one; `title` is quoted, empty if there is none or it is late."""

    text: str
    number: int
    last: int
    title: str


async def go_to_titled(tools: ToolContext, call: Call, items: TargetInfo, title: str) -> str:
    """Go through the pages of a document from the first one; return the page with that title, else "".

    `items`: the list of all pages, one of which gets the keyboard by a click. Without success the page that was in view
    is in view again. Raises: as `point_at`.
    """
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())
    seen = await desktop.observe(window, picture=False)
    visible = [item for item in seen.inside_of(items) if item.type is Role.LISTITEM]
    if (first := _page_in(seen)) is None or not visible:
        return ""
    await click_once(tools, call, visible[0])
    wanted = quoted(title, PAGE_TITLE).casefold()
    page = await _turn(desktop, window, "home", 1)
    while page and page.title.casefold() != wanted and page.number < page.last:
        page = await _turn(desktop, window, "down", page.number + 1)
    if page and page.title.casefold() == wanted:
        return page.text
    while page and page.number > first.number:
        page = await _turn(desktop, window, "up", page.number - 1)
    return ""


async def _turn(desktop: Desktop, window: TargetInfo, key: str, number: int) -> _Page | None:
    """Press a key; return the page of that number once it is in view, with its title if that is exposed soon."""
    await desktop.press([Chord(key)])

    async def turned() -> _Page | None:
        page = _page_in(await desktop.observe(window, picture=False))
        return page if page and page.number == number else None

    async def titled() -> _Page | None:
        page = await turned()
        return page if page and page.title else None

    page = await wait_for_program(desktop, window, turned, deadline_s=PATIENT_S)
    return page if page is None or page.title else await desktop.wait_until(titled, deadline_s=QUICK_S) or page


def _page_in(seen: Observation) -> _Page | None:
    pages = (_PAGE.fullmatch(each.note) for each in seen.controls if each.type is Role.DOCUMENT)
    found = next((match for match in pages if match), None)
    return _Page(found[0], int(found["number"]), int(found["last"]), found["title"] or "") if found else None
