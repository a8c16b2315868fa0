"""One message to the user: what has happened, in which session, and what to do."""

import json
import socket
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from deskhand.core.json import JsonValue
from deskhand.core.text import CUT

Kind: TypeAlias = Literal["question", "confirmation", "end", "task"]
LONGEST_QUESTION: Final = 1000
"""Characters of a question; the rest is left out."""


def _new_id() -> str:
    return f"msg_{uuid.uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Message:
    """`session`: its id, or the folder of a batch. `title` and `text` are for people, `details` for programs.

    `id` is unique, and the same in each attempt to send it. `at`: in seconds since 1970, set by the outbox.
    """

    kind: Kind
    session: str
    title: str
    text: str
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    id: str = field(default_factory=_new_id)
    at: float = 0.0

    @property
    def as_json(self) -> bytes:
        """The message as a program gets it: one line of ASCII."""
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")
        data = {
            "session": self.session,
            "host": socket.gethostname(),
            "title": self.title,
            "text": self.text,
            **self.details,
        }
        whole = {"type": f"deskhand.{self.kind}", "id": self.id, "timestamp": when.replace("+00:00", "Z"), "data": data}
        return json.dumps(whole).encode("ascii")


def question(session: str, agent: str, questions: Sequence[str]) -> Message:
    """An agent waits for answers."""
    words = [_shortened(each) for each in questions]
    listed: list[JsonValue] = [*words]
    text = "\n".join((*words, f"{agent} of {session} asks. {_answer(session)}"))
    return Message("question", session, "Deskhand has a question", text, {"agent": agent, "questions": listed})


def confirmation(session: str, agent: str, actions: int) -> Message:
    """An agent waits for an approval. Its actions are not named: they may contain texts of documents."""
    wanted = "an action" if actions == 1 else f"{actions} actions"
    text = f"{agent} of {session} wants {wanted} approved. {_answer(session)}"
    return Message("confirmation", session, "Deskhand wants an approval", text, {"agent": agent, "actions": actions})


def end(session: str, outcome: str, seconds: float) -> Message:
    """A session has ended. Its reason is not named: it may contain texts of documents."""
    text = f"The session {session} took {_duration(seconds)}. deskhand sessions show {session} has its steps."
    return Message("end", session, f"Deskhand: {outcome}", text, {"outcome": outcome, "seconds": round(seconds, 3)})


def batch_end(folder: str, outcome: str, seconds: float, counts: tuple[int, int]) -> Message:
    """A batch has ended. `counts`: the tasks that succeeded, and all."""
    done, every = counts
    text = f"{done} of {every} tasks succeeded in {_duration(seconds)}. Their reports are in {folder}."
    details: dict[str, JsonValue] = {
        "outcome": outcome,
        "seconds": round(seconds, 3),
        "succeeded": done,
        "tasks": every,
    }
    return Message("end", folder, f"Deskhand: {outcome}", text, details)


def task_end(folder: str, task: str, outcome: str) -> Message:
    """A task of a batch has ended."""
    text = f"The task {task} of {folder} has ended."
    return Message("task", folder, f"Deskhand: {task}: {outcome}", text, {"task": task, "outcome": outcome})


def _answer(session: str) -> str:
    """The ways to answer; a batch, which is named by its folder, has no view."""
    view = "" if "/" in session else f", or in a browser: deskhand view {session}"
    return f"Answer in the terminal of the command{view}."


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_QUESTION else text[: LONGEST_QUESTION - 1] + CUT


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
