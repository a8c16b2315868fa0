#!/bin/bash
# pydantic-ai-slim 2.68.0 with fastmcp-slim 4.2.3 and mcp 2.3.0: a handler is reported as one that "will never be
# called", and is called.
#
# Valid input: an MCP server over stdio whose tool answers a call with a question (`InputRequiredResult`, the newest
# protocol's way to ask a user), and an `MCPToolset` with an `elicitation_handler`. Seen: on connecting, the toolset
# warns that `elicitation_handler` will never be called because the session is a modern one; then the tool is called,
# the handler is asked, and the tool gets its answer. Somebody who believes the warning and removes the handler, which
# is all that lets a user decide, gets an error for that call instead.
#
# Run: findings/pydantic-ai-calls-a-handler-it-calls-dead.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'pydantic-ai-slim[mcp]==2.68.0' 'fastmcp-slim[client]==4.2.3' 'mcp==2.3.0'
cat > "$folder/server.py" <<'PY'
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

server = MCPServer("shop")
SCHEMA = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}


@server.tool()
async def order(context: Context) -> str | InputRequiredResult:
    answers = context.input_responses
    if answers:
        return f"{answers['sure'].action} {answers['sure'].content}"
    question = ElicitRequestFormParams(message="Are you sure?", requested_schema=SCHEMA)
    return InputRequiredResult(input_requests={"sure": ElicitRequest(params=question)})


server.run("stdio")
PY
cat > "$folder/client.py" <<'PY'
import asyncio
import sys
import warnings

from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from pydantic_ai.mcp import MCPToolset


async def call(**handlers):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            async with MCPToolset(StdioTransport(sys.executable, [sys.argv[1]]), **handlers) as tools:
                result = await tools.direct_call_tool("order", {})
        except Exception as error:
            result = type(error).__name__
    said = sum("`elicitation_handler` will never be called" in str(warning.message) for warning in warned)
    return f"warnings {said}, result: {result}"


async def main():
    asked = []

    async def answer(message, kind, parameters, context):
        asked.append(message)
        return ElicitResult(action="accept", content={"sure": True})

    print("with a handler:", await call(elicitation_handler=answer), "asked:", asked)
    print("without:", await call())


asyncio.run(main())
PY
cat > "$folder/expected" <<'TEXT'
with a handler: warnings 1, result: accept {'sure': True} asked: ['Are you sure?']
without: warnings 0, result: ModelRetry
TEXT
HOME="$folder" "$folder/venv/bin/python" "$folder/client.py" "$folder/server.py" > "$folder/seen" 2> "$folder/errors" || { cat "$folder/errors"; exit 2; }
cat "$folder/seen"
diff "$folder/expected" "$folder/seen"
