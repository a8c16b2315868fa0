"""A client of an MCP server that is driven over stdin and stdout, one JSON object a line.

The only argument is JSON: `command`, `environment` (stdio) or `address`, `token` (HTTP); `answer`: true, false or
null (a user who never answers); left out, nobody can be asked. Each request is `{"number", "tool", "arguments"}`, its
answer `{"number", "failed", "text", "structured", "pictures", "progress"}`; without `tool`, `{"number", "tools"}`. A
question of the server is printed as `{"asked"}`. It ends with its input. Requests do not wait for each other.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

CONFIG = json.loads(sys.argv[1])


def put(**value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def approves(message):
    """The user's answer to a question."""
    put(asked=message)
    if CONFIG["answer"] is None:
        await asyncio.Event().wait()
    return CONFIG["answer"]


def answer_of(result):
    """The answer as the protocol has it; the names of its fields differ between versions of the library."""
    data = result.model_dump(mode="json", by_alias=True)
    return {
        "failed": bool(data.get("isError")),
        "text": "\n".join(part["text"] for part in data["content"] if part["type"] == "text"),
        "structured": data.get("structuredContent"),
        "pictures": sum(part["type"] == "image" for part in data["content"]),
    }


def tools_of(tools):
    dumped = [tool.model_dump(mode="json", by_alias=True) for tool in tools]
    return {tool["name"]: tool["inputSchema"] for tool in dumped}


async def serve(connect, list_tools, call):
    """`connect(stack)` returns a session; `list_tools(session)` its tools; `call(session, tool, arguments, heard)` an
    answer, where `heard` is called at each progress notification.
    """
    async with AsyncExitStack() as stack:
        session = await connect(stack)

        async def carry_out(request):
            if "tool" not in request:
                put(number=request["number"], tools=tools_of(await list_tools(session)))
                return
            times = []
            answer = await call(session, request["tool"], request["arguments"], times.append)
            put(number=request["number"], progress=len(times), **answer)

        put(ready=True)
        async with asyncio.TaskGroup() as group:
            tasks = []
            while line := await asyncio.to_thread(sys.stdin.readline):
                tasks.append(group.create_task(carry_out(json.loads(line))))
            for task in tasks:
                task.cancel()
