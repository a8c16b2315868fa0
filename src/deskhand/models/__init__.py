"""Everything that decides: playbooks, scripts and, later, language models."""
