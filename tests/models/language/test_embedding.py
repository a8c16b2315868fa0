"""Vectors from a provider, asked for over the wire."""

import json
from collections.abc import Sequence

import pytest

from deskhand.core.errors import ModelBroken, ModelBusy, ModelDenied, ModelUnavailable, UsageError
from deskhand.models.language import ModelName
from deskhand.models.language.embedding import ProviderEmbedder
from models.language.asked import KEY
from wire.server import Answer, Fail, Wire, vectors, wire

TEXTS = ("a car", "a boat")


def embedder_at(server: Wire) -> ProviderEmbedder:
    keys = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.openai}
    return ProviderEmbedder(ModelName.parse("openai:text-embedding-3-small"), keys)


@pytest.mark.requires("knowledge.embeddings")
async def test_each_text_has_its_vector_by_one_call() -> None:
    with wire(vectors([1.0, 0.0], [0.0, 2.5])) as server:
        async with embedder_at(server) as embedder:
            assert await embedder.embed(TEXTS) == ((1.0, 0.0), (0.0, 2.5))
            assert embedder.name == f"openai:text-embedding-3-small at {server.openai}"
    (heard,) = server.heard
    assert heard.path == "/v1/embeddings"
    assert (heard.body["input"], heard.body["model"]) == (list(TEXTS), "text-embedding-3-small")


@pytest.mark.requires("knowledge.embeddings")
@pytest.mark.parametrize(
    "given",
    [[[1.0]], [[1.0], [1.0], [1.0]], [[1.0], [1.0, 2.0]], [[], []], [[1.0], [float("nan")]], []],
)
async def test_what_is_no_vector_for_each_text_is_not_taken(given: Sequence[Sequence[float]]) -> None:
    with wire(vectors(*given)) as server:
        async with embedder_at(server) as embedder:
            with pytest.raises(ModelBroken):
                await embedder.embed(TEXTS)


@pytest.mark.requires("knowledge.embeddings", "model.keys-nowhere")
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Fail(401, json.dumps({"error": {"message": f"wrong key {KEY}"}})), ModelDenied),
        (Fail(429), ModelBusy),
        (Fail(500), ModelBroken),
        (Fail(200, "hello"), ModelBroken),
    ],
)
async def test_what_goes_wrong_has_its_type_and_no_key_in_it(answer: Answer, kind: type[ModelUnavailable]) -> None:
    with wire(answer) as server:
        async with embedder_at(server) as embedder:
            with pytest.raises(kind) as raised:
                await embedder.embed(TEXTS)
    assert KEY not in str(raised.value)
    assert len(server.heard) == 1, "the provider's own client retries nothing"


@pytest.mark.requires("knowledge.embeddings")
def test_a_provider_whose_embeddings_are_not_read_is_said() -> None:
    with pytest.raises(UsageError, match="embeddings of anthropic:m are not supported") as raised:
        ProviderEmbedder(ModelName.parse("anthropic:m"), {"ANTHROPIC_API_KEY": "k"})
    assert "openai" in raised.value.fix
