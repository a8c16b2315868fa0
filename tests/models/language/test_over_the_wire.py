"""Requests in the providers' own formats, held against their clients' types, and what comes back."""

import base64
import json
import subprocess
import sys

import anyio
import pytest

from cli.driver import environment
from deskhand.core.errors import (
    ModelBroken,
    ModelBusy,
    ModelDenied,
    ModelRefused,
    ModelSilent,
    ModelUnavailable,
    ReplyDefect,
    RequestRejected,
    RequestTooLong,
)
from deskhand.core.usage import Usage
from models.language.asked import FINISH, KEY, MODELS, model_at, picture, request
from wire.server import Answer, Fail, Hang, Json, Say, wire

PROVIDERS = pytest.mark.parametrize("provider", MODELS)
NO_SCHEMA = Fail(400, '{"error": {"message": "response_format json_schema is not supported"}}')
NO_PICTURE = Fail(400, '{"error": {"message": "this model takes no image input"}}')


@PROVIDERS
@pytest.mark.requires("model.wire")
async def test_a_request_arrives_whole_and_the_reply_comes_back_with_its_price(provider: str) -> None:
    with wire(FINISH) as server:
        async with model_at(server, provider) as model:
            reply = await model.respond(request())
    assert reply.content == {"status": "FINISH", "result": "done"}
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 20)
    assert reply.usage.cost_usd == pytest.approx({"openai": 0.00045, "anthropic": 0.0004}[provider])
    assert reply.note == ""
    (heard,) = server.heard
    assert heard.text.split("\n") == ["You work with windows.", "Press Save.", "The window:", "1 button Save"]
    assert any(KEY in value for value in heard.headers.values())
    assert base64.b64encode(picture()).decode() in json.dumps(heard.body)
    assert (heard.body["model"], heard.body["stream"]) == (MODELS[provider], False)
    assert '"control_label"' in json.dumps(heard.body), "the provider is told what a reply looks like"


@pytest.mark.requires("model.prompt-caching")
async def test_what_never_changes_is_marked_for_keeping_where_a_provider_wants_marks() -> None:
    with wire(FINISH) as server:
        async with model_at(server, "anthropic") as model:
            await model.respond(request())
    body = server.heard[0].body
    assert "cache_control" in body["system"][0]
    assert "cache_control" in body["tools"][0]
    assert "cache_control" not in json.dumps(body["messages"])


@PROVIDERS
@pytest.mark.requires("model.faults")
@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Fail(429, headers={"retry-after": "7"}), ModelBusy, "gets too many requests"),
        (Fail(500), ModelBroken, "failed on its own side"),
        (Fail(502, "<html>Bad gateway</html>"), ModelBroken, ""),
        (Fail(503), ModelBusy, "is overloaded"),
        (Fail(401, json.dumps({"error": {"message": f"wrong key {KEY}"}})), ModelDenied, "wrong key •••"),
        (Fail(403), ModelDenied, ""),
        (Fail(404), ModelDenied, "is not known to its server"),
        (Fail(400, '{"error": {"message": "prompt is too long: 300000 tokens"}}'), RequestTooLong, "300000 tokens"),
        (Fail(413), RequestTooLong, ""),
        (Fail(200, "hello"), ModelBroken, "gave no answer that can be read"),
        (Fail(200, "[]"), ModelBroken, "gave no answer that can be read"),
        (Fail(200, '{"id": "1", "choices": []}'), ModelBroken, "gave no answer that can be read"),
        (Hang(b'{"id": "1", "cho'), ModelBroken, ""),
        (Say("", refusal="I will not"), ModelRefused, "I will not"),
        (Say("no", finish="content_filter"), ModelRefused, "declined to answer"),
    ],
)
async def test_every_fault_has_a_type_of_its_own(
    provider: str, answer: Answer, kind: type[ModelUnavailable], said: str
) -> None:
    if isinstance(answer, Say) and answer.refusal and provider == "anthropic":
        answer = Say(answer.refusal, finish="content_filter")
    with wire(answer) as server:
        async with model_at(server, provider) as model:
            with pytest.raises(kind) as raised:
                await model.respond(request())
    error = raised.value
    assert type(error) is kind
    assert said in error.message or said == "I will not"
    assert MODELS[provider] in error.message
    assert KEY not in str(error)
    assert error.fix
    assert error.retry_after_s == (7.0 if isinstance(answer, Fail) and answer.status == 429 else None)
    if isinstance(answer, Say):
        assert error.usage is not None
        assert error.usage.input_tokens == 100, "what was refused was read, and is paid for"
    assert len(server.heard) == 1, "the provider's own client retries nothing"


