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
    errors = f", {group.errors} {'error' if group.errors == 1 else 'errors'}" if group.errors else ""
    return f"{group.passed}/{group.total}{errors}"


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


def headline(figures: Figures, missing: int = 0) -> str:
    """The result in one sentence. `missing`: the number of trials without a result."""
    group = figures.all
    notes = [
        (group.false_successes, "false success", "false successes"),
        (group.false_failures, "false failure", "false failures"),
        (group.errors, "error", "errors"),
    ]
    told = [f"{number} {one if number == 1 else many}" for number, one, many in notes if number]
    told += [f"{missing} more without a result"] if missing else []
    return "; ".join((f"{group.passed} of {group.total} trials passed", *told))


def change(task: TaskChange) -> str:
    """Change of a task in words: noise is called so."""
    if task.change is Change.SAME:
        return task.change.value
    return f"{task.change}, may be noise" if task.is_noise else task.change.value


def runs(comparison: Comparison) -> str:
    """The two evaluations, and their differences."""
    before, after = comparison.before, comparison.after
    told = "; ".join(before.differences(after)) or "the same model, settings and version of Deskhand"
    return f"{before.suite}, {before.model} → {after.model}: {told}"


def whole_change(comparison: Comparison) -> str:
    """Result of a comparison in one sentence."""
    split = ", ".join(_tasks(comparison, change) for change in (Change.WORSE, Change.BETTER))
    split += f", of {len(comparison.tasks)} {'task' if len(comparison.tasks) == 1 else 'tasks'}"
    if not comparison.worse and not comparison.better:
        return split
    whole = "the whole may be noise" if comparison.is_noise else f"as a whole {comparison.change}"
    return f"{split}; {whole} (p = {comparison.p:.2g})"


def _tasks(comparison: Comparison, change: Change) -> str:
    """The number of tasks that changed so, and the names of those beyond noise."""
    changed = [task for task in comparison.tasks if task.change is change]
    certain = ", ".join(task.id for task in changed if not task.is_noise)
    return f"{len(changed)} {change}" + (f" (beyond noise: {certain})" if certain else "")
