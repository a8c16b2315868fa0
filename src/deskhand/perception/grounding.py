"""Visual grounding: a server detects controls in a picture that no accessibility tree contains.

The protocol is that of OmniParser v2's own server: `POST /parse/` with `{"base64_image": …}` returns
`{"parsed_content_list": [{"type", "bbox", "interactivity", "content", "source"}, …], …}`, boxes as 0..1 of the picture.
Its answer is as untrusted as the screen itself: it is bounded, and invalid boxes are dropped.
"""

import base64
import binascii
import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self
from urllib.parse import urlsplit

import anyio
from anyio import to_thread
from PIL import Image
from pydantic import BaseModel, ConfigDict, FiniteFloat, JsonValue, ValidationError

from deskhand.core.appearance import look_of
from deskhand.core.errors import CaptureFailed, ConfigurationError, GroundingInvalid, GroundingUnavailable
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Sighting, TargetInfo, TargetKind
from deskhand.core.text import is_address

if TYPE_CHECKING:
    import httpx2

MOST_BOXES: Final = 1000
MOST_BYTES: Final = 32 * 1024 * 1024
"""Limit of an answer: it contains the picture once more, with the boxes drawn in."""
LONGEST_TEXT: Final = 200
RESTS_S: Final = 30.0
"""Time during which a failed server is not asked again: a step need not wait for it each time."""
_OK: Final = 200
_STATES: Final = frozenset({"showing", "visible", "enabled", "picture_only"})
_SPACES: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SeenBox:
    """A detected box: left, top, right and bottom as 0..1 of the picture, and its text or content."""

    place: tuple[float, float, float, float]
    text: str = ""
    kind: str = ""
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """The boxes of a picture. `dropped` were invalid, `omitted` exceeded the limit."""

    boxes: tuple[SeenBox, ...]
    dropped: int = 0
    omitted: int = 0


class Grounding(Protocol):
    """Detector of controls in a picture."""

    async def parse(self, png: bytes) -> Parsed:
        """Raises: GroundingUnavailable, GroundingInvalid."""
        ...


class OmniparserGrounding:
    """A client of an OmniParser-v2-compatible server, used as `async with`.

    One picture is sent once: the answer for the same one is cached. After a failure the server is not asked for a
    while.
    """

    def __init__(self, address: str, *, deadline_s: float = 20.0, now: Callable[[], float] = monotonic) -> None:
        """`address`: `http://HOST:PORT`, with or without `/parse/`. `deadline_s` applies to one picture.

        Raises: ConfigurationError if it is invalid.
        """
        if not is_address(address):
            raise ConfigurationError(
                f"grounding.address: {address!r} is not an HTTP address", fix="write it as http://HOST:PORT"
            )
        self._url = f"{address.rstrip('/').removesuffix('/parse')}/parse/"
        host = urlsplit(address).hostname
        self._name = f"the grounding server at {host}"
        self._is_local = host in {"localhost", "127.0.0.1", "::1"}
        self._deadline_s = deadline_s
        self._now = now
        self._rests_until = float("-inf")
        self._client: httpx2.AsyncClient | None = None
        self._last: tuple[bytes, Parsed] | None = None

    async def __aenter__(self) -> Self:
        import httpx2  # noqa: PLC0415 - heavy, and only needed with a server

        # Proxies of the environment are for hosts other than this machine.
        self._client = httpx2.AsyncClient(timeout=None, trust_env=not self._is_local)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def screen_parsing(
        self, screenshot_path: Path, application_window_info: TargetInfo
    ) -> tuple[TargetInfo, ...]:
        """Controls detected in a picture file of the whole window, as targets without ids.

        Raises: GroundingUnavailable, GroundingInvalid, CaptureFailed (the file is not a picture).
        """
        png, picture = await to_thread.run_sync(_read, screenshot_path, application_window_info.rect)
        return targets_of((await self.parse(png)).boxes, picture, application_window_info)

    async def parse(self, png: bytes) -> Parsed:
        """See `Grounding.parse`."""
        key = hashlib.blake2b(png, digest_size=16).digest()
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        if self._now() < self._rests_until:
            raise GroundingUnavailable(
                f"{self._name} failed a moment ago and is not asked again yet", fix=f"it is after {RESTS_S:g} s"
            )
        try:
            with anyio.fail_after(self._deadline_s):
                answer = await self._ask(png)
                parsed = await to_thread.run_sync(read_answer, answer, self._name)
        except TimeoutError as error:
            self._rest()
            raise GroundingUnavailable(
                f"{self._name} did not answer within {self._deadline_s:g} s", fix="raise grounding.deadline_s"
            ) from error
        except (GroundingUnavailable, GroundingInvalid):
            self._rest()
            raise
        self._last = (key, parsed)
        return parsed

    def _rest(self) -> None:
        self._rests_until = self._now() + RESTS_S

    async def _ask(self, png: bytes) -> bytes:
        """The body of the answer. Raises: GroundingUnavailable, GroundingInvalid (too large)."""
        import httpx2  # noqa: PLC0415 - see above

        if self._client is None:
            raise GroundingUnavailable(
                f"{self._name} is asked by a client that is not open", fix="use it with `async with`"
            )
        body = {"base64_image": base64.b64encode(png).decode()}
        answer = bytearray()
        try:
            async with self._client.stream(
                "POST", self._url, json=body, headers={"accept-encoding": "identity"}
            ) as response:
                if response.status_code != _OK:
                    raise GroundingUnavailable(
                        f"{self._name} answered with status {response.status_code}", fix="look at its own log"
                    )
                async for part in response.aiter_raw():
                    answer += part
                    if len(answer) > MOST_BYTES:
                        raise GroundingInvalid(f"{self._name} answered more than {MOST_BYTES // 2**20} MiB")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise GroundingUnavailable(
                f"{self._name} could not be asked: {type(error).__name__}", fix="is it running at grounding.address?"
            ) from error
        return bytes(answer)


