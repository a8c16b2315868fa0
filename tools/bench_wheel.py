"""Twelve tasks, each by a good and by a careless model that read nothing but prompts: `bench_wheel.py [TASK…]`.

The models are programs (tests/apps/wheel_model.py, tests/demo/wheel.py); `whole` is the good one with the tools that do
in one step what a person calls one thing, and the last line compares both. Saved files and the fixtures' own state
decide which sessions finished. `--log DIR` saves the prompts and the log of each session. A step is a call of the
model; its tokens are a quarter of the bytes of the texts sent, without pictures.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.demo.wheel import BY_NAME, CARELESS, GOOD, WHOLE, Trial, run


def measured(names: Sequence[str], models: Sequence[str], folder: Path) -> list[Trial]:
    """The trials, printed as they end."""
    trials: list[Trial] = []
    for name in names:
        for model in models:
            trial = run(BY_NAME[name], model, folder / f"{name}-{model}")
            trials.append(trial)
            print(trial)
            if not (trial.finished and trial.reported):
                print(f"    {trial.reason}")
            sys.stdout.flush()
    return trials


def total(trials: Sequence[Trial], model: str) -> str:
    those = [trial for trial in trials if trial.model == model]
    finished, false = sum(trial.finished for trial in those), sum(trial.is_false_success for trial in those)
    steps, calls = sum(trial.steps for trial in those), sum(trial.calls for trial in those)
    tokens, seconds = sum(trial.tokens for trial in those), sum(trial.seconds for trial in those)
    return (
        f"{model}: finished {finished} of {len(those)}, false success {false}, steps {steps}, calls {calls}, "
        f"tokens per step {tokens // max(calls, 1)}, {seconds:.0f} s"
    )


def compared(trials: Sequence[Trial]) -> str:
    """The medians, over the tasks, of the ratios of the second script to the first."""
    by_model = {model: {trial.task: trial for trial in trials if trial.model == model} for model in (GOOD, WHOLE)}
    pairs = [(by_model[WHOLE][name], by_model[GOOD][name]) for name in by_model[GOOD]]
    actions = median(whole.actions / apart.actions for whole, apart in pairs)
    steps = median(whole.steps / apart.steps for whole, apart in pairs)
    return f"{WHOLE} to {GOOD}, median over the tasks: actions {actions:.2f}, steps {steps:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", default=list(BY_NAME))
    parser.add_argument("--model", choices=[GOOD, CARELESS, WHOLE], action="append")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    models = options.model or [GOOD, CARELESS, WHOLE]
    with tempfile.TemporaryDirectory() as scratch:
        trials = measured(options.tasks, models, options.log.absolute() if options.log else Path(scratch))
    for model in models:
        print(total(trials, model))
    if {GOOD, WHOLE} <= {*models}:
        print(compared(trials))


if __name__ == "__main__":
    main()
