"""Tools of other servers, over the Model Context Protocol: they join the catalogue as `SERVER.TOOL`.

Servers are untrusted: their answers are bounded, no call lasts beyond its deadline, and undeclared properties of a tool
count as unknown. The protocol's library is imported only if a server is configured.
"""

from deskhand.commands.mcp_client.configured_servers import ToolServer, tool_servers
from deskhand.commands.mcp_client.search import ServerRetriever
from deskhand.commands.mcp_client.servers import ForeignServers

__all__ = ["ForeignServers", "ServerRetriever", "ToolServer", "tool_servers"]