class _Element(BaseModel):
    """One entry of `parsed_content_list`; fields of other servers are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bbox: tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
    type: str = ""
    interactivity: bool = False
    content: str | None = None


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    parsed_content_list: list[JsonValue]


def read_answer(body: bytes, name: str = "the grounding server") -> Parsed:
    """The boxes of an answer, in its order. Raises: GroundingInvalid (it has another form, or no valid box)."""
    try:
        listed = _Answer.model_validate_json(body).parsed_content_list
    except ValidationError as error:
        raise GroundingInvalid(
            f"{name} gave no parsed_content_list", fix="it has to speak as OmniParser v2 does"
        ) from error
    boxes = [box for item in listed[:MOST_BOXES] if (box := _box_of(item)) is not None]
    taken = min(len(listed), MOST_BOXES)
    if taken and not boxes:
        raise GroundingInvalid(f"none of the {taken} boxes that {name} gave lies in the picture (0..1)")
    return Parsed(tuple(boxes), dropped=taken - len(boxes), omitted=len(listed) - taken)


def _box_of(item: JsonValue) -> SeenBox | None:
    """None for an invalid box: without four finite numbers in order, or far outside the picture."""
    try:
        element = _Element.model_validate(item)
    except ValidationError:
        return None
    if any(not -0.01 <= edge <= 1.01 for edge in element.bbox):
        return None
    left, top, right, bottom = (min(1.0, max(0.0, edge)) for edge in element.bbox)
    if left >= right or top >= bottom:
        return None
    return SeenBox((left, top, right, bottom), _told(element.content or ""), element.type[:20], element.interactivity)


def _told(content: str) -> str:
    """One line of bounded length, without invisible characters."""
    shown = "".join(" " if unicodedata.category(c).startswith("C") else c for c in content[: 4 * LONGEST_TEXT])
    return _SPACES.sub(" ", shown).strip()[:LONGEST_TEXT]


def targets_of(boxes: Sequence[SeenBox], picture: Picture, window: TargetInfo) -> tuple[TargetInfo, ...]:
    """The boxes as controls of the window that the picture shows, in their order and without ids.

    A place with the same appearance in the same window has the same handle at the next observation. Of several boxes on
    one place the first remains. Boxes smaller than a pixel are left out.
    """
    found: dict[Rect, TargetInfo] = {}
    for box in boxes:
        rect = _on_screen(box.place, picture.rect)
        if not rect.empty and rect not in found:
            found[rect] = _target(box, rect, look_of(picture, rect), window)
    return tuple(found.values())


def _on_screen(place: tuple[float, float, float, float], shown: Rect) -> Rect:
    left, right = (shown.left + round(edge * shown.width) for edge in (place[0], place[2]))
    top, bottom = (shown.top + round(edge * shown.height) for edge in (place[1], place[3]))
    return Rect(left, top, right, bottom)


def _target(box: SeenBox, rect: Rect, look: bytes, window: TargetInfo) -> TargetInfo:
    role = Role.BUTTON if box.interactive else (Role.TEXT if box.kind == "text" else Role.IMAGE)
    inside = rect.moved(-window.rect.left, -window.rect.top)
    seen = binascii.hexlify(hashlib.blake2b(look, digest_size=8).digest()).decode()
    return TargetInfo(
        TargetKind.CONTROL,
        box.text,
        role,
        rect,
        raw_role=f"omniparser {box.kind}".strip(),
        states=_STATES,
        handle=f"seen:{window.handle}:{','.join(map(str, inside.to_list()))}:{seen}",
        fingerprint=Fingerprint(role, box.text, window=window.name, owner=window.handle),
        sighting=Sighting(window.handle, window.rect, look),
    )


def _read(path: Path, window: Rect) -> tuple[bytes, Picture]:
    """A picture file of a window. Raises: CaptureFailed."""
    try:
        png = path.read_bytes()
        image = Image.open(BytesIO(png)).convert("RGB")
    except (OSError, Image.DecompressionBombError) as error:
        raise CaptureFailed(f"{path} cannot be read as a picture: {error}") from error
    return png, Picture(image.tobytes(), Rect.from_extents(window.left, window.top, image.width, image.height))
