"""Comparison of two evaluations of one suite: which tasks became better or worse, and if that is more than noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from deskhand.core.errors import UsageError
from deskhand.eval.figures import Figures, Group, Spread, figures_of
from deskhand.eval.results import RESULTS_NAME, Results, Run, read_results
from deskhand.eval.statistics import ALPHA, fisher, least_fisher, sign_test, threshold


class Change(StrEnum):
    """Change from the first evaluation to the second."""

    WORSE = "worse"
    BETTER = "better"
    SAME = "the same"


@dataclass(frozen=True, slots=True)
class TaskChange:
    """Change of a task. `p`: by Fisher's exact test; `is_noise`: chance alone may well make such a difference.

    Ratios are of medians, second to first; None if one is unknown or the first is 0.
    """

    id: str
    before: Group
    after: Group
    change: Change
    p: float
    is_noise: bool
    cost_ratio: float | None
    steps_ratio: float | None
    time_ratio: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Tasks that both evaluations tried, those that became worse first; the others are `left_out`.

    `p`: of the split of changed tasks into better and worse, by the exact sign test. Ratios are of the sums of the
    medians, over the tasks that have them on both sides.
    """

    before: Run
    after: Run
    tasks: tuple[TaskChange, ...]
    left_out: tuple[str, ...]
    better: int
    worse: int
    p: float
    cost_ratio: float | None
    steps_ratio: float | None
    time_ratio: float | None

    @property
    def change(self) -> Change:
        """Change of the whole."""
        return _changed(self.better, self.worse)

    @property
    def is_noise(self) -> bool:
        return self.p > ALPHA

    @property
    def is_worse(self) -> bool:
        """A task, or the whole, became worse beyond noise."""
        whole = self.change is Change.WORSE and not self.is_noise
        return whole or any(task.change is Change.WORSE and not task.is_noise for task in self.tasks)


def needed_results(folder: Path) -> Results:
    """Results of an evaluation with a trial. Raises: UsageError."""
    results = read_results(folder)
    if results is None or not results.trials:
        raise UsageError(f"{folder} has no {RESULTS_NAME} with a trial", fix="give the folder of deskhand eval --out")
    return results


def check_same_suite(before: Run, after: Run) -> None:
    """Raises: UsageError if two runs are of different suites."""
    if before.digest == after.digest:
        return
    how = f"{before.suite} and {after.suite}"
    if before.suite == after.suite:
        how = f"{before.suite}, with other content"
    raise UsageError(
        f"the results are of different suites: {how}", fix="evaluate both with the same suite, then compare"
    )


def compare(before: Results, after: Results) -> Comparison:
    """Compare two evaluations. Raises: UsageError if they are of different suites, or have no task in common."""
    check_same_suite(before.run, after.run)
    first, second = figures_of(before), figures_of(after)
    pairs = _pairs(first, second)
    if not pairs:
        raise UsageError("the results have no task in common", fix="evaluate the same tasks, then compare")
    level = threshold([least_fisher(a.passed, a.total, b.passed, b.total) for a, b in pairs])
    tasks = sorted((_task_change(a, b, level) for a, b in pairs), key=_order)
    better, worse = (sum(task.change is change for task in tasks) for change in (Change.BETTER, Change.WORSE))
    ids = {task.id for task in (*before.tasks, *after.tasks)}
    return Comparison(
        before=before.run,
        after=after.run,
        tasks=tuple(tasks),
        left_out=tuple(sorted(ids - {task.id for task in tasks})),
        better=better,
        worse=worse,
        p=sign_test(better, worse),
        cost_ratio=_ratio([(a.cost_usd, b.cost_usd) for a, b in pairs]),
        steps_ratio=_ratio([(a.steps, b.steps) for a, b in pairs]),
        time_ratio=_ratio([(a.seconds, b.seconds) for a, b in pairs]),
    )


def _pairs(first: Figures, second: Figures) -> list[tuple[Group, Group]]:
    """Groups of the tasks that have trials on both sides."""
    after = {task.id: group for task, group in second.tasks if group.total}
    return [(group, after[task.id]) for task, group in first.tasks if group.total and task.id in after]


def _task_change(before: Group, after: Group, level: float) -> TaskChange:
    p = fisher(before.passed, before.total, after.passed, after.total)
    return TaskChange(
        id=before.name,
        before=before,
        after=after,
        change=_changed(after.passed * before.total, before.passed * after.total),
        p=p,
        is_noise=p > level,
        cost_ratio=_ratio([(before.cost_usd, after.cost_usd)]),
        steps_ratio=_ratio([(before.steps, after.steps)]),
        time_ratio=_ratio([(before.seconds, after.seconds)]),
    )


def _changed(better: int, worse: int) -> Change:
    return Change.SAME if better == worse else Change.BETTER if better > worse else Change.WORSE


def _order(task: TaskChange) -> tuple[int, bool, float, str]:
    """Worse ones first, in each group those beyond noise first."""
    return [*Change].index(task.change), task.is_noise, task.p, task.id


def _ratio(pairs: Sequence[tuple[Spread | None, Spread | None]]) -> float | None:
    known = [(before.median, after.median) for before, after in pairs if before is not None and after is not None]
    first = sum(before for before, _ in known)
    return sum(after for _, after in known) / first if first else None
