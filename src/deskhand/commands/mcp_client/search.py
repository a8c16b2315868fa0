"""Online search as a source of knowledge: a server's tool behind the port of the retrievers (contract 3.2)."""

from dataclasses import dataclass
from typing import Final

from deskhand.commands.mcp_client.configured_servers import ToolServer
from deskhand.commands.mcp_client.servers import ForeignServers, Report
from deskhand.core.errors import ToolServerError
from deskhand.core.model import Passage
from deskhand.core.text import cut, one_line

_QUERY: Final = 400
_PASSAGE: Final = 2400
_TITLE: Final = 100


@dataclass(frozen=True, slots=True)
class ServerRetriever:
    """Passages from a server's search tool, which gets the query and the application's name, nothing else."""

    servers: ForeignServers
    server: ToolServer
    report: Report

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Return its paragraphs, in its order; none if it fails, which is reported."""
        entry = self.server.entry
        asked = one_line(f"{application} {query}", _QUERY)
        try:
            text = await self.servers.ask(self.server.name, entry.search, entry.search_argument, asked)
        except ToolServerError as error:
            self.report(self.server.name, error)
            return ()
        parts = [part.strip() for part in text.split("\n\n") if part.strip()]
        source = f"{self.server.name}.{entry.search}"
        return tuple(
            Passage("web", one_line(part, _TITLE), cut(part, _PASSAGE), source, score=1 / (1 + place))
            for place, part in enumerate(parts[:limit])
        )
