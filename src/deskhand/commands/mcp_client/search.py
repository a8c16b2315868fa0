"""An online search as knowledge: a server's tool behind the port that is asked what may help (contract 3.2)."""

from dataclasses import dataclass
from typing import Final

from deskhand.commands.mcp_client.choices import ToolServer
from deskhand.commands.mcp_client.servers import ForeignServers, Tell
from deskhand.core.errors import ToolServerError
from deskhand.core.model import Passage
from deskhand.core.text import cut, one_line

_QUERY: Final = 400
_PASSAGE: Final = 2400
_TITLE: Final = 100


@dataclass(frozen=True, slots=True)
class ServerRetriever:
    """What a server's search tool finds. It gets what is looked for and the application's name, nothing else."""

    servers: ForeignServers
    server: ToolServer
    tell: Tell

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Its paragraphs, best first as it gave them; none where it fails, which is told."""
        entry = self.server.entry
        asked = one_line(f"{application} {query}", _QUERY)
        try:
            text = await self.servers.ask(self.server.name, entry.search, entry.search_argument, asked)
        except ToolServerError as error:
            self.tell(self.server.name, error)
            return ()
        parts = [part.strip() for part in text.split("\n\n") if part.strip()]
        source = f"{self.server.name}.{entry.search}"
        return tuple(
            Passage("web", one_line(part, _TITLE), cut(part, _PASSAGE), source, score=1 / (1 + place))
            for place, part in enumerate(parts[:limit])
        )
