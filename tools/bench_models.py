"""What a call of a model costs on our side: `bench_models.py [REPEATS]` prints medians.

`over the wire`: a whole call with a picture of 1920x1080 to a server on the loopback that answers at once, through the
provider's client; `bare` is the same body sent by the HTTP client alone, in turns. `reading`: from the text of a reply
to checked actions. `clock` is what is waited, `cpu` what this process computes: on a busy machine the second counts.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from random import Random
from typing import Final

import anyio
import httpx2

from deskhand.commands import Catalogue, standard_catalogue
from deskhand.core.errors import ReplyDefect
from deskhand.core.model import AgentKind, ImagePart, Message, ModelReply, ModelRequest, TextPart
from deskhand.core.replies import AppAgentResponse
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.extract import reply_object
from deskhand.pipeline.actions import PlanningGround
from deskhand.pipeline.parsing import usable
from deskhand.prompts import MessageConstructor
from deskhand.store.png import encode_png
from tests.pipeline.malformed import IDS, good, malformed
from tools.bench_pictures import busy_screen

STATUSES: Final = ("CONTINUE", "SCREENSHOT", "FINISH", "FAIL", "PENDING", "CONFIRM")
SERVER: Final = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
MESSAGE = {"role": "assistant", "content": '{"status": "FINISH"}'}
ANSWER = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop", "logprobs": None}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)
        self.wfile.flush()
    def log_message(self, *_): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def server() -> Generator[str]:
    """The address of a server of its own process that answers at once."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def question() -> ModelRequest:
    """A prompt of usual length with one picture."""
    constructor = MessageConstructor(AgentKind.APP, AppAgentResponse)
    parts = (TextPart("word " * 2400), ImagePart(encode_png(busy_screen()), caption="The window:"))
    return ModelRequest(
        agent=AgentKind.APP,
        agent_name="AppAgent",
        messages=(Message("system", (TextPart("word " * 1600),)), Message("user", parts)),
        request="",
        subtask="",
        host_message=(),
        steps_done=(),
        previous_subtasks=(),
        window=None,
        controls=(),
        blackboard={},
        tools=(),
        allowed_statuses=STATUSES,
        reply_schema=constructor.reply_schema((), STATUSES),
    )


async def asked(repeats: int) -> None:
    """Prints what a call costs beside what its body costs the HTTP client."""
    request = question()
    with server() as address:
        keys = {"OPENAI_BASE_URL": address}
        async with (
            LanguageModel(ModelName.parse("openai:m"), keys) as model,
            httpx2.AsyncClient(timeout=30) as client,
        ):
            await model.respond(request)
            body = json.dumps({"model": "m", "messages": [], "padding": "x" * 400_000}).encode()
            headers = {"content-type": "application/json"}

            async def bare() -> object:
                answer = await client.post(f"{address}/chat/completions", content=body, headers=headers)
                return answer.json()

            works: dict[str, Callable[[], Awaitable[object]]] = {
                "over the wire": lambda: model.respond(request),
                "bare": bare,
            }
            taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
            for _ in range(repeats):
                for name, work in works.items():
                    clock, cpu = time.perf_counter(), time.process_time()
                    await work()
                    taken[name].append((time.perf_counter() - clock, time.process_time() - cpu))
    for name, times in taken.items():
        clock, cpu = (statistics.median(part) * 1000 for part in zip(*times, strict=True))
        print(f"{name:30} clock {clock:7.2f} ms   cpu {cpu:7.2f} ms")


def read(count: int) -> None:
    """Prints what reading good and malformed replies takes."""
    catalogue = Catalogue(standard_catalogue())
    targets = {label: TargetInfo(TargetKind.CONTROL, name, Role.BUTTON, id=label) for label, name in IDS.items()}
    ground = PlanningGround(catalogue.specs(AgentKind.APP), catalogue.validate, targets, {})
    parse = usable(AppAgentResponse, question(), ground)

    def one(text: str) -> bool:
        try:
            parse(ModelReply(reply_object(text), text))
        except ReplyDefect:
            return False
        return True

    texts = {
        "good": [json.dumps(good(Random(seed)), ensure_ascii=False) for seed in range(count)],
        "malformed": [malformed(seed)[1] for seed in range(count)],
    }
    for name, replies in texts.items():
        taken: list[float] = []
        used = 0
        for text in replies:
            started = time.process_time()
            used += one(text)
            taken.append(time.process_time() - started)
        median, worst = statistics.median(taken) * 1000, max(taken) * 1000
        print(f"{f'reading, {name}':30} cpu {median:7.3f} ms   worst {worst:.1f} ms   {used} of {count} used")


if __name__ == "__main__":
    anyio.run(asked, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
    read(2000)
