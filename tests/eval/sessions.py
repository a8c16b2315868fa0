"""Sessions of trials without a desktop: each writes into the file of its task."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.core.outcomes import Outcome
from deskhand.eval.results import Run
from deskhand.eval.suite import Setup
from deskhand.eval.trials import Trial
from deskhand.report.summary import SessionSummary, Tokens
from deskhand.session.round import Ending

RUN: Final = Run(suite="notes", digest="d", model="m", settings="s", version="0.1.0")
CHECK: Final = """\
import json, os, pathlib
text = pathlib.Path("note.txt").read_text()
outcome = json.loads(pathlib.Path(os.environ["DESKHAND_SUMMARY"]).read_text())["outcome"]
if text == "crash":
    raise ValueError("the check cannot read it")
if text != "old, new":
    print(f"the note is {text!r} ({outcome})")
    raise SystemExit(1)
"""


def note_task(*lines: str) -> dict[str, str]:
    """Files of a task with a note, whose check wants `old, new` in it."""
    keys = ("request: Write", "files: [note.txt]", "check: [python, check.py]", *lines)
    return {"task.yaml": "\n".join(keys), "check.py": CHECK, "note.txt": "old"}


@dataclass
class Sessions:
    """Appends `, new` to each note, or does as `plans` has it for a trial: a text to write, an outcome."""

    plans: Mapping[str, tuple[str, Outcome]] = field(default_factory=dict[str, tuple[str, Outcome]])
    ran: list[str] = field(default_factory=list[str])

    async def run(self, trial: Trial, setup: Setup, folder: Path) -> SessionSummary | Ending:
        assert folder.name == str(trial.number)
        self.ran.append(trial.name)
        self.work_on(trial.name, setup.files[0])
        _, outcome = self.plans.get(trial.name, ("", Outcome.SUCCESS))
        return summary(outcome)

    def work_on(self, name: str, note: Path) -> None:
        text, _ = self.plans.get(name, ("", Outcome.SUCCESS))
        note.write_text(text or f"{note.read_text()}, new")


def summary(outcome: Outcome) -> SessionSummary:
    return SessionSummary(
        outcome=outcome.value,
        reason="all done",
        request="Write",
        session_id="1",
        session_dir="",
        outputs=[],
        report=None,
        steps=4,
        model_calls=2,
        tokens=Tokens(input=900, output=100),
        cost_usd=0.25,
        wall_s=3.0,
        transitions=[],
        subtasks=[],
        checks=[],
        error=None,
    )
