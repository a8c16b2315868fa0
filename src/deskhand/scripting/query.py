"""The description of a control by which a locator finds it."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final, TypeAlias

from deskhand.core.errors import UsageError
from deskhand.core.observation import Observation
from deskhand.core.patterns import require_role
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.core.text import quoted

Words: TypeAlias = str | re.Pattern[str]
"""A name that is equal but for spaces, mnemonics and the form of an ellipsis, or an expression that is found in it."""

Ids: TypeAlias = Mapping[str, str | None]
"""The ids of controls by handle; None where one may have an id that is not exposed."""
NO_IDS: Final[Ids] = {}

_PREFIX: Final = 0.1
"""Additional likeness for each letter of a common beginning, of the first few, as a part of the rest to 1."""
_MOST_PREFIX: Final = 4


_NAMED: Final[Mapping[frozenset[Role], str]] = {
    frozenset({Role.TEXTBOX, Role.PASSWORD}): "textbox",
    frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO}): "menuitem",
}
"""Words for the roles of `textbox()` and `menuitem()`."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition for controls. `words`: how it reads after the control, such as `that is checked`."""

    words: str
    holds: Callable[[TargetInfo], bool]


@dataclass(frozen=True, slots=True)
class Query:
    """One step of a locator; None matches all controls.

    `text` is part of a control's name or value, `accessible_id` the id that its developers gave it.
    """

    roles: frozenset[Role]
    name: Words | None = None
    text: Words | None = None
    conditions: tuple[Condition, ...] = ()
    accessible_id: str | None = None

    @classmethod
    def of(
        cls,
        role: str | Collection[str] | None,
        name: Words | None,
        text: Words | None,
        accessible_id: str | None = None,
    ) -> "Query":
        """Raises: UsageError for a role that does not exist; as `Query`."""
        roles = (role,) if isinstance(role, str) else role or ()
        try:
            for each in roles:
                require_role(each)
        except ValueError as error:
            raise UsageError(str(error), fix="give a role as observations name it, such as button") from error
        return cls(frozenset(map(Role, filter(None, roles))), name, text, accessible_id=accessible_id)

    def narrowed(self, condition: Condition) -> "Query":
        return replace(self, conditions=(*self.conditions, condition))

    def __post_init__(self) -> None:
        """Raises: UsageError for a name or text that is neither a text nor a compiled expression."""
        for words in (self.name, self.text):
            if words is not None and not _is_words(words):
                raise UsageError(f"{words!r} is no name", fix="give a text, or a compiled expression")
        if self.accessible_id is not None and not _is_id(self.accessible_id):
            raise UsageError(
                f"{self.accessible_id!r} is no id", fix="give a text, as `deskhand observe --accessible-ids` prints it"
            )

    def matches(self, control: TargetInfo) -> bool:
        """Return whether a control matches, whatever its id."""
        if self.roles and control.type not in self.roles:
            return False
        if self.name is not None and not matches_words(self.name, control.name):
            return False
        if not all(condition.holds(control) for condition in self.conditions):
            return False
        return self.text is None or _has(self.text, control.name) or _has(self.text, control.value)

    def has_name(self, control: TargetInfo) -> bool:
        """Return whether it has the wanted name, whatever its role; False where no name is wanted."""
        return self.name is not None and matches_words(self.name, control.name)

    def __str__(self) -> str:
        words = [_NAMED.get(self.roles) or " or ".join(sorted(self.roles)) or "control"]
        words += [shown_words(self.name)] if self.name is not None else []
        words += [f"with the text {shown_words(self.text)}"] if self.text is not None else []
        words += [f"with the id {quoted(self.accessible_id)}"] if self.accessible_id is not None else []
        words += [condition.words for condition in self.conditions]
        return " ".join(words)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_words(value: object) -> bool:
    return isinstance(value, str | re.Pattern)


def found_by(queries: tuple[Query, ...], seen: Observation, ids: Ids = NO_IDS) -> tuple[TargetInfo, ...]:
    """Return the controls that match the last query and are inside of ones that match those before it, in order.

    An id matches as a whole; where none does, by its end after a full stop, as of the names of objects in Qt.
    """
    by_handle = {control.handle: control for control in seen.controls}
    *outer, last = (_handles_with_id(query, seen, ids) for query in queries)
    return tuple(
        control
        for control in seen.controls
        if control.handle in last and _is_inside(_ancestors(control, by_handle), outer)
    )


def _handles_with_id(query: Query, seen: Observation, ids: Ids) -> frozenset[str]:
    """Return the handles of the controls that match a query, its id included."""
    own = {control.handle: ids.get(control.handle) or "" for control in seen.controls if query.matches(control)}
    wanted = query.accessible_id
    if wanted is None:
        return frozenset(own)
    whole = frozenset(handle for handle, each in own.items() if each == wanted)
    return whole or frozenset(handle for handle, each in own.items() if each.endswith(f".{wanted}"))


def missing_of(queries: tuple[Query, ...], seen: Observation, ids: Ids = NO_IDS) -> Query:
    """Return the first query, from the outer to the inner, that nothing matches; else the last one."""
    ends = range(1, len(queries))
    return next((queries[end - 1] for end in ends if not found_by(queries[:end], seen, ids)), queries[-1])


def nearest(query: Query, controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    """Return the controls by their likeness to a query, the nearest first: of its name, of its roles and a similar
    name, of its roles. If there are none, all with a name.
    """
    named = [each for each in controls if each.name]
    near = [each for each in named if query.has_name(each) or not query.roles or each.type in query.roles]
    return sorted(near or named, key=lambda each: -_likeness(query, each))


def _likeness(query: Query, control: TargetInfo) -> float:
    wanted = query.name if query.name is not None else query.text
    if query.has_name(control):
        return 2.0
    if not isinstance(wanted, str):
        return 0.0
    one, other = (comparable_name(name).casefold() for name in (wanted, control.name or control.value))
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    beginning = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(one, other, strict=False)))
    return ratio + min(beginning, _MOST_PREFIX) * _PREFIX * (1 - ratio)


def _is_inside(ancestors: Iterator[TargetInfo], outer: Sequence[frozenset[str]]) -> bool:
    """Return whether the ancestors, from the inner to the outer, are among the handles, from the last to the first."""
    left = list(outer)
    for ancestor in ancestors:
        if not left:
            break
        if ancestor.handle in left[-1]:
            left.pop()
    return not left


def _ancestors(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> Iterator[TargetInfo]:
    passed = {control.handle}
    while (parent := by_handle.get(control.parent)) is not None and parent.handle not in passed:
        passed.add(parent.handle)
        yield parent
        control = parent


def matches_words(wanted: Words, text: str) -> bool:
    """Return whether a name is the wanted one, or the expression is found in it."""
    if isinstance(wanted, str):
        return comparable_name(wanted) == comparable_name(text)
    return wanted.search(comparable_name(text)) is not None


def _has(wanted: Words, text: str) -> bool:
    return wanted in text if isinstance(wanted, str) else wanted.search(text) is not None


def shown_words(words: Words) -> str:
    """Return words as messages show them: a text in quotation marks, an expression between slashes."""
    return quoted(words) if isinstance(words, str) else f"/{words.pattern}/"
