"""The messages between a running session and other processes of its user: one JSON object a line, each answered."""

import asyncio
import hashlib
import os
import socket
import struct
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from deskhand.core.events import ErrorData

MOST_BYTES: Final = 1024 * 1024
"""Longest message."""
_PEER: Final = struct.Struct("3i")


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Look(_Message):
    """Ask for the present state."""

    do: Literal["look"] = "look"


class Attend(_Message):
    """The user at the other end can be asked, as long as the connection lasts."""

    do: Literal["attend"] = "attend"
    who: str


class Take(_Message):
    """Take the desktop over: the agent finishes its action, or is cut short, and then sends nothing."""

    do: Literal["take"] = "take"
    who: str


class HandBack(_Message):
    """Hand the desktop back. `note`: the user's words for the agent."""

    do: Literal["hand_back"] = "hand_back"
    who: str
    note: str = Field("", max_length=2000)


class Answer(_Message):
    """Answer the open questions. `number`: of the wait that is answered."""

    do: Literal["answer"] = "answer"
    who: str
    number: int
    answers: dict[str, str]


class Decide(_Message):
    """Approve or reject the held actions. `number`: of the wait that is answered."""

    do: Literal["decide"] = "decide"
    who: str
    number: int
    approve: bool


class Stop(_Message):
    """End the session: it is cancelled."""

    do: Literal["stop"] = "stop"
    who: str


Request: TypeAlias = Look | Attend | Take | HandBack | Answer | Decide | Stop
REQUESTS: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="do")])


class State(_Message):
    """The state of a session. `waits`: the number of the open question or confirmation, 0 without one.

    `attended`: a user at another place can be asked. `display`: that of its desktop, as `:5`. `held_by`: the user who
    has taken it over.
    """

    session: str
    session_dir: str
    desktop: str
    display: str
    held_by: str = ""
    waits: int = 0
    attended: bool = False
    stopping: bool = False


class Reply(_Message):
    """The reply to a request: the state after it, or the reason why it was refused."""

    state: State | None = None
    error: ErrorData | None = None


def user_of(writer: asyncio.StreamWriter) -> int:
    """The number of the user at the other end of a connection."""
    peer: socket.socket = writer.get_extra_info("socket")
    return _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1]


def socket_name(session_dir: Path) -> str:
    """The name of a session's socket in the abstract namespace, which leaves no file behind."""
    folder = hashlib.sha256(os.fsencode(session_dir.resolve())).hexdigest()[:32]
    return f"\0deskhand-{os.getuid()}-{folder}"
