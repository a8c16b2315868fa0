"""A server on the loopback that speaks as OmniParser v2's own does; what a test scripts is what it "sees"."""

import base64
import json
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, cast

from PIL import Image

from wire.serving import LoopbackServer, QuietHandler, serving

Element = dict[str, Any]  # as JSON has it


@dataclass(frozen=True)
class Raw:
    """An answer as it stands."""

    body: bytes = b""
    status: int = 200


class Hang:
    """No answer until the client goes away."""


Answer = Raw | Hang | Sequence[Element]
Sees = Callable[[Image.Image], Answer]


def icon(left: float, top: float, right: float, bottom: float, content: str | None = None) -> Element:
    """As v2 tells of something that can be clicked."""
    source = "box_yolo_content_ocr" if content else "box_yolo_content_yolo"
    return {
        "type": "icon",
        "bbox": [left, top, right, bottom],
        "interactivity": True,
        "content": content,
        "source": source,
    }


def text(left: float, top: float, right: float, bottom: float, content: str) -> Element:
    """As v2 tells of words."""
    bbox = [left, top, right, bottom]
    return {"type": "text", "bbox": bbox, "interactivity": False, "content": content, "source": "box_ocr_content_ocr"}


class Seer:
    """A running server: its address, and the sizes of the pictures it was sent."""

    def __init__(self, port: int, sees: Sees) -> None:
        self.address: Final = f"http://127.0.0.1:{port}"
        self.sees = sees
        self.sent: list[tuple[int, int]] = []
        self.gone = threading.Event()


@contextmanager
def seer(sees: Sees) -> Generator[Seer]:
    server = _Server(("127.0.0.1", 0), _Handler)
    it = server.seer = Seer(server.server_address[1], sees)
    with serving(server, it.gone):
        yield it


class _Server(LoopbackServer):
    seer: Seer


class _Handler(QuietHandler):
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride] - it is only ever made with this one

    def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
        it = self.server.seer
        body = cast("dict[str, str]", json.loads(self.rfile.read(int(self.headers["content-length"]))))
        if self.path != "/parse/" or list(body) != ["base64_image"]:
            self._send(Raw(b'{"detail": "Not Found"}', 404))
            return
        image = Image.open(BytesIO(base64.b64decode(body["base64_image"], validate=True))).convert("RGB")
        it.sent.append(image.size)
        match it.sees(image):
            case Hang():
                it.gone.wait(20)
                self.close_connection = True
            case Raw() as raw:
                self._send(raw)
            case seen:
                told = {"som_image_base64": body["base64_image"], "parsed_content_list": list(seen), "latency": 0.1}
                self._send(Raw(json.dumps(told).encode()))

    def _send(self, raw: Raw) -> None:
        self.send_response(raw.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw.body)))
        self.end_headers()
        try:
            self.wfile.write(raw.body)
        except OSError:
            self.close_connection = True
