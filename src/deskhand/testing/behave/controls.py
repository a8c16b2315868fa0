"""The control that a step names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from deskhand.commands.techniques.screen_checks import STATES
from deskhand.core.errors import UsageError
from deskhand.core.target import TargetInfo
from deskhand.scripting import Locator, Window
from deskhand.scripting.query import Condition, Words
from deskhand.testing.behave.roles import WINDOWS, expression, roles_of

IN_VIEW: Final = frozenset({"showing", "visible"})
"""States of all controls that are listed."""
_OTHER_NAMES: Final = {"sensitive": "enabled", "multi line": "multi_line", "read-only": "read_only"}
_REPORTED: Final = frozenset({"focusable", "selectable", "checkable", "multi_line", "active", "expandable"})
"""States that observations report, beside those that can be waited for by name."""
_CHECKED: Final = frozenset({"checked", "pressed"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A control by the words of a step. Sizes and places are `width,height` and `left,top` in physical screen pixels.

    Names: equal but for spaces and mnemonics, `r:` and an expression for all of it, `Empty`, or `None` for any.
    """

    name: str
    role: str
    root: str = ""
    description: str | None = None
    action: str = ""
    attr: str = ""
    not_attr: str = ""
    size_low: str = ""
    size_high: str = ""
    position_low: str = ""
    position_high: str = ""

    def locator(self, window: Window) -> Locator:
        """Raises: UsageError for a role, a state, a size or an expression that does not exist."""
        found = window.locator(roles_of(self.role), _words(self.name))
        for condition in self._conditions():
            found = found.that(condition.words, condition.holds)
        return found

    @property
    def is_window(self) -> bool:
        return bool(roles_of(self.role)) and WINDOWS.issuperset(roles_of(self.role))

    def titles(self, window: Window) -> bool:
        """Return whether it is this window."""
        is_named = _fits(_words(self.name), window.title)
        return is_named and all(condition.holds(window.info) for condition in self._conditions())

    def is_described(self, description: str) -> bool:
        """Return whether a description has the wanted words, or is matched by the expression."""
        return self.description is None or _fits(_words(self.description), description)

    def __str__(self) -> str:
        return f'{self.role} "{self.name}"'

    def _conditions(self) -> Iterator[Condition]:
        if self.role.startswith("r:"):
            role = expression(self.role[2:])
            yield Condition(f"of the role {self.role}", lambda each: role.search(each.raw_role) is not None)
        if self.action:
            yield Condition(f'with the action "{self.action}"', lambda each: _has_action(each, self.action))
        if self.attr:
            yield in_state(self.attr)
        if self.not_attr:
            yield in_state(self.not_attr, has=False)
        yield from self._measures()

    def _measures(self) -> Iterator[Condition]:
        for words, wanted, measured, is_least in (
            ("at least {} in size", self.size_low, _size, True),
            ("at most {} in size", self.size_high, _size, False),
            ("at least {} from the top left", self.position_low, _place, True),
            ("at most {} from the top left", self.position_high, _place, False),
        ):
            if wanted:
                yield Condition(words.format(wanted), _measure(pair_of(wanted), measured, is_least=is_least))


def in_state(state: str, *, has: bool = True) -> Condition:
    """Return the condition that a control has a state by a tester's name, or has it not. Raises: UsageError."""
    name = state_named(state)
    words = f'that is {"" if has else "not "}"{state}"'
    if name in IN_VIEW:
        return Condition(words, lambda _: has)
    names = _CHECKED if name == "checked" else {name}
    return Condition(words, lambda each: names.isdisjoint(each.states) is not has)


def state_named(state: str) -> str:
    """Return our name of a state. Raises: UsageError for one that does not exist."""
    name = _OTHER_NAMES.get(state, state)
    if name not in STATES | _REPORTED | IN_VIEW:
        known = ", ".join(sorted({*STATES, *_REPORTED, *IN_VIEW, *_OTHER_NAMES}))
        raise UsageError(f'there is no state "{state}"', fix=f"states are {known}")
    return name


def _words(name: str) -> Words | None:
    if name == "None":
        return None
    if name.startswith("r:"):
        return expression(name[2:])
    return "" if name == "Empty" else name


def _has_action(control: TargetInfo, action: str) -> bool:
    """Toolkits differ in the case of an action's name."""
    return action.casefold() in map(str.casefold, control.actions)


def _fits(words: Words | None, text: str) -> bool:
    """Return whether a text has the words in it, or is matched by the expression."""
    if isinstance(words, str):
        return words.casefold() in text.casefold() if words else not text
    return words is None or words.search(text) is not None


def _size(control: TargetInfo) -> tuple[int, int]:
    return control.rect.width, control.rect.height


def _place(control: TargetInfo) -> tuple[int, int]:
    return control.rect.left, control.rect.top


def pair_of(text: str) -> tuple[int, int]:
    """Return the numbers of `100,200`, also with brackets. Raises: UsageError."""
    found = re.fullmatch(r"\s*\(?\s*(-?\d+)\s*,\s*(-?\d+)\s*\)?\s*", text)
    if found is None:
        raise UsageError(f'"{text}" are not two numbers', fix="write them as 100,200")
    return int(found[1]), int(found[2])


def _measure(
    wanted: tuple[int, int], measured: Callable[[TargetInfo], tuple[int, int]], *, is_least: bool
) -> Callable[[TargetInfo], bool]:
    def holds(control: TargetInfo) -> bool:
        pairs = zip(measured(control), wanted, strict=True)
        return all(value >= limit if is_least else value <= limit for value, limit in pairs)

    return holds
