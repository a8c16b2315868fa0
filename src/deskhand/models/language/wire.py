"""One call to a provider through pydantic-ai: conversion of requests, answers, token counts and prices."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Final

import anyio
from pydantic_ai import BinaryContent
from pydantic_ai import messages as theirs
from pydantic_ai.direct import model_request
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from deskhand.core.model import ImagePart, Message, ModelRequest, TextPart
from deskhand.core.text import tokens
from deskhand.core.usage import Usage
from deskhand.models.language.call import CallResult, CallSettings, Form
from deskhand.models.language.network import bounded_client
from deskhand.models.language.prices import Price
from deskhand.models.language.provider_clients import provider_model
from deskhand.models.language.provider_errors import FAULTS, fault_of
from deskhand.models.language.providers import ModelName, without_login
from deskhand.models.language.strict_schema import strict_form
from deskhand.models.sdk_errors import hidden

_BY_TOOL: Final = ("anthropic", "google", "bedrock")
"""Providers whose schemas cannot hold free arguments: there the reply is a tool call."""
_REPLY: Final = "reply"
_ENOUGH: Final = 8192
"""Tokens that are enough for any reply of an agent."""
_OF_A_PICTURE: Final = 1500
"""Estimated tokens of a picture: the count of common providers for one that fills a screen."""


class Line:
    """Connection to one model."""

    def __init__(
        self, name: ModelName, keys: Mapping[str, str], settings: CallSettings, secrets: Sequence[str]
    ) -> None:
        """Make the client, send nothing. Raises: MissingRequirement, ModelDenied."""
        self._name = name
        address = keys.get(name.provider.address)
        self._named = f"{name} at {without_login(address)}" if address else str(name)
        self._http = bounded_client()
        self._model = provider_model(name, keys, self._http)
        self._settings = settings
        self._secrets = tuple(secrets)
        self._open = AsyncExitStack()
        self._entered = False

    async def close(self) -> None:
        await self._open.aclose()
        await self._http.aclose()

    async def ask(self, request: ModelRequest, form: Form) -> CallResult:
        """One request, one answer, no retry. Raises: ModelUnavailable."""
        if not self._entered:
            await self._open.enter_async_context(self._model)
            self._entered = True
        try:
            with anyio.fail_after(self._settings.timeout_s):
                answer = await model_request(
                    self._model,
                    list(to_theirs(request.messages, pictures=form.pictures)),
                    model_settings=self._model_settings(),
                    model_request_parameters=self._parameters(request, form),
                )
        except FAULTS as error:
            raise fault_of(self._named, error, self._secrets) from None
        result = _call_result(answer, self._settings.price)
        if not result.usage.input_tokens or not result.usage.output_tokens:
            result = _estimated(result, request.messages, pictures=form.pictures)
        return replace(result, text=hidden(self._secrets, result.text))

    def _model_settings(self) -> ModelSettings:
        settings = ModelSettings(cache={"messages": False})
        if self._name.provider.name != "bedrock":  # accepts neither
            settings["max_retries"] = 0
            settings["timeout"] = self._settings.timeout_s
        most = self._settings.max_output_tokens
        if most is None and self._name.provider.name == "anthropic":  # requires it
            most = _ENOUGH
        if most is not None:
            settings["max_tokens"] = most
        if self._settings.temperature is not None:
            settings["temperature"] = self._settings.temperature
        return settings

    def _parameters(self, request: ModelRequest, form: Form) -> ModelRequestParameters:
        closed = strict_form(request.reply_schema) if form.strict else None
        schema: dict[str, Any] = dict(closed or request.reply_schema)  # Any: the library's type for JSON
        if not form.schema or not schema:
            return ModelRequestParameters(output_mode="text")
        if self._name.provider.name in _BY_TOOL:
            tool = ToolDefinition(
                name=_REPLY, parameters_json_schema=schema, description="Your answer.", kind="output", strict=False
            )
            return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
        described = OutputObjectDefinition(schema, name=_REPLY, strict=closed is not None)
        return ModelRequestParameters(output_mode="native", output_object=described)


def to_theirs(messages: Sequence[Message], *, pictures: bool) -> Iterator[theirs.ModelMessage]:
    """Messages in the library's types. The system's text goes where a provider can cache it between calls."""
    instructions = "\n\n".join(_texts(message) for message in messages if message.role == "system")
    waiting = instructions or None
    for message in messages:
        match message.role:
            case "system":
                continue
            case "assistant":
                yield theirs.ModelResponse([theirs.TextPart(_texts(message))])
            case "user":
                content = list(_content(message, pictures=pictures))
                yield theirs.ModelRequest([theirs.UserPromptPart(content)], instructions=waiting)


def _texts(message: Message) -> str:
    return "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _content(message: Message, *, pictures: bool) -> Iterator[str | BinaryContent]:
    for part in message.parts:
        match part:
            case TextPart():
                yield part.text
            case ImagePart() if pictures:
                if part.caption:
                    yield part.caption
                yield BinaryContent(part.data, media_type=part.media_type)
            case ImagePart():
                pass


def _call_result(answer: theirs.ModelResponse, price: Price | None) -> CallResult:
    texts = [part.args_as_json_str() for part in answer.parts if isinstance(part, theirs.ToolCallPart)]
    texts = texts or [part.content for part in answer.parts if isinstance(part, theirs.TextPart)]
    details = answer.provider_details or {}
    refusal = str(details.get("refusal") or "") or (
        "a content filter" if answer.finish_reason == "content_filter" else ""
    )
    return CallResult("\n".join(texts), _usage(answer, price), cut=answer.finish_reason == "length", refusal=refusal)


def _usage(answer: theirs.ModelResponse, price: Price | None) -> Usage:
    """Tokens as counted by the provider. A model without a price in any list has an unknown price, which is not zero.

    Counts below zero are invalid, and so is a price made of them.
    """
    used = answer.usage
    if min(used.input_tokens, used.output_tokens, used.cache_read_tokens) < 0:
        return Usage(cost_usd=None)
    try:
        if price is None or used.unmeasured_requests:
            cost = float(answer.cost().total_price)
        else:
            cost = price.of(used.input_tokens, used.output_tokens, used.cache_read_tokens)
    except (LookupError, ValueError, AssertionError):
        cost = None
    if cost is not None and cost < 0:
        cost = None
    return Usage(used.input_tokens, used.output_tokens, cost, cached_tokens=used.cache_read_tokens)


def _estimated(result: CallResult, sent: Sequence[Message], *, pictures: bool) -> CallResult:
    """The result with estimated tokens if the provider counted none; its cost is unknown."""
    parts = [part for message in sent for part in message.parts]
    read = sum(tokens(part.text) for part in parts if isinstance(part, TextPart))
    read += _OF_A_PICTURE * sum(isinstance(part, ImagePart) for part in parts) if pictures else 0
    used = result.usage
    ours = Usage(used.input_tokens or read, used.output_tokens or tokens(result.text), None, used.cached_tokens)
    return replace(result, usage=ours, estimated=True)
