#!/bin/bash
# pydantic-ai-slim 2.68.0 and llguidance 1.9.1: a free-form object of a schema can only be answered with {}.
#
# Valid input: an output schema with {"type": "object"}, which by JSON Schema takes any properties, sent with `strict`
# left at its default (not set). Seen: the request carries "properties": {}, "additionalProperties": false for that
# object although the same request says "strict": false. A server that holds replies to the schema by a grammar (llguidance does so in
# several servers of local models) then refuses every property: a model can write "args": {} and nothing else. With
# "additionalProperties": true in the schema, or strict=False, the object stays open.
#
# Run: findings/pydantic-ai-closes-open-objects.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'pydantic-ai-slim[openai]==2.68.0' 'openai==3.50.0' 'llguidance==1.9.1'
cat > "$folder/seen.py" <<'PY'
import asyncio, json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.openai import OpenAIProvider

bodies = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": "{}"}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                  "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Bytes:
    eos_token_id, bos_token_id = 256, None
    tokens = [bytes([b]) for b in range(256)] + [b"<end>"]
    special_token_ids = [256]

    def __call__(self, text):
        return list(text.encode() if isinstance(text, str) else text)


def takes(schema, text):
    matcher = LLMatcher(LLTokenizer(TokenizerWrapper(Bytes())), LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    return matcher.try_consume_tokens(list(text.encode())) == len(text.encode()) and matcher.is_accepting()


async def sent(args, strict):
    schema = {"type": "object", "properties": {"args": args}, "required": ["args"]}
    described = OutputObjectDefinition(schema, name="reply", strict=strict)
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
    model = OpenAIChatModel("local-model", provider=OpenAIProvider(openai_client=client))
    parameters = ModelRequestParameters(output_mode="native", output_object=described)
    await model_request(model, [ModelRequest.user_text_prompt("go")], model_request_parameters=parameters)
    form = bodies[-1]["response_format"]["json_schema"]
    return form.get("strict"), form["schema"]["properties"]["args"], takes(form["schema"], '{"args": {"text": "hi"}}')


async def main():
    for args, strict in (({"type": "object"}, None), ({"type": "object"}, False), ({"type": "object", "additionalProperties": True}, None)):
        print(json.dumps(args), "strict given:", strict, "->", *map(json.dumps, await sent(args, strict)))

server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(main())
PY
seen=$("$folder/venv/bin/python" "$folder/seen.py" 2>/dev/null)
# each line: the object of the schema, strict as given -> strict as sent, the object as sent, whether {"text": "hi"} is accepted
expected='{"type": "object"} strict given: None -> false {"type": "object", "properties": {}, "additionalProperties": false} false
{"type": "object"} strict given: False -> false {"type": "object", "properties": {}} true
{"type": "object", "additionalProperties": true} strict given: None -> false {"type": "object", "additionalProperties": true, "properties": {}} true'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed; expected:"; echo "$expected"; exit 1; }
