"""Results of an evaluation, and a comparison of two, as lines and as JSON."""

from collections.abc import Iterator, Sequence

from deskhand.core.json import JsonObject, JsonValue
from deskhand.eval import wording
from deskhand.eval.comparison import Comparison, TaskChange
from deskhand.eval.figures import Figures, Group, PassAll, Spread
from deskhand.eval.results import Results, TrialResult
from deskhand.report.formatting import money

_HEADS = ("passed", "95 %", "steps", "tokens", "cost", "time")


def lines_of(results: Results, figures: Figures, missing: int) -> Iterator[str]:
    """The figures by task and tag, the sentences on trials that did not pass, and the figures of all.

    `missing`: the number of trials without a result.
    """
    rows = [(task.id, group) for task, group in figures.tasks]
    rows += [(f"tag:{group.name}", group) for group in figures.tags]
    yield from _table(("task", *_HEADS), [(name, *_cells(group)) for name, group in (*rows, ("all", figures.all))])
    for trial in results.trials:
        if not trial.passed or trial.is_false_failure:
            yield f"{trial.task}.{trial.trial}: {_explained(trial)}"
    yield from (f"broken check: {note}" for note in results.notes)
    for each in figures.pass_all:
        yield f"pass^{each.k}: {wording.percent(each.value)}, 95 %: {wording.interval(each.interval)}{_over(each)}"
    yield f"{wording.headline(figures, missing)}; cost {money(figures.cost_usd)}"


def _cells(group: Group) -> tuple[str, ...]:
    return (
        wording.passed(group),
        wording.interval(group.interval),
        wording.count(group.steps),
        wording.count(group.tokens),
        wording.cost(group.cost_usd),
        wording.time(group.seconds),
    )


def _explained(trial: TrialResult) -> str:
    if trial.is_false_success:
        return f"false success: {trial.reason}"
    if trial.is_false_failure:
        return f"false failure: passed (session: {trial.outcome}, {trial.outcome_reason})"
    session = f" (session: {trial.outcome})" if trial.outcome else ""
    return f"{trial.result}: {trial.reason}{session}"


def _over(each: PassAll) -> str:
    return f", over {each.tasks} {'task' if each.tasks == 1 else 'tasks'}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for row in (heads, *rows):
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Changes of tasks, those that became worse first, and of the whole."""
    yield wording.runs(found)
    rows = [
        (
            task.id,
            wording.change(task),
            f"{wording.passed(task.before)} → {wording.passed(task.after)}",
            f"{task.p:.2g}",
            wording.ratio(task.cost_ratio),
            wording.ratio(task.steps_ratio),
            wording.ratio(task.time_ratio),
        )
        for task in found.tasks
    ]
    ratios = map(wording.ratio, (found.cost_ratio, found.steps_ratio, found.time_ratio))
    whole = ("all", "", "", f"{found.p:.2g}", *ratios)
    yield from _table(("task", "change", "passed", "p", "cost", "steps", "time"), [*rows, whole])
    if found.left_out:
        yield f"not in both: {', '.join(found.left_out)}"
    yield wording.whole_change(found)


def as_object(results: Results, figures: Figures, against: Comparison | None) -> JsonObject:
    """All figures and trials as a JSON object."""
    return {
        "suite": results.run.suite,
        "model": results.run.model,
        "all": _group(figures.all),
        "pass_all": [
            {"k": each.k, "value": each.value, "tasks": each.tasks, **_interval(each)} for each in figures.pass_all
        ],
        "cost_usd": figures.cost_usd,
        "tasks": [{"id": task.id, "tags": list(task.tags), **_group(group)} for task, group in figures.tasks],
        "tags": [{"tag": group.name, **_group(group)} for group in figures.tags],
        "trials": [_trial(trial) for trial in results.trials],
        "notes": list(results.notes),
        "comparison": None if against is None else comparison_object(against),
    }


def _trial(trial: TrialResult) -> JsonObject:
    return {
        **trial.model_dump(mode="json"),
        "false_success": trial.is_false_success,
        "false_failure": trial.is_false_failure,
    }


def _group(group: Group) -> JsonObject:
    return {
        "trials": group.total,
        "passed": group.passed,
        "errors": group.errors,
        "false_successes": group.false_successes,
        "false_failures": group.false_failures,
        **_interval(group),
        "cost_usd": _spread(group.cost_usd),
        "steps": _spread(group.steps),
        "tokens": _spread(group.tokens),
        "seconds": _spread(group.seconds),
    }


def _interval(of: Group | PassAll) -> JsonObject:
    if of.interval is None:
        return {"low": None, "high": None}
    return {"low": of.interval.low, "high": of.interval.high}


def _spread(of: Spread | None) -> JsonValue:
    return None if of is None else {"median": of.median, "low": of.low, "high": of.high}


def comparison_object(found: Comparison) -> JsonObject:
    """A comparison as a JSON object."""
    return {
        "before": found.before.model_dump(mode="json"),
        "after": found.after.model_dump(mode="json"),
        "change": found.change.value,
        "noise": found.is_noise,
        "worse_beyond_noise": found.is_worse,
        "p": found.p,
        "cost_ratio": found.cost_ratio,
        "steps_ratio": found.steps_ratio,
        "time_ratio": found.time_ratio,
        "left_out": list(found.left_out),
        "tasks": [_task_change(task) for task in found.tasks],
    }


def _task_change(task: TaskChange) -> JsonObject:
    return {
        "id": task.id,
        "change": task.change.value,
        "noise": task.is_noise,
        "p": task.p,
        "before": [task.before.passed, task.before.total],
        "after": [task.after.passed, task.after.total],
        "cost_ratio": task.cost_ratio,
        "steps_ratio": task.steps_ratio,
        "time_ratio": task.time_ratio,
    }
