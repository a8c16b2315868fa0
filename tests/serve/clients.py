"""The official client, and how it reads answers."""

import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client

from support import ROOT

PROGRAM: Final = ROOT / "tests/serve/notes_server.py"
TOKEN: Final = "a-token-for-tests-only"  # noqa: S105 - as it says
ERAS: Final = ("legacy", "2026-07-28")
"""With a handshake, where a server can ask while a call waits; and without, where the call ends with what is asked."""
DEADLINE_S: Final = 30.0


def notes_server(*arguments: str | Path) -> StdioServerParameters:
    paths = f"{ROOT / 'src'}:{ROOT / 'tests'}"
    return StdioServerParameters(
        command=sys.executable,
        args=[str(PROGRAM), *map(str, arguments)],
        env={"PYTHONPATH": paths, "LANG": "C.UTF-8", **of_this_run()},
    )


def of_this_run() -> dict[str, str]:
    """The mark of processes of this test run, for those that get an environment of their own."""
    return {name: value for name, value in os.environ.items() if name == "DESKHAND_TEST_RUN"}


class Person:
    """Answers what a server asks; `asked` has the questions."""

    def __init__(self, answer: types.ElicitResult | None = None) -> None:
        self.asked: list[str] = []
        self._answer = answer or types.ElicitResult(action="accept", content={"approve": True})

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self._answer


class Absent(Person):
    """Is asked and never answers."""

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        await anyio.sleep_forever()
        raise AssertionError("nobody wakes it")


@asynccontextmanager
async def connected(server: Any, era: str, person: Person | None = None) -> AsyncGenerator[Client]:  # Any: as Client's
    with anyio.fail_after(DEADLINE_S):
        async with Client(server, mode=era, elicitation_callback=person) as client:
            yield client


@asynccontextmanager
async def over_http(
    address: str, era: str, person: Person | None = None, *, token: str = TOKEN
) -> AsyncGenerator[Client]:
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=DEADLINE_S) as http,
        connected(streamable_http_client(address, http_client=http), era, person) as client,
    ):
        yield client


async def told(client: Client, tool: str, **arguments: object) -> str:
    """The text of an answer that is no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return text_of(result)


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """The text of an answer that is an error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return text_of(result)


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def ids(client: Client, **arguments: object) -> Callable[[str], str]:
    """Observes, and says which id stands before a control of that name."""
    lines = (await told(client, "observe_window", **arguments)).split("\n")
    by_name = {line.split('"')[1]: line.split()[0] for line in lines if line.strip()[:1].isdigit() and '"' in line}
    return by_name.__getitem__
