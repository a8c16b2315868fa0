"""A provider that means harm, or is broken beyond what a protocol foresees."""

import gzip
import json
import threading
import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import ModelBroken, ModelDenied, ModelSilent, ModelUnavailable
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.call import CallSettings
from deskhand.models.language.providers import without_login
from models.language.asked import FINISH, KEY, MODELS, request
from wire.hostile import HEAD, Bytes, hostile, nobodys_certificate
from wire.server import Fail, Say, wire

PROVIDERS = pytest.mark.parametrize("provider", MODELS)


def model_of(provider: str, address: str, timeout_s: float = 10.0) -> LanguageModel:
    keys = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{address}/v1",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": address,
    }
    return LanguageModel(ModelName.parse(f"{provider}:{MODELS[provider]}"), keys, CallSettings(timeout_s))


async def asked(provider: str, address: str, timeout_s: float = 10.0) -> ModelUnavailable:
    async with model_of(provider, address, timeout_s) as model:
        with anyio.fail_after(20), pytest.raises(ModelUnavailable) as raised:
            await model.respond(request())
    assert KEY not in str(raised.value)
    assert raised.value.fix
    return raised.value


def endless(_: threading.Event) -> Iterable[bytes]:
    yield HEAD + b"content-length: 200000000\r\n\r\n"
    yield from repeat(b" " * 1_000_000, 200)


def bomb(_: threading.Event) -> Iterable[bytes]:
    packed = gzip.compress(b" " * 200_000_000, 1)
    yield HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed


def odd_packing(_: threading.Event) -> Iterable[bytes]:
    yield HEAD + b"content-encoding: br\r\ncontent-length: 4\r\n\r\n\x00\x00\x00\x00"


def false_gzip(_: threading.Event) -> Iterable[bytes]:
    yield HEAD + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd"


def garbage(_: threading.Event) -> Iterable[bytes]:
    yield bytes(range(256)) * 4


def endless_head(_: threading.Event) -> Iterable[bytes]:
    yield HEAD
    yield from repeat(b"x-more: " + b"y" * 10_000 + b"\r\n", 10_000)


def dripping(gone: threading.Event) -> Iterator[bytes]:
    yield HEAD + b"content-length: 500\r\n\r\n"
    while not gone.wait(0.05):
        yield b" "


@PROVIDERS
@pytest.mark.requires("model.hostile")
@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (endless, ModelDenied, "more than 10 MB"),
        (bomb, ModelDenied, "more than 10 MB"),
        (odd_packing, ModelDenied, "encoding 'br'"),
        (false_gzip, ModelDenied, "invalid gzip"),
        (garbage, ModelBroken, ""),
        (endless_head, ModelBroken, ""),
    ],
)
async def test_what_is_no_answer_is_not_read_to_its_end(
    provider: str, answer: Bytes, kind: type[ModelUnavailable], said: str
) -> None:
    with hostile(answer) as address:
        error = await asked(provider, address)
    assert type(error) is kind
    assert said in error.message


@pytest.mark.requires("model.hostile")
async def test_a_small_answer_that_unpacks_to_a_huge_one_takes_no_memory() -> None:
    packed = gzip.compress(b" " * 200_000_000, 1)

    def one_piece(_: threading.Event) -> Iterable[bytes]:
        yield HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed

    with hostile(one_piece) as address:
        async with model_of("openai", address) as model:
            await model.connect()
            tracemalloc.start()
            try:
                with pytest.raises(ModelDenied):
                    await model.respond(request())
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
    assert peak < 60_000_000


@pytest.mark.requires("model.hostile")
async def test_a_packed_answer_of_usual_size_is_read() -> None:
    text = '{"choices": [], "id": "1"}'
    packed = gzip.compress(text.encode())

    def small(_: threading.Event) -> Iterable[bytes]:
        yield HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed

    with hostile(small) as address:
        error = await asked("openai", address)
    assert "gave no answer that can be read" in error.message, "it was unpacked, and has no choice in it"


@PROVIDERS
@pytest.mark.requires("model.hostile", "model.faults")
async def test_an_answer_that_drips_is_given_up_in_time(provider: str) -> None:
    with hostile(dripping) as address:
        assert type(await asked(provider, address, timeout_s=0.5)) is ModelSilent


@PROVIDERS
@pytest.mark.requires("model.hostile")
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_request_is_not_sent_on_to_where_a_server_points(provider: str, status: int) -> None:
    with wire(FINISH) as elsewhere:
        moved = Fail(status, "", {"location": f"{elsewhere.anthropic}/v1/messages"})
        with wire(moved) as server:
            error = await asked(provider, server.anthropic)
        assert elsewhere.heard == []
    assert type(error) is ModelDenied
    assert "redirects the request" in error.message


@PROVIDERS
@pytest.mark.requires("model.hostile")
async def test_a_certificate_that_nobody_vouches_for_is_refused(provider: str, tmp_path: Path) -> None:
    with hostile(garbage, tls=nobodys_certificate(tmp_path)) as address:
        error = await asked(provider, address)
    assert type(error) is ModelDenied
    assert "certificate is not valid" in error.message


@pytest.mark.requires("model.keys-nowhere")
async def test_a_key_that_a_server_sends_back_is_not_kept() -> None:
    with wire(Say(json.dumps({"status": "FAIL", "result": f"the key is {KEY}"}))) as server:
        async with model_of("openai", server.anthropic) as model:
            reply = await model.respond(request())
    assert reply.content == {"status": "FAIL", "result": "the key is •••"}
    assert KEY not in reply.text


@pytest.mark.requires("model.keys-nowhere")
async def test_a_password_in_an_address_is_not_told() -> None:
    with wire(FINISH) as server:
        pass
    address = server.anthropic.replace("http://", "http://me:hidden-word@")
    error = await asked("openai", address)
    assert "hidden-word" not in str(error)
    assert server.anthropic in str(error)
    assert without_login("http://a:b@h:1/v1?key=s") == "http://h:1/v1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://ada:hunter2@nowhere:1080"),
        ("ALL_PROXY", "ftp://ada:hunter2@nowhere:21"),
        ("ALL_PROXY", "http://[::"),
        ("SSL_CERT_FILE", "/nowhere.pem"),
    ],
)
async def test_a_way_that_cannot_be_taken_is_told_and_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with hostile(garbage) as address:
        error = await asked("openai", address)
    assert type(error) is ModelDenied
    assert name in error.fix
    assert "hunter2" not in error.message
