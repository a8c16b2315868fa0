"""The official client of all protocol versions, which prefers the one without a session: mcp 2.x."""

import asyncio

import httpx2
import mcp_types as types
from client_loop import CONFIG, answer_of, approves, serve
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def ask(context, params):
    if await approves(params.message):
        return types.ElicitResult(action="accept", content={"approve": True})
    return types.ElicitResult(action="decline")


async def connect(stack):
    if "command" in CONFIG:
        command, *arguments = CONFIG["command"]
        server = StdioServerParameters(command=command, args=arguments, env=CONFIG["environment"])
    else:
        headers = {"authorization": f"Bearer {CONFIG['token']}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60))
        server = streamable_http_client(CONFIG["address"], http_client=http)
    client = Client(server, elicitation_callback=ask if "answer" in CONFIG else None)
    return await stack.enter_async_context(client)


async def list_tools(client):
    return (await client.list_tools()).tools


async def call(client, tool, arguments, heard):
    async def progress(done, total, message):
        heard(done)

    return answer_of(await client.call_tool(tool, arguments, progress_callback=progress))


asyncio.run(serve(connect, list_tools, call))
