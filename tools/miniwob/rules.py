"""Rules that solve MiniWoB++ pages: each reads the words of a request and acts on what the page exposes."""

import re
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Final

from tools.miniwob.page import Page, Unsolved

Rule = Callable[[Page, re.Match[str]], Awaitable[None]]
MOST_TURNS: Final = 40
"""Times that one thing is tried again, such as turning the page of a calendar."""

_RULES: Final[list[tuple[re.Pattern[str], Rule]]] = []
_FILES: Final = ("buttons", "fields", "lists", "numbers", "dragging", "programs", "inbox", "bookings")


def rule(*patterns: str) -> Callable[[Rule], Rule]:
    """Register what solves requests that match one of the expressions as a whole."""

    def register(solver: Rule) -> Rule:
        _RULES.extend((re.compile(pattern), solver) for pattern in patterns)
        return solver

    return register


async def solve(page: Page) -> None:
    """Raises: Unsolved where no rule is for its request, or the page lacks what the rule needs."""
    for name in _FILES:
        import_module(f"tools.miniwob.{name}")
    for pattern, solver in _RULES:
        if match := pattern.fullmatch(page.request):
            await page.look()
            await solver(page, match)
            return
    raise Unsolved("no rule is for this request")


def number_in(text: str) -> int:
    """Return the number of an ordinal such as 3rd."""
    return int(re.sub(r"\D", "", text))
