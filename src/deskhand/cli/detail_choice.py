"""Choice of the lines that a session prints (`--quiet`, `--verbose`), and its progress on stderr."""

import os
import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from deskhand.cli.human_model import NAME
from deskhand.cli.progress import Detail, Progress, progress_on_stderr
from deskhand.config.sections import ModelsSection
from deskhand.core.errors import UsageError

if TYPE_CHECKING:
    from deskhand.cli.live_table import LiveTable

QuietOption: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print problems, questions and the summary alone.")
]
VerboseOption: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print phases, observations and model calls too.")
]


def chosen_detail(*, quiet: bool, verbose: bool) -> Detail:
    """Raises: UsageError."""
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other", fix="leave one of them out")
    return Detail.QUIET if quiet else Detail.VERBOSE if verbose else Detail.NORMAL


def session_progress(detail: Detail, models: ModelsSection, *, rounds: bool = False) -> "LiveTable | Progress":
    """Progress of one session on stderr: with a table on a terminal, else its lines alone.

    A user who takes the place of a model types in every step: there is no table in between.
    """
    types = NAME in {models.model, models.host, models.app}
    if sys.stderr.isatty() and not types:
        from deskhand.cli.live_table import live_progress  # noqa: PLC0415 - only for a terminal

        return live_progress(os.environ, rounds=rounds, detail=detail)
    return progress_on_stderr(os.environ, rounds=rounds, detail=detail)
