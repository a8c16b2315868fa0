"""Messages from typed values: the templates and the constructor that renders them (contract 3.2)."""

from deskhand.prompts.constructor import (
    MessageConstructor,
    PromptFiles,
    Redaction,
    outputs_told,
    repair_messages,
    steps_told,
)

__all__ = ["MessageConstructor", "PromptFiles", "Redaction", "outputs_told", "repair_messages", "steps_told"]
