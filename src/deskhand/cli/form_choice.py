"""The file of a playbook, a test or a feature that a command writes."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from deskhand.core.errors import UsageError
from deskhand.report.exports import require_form

FormOption: TypeAlias = Annotated[
    Path,
    typer.Option("--output", "-o", help="File to write: .yaml, .py (pytest), .feature (behave).", show_default=False),
]
ReplaceOption: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


def check_form(output: Path, *, force: bool) -> None:
    """Raises: UsageError for a suffix without a form, and a file that exists."""
    require_form(output)
    if output.exists() and not force:
        raise UsageError(f"{output} exists already", fix="name another file, or add --force")
