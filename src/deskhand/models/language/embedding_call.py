"""One call for vectors to a server with OpenAI's API."""

from collections.abc import Mapping, Sequence

import anyio
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel

from deskhand.models.language.call import CallSettings
from deskhand.models.language.network import bounded_client
from deskhand.models.language.provider_clients import openai_like
from deskhand.models.language.provider_errors import FAULTS, fault_of
from deskhand.models.language.providers import ModelName


class VectorLine:
    """Connection to one embedding model; `label` is its name in messages."""

    def __init__(
        self, name: ModelName, label: str, keys: Mapping[str, str], settings: CallSettings, secrets: Sequence[str]
    ) -> None:
        """Make the client, send nothing. Raises: MissingRequirement, ModelDenied."""
        self._label = label
        self._http = bounded_client()
        provider = openai_like(name.provider.name, keys, self._http)
        provider.client.max_retries = 0
        self._model = OpenAIEmbeddingModel(name.name, provider=provider)
        self._timeout_s = settings.timeout_s
        self._secrets = tuple(secrets)

    async def close(self) -> None:
        await self._http.aclose()

    async def vectors(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Vectors as the server returned them. Raises: ModelUnavailable."""
        try:
            with anyio.fail_after(self._timeout_s):
                found = await self._model.embed(list(texts), input_type="document")
        except FAULTS as error:
            raise fault_of(self._label, error, self._secrets) from None
        return tuple(tuple(vector) for vector in found.embeddings)
