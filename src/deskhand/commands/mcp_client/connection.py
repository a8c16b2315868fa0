"""One connection to one server, run by a task of its own, so that its failures stay there."""

import json
from typing import Any, Final, cast

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from deskhand.commands.mcp_client.configured_servers import ToolServer
from deskhand.commands.mcp_client.transports import transport
from deskhand.core.errors import ToolServerError, ToolServerInvalid, ToolServerRefused, ToolServerUnavailable
from deskhand.core.json import JsonObject
from deskhand.core.text import one_line

MOST_TEXT: Final = 20_000
"""Most characters of one answer; the rest is cut."""
_MOST_PAGES: Final = 8
_FAREWELL_S: Final = 3.0
_WORDS: Final = 300
_BREAKS: Final = (
    MCPError,
    ValidationError,
    ValueError,
    RuntimeError,
    OSError,
    httpx2.HTTPError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    ExceptionGroup,  # the library's task groups wrap their errors
)
"""Exceptions that the library raises if a server answers with nonsense or ends at any moment."""


class Connection:
    """`tools`: as listed by the server. `run` is its life; `ready` is set once it is connected or has failed."""

    def __init__(self, server: ToolServer) -> None:
        self.server = server
        self.ready = anyio.Event()
        self.tools: tuple[types.Tool, ...] = ()
        self.failure: ToolServerError | None = None
        self._client: Client | None = None
        self._closing = anyio.Event()
        self._scope = anyio.CancelScope()

    async def run(self) -> None:
        """Connect, list the tools, and stay until `close`. Errors end up in `failure`."""
        self._scope.deadline = anyio.current_time() + self.server.entry.connect_s
        try:
            with self._scope:
                await self._live()
        except ToolServerError as error:
            self._fail(error)
        except _BREAKS as error:
            self._fail(ToolServerUnavailable(f"{self._name} broke off: {_cause(error)}", fix=self._fix))
        finally:
            if not self.ready.is_set() and self.failure is None:
                self._fail(
                    ToolServerUnavailable(
                        f"{self._name} was not ready within {self.server.entry.connect_s:g} s", fix=self._fix
                    )
                )
            self._client = None
            self.ready.set()

    async def _live(self) -> None:
        where: Any = self.server.inside or transport(self.server)  # Any: as the library declares it
        async with Client(where) as client:
            self.tools = await _listed(client)
            self._scope.deadline = float("inf")
            self._client = client
            self.ready.set()
            await self._closing.wait()
            self._client = None

    def close(self) -> None:
        self._scope.deadline = anyio.current_time() + _FAREWELL_S
        self._closing.set()

    async def call(self, tool: str, arguments: JsonObject, *, most_s: float = float("inf")) -> str:
        """Call a tool and return its answer, as text of a bounded length; `most_s`: a further limit of the deadline.

        Raises: ToolServerUnavailable, ToolServerInvalid, ToolServerRefused.
        """
        client, deadline_s = self._client, min(self.server.entry.deadline_s, most_s)
        if client is None:
            raise self.failure or ToolServerUnavailable(f"{self._name} is gone", fix=self._fix)
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=dict(arguments)))
        try:
            with anyio.fail_after(deadline_s):
                # Not `call_tool`: it evaluates the server's own schemas, which may never end.
                result = await client.session.send_request(request, types.CallToolResult)
        except TimeoutError as error:
            raise ToolServerUnavailable(
                f"{self._name} did not answer {tool} within {deadline_s:g} s",
                fix=f"raise mcp.servers.{self.server.name}.deadline_s",
            ) from error
        except MCPError as error:
            raise ToolServerRefused(f"{self._name} refused {tool}: {_words(error.error.message)}") from error
        except ValidationError as error:
            raise ToolServerInvalid(f"{self._name} answered {tool} without a valid result") from error
        except _BREAKS as error:
            raise ToolServerUnavailable(f"{self._name} broke off: {_cause(error)}", fix=self._fix) from error
        text = _text(result)
        if result.is_error:
            raise ToolServerRefused(f"{self._name} reports that {tool} failed: {_words(text)}")
        return text

    def _fail(self, error: ToolServerError) -> None:
        if self.failure is None and not self._closing.is_set():
            self.failure = error

    @property
    def _name(self) -> str:
        return f"the tool server {self.server.name!r}"

    @property
    def _fix(self) -> str:
        return f"check that it runs as configured in mcp.servers.{self.server.name}"


async def _listed(client: Client) -> tuple[types.Tool, ...]:
    """The first pages of its list of tools."""
    tools: list[types.Tool] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        params = types.PaginatedRequestParams(cursor=cursor)
        page = await client.session.send_request(types.ListToolsRequest(params=params), types.ListToolsResult)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tuple(tools)


def _text(result: types.CallToolResult) -> str:
    """Its texts, else its structured content; other parts are only counted."""
    texts = [part.text for part in result.content if isinstance(part, types.TextContent)]
    if not texts and result.structured_content is not None:
        texts = [json.dumps(result.structured_content, ensure_ascii=False)]
    others = sum(not isinstance(part, types.TextContent) for part in result.content)
    text = "\n".join(texts)
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}\n… ({len(text) - MOST_TEXT} characters more)"
    return f"{text}\n({others} parts are no text and were left out)" if others else text


def _words(text: str) -> str:
    return one_line(text, _WORDS)


def _cause(error: BaseException) -> str:
    """The innermost error, in a few words."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]  # it holds any exception
    return _words(f"{type(error).__name__}: {error}")
