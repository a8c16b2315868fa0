"""Requests to the server of MiniWoB++ pages as a browser sends them, and reports as a page sends them."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def get(url: str) -> tuple[int, bytes]:
    try:
        with urlopen(url) as answer:  # noqa: S310 - of the loopback
            return answer.status, answer.read()
    except HTTPError as error:
        return error.code, b""


def report(url: str, message: object, other: str = "") -> int:
    base = url.partition(token_of(url))[0]
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    try:
        with urlopen(Request(f"{base}{other or token_of(url)}/report", body)) as answer:  # noqa: S310 - of the loopback
            return answer.status
    except HTTPError as error:
        return error.code


def token_of(url: str) -> str:
    return url.split("/")[3]


def end(reward: float, reason: str = "") -> dict[str, object]:
    return {"kind": "end", "reward": reward, "reason": reason}
