"""Annotated pictures: everything numbered, nothing hidden, quickly."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.annotation import COLOURS, PhotographerFacade, glanced, image_of
from deskhand.perception.box_kinds import Kind, kind_of
from deskhand.perception.label_placement import InkMap, Place, Spot, Weight, place_labels
from perception.scene import SCREEN, Scene, office_scene

FRAME = Rect(0, 0, 400, 300)
SIZES = ((20, 14), (16, 12))
ROLES = (Role.BUTTON, Role.LABEL, Role.GROUP, Role.TEXTBOX)


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
    return [
        Spot(control.rect, SIZES, Weight.CONTAIN if control.handle in parents else Weight.ACT)
        for control in scene.controls
    ]


def ink_of(scene: Scene) -> InkMap:
    return InkMap(glanced(scene.picture), (control.rect for control in scene.controls))


def placed(scene: Scene, ink: InkMap | None = None) -> list[Place]:
    places = place_labels(spots_of(scene), SCREEN, ink or ink_of(scene))
    assert None not in places
    return [place for place in places if place is not None]


def overlapping(boxes: Sequence[Rect]) -> list[tuple[Rect, Rect]]:
    return [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :] if a.intersection(b).area]


@pytest.mark.requires("observe.labels")
def test_no_label_of_a_crowded_window_hides_another(scene: Scene) -> None:
    places = placed(scene)
    assert len(places) > 100
    assert overlapping([place.rect for place in places]) == []


def from_a_screen(picture: Picture) -> Picture:
    """The same, as a screen gives it."""
    return replace(picture, pixels=image_of(picture).convert("RGBX").tobytes("raw", "BGRX"), order=PixelOrder.BGRX)


@pytest.mark.requires("observe.labels")
@pytest.mark.parametrize("order", PixelOrder)
def test_labels_of_a_crowded_window_keep_off_the_texts(scene: Scene, order: PixelOrder) -> None:
    frames = [control.rect for control in scene.controls]
    whole = InkMap(image_of(scene.picture).convert("L").reduce(2), frames)
    picture = scene.picture if order is PixelOrder.RGB else from_a_screen(scene.picture)
    places = [place.rect for place in placed(scene, InkMap(glanced(picture), frames))]
    covered = [whole.of_height(at.height).under((at.left, at.top, at.right, at.bottom)) / at.area for at in places]
    assert sum(share > 0.35 for share in covered) <= 3
    corners = [(c.rect.left, c.rect.top) for c in scene.controls]
    corner = [whole.of_height(14).under((left, top, left + 20, top + 14)) / 280 for left, top in corners]
    assert sum(covered) < sum(corner) / 3, "no better than labels in the upper left corner"


@pytest.mark.requires("mcp.picture")
def test_a_control_below_another_window_is_not_labelled_there() -> None:
    above = TargetInfo(TargetKind.WINDOW, "Above", Role.WINDOW, Rect(200, 0, 400, 300))
    targets = [
        button(Rect(10, 10, 60, 40), "1"),
        button(Rect(250, 10, 300, 40), "2"),
        button(Rect(190, 90, 230, 120), "3"),
    ]
    for over, labels in (((), ["1", "2", "3"]), ((above,), ["1"])):
        arranged = PhotographerFacade().arranged(replace(blank(FRAME), over=over), targets)
        assert sorted(mark.label for mark in (*arranged.below, *arranged.above)) == labels


@pytest.mark.parametrize("size", [(1, 1), (7, 1), (1, 7), (3, 3), (16, 9)])
def test_pictures_of_any_size_are_labelled(size: tuple[int, int]) -> None:
    picture = from_a_screen(blank(Rect(0, 0, *size)))
    assert glanced(picture).width == (size[0] + 1) // 2
    assert PhotographerFacade().arranged(picture, [button(picture.rect)]).left_out == ("1",)


@st.composite
def layouts(draw: st.DrawFn) -> list[Rect]:
    """Up to 300 controls; anywhere, in dense rows, on one heap, partly outside."""
    count = draw(st.integers(1, 300))
    random = draw(st.randoms(use_true_random=False))
    match draw(st.sampled_from(["anywhere", "rows", "heap", "nested"])):
        case "rows":
            width, height = draw(st.integers(4, 60)), draw(st.integers(4, 30))
            across = max(1, FRAME.width // width)
            return [Rect.from_extents(n % across * width, n // across * height, width, height) for n in range(count)]
        case "heap":
            return [Rect.from_extents(190 + random.randrange(6), 140 + random.randrange(6), 9, 9) for _ in range(count)]
        case "nested":
            return [Rect(n, n, max(n + 1, FRAME.width - n), max(n + 1, FRAME.height - n)) for n in range(count)]
        case _:
            at = [(random.randrange(-30, 420), random.randrange(-30, 320)) for _ in range(count)]
            return [Rect.from_extents(x, y, random.randrange(1, 120), random.randrange(1, 60)) for x, y in at]


@pytest.mark.requires("observe.labels")
@given(layouts(), st.sampled_from([1.0, 0.76, 0.4]))
@settings(max_examples=40, deadline=None)
@pytest.mark.long
def test_no_two_labels_overlap_whatever_the_layout_also_on_the_picture_made_smaller(
    rects: list[Rect], scale: float
) -> None:
    targets = [replace(button(rect, str(n)), type=ROLES[n % len(ROLES)]) for n, rect in enumerate(rects, 1)]
    arranged = PhotographerFacade(font_size=round(12 / scale)).arranged(blank(FRAME), targets)
    assert overlapping(arranged.label_boxes()) == []
    assert overlapping(arranged.label_boxes(scale)) == []
    assert all(box.intersection(FRAME) == box for box in arranged.label_boxes())
    seen = [target.id for target in targets if not target.rect.intersection(FRAME).empty]
    assert len(arranged.label_boxes()) + len(arranged.left_out) == len(seen), "a label is drawn or said to be left out"


def test_where_room_is_short_labels_get_smaller_and_those_to_act_on_stay() -> None:
    rows = [button(Rect(0, n * 11, 400, n * 11 + 11), str(n + 1)) for n in range(27)]
    read = [replace(row, type=Role.LABEL, id=str(100 + n), handle=f"r{n}") for n, row in enumerate(rows)]
    crowd = [replace(button(Rect(0, 0, 24, 300), str(200 + n)), type=Role.LABEL, handle=f"c{n}") for n in range(60)]
    arranged = PhotographerFacade().arranged(blank(FRAME), [*crowd, *read, *rows])
    assert set(arranged.left_out) <= {target.id for target in (*crowd, *read)}
    assert arranged.left_out, "sixty labels for one narrow strip"


def test_what_is_only_read_gets_no_label_on_text() -> None:
    text = Image.effect_noise((FRAME.width, FRAME.height), 90).convert("RGB")
    picture = Picture(text.tobytes(), FRAME)
    pressed = button(Rect(50, 40, 90, 60))
    shown = [pressed, replace(pressed, id="2", handle="h2", type=Role.LABEL, rect=Rect(200, 40, 240, 60))]
    assert PhotographerFacade().arranged(picture, shown).left_out == ("2",)


def test_the_ends_of_a_picture_are_not_drawn_on_because_they_differ() -> None:
    picture = Image.new("L", (60, 40), 255)
    picture.paste(0, (40, 20, 60, 40))
    assert InkMap(picture.reduce(2)).of_height(14).under((0, 0, 20, 14)) == 0
    assert InkMap(picture.reduce(2)).of_height(14).under((0, 26, 20, 40)) == 0


def test_a_label_touches_its_control_or_lies_in_it(scene: Scene) -> None:
    for control, place in zip(scene.controls, placed(scene), strict=True):
        near = Rect(control.rect.left - 1, control.rect.top - 1, control.rect.right + 1, control.rect.bottom + 1)
        assert near.intersection(place.rect).area > 0, f"the label of {control.describe} is away from it"


@pytest.mark.parametrize("height", [18, 24, 30])
def test_a_row_with_room_has_its_label_at_its_right_end(height: int) -> None:
    rows = Scene()
    for number in range(12):
        rows.add(Role.CELL, f"Row {number}", Rect(100, 100 + number * height, 400, 100 + (number + 1) * height))
    for control, place in zip(rows.controls, placed(rows), strict=True):
        assert place.rect.intersection(control.rect) == place.rect
        assert control.rect.right - place.rect.right < 10
        assert place.size == 0


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
