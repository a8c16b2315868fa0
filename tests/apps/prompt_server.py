"""The server of programs that play a language model: OpenAI's chat completions on the loopback.

A grammar holds each reply to the schema that is sent (`wire.held`), as servers of local models do.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from wire.held import hold


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = "\n".join(texts(body))
        self.server.write_log(text)
        size = len(text.encode()) // 4
        answer = {
            "id": "reader",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": hold(body, in_form(text, self.server.reply_to(text)))},
                    "finish_reason": "stop",
                    "logprobs": None,
                }
            ],
            "usage": {"prompt_tokens": size, "completion_tokens": 40, "total_tokens": size + 40},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """Answers each text with the reply that `reply_to` returns; `log`: a folder for the texts, or None."""

    def __init__(self, reply_to, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply_to, self.log = reply_to, log

    def write_log(self, text):
        if self.log:
            (self.log / f"{len(list(self.log.iterdir())):03}.txt").write_text(text, encoding="utf-8")


def texts(body):
    for message in body["messages"]:
        content = message["content"]
        for piece in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if piece["type"] == "text":
                yield piece["text"]


def takes_lists(text):
    return '"actions": [' in text


def in_form(text, reply):
    """The reply in the form that a prompt describes: its call in `action`, or in the list `actions`."""
    lists = takes_lists(text)
    call = {name: reply[name] for name in ("function", "control_label", "control_text", "args") if name in reply}
    if "function" not in call:
        return reply
    beside = {name: reply[name] for name in ("save_as", "expect") if lists and name in reply}
    rest = {name: part for name, part in reply.items() if name not in call and name not in beside}
    return rest | ({"actions": [{"action": call, **beside}]} if lists else {"action": call})


def serve(port_file, log, reply_to):
    """Serves until it is killed; the port is written to a file, then `ready` to stdout."""
    if log:
        log.mkdir(parents=True, exist_ok=True)
    server = Server(reply_to, log)
    port_file.write_text(str(server.server_address[1]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.serve_forever()
