"""Agents without a window, whose observation is a text."""

from collections.abc import Sequence
from typing import ClassVar

from deskhand.agents.agent import BasicAgent
from deskhand.core.context import RunMode
from deskhand.core.errors import StateError
from deskhand.core.ports import Model
from deskhand.core.target import TargetInfo
from deskhand.pipeline.services import Services


class TextAgent(BasicAgent):
    """An agent that reads a text in each step and asks its model for the next action.

    A class that derives from it sets `kind`, `manager_class`, `instructions`, and `processor_class`: a
    `TextAgentProcessor` with a DATA_COLLECTION strategy that provides `seen_text`.
    """

    templates: ClassVar[str] = "agent"

    def __init__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,  # noqa: ARG002 - it needs no window
        process_name: str,
    ) -> None:
        super().__init__(name, services, models, mode=mode, application=process_name)

    @classmethod
    def require_usable(cls, kind: str) -> None:
        super().require_usable(kind)
        if cls.kind != kind:
            fix = "give both the same: its tools are for that kind"
            raise StateError(f"{cls.__name__} is of the kind {cls.kind!r}, not {kind!r}", fix=fix)
        if cls.templates == TextAgent.templates and not cls.instructions and cls.prompt_files.main is None:
            fix = 'set instructions = "You …", or prompt_files = PromptFiles(main=Path(…))'
            raise StateError(f"{cls.__name__} asks a model without instructions", fix=fix)
