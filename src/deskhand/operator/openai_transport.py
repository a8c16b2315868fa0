"""OpenAI's SDK as transport. It is imported when it is first used."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import anyio

from deskhand import ModelSetup
from deskhand.agent_parts import fault_of_sdk
from deskhand.core.json import JsonObject, JsonValue
from deskhand.operator.transports import missing, read_body

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI


class OpenAITransport:
    """OpenAI's Responses API."""

    def __init__(self, name: str, setup: ModelSetup) -> None:
        """`name`: in messages."""
        self._name = name
        self._setup = setup
        self._client: AsyncOpenAI | None = None

    async def send(self, body: JsonObject) -> Mapping[str, JsonValue]:
        client = await self._connected()
        from httpx2 import Response  # noqa: PLC0415 - imported by then
        from openai import OpenAIError  # noqa: PLC0415 - likewise

        try:
            with anyio.fail_after(self._setup.timeout_s):
                answer = await client.post("/responses", body=body, cast_to=Response)
        except (OSError, ValueError, RuntimeError, OpenAIError) as error:
            raise fault_of_sdk(self._name, error, [self._setup.keys.get("OPENAI_API_KEY", "")]) from None
        return read_body(answer.text)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connected(self) -> "AsyncOpenAI":
        if self._client is None:
            self._client = await self._setup.connect(self._made)
        return self._client

    def _made(self, http: "httpx2.AsyncClient") -> "AsyncOpenAI":
        try:
            from openai import AsyncOpenAI  # noqa: PLC0415 - takes a second
        except ImportError as error:
            raise missing(self._name, "operator-openai", error) from error
        keys = self._setup.keys
        return AsyncOpenAI(
            api_key=keys.get("OPENAI_API_KEY") or "none",
            base_url=keys.get("OPENAI_BASE_URL") or None,
            http_client=http,
            max_retries=0,
            timeout=self._setup.timeout_s,
        )
