"""Names of models, and what their providers need."""

import base64
import json

import pytest

from deskhand.core.errors import ModelDenied, ModelUnavailable, UsageError
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.providers import PROVIDERS, Provider
from models.language.asked import picture, request
from wire.server import Fail, wire

KEYS = {
    "OPENAI_API_KEY": "k",
    "ANTHROPIC_API_KEY": "k",
    "GOOGLE_API_KEY": "k",
    "AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:9",
    "AZURE_OPENAI_API_KEY": "k",
    "OPENAI_API_VERSION": "2024-06-01",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "k",
    "AWS_SECRET_ACCESS_KEY": "k",
    "OPENROUTER_API_KEY": "k",
}


@pytest.mark.requires("model.names")
@pytest.mark.parametrize(
    ("written", "said", "fix"),
    [
        ("", "is not provider:name", "openai:NAME"),
        ("gpt-5", "is not provider:name", "openai:NAME"),
        ("openai:", "is not provider:name", "openai:NAME"),
        (":gpt", "is not provider:name", "openai:NAME"),
        ("openia:gpt-5", "there is no provider 'openia'", "did you mean openai:gpt-5?"),
        ("acme:m", "there is no provider 'acme'", "OPENAI_BASE_URL"),
    ],
)
def test_what_is_no_model_is_said_with_what_would_be_one(written: str, said: str, fix: str) -> None:
    with pytest.raises(UsageError) as raised:
        ModelName.parse(written)
    assert said in raised.value.message
    assert fix in raised.value.fix


@pytest.mark.requires("model.names")
def test_a_name_may_hold_colons() -> None:
    assert str(ModelName.parse("ollama:qwen3:8b")) == "ollama:qwen3:8b"
    assert ModelName.parse("ollama:qwen3:8b").name == "qwen3:8b"


@pytest.mark.requires("model.keys")
@pytest.mark.parametrize("provider", [provider for provider in PROVIDERS.values() if provider.needs])
def test_a_missing_key_is_named_before_anything_starts(provider: Provider) -> None:
    name = ModelName.parse(f"{provider.name}:m")
    for missing in name.provider.needs:
        with pytest.raises(UsageError, match=missing):
            LanguageModel(name, {key: value for key, value in KEYS.items() if key != missing})


@pytest.mark.requires("model.wire")
@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("google:gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("azure:gpt-4o", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-06-01"),
        ("bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0", "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/"),
        ("ollama:qwen3:8b", "/v1/chat/completions"),
        ("openrouter:openai/gpt-4o", "/v1/chat/completions"),
    ],
)
async def test_the_other_providers_send_one_request_with_picture_and_schema(written: str, path: str) -> None:
    with wire(Fail(401)) as server:
        addresses = dict.fromkeys(
            ("GOOGLE_GEMINI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AWS_ENDPOINT_URL"), server.anthropic
        )
        addresses |= dict.fromkeys(("OLLAMA_BASE_URL", "OPENROUTER_BASE_URL"), server.openai)
        async with LanguageModel(ModelName.parse(written), {**KEYS, **addresses}) as model:
            with pytest.raises(ModelUnavailable):
                await model.respond(request())
    (heard,) = server.heard
    assert heard.path.startswith(path)
    body = json.dumps(heard.body)
    assert base64.b64encode(picture()).decode() in body
    assert "Press Save." in body
    assert "control_label" in body


@pytest.mark.requires("model.names")
async def test_a_name_that_its_provider_cannot_have_is_refused_without_asking() -> None:
    async with LanguageModel(ModelName.parse("openrouter:gpt-4o"), KEYS) as model:
        with pytest.raises(ModelDenied, match="must be prefixed"):
            await model.respond(request())


@pytest.mark.requires("model.keys")
def test_a_server_of_ones_own_needs_no_key() -> None:
    LanguageModel(ModelName.parse("openai:m"), {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})


@pytest.mark.requires("model.keys")
@pytest.mark.parametrize(
    "address",
    ["not a url", "localhost:1234", "http://", "ftp://host/v1", "http://[::1", "http://host:99999/v1", "http://a b/v1"],
)
def test_what_is_no_address_is_said_before_anything_starts_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_BASE_URL is not a server's address") as raised:
        LanguageModel(ModelName.parse("openai:m"), {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "k"})
    assert address not in str(raised.value), "who mixed the two up wrote the key there"


@pytest.mark.requires("model.keys")
@pytest.mark.parametrize("key", ["sk-one\ntwo", "sk-hé", "sk-a b", "sk-\x00"])
def test_what_can_be_no_key_is_said_without_it(key: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY has characters that are invalid in a key") as raised:
        LanguageModel(ModelName.parse("openai:m"), {"OPENAI_API_KEY": key})
    assert key not in str(raised.value)
