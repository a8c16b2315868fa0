"""Messages to a webhook: signed, repeated under one id, and never sent on to another address."""

import base64
import json
import re

import pytest

from deskhand.core.errors import NotificationFailed
from deskhand.notify import webhook
from deskhand.notify.message import end, question
from deskhand.notify.webhook import Webhook
from wire.receiver import HANG, receiving

pytestmark = [pytest.mark.requires("notify.webhook"), pytest.mark.anyio]

KEY = b"0123456789abcdef01234567"
MESSAGE = question("20260101-000000-abcdef", "HostAgent", ["Which file?"])


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "RETRY_AFTER_S", (0.0, 0.0))


async def send(address: str, *, secret: bytes = KEY, deadline_s: float = 10.0) -> None:
    channel = Webhook(address, secret, deadline_s)
    try:
        await channel.send(MESSAGE)
    finally:
        await channel.close()


def test_the_signature_is_that_of_the_example_of_standard_webhooks() -> None:
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    channel = Webhook("http://there", secret, 1.0, now=lambda: 1614265330.9)
    headers = channel.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}')
    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_a_message_is_posted_as_json_with_its_id() -> None:
    with receiving() as receiver:
        await send(f"{receiver.address}/hooks/deskhand?to=me")
    (delivery,) = receiver.came
    whole = json.loads(delivery.body)
    assert delivery.path == "/hooks/deskhand?to=me"
    assert (whole["type"], whole["id"]) == ("deskhand.question", delivery.headers["webhook-id"])
    assert (whole["data"]["questions"], whole["data"]["session"]) == (["Which file?"], MESSAGE.session)
    assert delivery.headers["content-type"] == "application/json"
    assert delivery.headers["webhook-signature"].startswith("v1,")


async def test_without_a_secret_it_is_not_signed() -> None:
    with receiving() as receiver:
        await send(receiver.address, secret=b"")
    assert "webhook-signature" not in receiver.came[0].headers


async def test_a_busy_receiver_gets_it_again_under_the_same_id() -> None:
    with receiving(503, 429, 200) as receiver:
        await send(receiver.address)
    assert [delivery.headers["webhook-id"] for delivery in receiver.came] == [MESSAGE.id] * 3
    assert len({delivery.body for delivery in receiver.came}) == 1


async def test_two_messages_have_two_ids() -> None:
    assert end("s", "success", 1.0).id != end("s", "success", 1.0).id


async def test_a_receiver_that_is_busy_three_times_has_failed() -> None:
    with receiving(503) as receiver, pytest.raises(NotificationFailed, match="HTTP 503, 3 times"):
        await send(receiver.address)
    assert len(receiver.came) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 410])
async def test_a_refusal_is_not_repeated(status: int) -> None:
    with receiving(status) as receiver, pytest.raises(NotificationFailed, match=f"answered with HTTP {status}\n"):
        await send(receiver.address)
    assert len(receiver.came) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    with receiving(status) as receiver, pytest.raises(NotificationFailed, match="a redirect, which is not followed"):
        await send(receiver.address)
    assert [delivery.path for delivery in receiver.came] == ["/"]


async def test_a_receiver_that_hangs_has_its_deadline() -> None:
    with receiving(HANG) as receiver, pytest.raises(NotificationFailed, match=r"did not answer within 0\.1 s, 3 times"):
        await send(receiver.address, deadline_s=0.1)


async def test_a_receiver_that_is_gone_is_named_without_the_path_of_its_address() -> None:
    with receiving() as receiver:
        pass
    with pytest.raises(NotificationFailed, match=re.escape("the webhook at 127.0.0.1 could not be reached")) as raised:
        await send(f"{receiver.address}/secret-path")
    assert "secret-path" not in str(raised.value)
