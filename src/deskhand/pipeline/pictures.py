"""The pictures of a prompt: drawn once, scaled and encoded for the model that takes them (contract 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import anyio
from anyio import to_thread

from deskhand.core.geometry import Rect
from deskhand.core.model import ImagePart, PictureLimits
from deskhand.core.observation import Observation
from deskhand.core.text import one_line
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import PICTURES_HELD, StepPicture

_TOLD: Final = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """One picture of a prompt, and its caption."""

    what: str
    picture: StepPicture


class PromptPictures:
    """The pictures of one step. None is drawn, scaled or encoded before a model that takes pictures is asked."""

    def __init__(self, shown: Sequence[Shown] = ()) -> None:
        self._shown = tuple(shown)
        self._made: dict[PictureLimits, tuple[ImagePart, ...]] = {}

    async def for_model(self, limits: PictureLimits | None) -> tuple[ImagePart, ...]:
        """Return the pictures in order, within the limits of a model; none for a model that takes none.

        The work is done on threads, all pictures at a time.
        """
        if limits is None or not self._shown:
            return ()
        if limits not in self._made:
            parts: list[ImagePart | None] = [None] * len(self._shown)

            async def make(index: int) -> None:
                work = partial(_encoded, self._shown[index], index + 1, len(parts), limits)
                parts[index] = await to_thread.run_sync(work, abandon_on_cancel=True)

            async with anyio.create_task_group() as group:
                for index in range(len(parts)):
                    group.start_soon(make, index)
            self._made[limits] = tuple(part for part in parts if part is not None)
        return self._made[limits]


def _encoded(shown: Shown, number: int, count: int, limits: PictureLimits) -> ImagePart:
    made = shown.picture.for_model(limits)
    scaled = f", scaled to {made.scale:.0%}" if made.scale < 1 else ""
    width, height = made.size
    note = f"; {shown.picture.drawing.note}" if shown.picture.drawing.note else ""
    caption = f"Picture {number} of {count}: {shown.what} ({width}x{height}{scaled}{note})."
    return ImagePart(made.data, made.media_type, caption)


def kept_pictures(agent: PipelineAgent) -> list[Shown]:
    """Return the newest pictures of the blackboard, saved by agents for later steps."""
    services = agent.services
    found = [(note, services.shelf.get(note.path)) for note in services.blackboard.screenshots[-PICTURES_HELD:]]
    return [Shown(f"saved from {one_line(note.told(), _TOLD)}", drawn) for note, drawn in found if drawn is not None]


def limits_of(agent: PipelineAgent) -> PictureLimits | None:
    """Return the picture limits of the agent's first model, which is asked first."""
    return next((model.pictures for model in agent.models[:1]), None) if agent.is_visual else None


def part_of_window(seen: Observation) -> str:
    """Return which part of the window a partial picture shows, as 0..1; empty where it shows all of it."""
    window = seen.window.rect
    shown = seen.picture.rect if seen.picture else Rect(0, 0, 0, 0)
    if shown == window or window.empty:
        return ""
    left, right = ((x - window.left) / window.width for x in (shown.left, shown.right))
    top, bottom = ((y - window.top) / window.height for y in (shown.top, shown.bottom))
    return f", of which it has the part from ({left:.3f}, {top:.3f}) to ({right:.3f}, {bottom:.3f})"
