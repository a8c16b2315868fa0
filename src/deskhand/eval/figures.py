"""Figures of an evaluation: shares of passed trials with intervals, and medians of cost, steps, tokens and time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from deskhand.eval.results import Results, TaskEntry, TrialResult
from deskhand.eval.statistics import Interval, all_pass, bootstrap, wilson


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and range of a figure over sessions."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Group:
    """Figures of the trials of one task, of one tag, or of all.

    Trials that are errors count as not passed. Spreads are over the trials that had a session; `cost_usd` is None if
    the cost of one is unknown. `interval`: Wilson's, of the share.
    """

    name: str
    trials: tuple[TrialResult, ...]
    interval: Interval | None
    cost_usd: Spread | None
    steps: Spread | None
    tokens: Spread | None
    seconds: Spread | None

    @property
    def passed(self) -> int:
        return sum(trial.passed for trial in self.trials)

    @property
    def total(self) -> int:
        return len(self.trials)

    @property
    def share(self) -> float:
        return self.passed / self.total if self.total else 0.0

    @property
    def errors(self) -> int:
        return sum(trial.result == "error" for trial in self.trials)

    @property
    def false_successes(self) -> int:
        return sum(trial.is_false_success for trial in self.trials)

    @property
    def false_failures(self) -> int:
        return sum(trial.is_false_failure for trial in self.trials)


@dataclass(frozen=True, slots=True)
class PassAll:
    """Pass^k: the mean over tasks of the probability that k trials of a task all pass, C(c, k) / C(n, k).

    `tasks`: the number of tasks with k trials or more; others do not count. `interval`: Wilson's for k = 1, of the
    share of all trials; else a bootstrap over tasks with a fixed seed, None if all tasks are equal.
    """

    k: int
    value: float
    interval: Interval | None
    tasks: int


@dataclass(frozen=True, slots=True)
class Figures:
    """`cost_usd`: of all sessions; None if that of one is unknown."""

    all: Group
    tasks: tuple[tuple[TaskEntry, Group], ...]
    tags: tuple[Group, ...]
    pass_all: tuple[PassAll, ...]
    cost_usd: float | None


def figures_of(results: Results) -> Figures:
    """Figures of all trials that have a result."""
    tasks = tuple((task, _group(task.id, results.of(task.id))) for task in results.tasks)
    tags = sorted({tag for task in results.tasks for tag in task.tags})
    total = _group("all", results.trials)
    costs = [trial.cost_usd for trial in results.trials if trial.outcome]
    known = [cost for cost in costs if cost is not None]
    return Figures(
        all=total,
        tasks=tasks,
        tags=tuple(
            _group(tag, [trial for task, group in tasks if tag in task.tags for trial in group.trials]) for tag in tags
        ),
        pass_all=_pass_all(total, [group for _, group in tasks if group.total]),
        cost_usd=sum(known) if len(known) == len(costs) else None,
    )


def _group(name: str, trials: Sequence[TrialResult]) -> Group:
    passed = sum(trial.passed for trial in trials)
    return Group(
        name=name,
        trials=tuple(trials),
        interval=wilson(passed, len(trials)),
        cost_usd=_spread(trials, lambda trial: trial.cost_usd),
        steps=_spread(trials, lambda trial: trial.steps),
        tokens=_spread(trials, lambda trial: trial.tokens),
        seconds=_spread(trials, lambda trial: trial.seconds),
    )


def _spread(trials: Sequence[TrialResult], figure: Callable[[TrialResult], float | None]) -> Spread | None:
    values = [figure(trial) for trial in trials if trial.outcome]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return Spread(median(known), min(known), max(known))


def _pass_all(total: Group, tasks: Sequence[Group]) -> tuple[PassAll, ...]:
    most = max((group.total for group in tasks), default=0)
    found = [PassAll(1, total.share, total.interval, len(tasks))] if most else []
    for k in range(2, most + 1):
        values = [all_pass(group.passed, group.total, k) for group in tasks if group.total >= k]
        found.append(PassAll(k, sum(values) / len(values), bootstrap(values), len(values)))
    return tuple(found)
