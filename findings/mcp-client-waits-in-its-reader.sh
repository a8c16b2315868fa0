#!/bin/bash
# mcp 1.30.0, ClientSession: while its elicitation callback waits for the user, no other answer is read.
#
# Valid input: one client session makes two calls at once; the tool of the first asks the user (elicitation/create),
# that of the second answers at once. Seen: the second answer, sent by the server within milliseconds, arrives only
# once the callback of the first has returned: the session awaits the callback in the loop that reads the connection.
# A call with a read timeout fails meanwhile, although its answer is there. With mcp 2.3.0 the same second call
# returns at once. A server that lets other calls go on while it asks does not help users of such a client.
#
# Run: findings/mcp-client-waits-in-its-reader.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 1.30.0 2.3.0; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install -qq --disable-pip-version-check "mcp==$version"
done
cat > "$folder/server.py" <<'PY'
"""Two tools over stdio: `ask` asks the user, `now` answers at once. The lines of JSON-RPC are written by hand."""
import json, sys

def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

asking = None
for line in sys.stdin:
    message = json.loads(line)
    method, ident = message.get("method"), message.get("id")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        send({"id": ident, "result": {"protocolVersion": version, "capabilities": {"tools": {}},
                                      "serverInfo": {"name": "two", "version": "1"}}})
    elif method == "tools/list":
        schema = {"type": "object", "properties": {}}
        send({"id": ident, "result": {"tools": [{"name": n, "inputSchema": schema} for n in ("ask", "now")]}})
    elif method == "tools/call" and message["params"]["name"] == "ask":
        asking = ident
        form = {"type": "object", "properties": {"yes": {"type": "boolean"}}}
        send({"id": "q", "method": "elicitation/create", "params": {"message": "May I?", "requestedSchema": form}})
    elif method == "tools/call":
        send({"id": ident, "result": {"content": [{"type": "text", "text": "now"}], "isError": False}})
    elif ident == "q":
        send({"id": asking, "result": {"content": [{"type": "text", "text": "asked"}], "isError": False}})
    elif ident is not None:
        send({"id": ident, "error": {"code": -32601, "message": "no such method"}})
PY
cat > "$folder/client.py" <<'PY'
import sys
from importlib.metadata import version

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

order = []


async def main():
    asked, decided = anyio.Event(), anyio.Event()

    async def decide(context, params):
        asked.set()
        with anyio.move_on_after(3):  # the user thinks until the other answer is here, at most so long
            await decided.wait()
        order.append("user decided")
        return ElicitResult(action="accept", content={"yes": True})

    async with stdio_client(StdioServerParameters(command=sys.executable, args=[sys.argv[1]])) as streams:
        async with ClientSession(*streams, elicitation_callback=decide) as session:
            await session.initialize()

            async def call(name):
                await session.call_tool(name, {})
                order.append(name)
                decided.set()

            async with anyio.create_task_group() as group:
                group.start_soon(call, "ask")
                await asked.wait()
                group.start_soon(call, "now")
    print(version("mcp"), " -> ".join(order))


anyio.run(main)
PY
seen=$(for version in 1.30.0 2.3.0; do timeout 60 "$folder/$version/bin/python" "$folder/client.py" "$folder/server.py"; done)
echo "$seen"
diff <(echo "$seen") - <<'SEEN'
1.30.0 user decided -> now -> ask
2.3.0 now -> user decided -> ask
SEEN
