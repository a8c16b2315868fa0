"""The vendors' SDKs as transport: a body out, a body back. Each is imported when it is first used."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, cast

import anyio

from deskhand import ModelSetup
from deskhand.agent_parts import fault_of_sdk
from deskhand.core.errors import MissingRequirement, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue, read_json
from deskhand.core.usage import Usage

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic


class RawAnswer(Protocol):
    """The answer of an SDK as it came."""

    async def text(self) -> str: ...


class AnthropicTransport:
    """Anthropic's Messages API; a body with `betas` goes to its beta form."""

    def __init__(self, name: str, setup: ModelSetup) -> None:
        """`name`: in messages."""
        self._name = name
        self._setup = setup
        self._client: AsyncAnthropic | None = None

    async def send(self, body: JsonObject) -> Mapping[str, JsonValue]:
        client = await self._connected()
        messages = client.beta.messages if "betas" in body else client.messages
        try:
            with anyio.fail_after(self._setup.timeout_s):
                # the body is the JSON of its arguments
                create = cast("Callable[..., Awaitable[RawAnswer]]", messages.with_raw_response.create)
                answer = await create(**body)
        except (OSError, ValueError, RuntimeError, *_errors()) as error:
            raise fault_of_sdk(self._name, error, [self._setup.keys.get("ANTHROPIC_API_KEY", "")]) from None
        return read_body(await answer.text())

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connected(self) -> "AsyncAnthropic":
        if self._client is None:
            self._client = await self._setup.connect(self._made)
        return self._client

    def _made(self, http: "httpx2.AsyncClient") -> "AsyncAnthropic":
        try:
            from anthropic import AsyncAnthropic  # noqa: PLC0415 - takes a second
        except ImportError as error:
            raise missing(self._name, "operator-anthropic", error) from error
        keys = self._setup.keys
        return AsyncAnthropic(
            api_key=keys.get("ANTHROPIC_API_KEY") or "none",
            base_url=keys.get("ANTHROPIC_BASE_URL") or None,
            http_client=http,
            max_retries=0,
            timeout=self._setup.timeout_s,
        )


def _errors() -> tuple[type[Exception], ...]:
    from anthropic import AnthropicError  # noqa: PLC0415 - imported by then

    return (AnthropicError,)


def missing(name: str, extra: str, error: ImportError) -> MissingRequirement:
    """The error of an SDK that is not installed."""
    return MissingRequirement(
        f"{name} needs a package that is not installed: {error.name or error}", fix=f"pip install 'deskhand[{extra}]'"
    )


def read_body(text: str) -> Mapping[str, JsonValue]:
    """Raises: ReplyDefect for an answer that is no JSON object."""
    try:
        body = read_json(text)
        json.dumps(body, allow_nan=False)  # it is sent back
    except (json.JSONDecodeError, ValueError) as error:
        raise ReplyDefect("the answer is no JSON", text=text, usage=Usage(cost_usd=None)) from error
    if not isinstance(body, dict):
        raise ReplyDefect("the answer is no JSON object", text=text, usage=Usage(cost_usd=None))
    return body
