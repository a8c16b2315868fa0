"""What a reply said, as an event."""

from deskhand.core.context import Context
from deskhand.core.events import ReplyAccepted
from deskhand.core.replies import AgentReply, HostAgentResponse
from deskhand.pipeline.services import PipelineAgent


def tell_reply(agent: PipelineAgent, context: Context, reply: AgentReply, raw: str) -> None:
    """Writes an accepted reply to the journal."""
    context.events.emit(
        ReplyAccepted(
            step=context.session_step,
            agent=agent.name,
            observation=reply.observation,
            thought=reply.thought,
            plan=list(reply.plan),
            comment=reply.comment,
            status=reply.status,
            result=reply.result,
            questions=list(reply.questions),
            subtask=reply.current_subtask if isinstance(reply, HostAgentResponse) else "",
            raw=raw,
        )
    )
