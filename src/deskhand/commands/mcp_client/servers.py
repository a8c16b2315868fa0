"""The servers of one session, and their tools as catalogue entries."""

import re
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import anyio

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, Tool
from deskhand.commands.mcp_client.configured_servers import ToolServer
from deskhand.commands.mcp_client.schema import arguments_of, lean
from deskhand.core.command import Effect, EffectClass, Route, ToolSpec, ToolType
from deskhand.core.errors import ToolServerError, ToolServerInvalid, ToolServerUnavailable
from deskhand.core.text import one_line

if TYPE_CHECKING:
    import mcp_types as types
    from anyio.abc import TaskGroup

    from deskhand.commands.mcp_client.connection import Connection

MOST_TOOLS: Final = 64
SEARCH_S: Final = 4.0
"""Limit of one search: it runs beside the search in local knowledge, which must not wait longer."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_DESCRIPTION: Final = 400
Report = Callable[[str, ToolServerError], None]


class ForeignServers:
    """Connects to all servers at once, each with its own deadline; used as `async with`.

    `report` gets the name and error of each server or tool that cannot be used; the others stay available.
    """

    def __init__(self, servers: Sequence[ToolServer], report: Report) -> None:
        self._servers = tuple(servers)
        self._report = report
        self._connections: dict[str, Connection] = {}
        self._group: TaskGroup | None = None
        self.tools: tuple[Tool, ...] = ()

    async def __aenter__(self) -> Self:
        if not self._servers:
            return self
        from deskhand.commands.mcp_client.connection import Connection  # noqa: PLC0415 - brings the protocol's library

        self._group = await anyio.create_task_group().__aenter__()
        self._connections = {server.name: Connection(server) for server in self._servers}
        for connection in self._connections.values():
            self._group.start_soon(connection.run)
        try:
            for connection in self._connections.values():
                await connection.ready.wait()
        except BaseException:
            self._group.cancel_scope.cancel()
            await self._group.__aexit__(None, None, None)
            raise
        self.tools = tuple(tool for connection in self._connections.values() for tool in self._taken(connection))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._group is None:
            return
        for connection in self._connections.values():
            connection.close()
        await self._group.__aexit__(None, None, None)  # unwrapped: the group would wrap the caller's error

    async def ask(self, server: str, tool: str, argument: str, text: str) -> str:
        """Call a tool that takes one text, for optional help. Raises: ToolServerError."""
        connection = self._connections.get(server)
        if connection is None:
            raise ToolServerUnavailable(f"there is no tool server {server!r}")
        return await connection.call(tool, {argument: text}, most_s=SEARCH_S)

    def _taken(self, connection: "Connection") -> list[Tool]:
        """The configured and usable tools of a server."""
        name, entry = connection.server.name, connection.server.entry
        if connection.failure is not None:
            self._report(name, connection.failure)
            return []
        listed = {tool.name: tool for tool in reversed(connection.tools)}
        for missing in sorted({*entry.tools, *entry.reads} - set(listed)):
            self._report(name, ToolServerInvalid(f"the tool server {name!r} has no tool {missing!r}"))
        wanted = [tool for tool in connection.tools if not entry.tools or tool.name in entry.tools]
        if len(wanted) > MOST_TOOLS:
            self._report(
                name, ToolServerInvalid(f"the tool server {name!r} has {len(wanted)} tools; {MOST_TOOLS} are taken")
            )
        taken: dict[str, Tool] = {}
        for tool in wanted[:MOST_TOOLS]:
            try:
                made = _tool(connection, tool)
            except ToolServerInvalid as error:
                called = f"the tool {one_line(tool.name, 80)!r} of the tool server {name!r}"
                self._report(name, ToolServerInvalid(f"{called} is not taken: {error.message}"))
            else:
                taken.setdefault(made.spec.name, made)
        return [*taken.values()]


def _tool(connection: "Connection", tool: "types.Tool") -> Tool:
    """Raises: ToolServerInvalid."""
    entry = connection.server.entry
    if not _NAME.fullmatch(tool.name):
        raise ToolServerInvalid("it has no usable name")
    schema = lean(tool.input_schema)
    reads = tool.name in entry.reads
    spec = ToolSpec(
        name=f"{connection.server.name}.{tool.name}",
        description=one_line(tool.description or tool.title or "", _DESCRIPTION),
        parameters=schema,
        tool_type=ToolType.DATA_COLLECTION if reads else ToolType.ACTION,
        effect_class=EffectClass.NONE if reads else EffectClass.UNKNOWN,
        audience=frozenset(entry.agents),
        namespace=f"mcp:{connection.server.name}",
        has_effect=not reads,
        deadline_s=entry.connect_s + entry.deadline_s,
        applications=frozenset(entry.applications),
    )

    async def run(tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:  # noqa: ARG001 - checked already
        tools.delivered = not reads
        text = await connection.call(tool.name, call.command.parameters)
        data = {"server": connection.server.name, "text": text}
        if reads:
            return ToolOutcome(data)
        message = "the server answered; its effect cannot be checked"
        return ToolOutcome(data, Effect.UNVERIFIABLE, Route.APPLICATION_API, message, retry_safe=False)

    return Tool(spec, arguments_of(schema), run)
