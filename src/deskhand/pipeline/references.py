"""Passages of the knowledge store: retrieved once for each subtask, before its first model call (contract 3.2)."""

from typing import Final

import anyio

from deskhand.core.context import Context
from deskhand.core.errors import DeskhandError
from deskhand.core.events import ErrorData, KnowledgeRetrieved, PassageData, ProblemMet
from deskhand.core.model import ModelRequest, Passage
from deskhand.core.ports import Retriever
from deskhand.knowledge.retrieval import fitting
from deskhand.pipeline.services import PipelineAgent

_DEADLINE_S: Final = 10.0


async def references(agent: PipelineAgent, context: Context, request: ModelRequest) -> tuple[Passage, ...]:
    """Return the passages for this agent's subtask. A failed retrieval is reported and changes nothing else."""
    retriever = agent.services.retriever
    if retriever is None:
        return ()
    if agent.references is None:
        agent.references = await _look_up(agent, context, retriever, _query(request))
    return agent.references


def _query(request: ModelRequest) -> str:
    """Return the query, the subtask first: a retriever may cut the end."""
    window = request.window.name if request.window else ""
    return "\n".join(dict.fromkeys(part for part in (request.subtask, request.request, window) if part))


async def _look_up(agent: PipelineAgent, context: Context, retriever: Retriever, query: str) -> tuple[Passage, ...]:
    settings = agent.services.knowledge
    started = context.clock.monotonic()
    try:
        with anyio.fail_after(_DEADLINE_S):
            found = await retriever.retrieve(query, agent.application, settings.limit)
    except (DeskhandError, TimeoutError) as error:
        context.events.emit(ProblemMet(where=f"knowledge for {agent.name}", error=ErrorData.of(error)))
        return ()
    kept = fitting(found, settings.max_tokens)
    context.events.emit(
        KnowledgeRetrieved(
            step=context.session_step,
            agent=agent.name,
            query=query,
            seconds=context.clock.monotonic() - started,
            passages=[PassageData(kind=one.kind, title=one.title, source=one.source, score=one.score) for one in kept],
        )
    )
    return kept
