"""A playbook in the form that its file's name asks for: playbook, pytest file or behave feature."""

from pathlib import Path
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.models.steps import Playbook
from deskhand.report.feature_file import feature_file
from deskhand.report.pytest_file import pytest_file
from deskhand.report.script_plan import Origin

_PLAYBOOKS: Final = frozenset({".yaml", ".yml"})
FORMS: Final = {"a playbook": ".yaml", "a pytest file": ".py", "a behave feature": ".feature"}


def require_form(path: Path) -> None:
    """Raises: UsageError unless the suffix of a file is that of a form."""
    if path.suffix not in {*FORMS.values(), *_PLAYBOOKS}:
        forms = ", ".join(f"{suffix} {form}" for form, suffix in FORMS.items())
        raise UsageError(f"{path}: its suffix names no form", fix=f"end the name with {forms}")


def in_form(playbook: Playbook, path: Path, origin: Origin) -> str:
    """The text of the file. Raises: UsageError for an unknown suffix, or a step that the form cannot express."""
    require_form(path)
    if path.suffix in _PLAYBOOKS:
        return playbook.text
    return pytest_file(playbook, origin) if path.suffix == ".py" else feature_file(playbook, origin)
