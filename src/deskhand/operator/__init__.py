"""OperatorAgent: an AppAgent whose decisions come from a vendor's computer-use loop.

`--model operator:VENDOR/NAME`. It is made as a plug-in is: of the public names alone, `deskhand`,
`deskhand.agent_parts` and `deskhand.core`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from deskhand import ModelSetup
from deskhand.core.errors import UsageError
from deskhand.operator.actions import Codec
from deskhand.operator.agent import OperatorAgent
from deskhand.operator.anthropic import anthropic_codec
from deskhand.operator.google import GoogleCodec
from deskhand.operator.google_transport import GoogleTransport
from deskhand.operator.model import OperatorModel, Transport
from deskhand.operator.openai import OpenAICodec
from deskhand.operator.openai_transport import OpenAITransport
from deskhand.operator.transports import AnthropicTransport

__all__ = ["OperatorAgent", "OperatorModel", "operator_model"]

_VENDORS: Final[
    Mapping[str, tuple[Callable[[str], Codec], Callable[[str, ModelSetup], Transport], tuple[str, str]]]
] = {
    "anthropic": (anthropic_codec, AnthropicTransport, ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")),
    "google": (GoogleCodec, GoogleTransport, ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL")),
    "openai": (OpenAICodec, OpenAITransport, ("OPENAI_API_KEY", "OPENAI_BASE_URL")),
}
"""Vendor → its codec, its transport, and the variables of its key and of the address of another server."""


def operator_model(name: str, setup: ModelSetup) -> OperatorModel:
    """Make the model of `operator:VENDOR/NAME`. Raises: UsageError for an unknown vendor, or a missing key."""
    vendor, slash, model = name.partition("/")
    if not slash or not model.strip() or vendor not in _VENDORS:
        known = ", ".join(f"operator:{each}/NAME" for each in _VENDORS)
        raise UsageError(f"operator:{name} names no model of a vendor", fix=f"write it as {known}")
    codec, transport, (key, address) = _VENDORS[vendor]
    if not setup.keys.get(key) and not setup.keys.get(address):
        raise UsageError(
            f"operator:{name} needs {key}", fix=f"set {key} in the environment, or write it into the secrets file"
        )
    made = codec(model)
    return OperatorModel(vendor, made, transport(f"operator:{name}", setup), OperatorAgent, setup)
