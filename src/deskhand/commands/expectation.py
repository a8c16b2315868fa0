"""Expected effects: the rules that tools declare, and their vocabulary (contract 4.3).

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
"""Among `About.own`: the text or number in a control."""

CHECK_UNKNOWN: Final = "checked_untold"
"""State of a control that can be checked and does not expose it."""

RESULT_UNKNOWN: Final = "result_untold"
"""State of a cell with a formula whose result is not exposed, such as an error."""

CHECKED: Final = frozenset({"checked", "indeterminate", "pressed"})
MARKED: Final = frozenset({"selected", "focused"})
"""Either state marks a cell as the chosen one: spreadsheets report only `focused` for the cell at the cursor."""

MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
TURNED_OVER: Final = frozenset({Role.CHECKBOX, Role.MENUITEMCHECKBOX, Role.SWITCH})
"""Roles that a second press turns back."""

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
    """Whose keyboard focus counts as an effect."""

    NOBODY = "nobody"
    TARGET = "target"
    ANYBODY = "anybody"


class Opens(StrEnum):
    """Further effects that count if the target's own states have to change: something opened or closed."""

    NOTHING = "nothing"
    WINDOWS = "windows"
    """Also that a paragraph inside the target has the keyboard now."""
    CONTROLS = "controls"
    """Windows too."""


@dataclass(frozen=True, slots=True)
class About:
    """The expected effect of one call.

    `own`: one of these states (or `VALUE`) of the target has to change; empty: any change of its window counts.
    `opens`: with `own`, the further changes that count; unless it is `NOTHING`, so does that the target is gone.
    `typed`: texts; each has to appear in a changed control. `enters`: a key after the texts may open a dialog that
    refuses them. `saves`: the file open in the window has to be written.

    Side effects of the way do not count: those of the press of a drag (`dragged`: its start and end), those of the
    first click of two (`twice`), and a control reformatting its own value as it loses the keyboard (`leaves`).
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
    """The arguments of a call and its target; `target` is None for a window or a point."""

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

    `applies`: the rule is for this call. `expect`: its expected effect. A rule after one for every call is
    documentation only: it describes an exception.
    """

    on: str
    changes: str
    also: str = ""
    applies: Callable[[Asked], bool] = lambda _: True
    expect: Callable[[Asked], About] = lambda _: ANYTHING


@dataclass(frozen=True, slots=True)
class Expects:
    """The rules of a tool; the first that applies counts. Without rules any change of the window confirms.

    `adjust` completes the expected effect in a way common to all rules.
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
    """True if it does not expose whether it is checked, or only once its menu opens again."""
    return CHECK_UNKNOWN in target.states or Trait.STATE_IS_HIDDEN in target.traits


def chosen_states(item: TargetInfo) -> frozenset[str]:
    """The states that mark an item as the chosen one; `focused` does not if the item had it before."""
    if item.type in {Role.RADIO, Role.MENUITEMRADIO}:
        return frozenset({"checked"})
    return MARKED if item.type is Role.CELL and "focused" not in item.states else frozenset({"selected"})