@PROVIDERS
@pytest.mark.requires("model.faults")
async def test_a_silent_server_is_given_up_in_time_and_its_cost_is_unknown(provider: str) -> None:
    with wire(Hang()) as server:
        async with model_at(server, provider, timeout_s=0.3) as model:
            with anyio.fail_after(30), pytest.raises(ModelSilent) as raised:
                await model.respond(request())
    assert raised.value.usage == Usage(cost_usd=None)


@pytest.mark.requires("model.faults")
async def test_nobody_at_the_address_is_said_with_the_address() -> None:
    with wire(FINISH) as server:
        pass
    async with model_at(server, "openai") as model:
        with pytest.raises(ModelBroken, match=f"at {server.openai} could not be reached .*[Cc]onnect") as raised:
            await model.respond(request())
    assert "Connection error." not in raised.value.message, "what the system said tells more"
    assert raised.value.usage == Usage(), "what was never sent costs nothing"


@PROVIDERS
@pytest.mark.requires("model.faults")
@pytest.mark.parametrize(
    ("text", "finish", "said"),
    [("I pressed it.", "stop", "holds no JSON object"), ('{"status": "FIN', "length", "was cut off")],
)
async def test_a_reply_that_is_no_object_is_a_defect_that_cost_its_price(
    provider: str, text: str, finish: str, said: str
) -> None:
    with wire(Say(text, finish=finish)) as server:
        async with model_at(server, provider) as model:
            with pytest.raises(ReplyDefect, match=said) as raised:
                await model.respond(request())
    assert raised.value.text == text
    assert raised.value.usage is not None
    assert raised.value.usage.cost_usd


@PROVIDERS
@pytest.mark.requires("model.forms")
async def test_a_server_that_takes_no_schema_or_no_picture_is_asked_without_from_then_on(provider: str) -> None:
    def answer(body: Json) -> Answer:
        if "response_format" in body or "tools" in body:
            return NO_SCHEMA
        return NO_PICTURE if "image" in json.dumps(body["messages"]) else FINISH

    with wire(script=answer) as server:
        async with model_at(server, provider) as model:
            assert model.pictures is not None
            first = await model.respond(request())
            assert model.pictures is None
            second = await model.respond(request())
    assert first.content == second.content
    assert "without a schema" in first.note
    assert "without pictures" in first.note
    assert second.note == ""
    assert len(server.heard) == 4


@pytest.mark.requires("model.forms")
async def test_a_request_that_is_rejected_in_every_form_is_told_and_nothing_is_given_up_for_it() -> None:
    with wire(Fail(400, '{"error": {"message": "no such parameter"}}')) as server:
        async with model_at(server, "openai") as model:
            with pytest.raises(RequestRejected, match="no such parameter"):
                await model.respond(request())
            assert model.pictures is not None
    assert len(server.heard) == 3


@pytest.mark.requires("model.forms")
async def test_a_model_that_cannot_see_gets_text_alone() -> None:
    with wire(FINISH) as server:
        async with model_at(server, "openai", sees=False) as model:
            await model.respond(request())
    assert server.heard[0].pictures == 0
    assert "The window:" not in server.heard[0].text


@pytest.mark.requires("model.cost-known")
async def test_a_model_without_a_price_has_an_unknown_price() -> None:
    with wire(FINISH) as server:
        async with model_at(server, "openai", name="our-own-model") as model:
            reply = await model.respond(request())
    assert reply.usage == Usage(100, 20, None)


@pytest.mark.requires("model.lazy")
def test_naming_a_model_imports_no_providers_library() -> None:
    code = (
        "import sys\n"
        "from deskhand.models.language import LanguageModel, ModelName\n"
        "LanguageModel(ModelName.parse('openai:x'), {'OPENAI_API_KEY': 'k'})\n"
        "print([m for m in ('pydantic_ai', 'openai', 'anthropic', 'genai_prices', 'httpx2') if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == "[]\n"
