"""The OperatorAgent: an AppAgent whose decisions come from a vendor's computer-use loop."""

from collections.abc import Sequence
from typing import Any

from deskhand import AppAgent, ProcessorTemplate, TargetInfo
from deskhand.agent_parts import ActionInfo, Services
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import ConfigurationError, RequestTooLong
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.ports import Model
from deskhand.operator.actions import Codec
from deskhand.operator.carrying import outcome_of
from deskhand.operator.loop import Loop
from deskhand.operator.model import OperatorModel
from deskhand.operator.strategies import OperatorProcessor


class OperatorAgent(AppAgent):
    """An agent of one application's windows. It has one model: another could not read the items of its conversation,
    so that a backup is for the host alone.
    """

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
        if not models or not isinstance(models[0], OperatorModel):
            named = models[0].name if models else "no model"
            raise ConfigurationError(
                f"an OperatorAgent cannot be driven by {named}", fix="set models.app to operator:VENDOR/NAME"
            )
        self.model = models[0]
        super().__init__(name, services, models[:1], mode=mode, target=target, process_name=process_name)

    @property
    def codec(self) -> Codec:
        return self.model.codec

    def forget_subtask(self) -> None:
        super().forget_subtask()
        self.loop = Loop()

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: each agent's own context
        return OperatorProcessor(self, context)

    async def get_response(self, model: Model, request: ModelRequest) -> ModelReply:  # noqa: ARG002 - its own words
        """Ask for one turn. Raises: ModelUnavailable, ReplyDefect."""
        try:
            return await self.model.take_turn(self.loop.conversation(self.model.max_output_tokens))
        except RequestTooLong:
            self.loop.remove_pictures(1)
            raise

    @property
    def asks_before_held(self) -> bool:
        """True also where safety checks of the vendor wait: no setting acknowledges them."""
        return super().asks_before_held or (self.loop.due is not None and self.loop.due.unchecked)

    def after_actions(self, context: Context, done: ActionInfo) -> None:  # noqa: ARG002 - the interface's
        """Record the outcome of an action that the user approved, and with it the vendor's safety checks."""
        self.loop.acknowledge()
        for info in done:
            self.loop.record(outcome_of(info))
