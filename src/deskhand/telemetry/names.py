"""Names of the GenAI semantic conventions, and ours beside them.

Strings, since the constants of the package `opentelemetry-semantic-conventions` are deprecated and move.
"""

from collections.abc import Mapping
from typing import Final

SCOPE: Final = "deskhand"

OPERATION: Final = "gen_ai.operation.name"
INVOKE_WORKFLOW: Final = "invoke_workflow"
INVOKE_AGENT: Final = "invoke_agent"
EXECUTE_TOOL: Final = "execute_tool"
CHAT: Final = "chat"

WORKFLOW: Final = "gen_ai.workflow.name"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENT: Final = "gen_ai.agent.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
COUNTED: Final = "gen_ai.token.type"
TOOL: Final = "gen_ai.tool.name"
TOOL_CALL: Final = "gen_ai.tool.call.id"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"

CALL_DURATION: Final = "gen_ai.client.operation.duration"
USAGE: Final = "gen_ai.client.token.usage"

ERROR_TYPE: Final = "error.type"
EXCEPTION: Final = "exception"
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_MESSAGE: Final = "exception.message"

_OURS: Final = "deskhand."
_NO_LANGUAGE: Final = {"playbook", "plan", "human"}
_PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "xai": "x_ai",
}
"""Providers that the conventions call otherwise than `provider:name` does."""


def ours(name: str) -> str:
    """The name of an attribute or a metric that no convention has."""
    return _OURS + name


def is_language_model(model: str) -> bool:
    """False for a playbook, a plan and a person, whose replies are no calls of a language model."""
    return model.partition(":")[0] not in _NO_LANGUAGE


def model_of(name: str) -> str:
    """The provider's own name of a model that is given as `provider:name`."""
    return name.partition(":")[2] or name


def provider_of(name: str) -> str:
    """The conventions' name of a model's provider; `deskhand` for a model of the caller's own."""
    provider, colon, _ = name.partition(":")
    return _PROVIDERS.get(provider, provider) if colon else SCOPE
