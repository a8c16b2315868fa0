"""The pictures of a prompt (contract 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from deskhand.core.errors import ModelUnavailable
from deskhand.core.events import ImageKept, ProblemMet
from deskhand.core.geometry import Rect, WindowPoint
from deskhand.core.json import JsonObject
from deskhand.core.model import ImagePart, ModelRequest, PictureLimits
from deskhand.core.observation import Observation, Picture, PixelOrder
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.fake import FakeDesktop
from deskhand.perception.annotation import COLOURS, LABEL_SIZE
from deskhand.perception.box_kinds import kind_of
from deskhand.perception.canvas import Annotated, Drawing, highlighted, label_size, scale_for, size_of, within
from deskhand.pipeline.pictures import PromptPictures, Shown, part_of_window
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.image_encoding import encode_for_model
from deskhand.store.png import encode_png
from notes import APP, Notes, prompt_of
from perception.scene import office_scene
from stage import Answer, Stage, assign, say, scripted, stage

LARGE = PictureLimits(max_side=4000, max_pixels=16_000_000)
SMALL = PictureLimits(max_side=320, max_pixels=60_000)
SCREEN = Rect(0, 0, 1920, 1080)
SENT = ["the window now", "the same with each control framed and labelled by its id"]
LAST = "your last step, its target framed in red"
FLOW: Mapping[str, Sequence[Answer]] = {
    "HostAgent": [assign("Notes", "Save it"), say("FINISH")],
    APP: [say("CONTINUE", "invoke", "Save"), say("FINISH")],
}


def pictures_of(request: ModelRequest) -> list[ImagePart]:
    return [part for message in request.messages for part in message.parts if isinstance(part, ImagePart)]


def whats(request: ModelRequest) -> list[str]:
    return [part.caption.split(": ", 1)[1].split(" (")[0] for part in pictures_of(request)]


def opened(part: ImagePart) -> Image.Image:
    return Image.open(BytesIO(part.data))


async def played(folder: Path, limits: PictureLimits | None, **settings: object) -> Stage:
    it = stage(Notes().desktop, scripted(FLOW, pictures=limits), log_path=folder, settings=settings)
    await it.run()
    return it


@pytest.mark.requires("prompt.pictures")
async def test_a_model_with_eyes_sees_the_desktop_the_window_and_its_last_step(tmp_path: Path) -> None:
    requests = (await played(tmp_path, LARGE)).model.requests
    assert [whats(request) for request in requests] == [
        ["the desktop now"],
        SENT,
        [LAST, *SENT],
        ["the desktop now"],
    ]
    assert all(isinstance(part, ImagePart) for part in requests[2].messages[1].parts[-3:])


@pytest.mark.requires("memory.pictures")
async def test_pictures_that_replies_keep_are_shown_and_told_to_the_steps_that_follow(tmp_path: Path) -> None:
    def keeping(name: str) -> Answer:
        return say("CONTINUE", "invoke", "Save", save_screenshot={"save": True, "reason": name})

    replies = {
        "HostAgent": [assign("Notes", "Save it"), say("FINISH")],
        APP: [keeping("one"), keeping("two"), keeping("three"), say("FINISH")],
    }
    it = stage(Notes().desktop, scripted(replies, pictures=SMALL), log_path=tmp_path)
    await it.run()
    kept = ["saved from step 3 of notes: two; window Notes", "saved from step 4 of notes: three; window Notes"]
    requests = it.model.requests
    assert whats(requests[1]) == SENT
    assert whats(requests[2])[0] == "saved from step 2 of notes: one; window Notes"
    assert whats(requests[5]) == [*kept, "the desktop now"]
    assert [opened(part).size <= (SMALL.max_side,) * 2 for part in pictures_of(requests[5])] == [True] * 3
    assert "- step 2 of notes: one; window Notes" in prompt_of(requests[5]), "what is not shown any more is told"
    assert [event.path for event in it.events.of(ImageKept)] == [f"action_step{n}.png" for n in (2, 3, 4)]
    assert all(event.path in it.pictures.kept for event in it.events.of(ImageKept))


@pytest.mark.requires("prompt.annotation")
async def test_the_picture_after_an_annotation_labels_those_controls_alone_and_the_next_one_all(tmp_path: Path) -> None:
    def only_save(request: ModelRequest) -> JsonObject:
        save = next(control.id for control in request.controls if control.name == "Save")
        return {"status": "CONTINUE", "function": "annotation", "args": {"control_labels": [save]}}

    answers = {
        "HostAgent": [assign("Notes", "Look"), say("FINISH")],
        APP: [only_save, say("CONTINUE", "wait", args={"seconds": 1}), say("FINISH")],
    }
    it = stage(Notes().desktop, scripted(answers, pictures=LARGE), log_path=tmp_path)
    await it.run()
    asked = [request for request in it.model.requests if request.agent_name == APP]
    alone = "the same with only the controls that you named framed and labelled by its id"
    assert [whats(request)[-1] for request in asked] == [SENT[1], alone, SENT[1]]
    all_of_them, one, again = (opened(pictures_of(request)[-1]) for request in asked)
    assert ImageChops.difference(all_of_them, one).getbbox() is not None
    assert ImageChops.difference(all_of_them, again).getbbox() is None
    assert len(asked[1].controls) == len(asked[0].controls), "the list has all of them"


@pytest.mark.requires("prompt.pictures")
async def test_settings_leave_the_last_picture_out_and_put_two_into_one(tmp_path: Path) -> None:
    it = await played(tmp_path, LARGE, include_last_screenshot=False, concat_screenshot=True)
    both = "the window now, on the left clean, on the right with each control framed and labelled by its id"
    assert [whats(request) for request in it.model.requests[1:3]] == [[both], [both]]
    (part,) = pictures_of(it.model.requests[1])
    kept = it.pictures.kept["action_step2_concat.png"]()
    assert not isinstance(kept, bytes)
    width, height = size_of(kept)
    assert opened(part).size == (width, height)


@pytest.mark.requires("prompt.pictures")
async def test_pictures_are_as_small_as_the_model_wants_them_and_say_so(tmp_path: Path) -> None:
    request = (await played(tmp_path, SMALL)).model.requests[1]
    for part in pictures_of(request):
        image = opened(part)
        assert max(image.size) <= SMALL.max_side
        assert image.width * image.height <= SMALL.max_pixels
        assert f"({image.width}x{image.height}, scaled to " in part.caption
        assert part.media_type == "image/png"


@pytest.mark.requires("prompt.pictures")
@pytest.mark.parametrize("concat", [False, True])
async def test_a_window_without_controls_is_shown_once_with_what_to_do_about_it(
    tmp_path: Path, *, concat: bool
) -> None:
    notes = Notes()
    notes.window.controls.clear()
    replies = {"HostAgent": FLOW["HostAgent"], APP: [say("FINISH")]}
    settings = {"concat_screenshot": concat}
    it = stage(notes.desktop, scripted(replies, pictures=LARGE), log_path=tmp_path, settings=settings)
    await it.run()
    assert whats(it.model.requests[1]) == SENT[:1]
    told = "(nothing in it has an id: act by keyboard_input, and by click_on_coordinates from the picture)"
    assert f"Window: Notes\n\n{told}\nUNTRUSTED>>>" in prompt_of(it.model.requests[1])


@pytest.mark.requires("prompt.pictures")
async def test_a_model_without_eyes_gets_text_alone_and_nothing_is_drawn_for_it(tmp_path: Path) -> None:
    it = await played(tmp_path, None)
    assert [pictures_of(request) for request in it.model.requests] == [[]] * 4
    drawn = it.pictures.kept["action_step2_annotated.png"]
    assert isinstance(drawn, StepPicture)
    assert not drawn.drawing.drawn


@pytest.mark.requires("prompt.pictures")
async def test_each_model_gets_messages_of_its_own(tmp_path: Path) -> None:
    """A backup without eyes is not sent what the first one was, nor one with smaller limits too large pictures."""
    first = scripted({"HostAgent": [ModelUnavailable("not now")]}, pictures=LARGE)
    backup = scripted({"HostAgent": [say("FINISH")]}, name="backup")
    it = stage(Notes().desktop, first, log_path=tmp_path, backup=backup)
    await it.run()
    assert len(pictures_of(first.requests[0])) == 1
    assert pictures_of(backup.requests[0]) == []
    assert backup.requests[0].messages[0] == first.requests[0].messages[0]


@pytest.mark.requires("prompt.pictures")
async def test_an_agent_that_is_not_visual_shows_no_pictures(tmp_path: Path) -> None:
    it = stage(Notes().desktop, scripted(FLOW, pictures=LARGE), log_path=tmp_path)
    it.agent.is_visual = False
    await it.run()
    assert pictures_of(it.model.requests[0]) == []
    assert pictures_of(it.model.requests[1]) != []


@pytest.mark.requires("prompt.pictures")
def test_whoever_writes_a_picture_makes_it_ready_for_the_next_prompt() -> None:
    drawn: list[int] = []

    def draw() -> Image.Image:
        drawn.append(1)
        return Image.new("RGB", (800, 600))

    picture = StepPicture(draw)
    written = picture.ahead_for(SMALL)()
    assert size_of(written) == (800, 600)
    ready = picture.for_model(SMALL)
    assert picture.for_model(SMALL) is ready
    assert (max(ready.size) <= SMALL.max_side, drawn) == (True, [1])


async def test_pictures_are_made_once_for_models_with_the_same_limits() -> None:
    times: list[int] = []

    def draw() -> Image.Image:
        times.append(1)
        return Image.new("RGB", (800, 600))

    pictures = PromptPictures([Shown("x", StepPicture(draw))])
    assert await pictures.for_model(None) == ()
    assert times == []
    first = await pictures.for_model(SMALL)
    assert await pictures.for_model(PictureLimits(320, 60_000)) is first
    await pictures.for_model(LARGE)
    assert times == [1]


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(64, 3000), st.integers(4096, 4_000_000))
def test_a_scaled_picture_keeps_the_limits_and_its_proportions(width: int, height: int, side: int, pixels: int) -> None:
    limits = PictureLimits(side, pixels)
    scale = scale_for((width, height), limits)
    small = (max(1, int(width * scale)), max(1, int(height * scale)))
    assert max(small) <= side
    assert small[0] * small[1] <= pixels or 1 in small
    assert abs(small[0] - width * scale) <= 1
    assert abs(small[1] - height * scale) <= 1
    assert label_size((width, height), limits) * scale >= LABEL_SIZE - 1


@pytest.mark.requires("prompt.pictures")
@given(st.integers(0, 1900), st.integers(0, 1060), st.integers(200, 1920))
def test_a_point_read_off_the_scaled_picture_is_on_the_same_control(left: int, top: int, side: int) -> None:
    """Tools take 0..1 of the window, so that what a picture was scaled to does not matter."""
    control = Rect.from_extents(left, top, 20, 20)
    scale = scale_for((SCREEN.width, SCREEN.height), PictureLimits(side, 10_000_000))
    small = (int(SCREEN.width * scale), int(SCREEN.height * scale))
    at = ((control.left + 10) * small[0] / SCREEN.width, (control.top + 10) * small[1] / SCREEN.height)
    x, y = (min(1.0, (int(value) + 0.5) / size) for value, size in zip(at, small, strict=True))
    assert control.contains(WindowPoint(x, y).on(SCREEN))


def test_a_picture_that_does_not_show_the_whole_window_says_which_part() -> None:
    window = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, Rect(-100, 0, 900, 500))
    picture = Picture(bytes(900 * 500 * 3), Rect(0, 0, 900, 500))
    seen = Observation(window, (), picture, 0.0)
    assert part_of_window(seen) == ", of which it has the part from (0.100, 0.000) to (1.000, 1.000)"
    whole = Observation(window, (), Picture(b"", window.rect), 0.0)
    assert part_of_window(whole) == ""


def test_what_is_small_enough_is_sent_as_it_was_taken() -> None:
    picture = Picture(bytes(range(48)), Rect(0, 0, 4, 4))
    assert within(picture, LARGE) is picture
    data, media_type = encode_for_model(picture)
    assert (Image.open(BytesIO(data)).tobytes(), media_type) == (bytes(range(48)), "image/png")


@pytest.mark.parametrize("side", [50, 199, 200, 255])
@pytest.mark.parametrize("order", PixelOrder)
def test_a_picture_scaled_a_few_rows_at_a_time_is_the_one_scaled_at_once(side: int, order: PixelOrder) -> None:
    image = Image.radial_gradient("L").resize((300, 256)).convert("RGB")  # pyright: ignore[reportUnknownMemberType]
    picture = Picture(image.tobytes("raw", order.value), Rect(0, 0, 300, 256), order)
    for source in (picture, image):
        scaled = within(source, PictureLimits(side, 1_000_000))
        assert isinstance(scaled, Image.Image)
        at_once = image.resize(scaled.size, Image.Resampling.BOX)  # pyright: ignore[reportUnknownMemberType]
        assert scaled.width == side
        assert max(ImageChops.difference(scaled, at_once).tobytes()) <= 2


@pytest.mark.requires("prompt.pictures")
def test_what_packs_badly_without_loss_is_sent_as_jpeg_and_a_window_never() -> None:
    noise = Image.effect_noise((400, 300), 80).convert("RGB")
    data, media_type = encode_for_model(noise)
    assert (media_type, opened(ImagePart(data)).size) == ("image/jpeg", (400, 300))
    assert len(data) < len(encode_png(noise))
    as_taken = Picture(noise.tobytes("raw", "BGRX"), Rect(0, 0, 400, 300), PixelOrder.BGRX)
    assert encode_for_model(as_taken) == (data, media_type)
    small = within(office_scene().picture, PictureLimits(1000, 1_000_000))
    assert encode_for_model(small)[1] == "image/png"


@pytest.mark.requires("prompt.pictures")
def test_what_is_drawn_on_a_picture_shares_what_that_is_scaled_to_and_is_sharp() -> None:
    asked: list[int] = []
    scene = office_scene()

    def take() -> Picture:
        asked.append(1)
        return scene.picture

    ground = Drawing(take)
    control = replace(scene.controls[0], id="7", rect=Rect(1400, 500, 1500, 600))
    limits = PictureLimits(960, 4_000_000)
    annotated, marked = Annotated(ground, scene.picture, [control], limits), highlighted(ground, SCREEN, control)
    small, scale = annotated.scaled(limits)
    assert (scale, asked) == (0.5, [1])
    assert isinstance(small, Image.Image)
    colour = COLOURS[kind_of(control)]
    assert [small.getpixel(at) for at in ((700, 280), (699, 280), (749, 299))] == [colour, (239, 240, 241), colour]
    assert marked.scaled(limits)[1] == 0.5
    assert ground.scaled(limits)[0] is ground.scaled(limits)[0]
    assert (annotated.drawn, size_of(annotated())) == (False, (1920, 1080))


async def test_a_picture_says_how_many_labels_found_no_room() -> None:
    rect = Rect(0, 0, 60, 16)
    picture = Picture(b"\xff" * (rect.area * 3), rect)
    control = TargetInfo(TargetKind.CONTROL, "", Role.BUTTON, rect)
    crowd = [replace(control, id=str(number), handle=str(number)) for number in range(1, 60)]
    ground = Drawing(lambda: picture)
    (part,) = await PromptPictures([Shown("x", StepPicture(Annotated(ground, picture, crowd, None)))]).for_model(LARGE)
    assert "; no room for the labels of " in part.caption
    (part,) = await PromptPictures([Shown("x", StepPicture(Annotated(ground, picture, crowd[:1], None)))]).for_model(
        LARGE
    )
    assert part.caption == "Picture 1 of 1: x (60x16)."


class Busy(FakeDesktop):
    """One with a window that could not be asked for passwords."""

    async def screenshot(self, region: Rect | None = None) -> Picture:
        return replace(await super().screenshot(region), unchecked=("Login",))


@pytest.mark.requires("observe.secrets")
async def test_the_journal_says_that_a_picture_may_show_a_password(tmp_path: Path) -> None:
    it = stage(Notes(desktop=Busy()).desktop, scripted(FLOW), log_path=tmp_path)
    await it.run()
    problems = it.events.of(ProblemMet)
    assert {problem.error.message for problem in problems} == {
        '"Login" did not report its password fields; they may be visible'
    }
