"""The official client of protocol versions with a session: mcp 1.x."""

import asyncio

import httpx
from client_loop import CONFIG, answer_of, approves, serve
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def ask(context, params):
    if await approves(params.message):
        return types.ElicitResult(action="accept", content={"approve": True})
    return types.ElicitResult(action="decline")


async def connect(stack):
    if "command" in CONFIG:
        command, *arguments = CONFIG["command"]
        server = StdioServerParameters(command=command, args=arguments, env=CONFIG["environment"])
        streams = await stack.enter_async_context(stdio_client(server))
    else:
        headers = {"authorization": f"Bearer {CONFIG['token']}"}
        http = await stack.enter_async_context(httpx.AsyncClient(headers=headers, trust_env=False, timeout=60))
        streams = await stack.enter_async_context(streamable_http_client(CONFIG["address"], http_client=http))
    session = ClientSession(streams[0], streams[1], elicitation_callback=ask if "answer" in CONFIG else None)
    await stack.enter_async_context(session)
    await session.initialize()
    return session


async def list_tools(session):
    return (await session.list_tools()).tools


async def call(session, tool, arguments, heard):
    async def progress(done, total, message):
        heard(done)

    return answer_of(await session.call_tool(tool, arguments, progress_callback=progress))


asyncio.run(serve(connect, list_tools, call))
