"""Figures as short texts, the same on a terminal and on the page."""

from typing import Final

from deskhand.eval.comparison import Change, Comparison, TaskChange
from deskhand.eval.figures import Figures, Group, Spread
from deskhand.eval.statistics import Interval

NONE: Final = "–"
_UNITS: Final = ((1e6, "M"), (1e3, "k"))


def percent(value: float) -> str:
    return f"{value * 100:.1f} %"


def interval(of: Interval | None) -> str:
    """An interval of shares, in percent."""
    return NONE if of is None else f"{of.low * 100:.1f}–{of.high * 100:.1f} %"


def passed(group: Group) -> str:
    return f"{group.passed}/{group.total}"


def count(of: Spread | None) -> str:
    return _spread(of)


def time(of: Spread | None) -> str:
    return _spread(of, after=" s")


def cost(of: Spread | None) -> str:
    return _spread(of, before="$")


def _spread(of: Spread | None, *, before: str = "", after: str = "") -> str:
    """The median with its unit, and the range if it is not the median alone."""
    if of is None:
        return NONE
    middle, low, high = map(_short, (of.median, of.low, of.high))
    return f"{before}{middle}{after}" + ("" if low == high else f" ({low}–{high})")


def _short(value: float) -> str:
    """A number with three digits."""
    limit, unit = next(((limit, unit) for limit, unit in _UNITS if value >= limit), (1.0, ""))
    return f"{float(f'{value / limit:.3g}'):g}{unit}"


def ratio(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}×"


def headline(figures: Figures) -> str:
    """The result in one sentence."""
    group = figures.all
    notes = [
        (group.false_successes, "false success", "false successes"),
        (group.false_failures, "false failure", "false failures"),
        (group.errors, "error", "errors"),
    ]
    told = [f"{number} {one if number == 1 else many}" for number, one, many in notes if number]
    return "; ".join((f"{group.passed} of {group.total} trials passed", *told))


def change(task: TaskChange) -> str:
    """Change of a task in words: noise is called so."""
    if task.change is Change.SAME:
        return task.change.value
    return f"{task.change}, may be noise" if task.is_noise else task.change.value


def whole_change(comparison: Comparison) -> str:
    """Result of a comparison in one sentence."""
    certain = [task.id for task in comparison.tasks if task.change is Change.WORSE and not task.is_noise]
    split = f"{comparison.worse} worse, {comparison.better} better, of {len(comparison.tasks)} tasks"
    noise = "this may be noise" if comparison.is_noise else f"as a whole {comparison.change}"
    whole = f"{split}; {noise} (p = {comparison.p:.2g})" if comparison.worse or comparison.better else split
    return f"{whole}; beyond noise: {', '.join(certain)}" if certain else whole
