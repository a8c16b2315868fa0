"""The tools of a server as pydantic-ai gives them to a model: the structured content alone, where there is any."""

import asyncio
import json

from client_loop import CONFIG, serve
from fast_mcp import ask, transport
from fastmcp.exceptions import ToolError
from pydantic_ai import BinaryContent
from pydantic_ai.mcp import MCPToolset

STARTS_S = 120
ANSWERS_S = 120
"""Seconds; the server imports all of Deskhand first, on a machine that runs other tests as well."""

heard_by = {}


async def progress(done, total, message):
    for heard in heard_by.values():
        heard(done)


async def connect(stack):
    toolset = MCPToolset(
        transport(),
        elicitation_handler=ask if "answer" in CONFIG else None,
        progress_handler=progress,
        tool_error_behavior="error",
        init_timeout=STARTS_S,
        read_timeout=ANSWERS_S,
    )
    return await stack.enter_async_context(toolset)


async def list_tools(toolset):
    return await toolset.list_tools()


async def call(toolset, tool, arguments, heard):
    heard_by[id(heard)] = heard
    try:
        given = await toolset.direct_call_tool(tool, arguments)
    except ToolError as error:
        return {"failed": True, "text": str(error), "structured": None, "pictures": 0}
    finally:
        del heard_by[id(heard)]
    parts = given if isinstance(given, list) else [given]
    pictures = [part for part in parts if isinstance(part, BinaryContent)]
    texts = [part if isinstance(part, str) else json.dumps(part) for part in parts if part not in pictures]
    structured = given if isinstance(given, dict) else None
    return {"failed": False, "text": "\n".join(texts), "structured": structured, "pictures": len(pictures)}


asyncio.run(serve(connect, list_tools, call))
