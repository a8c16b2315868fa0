"""One tiny request that shows a model's abilities: see a picture, call a tool with arguments; and its price."""

import json
import struct
import time
import zlib
from dataclasses import dataclass
from random import Random
from typing import Final

from deskhand.core.errors import ModelError, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ImagePart, Message, ModelReply, ModelRequest, TextPart
from deskhand.core.usage import Usage
from deskhand.models.language.model import LanguageModel

COLOURS: Final = {
    "red": (220, 20, 20),
    "green": (20, 160, 40),
    "blue": (30, 60, 220),
    "yellow": (245, 220, 20),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
}
_SIDE: Final = 64
_TOOL: Final = "set_edit_text"
_ARGUMENTS: Final[JsonObject] = {"text": "ready", "clear": True}
_COLOURED: Final = ("left", "right")


def _object(properties: JsonObject) -> JsonObject:
    required = list[JsonValue](properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _call(tool: str, arguments: JsonObject) -> JsonValue:
    return _object({"function": {"type": "string", "enum": [tool]}, "args": _object(arguments)})


_FIELDS: Final[JsonObject] = {
    "left": {"type": "string"},
    "right": {"type": "string"},
    "action": {
        "anyOf": [
            _call("wait", {"seconds": {"type": "number"}}),
            _call(_TOOL, {"text": {"type": "string"}, "clear": {"type": "boolean"}}),
        ]
    },
}
_SCHEMA: Final[JsonObject] = _object(_FIELDS)
"""As in an agent's reply: texts, and the call of one of several tools, each with its own arguments."""


@dataclass(frozen=True, slots=True)
class Found:
    """Findings from a model's answer. `sees`: it named the colours; None: it was given no picture.

    `schema`: its server was sent the schema. `lacks` and `adds`: missing and additional fields of the reply.
    `arguments`: those of the requested tool call were received; None: it called no tool. `error`: reason for a missing
    answer; then only `seconds` counts.
    """

    answered: bool
    sees: bool | None
    schema: bool
    seconds: float
    arguments: bool | None = None
    usage: Usage | None = None
    note: str = ""
    error: ModelError | None = None
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True if the model is usable: it called the tool as requested, and saw the picture."""
        return self.answered and self.sees is not False and self.arguments is True

    @property
    def described(self) -> bool:
        """True if it described the picture at all."""
        return not {*_COLOURED} & {*self.lacks}

    @property
    def fix(self) -> str:
        """Advice for lost arguments; empty if none were lost."""
        if self.arguments is not False:
            return ""
        if self.schema and not (self.lacks or self.adds):
            return (
                "its server may enforce the schema and lose the arguments of a tool: "
                "set models.reply_schema to false, or use another version of the server"
            )
        return "use a larger model"


async def probe(model: LanguageModel, random: Random) -> Found:
    """Ask once. Errors of the model are findings and not raised. Raises: MissingRequirement."""
    await model.connect()
    left, right = random.sample(sorted(COLOURS), 2)
    shown = model.pictures is not None
    started = time.monotonic()
    try:
        reply = await model.respond(_request(_halves(left, right)))
    except ModelError as error:
        usage = error.usage if isinstance(error, ReplyDefect) else None
        return Found(False, None, model.form.schema, time.monotonic() - started, usage=usage, error=error)
    seconds = time.monotonic() - started
    sees = tuple(_field_text(reply, name) for name in _COLOURED) == (left, right) if shown and model.pictures else None
    action = reply.content.get("action")
    called = action if isinstance(action, dict) else {}
    answered = called.get("function") == _TOOL
    arguments = called.get("args") == _ARGUMENTS if answered else None
    lacks = tuple(name for name in _FIELDS if name not in reply.content)
    adds = tuple(name for name in reply.content if name not in _FIELDS)
    return Found(answered, sees, model.form.schema, seconds, arguments, reply.usage, reply.note, lacks=lacks, adds=adds)


def _field_text(reply: ModelReply, field: str) -> str:
    return str(reply.content.get(field, "")).strip().lower()


def _request(picture: bytes) -> ModelRequest:
    system = f"Answer with one JSON object and nothing else. It has the fields {', '.join(_FIELDS)}."
    asked = (
        f"Call the tool {_TOOL} with the arguments {json.dumps(_ARGUMENTS)}: "
        '"action" is an object with its name in "function" and the arguments as an object in "args". '
        'The picture has two halves: put the colour of each into "left" and "right", '
        f"one of {', '.join(COLOURS)}; leave both empty if you see no picture."
    )
    return ModelRequest(
        agent="probe",
        agent_name="probe",
        messages=(
            Message("system", (TextPart(system),)),
            Message("user", (TextPart(asked), ImagePart(picture, caption="The picture:"))),
        ),
        request=asked,
        subtask="",
        host_message=(),
        steps_done=(),
        previous_subtasks=(),
        window=None,
        controls=(),
        blackboard={},
        tools=(),
        allowed_statuses=(),
        reply_schema=_SCHEMA,
    )


def _halves(left: str, right: str) -> bytes:
    """A PNG whose left half has one colour and the right half another."""
    line = b"\0" + bytes(COLOURS[left]) * (_SIDE // 2) + bytes(COLOURS[right]) * (_SIDE // 2)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(line * _SIDE)),
        (b"IEND", b""),
    )
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)
