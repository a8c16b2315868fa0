"""The AppAgent: observes, reasons, acts and remembers in one application."""

from collections.abc import Sequence
from typing import Any, ClassVar

from deskhand.agents.agent import BasicAgent
from deskhand.core.context import Context, RunMode
from deskhand.core.model import AgentKind
from deskhand.core.ports import Model
from deskhand.core.replies import AppAgentResponse
from deskhand.core.target import TargetInfo
from deskhand.pipeline.app.strategies import AppAgentProcessor
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.services import Services
from deskhand.states import AppAgentStateManager


class AppAgent(BasicAgent):
    """An agent of one application window. Without a host, the request is its subtask."""

    kind: ClassVar[str] = AgentKind.APP
    reply_type = AppAgentResponse
    manager_class = AppAgentStateManager

    def __init__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,
        process_name: str,
    ) -> None:
        super().__init__(name, services, models, mode=mode, application=process_name)
        self.root = target

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: each agent's own context
        return AppAgentProcessor(self, context)
