"""Sources of decisions: playbooks, scripts and language models."""

from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook

__all__ = ["PlaybookModel", "load_playbook"]
