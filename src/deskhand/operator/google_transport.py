"""Google's SDK as transport. It is imported when it is first used."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import anyio

from deskhand import ModelSetup
from deskhand.agent_parts import fault_of_sdk
from deskhand.core.json import JsonObject, JsonValue
from deskhand.operator.transports import missing, read_body

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client


class GoogleTransport:
    """Gemini's generateContent."""

    def __init__(self, name: str, setup: ModelSetup) -> None:
        """`name`: in messages."""
        self._name = name
        self._setup = setup
        self._client: Client | None = None

    async def send(self, body: JsonObject) -> Mapping[str, JsonValue]:
        client = await self._connected()
        from google.genai import types  # noqa: PLC0415 - imported by then
        from google.genai.errors import APIError  # noqa: PLC0415 - likewise
        from httpx2 import HTTPError  # noqa: PLC0415 - likewise

        try:
            config = types.GenerateContentConfig.model_validate(body["config"])
            config.should_return_http_response = True  # the body as it came
            contents = [types.Content.model_validate(each) for each in _list(body["contents"])]
            with anyio.fail_after(self._setup.timeout_s):
                answer = await client.aio.models.generate_content(
                    model=str(body["model"]), contents=[*contents], config=config
                )
        except (OSError, ValueError, RuntimeError, APIError, HTTPError) as error:
            raise fault_of_sdk(self._name, error, [self._setup.keys.get("GOOGLE_API_KEY", "")]) from None
        response = answer.sdk_http_response
        return read_body((response.body if response else None) or "")

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aio.aclose()

    async def _connected(self) -> "Client":
        if self._client is None:
            self._client = await self._setup.connect(self._made)
        return self._client

    def _made(self, http: "httpx2.AsyncClient") -> "Client":
        try:
            from google.genai import Client  # noqa: PLC0415 - takes seconds
            from google.genai.types import HttpOptions  # noqa: PLC0415 - likewise
        except ImportError as error:
            raise missing(self._name, "operator-google", error) from error
        keys = self._setup.keys
        options = HttpOptions(
            base_url=keys.get("GOOGLE_GEMINI_BASE_URL") or None,
            httpx_async_client=http,
            timeout=round(self._setup.timeout_s * 1000),
        )
        return Client(vertexai=False, api_key=keys.get("GOOGLE_API_KEY") or "none", http_options=options)


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
