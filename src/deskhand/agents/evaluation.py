"""The EvaluationAgent: judges a finished round; its verdict is reported beside the outcome (contract 2.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.context import Context
from deskhand.core.events import RoundEvaluated
from deskhand.core.model import AgentKind, ModelReply, ModelRequest, SubtaskRecord
from deskhand.core.observation import Picture
from deskhand.core.ports import Model
from deskhand.core.replies import EvaluationResponse
from deskhand.core.target import TargetInfo
from deskhand.pipeline.model_call import ask_models
from deskhand.pipeline.parsing import validated
from deskhand.pipeline.pictures import PromptPictures, Shown
from deskhand.pipeline.services import Services
from deskhand.pipeline.step_picture import StepPicture
from deskhand.prompts import MessageConstructor


@dataclass(frozen=True, slots=True)
class Desktop:
    """The desktop at the end of a round."""

    windows: tuple[TargetInfo, ...]
    picture: Picture


class EvaluationAgent:
    """Asks its own model once for each round; it neither acts nor decides."""

    kind = AgentKind.EVALUATION
    name = "EvaluationAgent"
    is_visual = True

    def __init__(self, services: Services, models: Sequence[Model]) -> None:
        self.services = services
        self.models = tuple(models)
        self.message_constructor = MessageConstructor(self.kind, EvaluationResponse)

    async def get_response(self, model: Model, request: ModelRequest) -> ModelReply:
        """Ask one model once. Raises: ModelUnavailable, ReplyDefect."""
        return await model.respond(request)

    async def evaluate(
        self, context: Context, outcome: str, subtasks: Sequence[SubtaskRecord], desktop: Desktop
    ) -> RoundEvaluated:
        """Judge the present round, after the program determined its outcome.

        Raises: ModelUnavailable, ReplyInvalid, BudgetSpent.
        """
        request = ModelRequest(
            agent=self.kind,
            agent_name=self.name,
            messages=(),
            request=context.request,
            subtask=outcome,
            host_message=(),
            steps_done=(),
            previous_subtasks=tuple(subtasks),
            window=None,
            controls=desktop.windows,
            blackboard=self.services.blackboard.values(),
            tools=(),
            allowed_statuses=(),
        )
        picture = desktop.picture
        shown = Shown("the whole desktop as it was left", StepPicture(lambda: picture))
        answer = await ask_models(self, context, request, _judgement, PromptPictures([shown]))
        reply = answer.reply
        return RoundEvaluated(
            round=context.current_round_id,
            model=self.models[0].name,
            complete=reply.complete,
            reason=reply.reason,
            scores={score.name: score.evaluation for score in reply.sub_scores},
        )


def _judgement(reply: ModelReply) -> EvaluationResponse:
    """Raises: ReplyDefect."""
    return validated(EvaluationResponse, reply.content)
