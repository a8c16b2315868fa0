"""The dialogs of a section: which steps are carried out in which."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deskhand.certify.simulated_tools import ACTING, CHOOSE_FILE
from deskhand.core.json import JsonValue
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.models.steps import Step

_ANY: Selector = Selector(role=Role.DIALOG.value)


@dataclass(frozen=True, slots=True)
class SectionDialog:
    """A dialog; `saves`: a file dialog that writes (or opens) a file, None: it is none."""

    number: int
    selector: Selector
    saves: bool | None = None


def dialogs_of(steps: Sequence[Step]) -> list[SectionDialog | None]:
    """The dialog of each step: one that its control is in, and those of steps between two that name the same one."""
    found: list[SectionDialog | None] = []
    current: SectionDialog | None = None
    number = 0
    for at, step in enumerate(steps):
        wanted = _wanted(steps[at:], current)
        if wanted is None:
            current = None
        elif current is None or not _same(current.selector, wanted):
            number += 1
            current = SectionDialog(number, wanted)
        elif wanted.name:
            current = replace(current, selector=wanted)
        found.append(current)
        if step.tool == CHOOSE_FILE or (current is not None and _closes(step, current.selector)):
            current = None
    return [None if dialog is None else _named_best(dialog, steps, found) for dialog in found]


def _wanted(steps: Sequence[Step], current: SectionDialog | None) -> Selector | None:
    """The dialog of the first step."""
    step = steps[0]
    if (named := _named_dialog(step)) is not None:
        return named
    if current is not None and _ends_later(current.selector, steps):
        return current.selector
    if (closed := _closed_dialog(step)) is not None:
        return closed
    if step.tool != CHOOSE_FILE:
        return None
    return current.selector if current is not None else _ANY


def _named_best(dialog: SectionDialog, steps: Sequence[Step], found: Sequence[SectionDialog | None]) -> SectionDialog:
    """The dialog with the name that any of its steps has for it, and the purpose of a file dialog."""
    members = [(steps[at], other) for at, other in enumerate(found) if other and other.number == dialog.number]
    files = [step.args or {} for step, _ in members if step.tool == CHOOSE_FILE]
    saves = any(bool(args.get("create")) or bool(args.get("overwrite")) for args in files) if files else None
    best = next((other.selector for _, other in members if other.selector.name), dialog.selector)
    return SectionDialog(dialog.number, best, saves)


def _ends_later(current: Selector, steps: Sequence[Step]) -> bool:
    """True if the first step closes a dialog, or a later one is in it, before one in another."""
    later = (_named_dialog(step) or _closed_dialog(step) for step in steps[1:])
    named = next((dialog for dialog in later if dialog is not None), None)
    return _closes(steps[0], current) or (named is not None and _same(named, current))


def _closes(step: Step, dialog: Selector) -> bool:
    closed = _closed_dialog(step)
    return closed is not None and _same(closed, dialog)


def _same(one: Selector, other: Selector) -> bool:
    return not one.name or not other.name or one.name == other.name


def _named_dialog(step: Step) -> Selector | None:
    """The dialog that a step names as the place of its control."""
    values: JsonValue = (step.args or {}).get("values")
    fields = [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []
    selectors = [Selector.model_validate(each["on"]) for each in fields if isinstance(each.get("on"), dict)]
    if isinstance(step.on, Selector):
        selectors.insert(0, step.on)
    around = next((dialog for selector in selectors if (dialog := dialog_around(selector))), None)
    shows = step.when.shows if step.when is not None else None
    if around is not None or shows is None:
        return around
    return shows if shows.role == Role.DIALOG else dialog_around(shows)


def dialog_around(selector: Selector) -> Selector | None:
    """The dialog among the containers that a selector names."""
    within = selector.within
    while isinstance(within, Selector):
        if within.role == Role.DIALOG:
            return within
        within = within.within
    return None


def _closed_dialog(step: Step) -> Selector | None:
    """The dialog that a step expects to be gone, if its own action closes it."""
    gone = step.expect.gone if step.expect is not None and step.tool in ACTING else None
    return gone if gone is not None and gone.role == Role.DIALOG else None
