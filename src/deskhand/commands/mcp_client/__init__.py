"""Tools of other servers, over the Model Context Protocol: they join the catalogue as `SERVER.TOOL`.

Whoever answers there is not us: what it says is bounded and untrusted, it never holds anything up beyond its deadline,
and what nobody said of a tool counts as unknown. The protocol's library is imported when there is a server.
"""

from deskhand.commands.mcp_client.choices import ToolServer, tool_servers
from deskhand.commands.mcp_client.search import ServerRetriever
from deskhand.commands.mcp_client.servers import ForeignServers

__all__ = ["ForeignServers", "ServerRetriever", "ToolServer", "tool_servers"]
