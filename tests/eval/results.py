"""Results made up for tests."""

from collections.abc import Mapping, Sequence

from deskhand.eval.results import Results, Run, TaskEntry, TrialResult
from deskhand.eval.suite import Judgement

RUN = Run(suite="sums", digest="d1", model="first:model", settings="s", version="0.1.0")
_RESULTS = {"+": Judgement.PASSED, "-": Judgement.FAILED, "?": Judgement.ERROR}


def trial(task: str, number: int, result: str, **more: object) -> TrialResult:
    """`result`: + passed, - failed, ? an error."""
    given = {"outcome": "success", "steps": 5, "tokens": 1000, "cost_usd": 0.5, "seconds": 10.0, "reason": ""}
    return TrialResult.model_validate(
        {**given, "task": task, "trial": number, "result": _RESULTS[result], **more},
    )


def results(
    tasks: Mapping[str, str], *, run: Run = RUN, tags: Mapping[str, Sequence[str]] | None = None, **more: object
) -> Results:
    """Results by task: `++-` are two passed trials and a failed one."""
    trials = tuple(
        trial(name, number, result, **more)
        for name, outcomes in tasks.items()
        for number, result in enumerate(outcomes, start=1)
    )
    entries = tuple(TaskEntry(id=name, request="Do it", tags=tuple((tags or {}).get(name, ()))) for name in tasks)
    return Results(run=run, tasks=entries, trials=trials)
