"""The client of fastmcp."""

import asyncio

from client_loop import CONFIG, answer_of, approves, serve
from fastmcp.client import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


async def ask(message, response_type, params, context):
    if await approves(message):
        return ElicitResult(action="accept", content={"approve": True})
    return ElicitResult(action="decline")


def transport():
    if "command" in CONFIG:
        command, *arguments = CONFIG["command"]
        return StdioTransport(command=command, args=arguments, env=CONFIG["environment"])
    return StreamableHttpTransport(CONFIG["address"], headers={"authorization": f"Bearer {CONFIG['token']}"})


async def connect(stack):
    client = Client(transport(), elicitation_handler=ask if "answer" in CONFIG else None)
    return await stack.enter_async_context(client)


async def list_tools(client):
    return await client.list_tools()


async def call(client, tool, arguments, heard):
    async def progress(done, total, message):
        heard(done)

    return answer_of(await client.call_tool_mcp(tool, arguments, progress_handler=progress))


if __name__ == "__main__":
    asyncio.run(serve(connect, list_tools, call))
