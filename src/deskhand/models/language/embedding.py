"""Vectors of texts from a provider's embedding model; behind the `Embedder` port."""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from anyio import Lock, to_thread

from deskhand.core.errors import ModelBroken, UsageError
from deskhand.models.language.call import CallSettings
from deskhand.models.language.lazy_import import IMPORTING
from deskhand.models.language.providers import ModelName, secrets_in, without_login

if TYPE_CHECKING:
    from deskhand.models.language.embedding_call import VectorLine

TAKEN: Final = ("openai", "azure", "ollama", "openrouter")
"""Providers whose embeddings are requested in OpenAI's form."""


class ProviderEmbedder:
    """Client of one embedding model. Used as a context, it closes its connections at the end."""

    def __init__(self, name: ModelName, keys: Mapping[str, str], settings: CallSettings | None = None) -> None:
        """Raises: UsageError if a key is missing, or the provider's embeddings are not supported."""
        if name.provider.name not in TAKEN:
            raise UsageError(
                f"embeddings of {name} are not supported", fix=f"models.embeddings takes {', '.join(TAKEN)}"
            )
        name.check(keys)
        self._name = name
        self._keys = name.keys_of(keys)
        self._settings = settings or CallSettings()
        self._line: VectorLine | None = None
        self._making = Lock()

    @property
    def name(self) -> str:
        """Name of the model with its server: vectors of two servers are not compared."""
        address = self._keys.get(self._name.provider.address)
        return f"{self._name} at {without_login(address)}" if address else str(self._name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """One vector per text, all of one length. Raises: ModelUnavailable (one of its kinds), MissingRequirement."""
        async with self._making:
            if self._line is None:
                self._line = await to_thread.run_sync(self._connect)
        vectors = await self._line.vectors(texts)
        lengths = {len(vector) for vector in vectors}
        usable = len(vectors) == len(texts) and len(lengths) <= 1 and 0 not in lengths
        if not usable or not all(isfinite(number) for vector in vectors for number in vector):
            raise ModelBroken(f"{self.name} returned no vector for each text", fix="check the name of the model")
        return vectors

    def _connect(self) -> "VectorLine":
        secrets = secrets_in(self._keys, self._name.provider.address)
        with IMPORTING:
            from deskhand.models.language.embedding_call import VectorLine  # noqa: PLC0415 - a client takes a second

            return VectorLine(self._name, self.name, self._keys, self._settings, secrets)
