"""HTTP client for providers: answers are bounded, and redirects are not followed."""

import zlib
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

import httpx2
from pydantic_ai.models import create_async_httpx2_client

from deskhand.core.errors import ModelDenied

MOST_BYTES: Final = 10_000_000
"""Limit of one answer, unpacked: no reply of a model comes near."""
_PACKED: Final = "gzip"


class AnswerRefused(ValueError):
    """A server's answer was refused: too large, in an unrequested encoding, or a redirect."""


def bounded_client() -> httpx2.AsyncClient:
    """A client that follows no redirect (a request holds screen contents and a key) and stops reading at `MOST_BYTES`.

    Raises: ModelDenied if a proxy or certificate of the environment cannot be used.
    """
    try:
        client = create_async_httpx2_client()
    except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
        raise ModelDenied(
            f"no model can be asked: a proxy or certificate of the environment cannot be used ({error})",
            fix="correct HTTPS_PROXY, HTTP_PROXY, ALL_PROXY (http://HOST:PORT) and SSL_CERT_FILE, or unset them",
        ) from error
    client.follow_redirects = False
    client.headers["accept-encoding"] = _PACKED
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
    return client


async def _bound(response: httpx2.Response) -> None:
    """Replace the body's reader by a bounded one before its first byte is read."""
    if response.is_redirect:
        raise AnswerRefused(f"it redirects the request (HTTP {response.status_code}), which is not followed")
    packed = response.headers.pop("content-encoding", "").strip().lower()
    if packed not in {"", "identity", _PACKED}:
        raise AnswerRefused(f"it answered in the encoding {packed[:40]!r}, which was not requested")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, unpack=packed == _PACKED)


class _Bounded(httpx2.AsyncByteStream):
    """Bytes of a body, unpacked, up to a limit."""

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
    """gzip unpacked in pieces no larger than the limit, so that a small answer cannot become a huge one."""
    unpacker = zlib.decompressobj(wbits=31)
    async for chunk in packed:
        waiting = chunk
        while waiting:
            try:
                yield unpacker.decompress(waiting, 1_000_000)
            except zlib.error as error:
                raise AnswerRefused(f"it answered with invalid gzip: {error}") from error
            waiting = unpacker.unconsumed_tail
