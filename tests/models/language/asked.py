"""A small request, and language models that talk to a server of the test's own."""

import io
import json

from PIL import Image

from deskhand.core.model import AgentKind, ImagePart, Message, ModelRequest, TextPart
from deskhand.core.replies import AppAgentResponse
from deskhand.core.schema import lean_schema
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.call import CallSettings
from wire.server import Say, Wire

KEY = "sk-a-very-secret-key"
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-5"}
FINISH = Say(json.dumps({"status": "FINISH", "result": "done"}))


def picture() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 30, 45)).save(made, "png")
    return made.getvalue()


def request() -> ModelRequest:
    parts = (TextPart("Press Save."), ImagePart(picture(), caption="The window:"), TextPart("1 button Save"))
    return ModelRequest(
        agent=AgentKind.APP,
        agent_name="AppAgent",
        messages=(Message("system", (TextPart("You work with windows."),)), Message("user", parts)),
        request="Save",
        subtask="Save",
        host_message=(),
        steps_done=(),
        previous_subtasks=(),
        window=None,
        controls=(),
        blackboard={},
        tools=(),
        allowed_statuses=("FINISH",),
        reply_schema=lean_schema(AppAgentResponse),
    )


def model_at(
    server: Wire, provider: str, *, timeout_s: float = 10.0, sees: bool = True, name: str = ""
) -> LanguageModel:
    keys = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": server.openai,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": server.anthropic,
    }
    called = ModelName.parse(f"{provider}:{name or MODELS[provider]}")
    return LanguageModel(called, keys, CallSettings(timeout_s), sees=sees)
