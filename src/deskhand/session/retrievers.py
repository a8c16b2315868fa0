"""The retrievers of a session: the knowledge store, the configured searches, those of plug-ins and of the caller."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from deskhand.commands.mcp_client import ForeignServers, ServerRetriever, ToolServer
from deskhand.core.errors import DeskhandError, ErrorInfo, PluginError
from deskhand.core.events import ErrorData, ProblemMet
from deskhand.core.model import Passage
from deskhand.core.ports import EventSink, Retriever
from deskhand.core.type_checks import items_of
from deskhand.knowledge import KnowledgeStore, StoreRetriever, knowledge_file
from deskhand.knowledge.retrieval import EmbeddingRetriever, FusedRetriever
from deskhand.models.language.embedding import ProviderEmbedder


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a session's passages. `own`: retrievers of plug-ins and of the caller."""

    embedder: ProviderEmbedder | None
    servers: tuple[ToolServer, ...]
    own: tuple[Retriever, ...]

    async def open(self, foreign: ForeignServers, stack: AsyncExitStack, events: EventSink) -> Retriever | None:
        """Return all that there are as one; None: there are none. They are closed with the stack."""
        learned = await _learned(self.embedder, stack, events)
        tell = partial(tell_of_server, events)
        searches = [ServerRetriever(foreign, server, tell) for server in self.servers if server.entry.search]
        if not searches and not self.own:
            return learned

        def report(problem: ErrorInfo) -> None:
            events.emit(ProblemMet(where="a retriever", error=ErrorData.of(problem)))

        return FusedRetriever((learned or _Nothing(), *searches, *map(OwnRetriever, self.own)), report)


class _Nothing:
    """The knowledge store where nothing was learned."""

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        del query, application, limit
        return ()


@dataclass(frozen=True, slots=True)
class OwnRetriever:
    """A retriever of a plug-in, or of the caller; its errors are those of a plug-in."""

    own: Retriever

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Raises: PluginError."""
        name = getattr(self.own, "name", type(self.own).__name__)
        try:
            found = await self.own.retrieve(query, application, limit)
        except DeskhandError:
            raise
        except Exception as error:
            problem = f"the retriever {name} raised {type(error).__name__}: {error}"
            raise PluginError(problem, fix="correct it") from error
        passages = items_of(found, Passage)
        if not _is_all(found, passages):
            raise PluginError(f"the retriever {name} returned {found!r}", fix="return a tuple of Passage")
        return passages[:limit]


def _is_all(found: object, passages: tuple[Passage, ...]) -> bool:
    """Return whether a retriever returned passages alone."""
    return len(passages) == len(items_of(found, object)) and isinstance(found, list | tuple)


async def _learned(embedder: ProviderEmbedder | None, stack: AsyncExitStack, events: EventSink) -> Retriever | None:
    """Return the knowledge store, where there is one; it is closed with the stack."""
    path = knowledge_file()
    if not path.exists():
        return None
    try:
        store = stack.enter_context(KnowledgeStore(path))
    except DeskhandError as error:
        events.emit(ProblemMet(where="what was learned", error=ErrorData.of(error)))
        return None
    if embedder is None:
        return StoreRetriever(store)
    opened = await stack.enter_async_context(embedder)

    def tell(problem: ErrorInfo) -> None:
        events.emit(ProblemMet(where=f"finding by meaning ({opened.name})", error=ErrorData.of(problem)))

    return FusedRetriever((StoreRetriever(store), EmbeddingRetriever(store, opened)), tell)


def tell_of_server(events: EventSink, name: str, error: DeskhandError) -> None:
    """Report that a tool server failed."""
    events.emit(ProblemMet(where=f"the tool server {name}", error=ErrorData.of(error)))
