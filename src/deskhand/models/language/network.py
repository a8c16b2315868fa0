"""The HTTP client that providers are asked with: what comes back is bounded, and goes nowhere else."""

import zlib
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

import httpx2
from pydantic_ai.models import create_async_httpx2_client

from deskhand.core.errors import ModelDenied

MOST_BYTES: Final = 10_000_000
"""Of one answer, unpacked: no reply of a model comes near."""
_PACKED: Final = "gzip"


class AnswerRefused(ValueError):
    """A server sent what no reply is: too much, packed otherwise than was asked for, or a way elsewhere."""


def bounded_client() -> httpx2.AsyncClient:
    """A client that follows no redirect (a request holds the screen and a key) and stops reading at `MOST_BYTES`.

    Raises: ModelDenied where the proxy or the certificates that the environment names cannot be used.
    """
    try:
        client = create_async_httpx2_client()
    except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
        raise ModelDenied(
            f"no model can be asked: what the environment says about proxies or certificates cannot be used ({error})",
            fix="correct HTTPS_PROXY, HTTP_PROXY, ALL_PROXY (http://HOST:PORT) and SSL_CERT_FILE, or unset them",
        ) from error
    client.follow_redirects = False
    client.headers["accept-encoding"] = _PACKED
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
    return client


async def _bound(response: httpx2.Response) -> None:
    """Puts our reading in place of theirs before the first byte of the body is read."""
    if response.is_redirect:
        raise AnswerRefused(f"it sends the request elsewhere (HTTP {response.status_code}), which is not followed")
    packed = response.headers.pop("content-encoding", "").strip().lower()
    if packed not in {"", "identity", _PACKED}:
        raise AnswerRefused(f"it answered packed as {packed[:40]!r}, which was not asked for")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, unpack=packed == _PACKED)


class _Bounded(httpx2.AsyncByteStream):
    """The bytes of a body, unpacked, up to a limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, *, unpack: bool) -> None:
        self._inner = inner
        self._unpack = unpack

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for chunk in _unpacked(self._inner) if self._unpack else self._inner:
            left -= len(chunk)
            if left < 0:
                raise AnswerRefused(f"it answered with more than {MOST_BYTES // 1_000_000} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _unpacked(packed: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """gzip taken apart in pieces no larger than the limit, so that a small answer cannot become a huge one."""
    unpacker = zlib.decompressobj(wbits=31)
    async for chunk in packed:
        waiting = chunk
        while waiting:
            try:
                yield unpacker.decompress(waiting, 1_000_000)
            except zlib.error as error:
                raise AnswerRefused(f"it answered with what is no gzip: {error}") from error
            waiting = unpacker.unconsumed_tail
