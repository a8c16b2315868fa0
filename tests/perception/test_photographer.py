"""Annotated pictures: everything numbered, nothing hidden, quickly."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.kinds import Kind, kind_of
from deskhand.perception.photographer import COLOURS, PhotographerFacade, image_of
from deskhand.perception.placement import InkMap, Spot, place_labels
from perception.scene import Scene, office_scene

FRAME = Rect(0, 0, 400, 300)
spot_rects = st.builds(Rect.from_extents, st.integers(0, 380), st.integers(0, 280), st.just(20), st.just(20))


@pytest.fixture(scope="module")
def scene() -> Scene:
    return office_scene()


def labelled(scene: Scene) -> list[TargetInfo]:
    return [replace(control, id=str(number)) for number, control in enumerate(scene.controls, start=1)]


def blank(rect: Rect) -> Picture:
    return Picture(b"\xff" * (rect.area * 3), rect)


def button(rect: Rect, label: str = "1") -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, "b", Role.BUTTON, rect, id=label, handle=f"h{label}")


def colours(image: Image.Image) -> set[object]:
    return {colour for _, colour in image.getcolors(1 << 24) or []}


def spots_of(scene: Scene) -> list[Spot]:
    parents = {control.parent for control in scene.controls}
    return [Spot(control.rect, 20, 14, control.handle in parents) for control in scene.controls]


def ink_of(scene: Scene) -> InkMap:
    return InkMap(image_of(scene.picture), (control.rect for control in scene.controls))


@pytest.mark.requires("observe.labels")
def test_no_label_of_a_crowded_window_hides_another(scene: Scene) -> None:
    places = place_labels(spots_of(scene), scene.picture.rect, ink_of(scene))
    assert len(places) > 100
    hidden = [(a, b) for i, a in enumerate(places) for b in places[i + 1 :] if a.intersection(b).area]
    assert hidden == []


@pytest.mark.requires("observe.labels")
def test_labels_of_a_crowded_window_keep_off_the_texts(scene: Scene) -> None:
    ink = ink_of(scene)
    places = place_labels(spots_of(scene), scene.picture.rect, ink)
    covered = [ink.under((p.left, p.top, p.right, p.bottom)) / p.area for p in places]
    assert sum(share > 0.35 for share in covered) <= 3
    corners = [(c.rect.left, c.rect.top) for c in scene.controls]
    corner = [ink.under((left, top, left + 20, top + 14)) / 280 for left, top in corners]
    assert sum(covered) < sum(corner) / 3, "no better than labels in the upper left corner"


@given(st.lists(spot_rects, max_size=25))
@settings(max_examples=50)
def test_every_label_lies_in_the_picture_whatever_the_controls(rects: list[Rect]) -> None:
    image = Image.new("RGB", (FRAME.width, FRAME.height), "white")
    places = place_labels([Spot(rect, 17, 13, container=False) for rect in rects], FRAME, InkMap(image))
    assert len(places) == len(rects)
    assert all(place.intersection(FRAME) == place for place in places)


def test_a_label_touches_its_control_or_lies_in_it(scene: Scene) -> None:
    places = place_labels(spots_of(scene), scene.picture.rect, ink_of(scene))
    for control, place in zip(scene.controls, places, strict=True):
        near = Rect(control.rect.left - 1, control.rect.top - 1, control.rect.right + 1, control.rect.bottom + 1)
        assert near.intersection(place).area > 0, f"the label of {control.describe} is away from it"


@pytest.mark.parametrize("height", [18, 24, 30])
def test_a_row_with_room_has_its_label_at_its_right_end(height: int) -> None:
    rows = Scene()
    for number in range(12):
        rows.add(Role.CELL, f"Row {number}", Rect(100, 100 + number * height, 400, 100 + (number + 1) * height))
    places = place_labels(spots_of(rows), rows.picture.rect, ink_of(rows))
    for control, place in zip(rows.controls, places, strict=True):
        assert place.intersection(control.rect) == place
        assert control.rect.right - place.right < 10


def test_a_control_is_outlined_in_the_colour_of_its_kind() -> None:
    rect = Rect(0, 0, 200, 100)
    target = button(Rect(50, 40, 120, 60))
    image = PhotographerFacade().capture_with_target_list(blank(rect), [target])
    assert image.getpixel((50, 59)) == COLOURS[Kind.PRESS]
    assert image.getpixel((49, 59)) == (255, 255, 255)
    kinds = [kind_of(replace(target, type=role)) for role in (Role.TEXTBOX, Role.CHECKBOX, Role.MENU, Role.LABEL)]
    assert kinds == [Kind.ENTER, Kind.CHOOSE, Kind.NAVIGATE, Kind.READ]
    assert kind_of(replace(target, handle="")) is Kind.OTHER_SOURCE
    assert len(set(COLOURS.values())) == len(Kind)


def test_rectangles_are_screen_pixels_also_where_the_picture_is_of_a_window() -> None:
    window = Rect(1000, 500, 1200, 600)
    image = PhotographerFacade().capture_with_target_list(blank(window), [button(Rect(1050, 540, 1120, 560))])
    assert image.size == (200, 100)
    assert image.getpixel((50, 59)) == COLOURS[Kind.PRESS]


def test_what_has_no_label_or_lies_outside_is_not_drawn() -> None:
    rect = Rect(0, 0, 100, 100)
    unseen = [button(Rect(10, 10, 40, 40), ""), button(Rect(200, 200, 240, 240), "2"), button(Rect(0, 0, 0, 0), "3")]
    image = PhotographerFacade().capture_with_target_list(blank(rect), unseen)
    assert colours(image) == {(255, 255, 255)}


def test_the_number_can_be_read_off_the_label() -> None:
    rect = Rect(0, 0, 200, 100)
    one, eight = (
        PhotographerFacade().capture_with_target_list(blank(rect), [button(Rect(50, 40, 120, 60), label)])
        for label in "18"
    )
    assert ImageChops.difference(one, eight).getbbox() is not None
    assert COLOURS[Kind.PRESS] in colours(eight.crop((100, 42, 118, 58)))
    lightest = eight.crop((107, 46, 113, 56)).convert("L").getextrema()[1]
    assert isinstance(lightest, int)
    assert lightest > 200, "light digits on the dark colour of the kind"


def test_the_same_input_gives_the_same_pixels(scene: Scene) -> None:
    first, second = (PhotographerFacade().capture_with_target_list(scene.picture, labelled(scene)) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_hundred_labels_on_a_full_screen_take_at_most_30_ms(scene: Scene) -> None:
    """Measured in processor time, so that a busy machine does not count."""
    photographer, targets = PhotographerFacade(), labelled(scene)[:100]
    taken: list[float] = []
    for _ in range(7):
        start = time.thread_time()
        photographer.capture_with_target_list(scene.picture, targets)
        taken.append(time.thread_time() - start)
    assert min(taken) <= 0.030


def test_the_selected_control_is_framed_and_its_inside_left_alone() -> None:
    rect, target = Rect(100, 100, 300, 200), button(Rect(150, 140, 200, 160))
    image = PhotographerFacade().highlight(blank(rect), target)
    assert image.getpixel((48, 50)) == (235, 20, 20)
    assert colours(image.crop((50, 40, 100, 60))) == {(255, 255, 255)}
    assert colours(PhotographerFacade().highlight(blank(rect), button(Rect(0, 0, 50, 50)))) == {(255, 255, 255)}


def test_clean_and_annotated_stand_side_by_side() -> None:
    clean = blank(Rect(0, 0, 100, 60))
    annotated = Image.new("RGB", (100, 60), "black")
    both = PhotographerFacade().concat(clean, annotated)
    assert both.size == (208, 60)
    assert both.getpixel((99, 30)) == (255, 255, 255)
    assert both.getpixel((108, 30)) == (0, 0, 0)


def test_drawing_leaves_what_it_was_given_as_it_is() -> None:
    drawn_on = Image.new("RGB", (100, 100), "white")
    copy = image_of(drawn_on)
    copy.putpixel((0, 0), (0, 0, 0))
    assert drawn_on.getpixel((0, 0)) == (255, 255, 255)
