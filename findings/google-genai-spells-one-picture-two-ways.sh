#!/bin/bash
# google-genai 3.6.1: in one request, the picture of a user's turn and that of a function's result have other key names.
#
# Valid input: a conversation of the computer-use loop over `generate_content` with two pictures, one beside the user's
# text and one in the `parts` of a `FunctionResponse`, and a tool with `excluded_predefined_functions`. Seen in the body
# that is sent: `inlineData` for the first picture, `inline_data` for the second, `mime_type` in both, `functionCall`
# and `functionResponse` but `excluded_predefined_functions`. Google's servers take both spellings; a recorder, proxy or
# compatible server that reads one of them finds the screen before the first action and none after it, without an error.
#
# Seen in 2.34.0 too. The calls go to a server on the loopback that answers as Google's does; no key is used.
#
# Run: findings/google-genai-spells-one-picture-two-ways.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'google-genai==3.6.1'
cat > "$folder/seen.py" <<'PY'
import http.server
import json
import threading

from google import genai
from google.genai import types

sent = []
ANSWER = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}, "finishReason": "STOP"}]}


class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_POST(self):
        sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
PNG = b"\x89PNG\r\n\x1a\n"
screen = types.FunctionResponsePart(inline_data=types.FunctionResponseBlob(mime_type="image/png", data=PNG))
result = types.FunctionResponse(id="1", name="click", response={"status": "ok"}, parts=[screen])
call = types.FunctionCall(id="1", name="click", args={"x": 500, "y": 10, "intent": "open the file"})
tool = types.ComputerUse(environment="ENVIRONMENT_DESKTOP", excluded_predefined_functions=["wait"])
client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=f"http://127.0.0.1:{server.server_port}"))
client.models.generate_content(
    model="gemini-3.5-flash",
    contents=[
        types.Content(role="user", parts=[types.Part.from_bytes(data=PNG, mime_type="image/png")]),
        types.Content(role="model", parts=[types.Part(function_call=call)]),
        types.Content(role="user", parts=[types.Part(function_response=result)]),
    ],
    config=types.GenerateContentConfig(tools=[types.Tool(computer_use=tool)]),
)
(body,) = sent
user, model, answer = (content["parts"][0] for content in body["contents"])
print("user's picture:", *user, *user["inlineData"])
print("function's picture:", *answer, *(key for part in answer["functionResponse"]["parts"] for key in part))
print("tool:", *body["tools"][0], *sorted(body["tools"][0]["computerUse"]))
PY
cat > "$folder/expected" <<'TEXT'
user's picture: inlineData data mime_type
function's picture: functionResponse inline_data
tool: computerUse environment excluded_predefined_functions
TEXT
HOME="$folder" "$folder/venv/bin/python" "$folder/seen.py" > "$folder/seen" 2> "$folder/errors" || { cat "$folder/errors"; exit 2; }
cat "$folder/seen"
diff "$folder/expected" "$folder/seen"
