"""The page of an evaluation: figures, tasks with their trials, and a comparison with an earlier one."""

from functools import partial
from pathlib import Path
from typing import Final

from deskhand.eval import wording
from deskhand.eval.comparison import Comparison
from deskhand.eval.figures import Figures
from deskhand.eval.results import Results, TrialResult
from deskhand.report.html import render_page
from deskhand.store.atomic_files import write_atomic

PAGE_NAME: Final = "report.html"


def write_page(results: Results, figures: Figures, against: Comparison | None, out: Path, *, missing: int = 0) -> Path:
    """Write the page into the folder of the evaluation and return its path. `missing`: trials without a result.

    Raises: StoreError.
    """
    path = out / PAGE_NAME
    text = render_page(
        "eval.html.j2",
        ("report.css", "eval.css"),
        results=results,
        figures=figures,
        against=against,
        wording=wording,
        missing=missing,
        link=partial(_link, out),
    )
    write_atomic(path, text.encode("utf-8", "replace"), doing="write the report")
    return path


def _link(out: Path, trial: TrialResult) -> str:
    """Address of a trial's report, relative to the page; empty without one."""
    address = f"{trial.task}/{trial.trial}/{PAGE_NAME}"
    return address if (out / address).is_file() else ""
