"""A server on the loopback that speaks Anthropic's computer-use loop, and a desktop in memory for it to work on."""

import json
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from deskhand.core.geometry import Point
from deskhand.desktop.fake import FakeControl, FakeDesktop
from notes import Notes
from wire.server import Answer, Fail, Hang, Json, Say, Wire, wire

__all__ = ["Answer", "Fail", "Hang", "Json", "Reply", "Say", "Wire"]

Reply = Answer | Callable[[Json], Answer]
_IDS = count(1)
MODEL = "operator:anthropic/claude-opus-5-5"


def use(member: str, **arguments: object) -> Json:
    """A call of a member of the toolset."""
    block = {"type": "tool_use", "id": f"toolu_{next(_IDS)}", "name": member, "input": arguments}
    return {**block, "toolset_name": "computer"}


def turn(*uses: Json, text: str = "", stop: str = "") -> Fail:
    """A reply of the model: words, then calls."""
    content = [*([{"type": "text", "text": text}] if text else []), *uses]
    body = {
        "id": f"msg_{next(_IDS)}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": content,
        "stop_reason": stop or ("tool_use" if uses else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }
    return Fail(200, json.dumps(body))


def done(text: str = "it is done") -> Fail:
    return turn(text=f"DONE: {text}")


@contextmanager
def vendor(monkeypatch: pytest.MonkeyPatch, *answers: Reply) -> Generator[Wire]:
    """Answers in turn, the last one again and again; a function is called with the request's body."""
    left = list(answers)

    def answer(body: Json) -> Answer:
        now = left.pop(0) if len(left) > 1 else left[0]
        return now if isinstance(now, Fail | Hang | Say) else now(body)

    with wire(script=answer) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-very-secret")
        yield server


@dataclass
class Desk:
    """The notes application on a desktop in memory, for `deskhand.run(opens=…)`."""

    notes: Notes = field(default_factory=Notes)

    @property
    def desktop(self) -> FakeDesktop:
        return self.notes.desktop

    @asynccontextmanager
    async def open(self, choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:
        yield self.desktop

    def at(self, control: FakeControl) -> list[int]:
        """The middle of a control, as a coordinate: the screen is sent in its own size."""
        return list(point(self.desktop.target(control).rect.center))


def point(at: Point) -> tuple[int, int]:
    return at.x, at.y


def results(body: Json) -> list[Json]:
    """The results in the last message of a request."""
    content = cast("list[Json]", body["messages"][-1]["content"])
    return [block for block in content if block["type"] == "tool_result"]


def said(result: Json) -> str:
    """The texts of a result."""
    parts = cast("list[Json]", result["content"])
    return "\n".join(str(part["text"]) for part in parts if part["type"] == "text")


def kinds(result: Json) -> Sequence[Any]:
    return [part["type"] for part in cast("list[Json]", result["content"])]
