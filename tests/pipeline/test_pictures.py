"""The pictures of a prompt (SPEC 3.2)."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deskhand.core.geometry import Rect, WindowPoint
from deskhand.core.model import ImagePart, ModelReply, ModelRequest, PictureLimits, TextPart
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.scripted import ScriptedModel
from deskhand.perception.drawing import Drawing, label_size, scale_for, size_of, within
from deskhand.pipeline.pictures import PromptPictures, Shown, part_of_window
from notes import APP, Notes
from stage import Answer, Stage, assign, say, scripted, stage

LARGE = PictureLimits(max_side=4000, max_pixels=16_000_000)
SMALL = PictureLimits(max_side=320, max_pixels=60_000)
SCREEN = Rect(0, 0, 1920, 1080)


class Seeing(ScriptedModel):
    """A scripted model that takes pictures."""

    def __init__(self, model: ScriptedModel, limits: PictureLimits | None) -> None:
        super().__init__({}, name="seeing")
        self._model, self._limits = model, limits

    @property
    def pictures(self) -> PictureLimits | None:
        return self._limits

    async def respond(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return await self._model.respond(request)


def pictures_of(request: ModelRequest) -> list[ImagePart]:
    return [part for message in request.messages for part in message.parts if isinstance(part, ImagePart)]


def opened(part: ImagePart) -> Image.Image:
    return Image.open(BytesIO(part.data))


async def played(
    folder: Path,
    replies: Mapping[str, Sequence[Answer]],
    limits: PictureLimits | None,
    settings: Mapping[str, object] | None = None,
) -> Stage:
    it = stage(Notes().desktop, Seeing(scripted(replies), limits), log_path=folder, settings=settings)
    await it.run()
    return it


FLOW: Mapping[str, Sequence[Answer]] = {
    "HostAgent": [assign("Notes", "Save it"), say("FINISH")],
    APP: [say("CONTINUE", "invoke", "Save"), say("FINISH")],
}


@pytest.mark.requires("prompt.pictures")
async def test_a_model_with_eyes_sees_the_desktop_the_window_and_its_last_step(tmp_path: Path) -> None:
    it = await played(tmp_path, FLOW, LARGE)
    captions = [[part.caption for part in pictures_of(request)] for request in it.models[0].requests]  # pyright: ignore
    assert captions[0] == ["Picture 1 of 1: the whole desktop as it is now (1280x800 pixels)."]
    assert [caption.split(" (")[0].split(": ")[1] for caption in captions[2]] == [
        "the window as it was in your last step, what you acted on framed in red",
        "the window as it is now",
        "the same with each control framed and labelled by its id",
    ]
    assert len(captions[1]) == 2
