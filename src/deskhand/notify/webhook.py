"""Messages to a webhook, signed as Standard Webhooks describes: receivers check them with any of its libraries."""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import anyio
from anyio import to_thread

from deskhand.core.errors import NotificationFailed
from deskhand.notify.message import Message

if TYPE_CHECKING:
    import httpx2

RETRY_AFTER_S: Final = (0.5, 2.0)
"""Waits before the second and third attempt."""
_BUSY: Final = frozenset({408, 425, 429})
"""Answers after which another attempt may succeed, beside those of 500 and more."""
_FIX: Final = "check notify.webhook and its receiver"


class Webhook:
    """Posts each message; implements `Channel`. Each attempt has the same id, by which a receiver drops repeats."""

    def __init__(self, address: str, secret: bytes, deadline_s: float, *, now: Callable[[], float] = time.time) -> None:
        host = urlsplit(address).hostname
        self._address = address
        self._is_local = host in {"localhost", "127.0.0.1", "::1"}
        self._name = f"the webhook at {host}"
        self._secret = secret
        self._deadline_s = deadline_s
        self._now = now
        self._client: httpx2.AsyncClient | None = None

    @property
    def name(self) -> str:
        return self._name

    async def send(self, message: Message) -> None:
        """Try up to three times, each up to the deadline, where the receiver is absent or busy."""
        client = self._client = self._client or await to_thread.run_sync(
            partial(_new_client, trust_env=not self._is_local)
        )
        body = message.as_json
        waits = list(RETRY_AFTER_S)
        while problem := await self._problem(client, message, body):
            if not waits:
                raise NotificationFailed(f"{self.name} {problem}, {len(RETRY_AFTER_S) + 1} times", fix=_FIX)
            await anyio.sleep(waits.pop(0))

    def headers(self, identity: str, body: bytes) -> dict[str, str]:
        """Headers of one attempt, with the signature of its body and time where there is a secret."""
        seconds = str(int(self._now()))
        headers = {
            "content-type": "application/json",
            "user-agent": "deskhand",
            "webhook-id": identity,
            "webhook-timestamp": seconds,
        }
        if self._secret:
            signed = b".".join((identity.encode("ascii"), seconds.encode("ascii"), body))
            digest = hmac.new(self._secret, signed, hashlib.sha256).digest()
            headers["webhook-signature"] = f"v1,{base64.b64encode(digest).decode('ascii')}"
        return headers

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _problem(self, client: "httpx2.AsyncClient", message: Message, body: bytes) -> str:
        """Send it once. Return why another attempt is worthwhile; empty if it was taken.

        Raises: NotificationFailed if none is. The body of the answer is not read.
        """
        from httpx2 import HTTPError, InvalidURL  # noqa: PLC0415 - imported by then

        try:
            with anyio.fail_after(self._deadline_s):
                async with client.stream(
                    "POST", self._address, content=body, headers=self.headers(message.id, body)
                ) as answer:
                    code = answer.status_code
        except TimeoutError:
            return f"did not answer within {self._deadline_s:g} s"
        except HTTPError as error:
            return f"could not be reached: {error or type(error).__name__}"
        except (InvalidURL, ValueError) as error:
            raise NotificationFailed(f"{self.name} has an address that cannot be used: {error}", fix=_FIX) from error
        if 200 <= code < 300:
            return ""
        if code >= 500 or code in _BUSY:
            return f"answered with HTTP {code}"
        redirects = ", a redirect, which is not followed" if 300 <= code < 400 else ""
        raise NotificationFailed(f"{self.name} answered with HTTP {code}{redirects}", fix=_FIX)


def _new_client(*, trust_env: bool) -> "httpx2.AsyncClient":
    """A client that follows no redirect. Proxies of the environment are for hosts other than this machine."""
    import httpx2  # noqa: PLC0415 - heavy, and only needed with a webhook

    return httpx2.AsyncClient(timeout=None, trust_env=trust_env, follow_redirects=False)
