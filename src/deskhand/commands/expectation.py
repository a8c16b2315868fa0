"""Expected effects: the rules that tools declare, and the terms in which they are written (contract 4.3).

docs/effects.md lists the rules of all tools.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from deskhand.core.geometry import WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait

VALUE: Final = "value"
"""Among `About.own`: the text or number that a control holds."""

UNTOLD: Final = "checked_untold"
"""The state of what may be checked without saying so."""

RESULT_UNTOLD: Final = "result_untold"
"""The state of a cell with a formula that does not say what comes of it, as where that is an error."""

CHECKED: Final = frozenset({"checked", "indeterminate", "pressed"})
MARKED: Final = frozenset({"selected", "focused"})
"""One of these says of a cell that it is the one chosen: a spreadsheet calls that of its cursor focused only."""

MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
TURNED_OVER: Final = frozenset({Role.CHECKBOX, Role.MENUITEMCHECKBOX, Role.SWITCH})
"""What a second press turns back."""

CHECKS: Final = MENU_CHECKS | {Role.CHECKBOX, Role.RADIO, Role.SWITCH}
ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL})
SHAPES: Final = frozenset({Role.FIGURE, Role.GROUP, Role.IMAGE})
"""Roles of drawings in a document."""

NUMBERS: Final = frozenset({Role.SLIDER, Role.SPINBUTTON, Role.SCROLLBAR})
TEXTS: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPINBUTTON, Role.PARAGRAPH, Role.PASSWORD})
_AROUND: Final = (
    CHECKS - MENU_CHECKS | NUMBERS | TEXTS - {Role.PARAGRAPH} | {Role.BUTTON, Role.LABEL, Role.LISTITEM, Role.TREEITEM}
)


class Focus(StrEnum):
    """Whose getting the keyboard is an effect."""

    NOBODY = "nobody"
    TARGET = "target"
    ANYBODY = "anybody"


class Opens(StrEnum):
    """What counts as well where the target's own states have to change: that it came, or went."""

    NOTHING = "nothing"
    WINDOWS = "windows"
    """And that a paragraph in the target has the keyboard now."""
    CONTROLS = "controls"
    """And windows."""


@dataclass(frozen=True, slots=True)
class About:
    """`own`: of these states (or `VALUE`) of the target one has to change; empty: any change of its window counts.

    `opens`: with `own`, what counts as well; of the target itself that it is gone does, unless it is nothing. `typed`:
    texts; each has to stand in what changed. `enters`: a key after them may open what refuses them. What is done on the
    way to an effect does not count: what the press of a drag alone does (`dragged`: where it began and ended), what the
    first of two clicks does (`twice`), and what a control that has the keyboard makes of its own value when a press
    elsewhere takes the keyboard (`leaves`). `saves`: the file that the window shows has to be written.
    """

    own: frozenset[str] = frozenset()
    opens: Opens = Opens.NOTHING
    focus: Focus = Focus.NOBODY
    typed: tuple[str, ...] = ()
    enters: bool = False
    dragged: tuple[WindowPoint, WindowPoint] | None = None
    twice: bool = False
    leaves: bool = False
    saves: bool = False


ANYTHING: Final = About()


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of a call, and the control it is for; `target` is None for a window or a point."""

    arguments: Mapping[str, JsonValue]
    target: TargetInfo | None

    @classmethod
    def of(cls, arguments: Mapping[str, JsonValue], target: TargetInfo | None) -> Self:
        return cls(arguments, target if target and target.kind is TargetKind.CONTROL else None)

    def is_on(self, roles: Set[Role]) -> bool:
        """True if the target has one of these roles."""
        return self.target is not None and self.target.type in roles


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of docs/effects.md: `on` these targets, `changes` confirm the action, `also` counts.

    `applies`: the rule is for this call. `expect`: its expected effect. A rule after one for every call is only read by
    users: it describes an exception.
    """

    on: str
    changes: str
    also: str = ""
    applies: Callable[[Asked], bool] = lambda _: True
    expect: Callable[[Asked], About] = lambda _: ANYTHING


@dataclass(frozen=True, slots=True)
class Expects:
    """The rules of a tool, of which the first that applies counts; without rules any change of the window does.

    `adjust` completes the expected effect in a way that is common to all rules.
    """

    rules: tuple[Rule, ...] = ()
    adjust: Callable[[Asked, About], About] = lambda _, about: about

    def of(self, asked: Asked) -> About:
        """The expected effect of a call."""
        rule = next((rule for rule in self.rules if rule.applies(asked)), None)
        return self.adjust(asked, rule.expect(asked) if rule else ANYTHING)


ANY_CHANGE: Final = Expects()


def in_document(control: TargetInfo) -> bool:
    """True inside a document, such as a web page."""
    return control.fingerprint is not None and control.fingerprint.in_document


def is_around_document(control: TargetInfo) -> bool:
    """True for a control of a toolbar or sidebar."""
    return control.type in _AROUND and control.fingerprint is not None and not in_document(control)


def hides_check(target: TargetInfo) -> bool:
    """True if it does not report whether it is checked, or only once its menu opens again."""
    return UNTOLD in target.states or Trait.STATE_IS_HIDDEN in target.traits


def chosen_states(item: TargetInfo) -> frozenset[str]:
    """The states of which one says that an item is the one chosen; having the cursor does not where it had that."""
    if item.type in {Role.RADIO, Role.MENUITEMRADIO}:
        return frozenset({"checked"})
    return MARKED if item.type is Role.CELL and "focused" not in item.states else frozenset({"selected"})
