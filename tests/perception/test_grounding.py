"""A server's boxes become controls of a window; whatever it answers, nothing else becomes of it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import CaptureFailed, ConfigurationError, GroundingInvalid, GroundingUnavailable
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception import grounding
from deskhand.perception.box_kinds import Kind, kind_of
from deskhand.perception.grounding import MOST_BOXES, OmniparserGrounding, SeenBox, read_answer, targets_of
from deskhand.store.png import encode_png
from wire.omniparser import Answer, Hang, Raw, icon, seer, text

WINDOW = TargetInfo(TargetKind.WINDOW, "Canvas", Role.WINDOW, Rect(100, 50, 500, 250), handle="w1")
BLANK = Picture(b"\xff" * (WINDOW.rect.area * 3), WINDOW.rect)
PNG = encode_png(BLANK)


class Time:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def answer(*elements: object) -> bytes:
    return json.dumps({"parsed_content_list": elements}).encode()


@pytest.mark.requires("grounding.client")
async def test_a_file_is_parsed_into_targets_where_they_are_on_the_screen(tmp_path: Path) -> None:
    seen = [icon(0.25, 0.5, 0.5, 0.75, "Draw a circle "), text(0, 0, 0.1, 0.1, "Hello"), icon(0.9, 0.9, 1, 1)]
    path = tmp_path / "seen.png"
    path.write_bytes(PNG)
    with seer(lambda _: seen) as server:
        async with OmniparserGrounding(server.address) as client:
            button, words, nameless = await client.screen_parsing(path, WINDOW)
    assert server.sent == [(400, 200)]
    assert (button.name, button.type, button.rect) == ("Draw a circle", Role.BUTTON, Rect(200, 150, 300, 200))
    assert (words.name, words.type) == ("Hello", Role.TEXT)
    assert (nameless.name, nameless.rect) == ("", Rect(460, 230, 500, 250))
    assert {target.id for target in (button, words, nameless)} == {""}
    assert kind_of(button) is Kind.OTHER_SOURCE
    assert len({target.handle for target in (button, words, nameless)}) == 3


@pytest.mark.parametrize("written", ["", "/", "/parse", "/parse/"])
async def test_the_address_may_say_where_it_parses(written: str) -> None:
    with seer(lambda _: []) as server:
        async with OmniparserGrounding(server.address + written) as client:
            assert (await client.parse(PNG)).boxes == ()


@pytest.mark.parametrize(
    "address", ["", "localhost:8000", "ftp://x/", "http://", "http://[::1", "http://[x]/", "http://x:99999"]
)
def test_an_address_that_is_none_is_a_wrong_setting(address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"grounding\.address"):
        OmniparserGrounding(address)


@pytest.mark.requires("grounding.fails")
@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        (Raw(b"oops", 500), GroundingUnavailable, "status 500"),
        (Raw(b"", 307), GroundingUnavailable, "status 307"),
        (Hang(), GroundingUnavailable, "did not answer within 0.2 s"),
        (Raw(b"<html>"), GroundingInvalid, "no parsed_content_list"),
        (Raw(b'{"parsed_content_list": 5}'), GroundingInvalid, "no parsed_content_list"),
        (Raw(b"[" * 100_000), GroundingInvalid, "no parsed_content_list"),
        (Raw(answer({"bbox": [10, 20, 300, 400]})), GroundingInvalid, "none of the 1 boxes"),
    ],
)
async def test_each_failure_is_told_with_what_failed(
    given: Answer, kind: type[GroundingUnavailable | GroundingInvalid], told: str
) -> None:
    with seer(lambda _: given) as server:
        async with OmniparserGrounding(server.address, deadline_s=0.2 if isinstance(given, Hang) else 20.0) as client:
            with pytest.raises(kind, match=told) as caught:
                await client.parse(PNG)
    assert "the grounding server at 127.0.0.1" in caught.value.message


async def test_nobody_there_is_told_without_the_secret_of_the_address() -> None:
    with seer(lambda _: []) as server:
        gone = server.address.replace("http://", "http://me:secret@")
    async with OmniparserGrounding(gone) as client:
        with pytest.raises(GroundingUnavailable) as caught:
            await client.parse(PNG)
    assert "secret" not in caught.value.message
    with pytest.raises(GroundingUnavailable):
        await client.parse(PNG)


async def test_more_bytes_than_are_taken_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding, "MOST_BYTES", 1024 * 1024)
    with seer(lambda _: Raw(b" " * 3_000_000)) as server:
        async with OmniparserGrounding(server.address) as client:
            with pytest.raises(GroundingInvalid, match="more than 1 MiB"):
                await client.parse(PNG)


@pytest.mark.requires("grounding.fails")
async def test_a_server_that_failed_is_left_alone_for_a_while() -> None:
    time, answers = Time(), list[Answer]([Raw(b"", 503), [icon(0, 0, 1, 1)]])
    with seer(lambda _: answers.pop(0)) as server:
        async with OmniparserGrounding(server.address, now=time) as client:
            with pytest.raises(GroundingUnavailable, match="503"):
                await client.parse(PNG)
            with pytest.raises(GroundingUnavailable, match="not asked again yet"):
                await client.parse(PNG)
            assert len(server.sent) == 1
            time.now_s += 31
            assert len((await client.parse(PNG)).boxes) == 1


async def test_the_same_picture_is_asked_about_once() -> None:
    with seer(lambda _: [icon(0, 0, 1, 1)]) as server:
        async with OmniparserGrounding(server.address) as client:
            first = await client.parse(PNG)
            assert await client.parse(PNG) is first
            await client.parse(encode_png(Picture(bytes(300), Rect(0, 0, 10, 10))))
    assert server.sent == [(400, 200), (10, 10)]


def test_what_is_no_box_is_dropped_and_counted() -> None:
    good = icon(0.1, 0.1, 0.2, 0.2, "ok")
    bad = [
        5,
        None,
        {},
        {"bbox": [0.1, 0.2, 0.3]},
        {"bbox": [0.5, 0.5, 0.4, 0.6]},
        {"bbox": [-3, 0, 1, 1]},
        {"bbox": ["a", 0, 1, 1]},
        {**good, "content": 7},
    ]
    parsed = read_answer(answer(*bad, good, {"bbox": [0.5, 0.5, 1.005, 1.0], "other": {}}))
    assert [box.place for box in parsed.boxes] == [(0.1, 0.1, 0.2, 0.2), (0.5, 0.5, 1.0, 1.0)]
    assert (parsed.dropped, parsed.omitted) == (len(bad), 0)
    assert read_answer(b'{"parsed_content_list": [{"bbox": [NaN, 0, 1, 1]}, {"bbox": [0, 0, 1, 1]}]}').dropped == 1


def test_more_boxes_than_are_taken_are_counted() -> None:
    parsed = read_answer(answer(*[icon(0, 0, 1, 1)] * (MOST_BOXES + 3)))
    assert (len(parsed.boxes), parsed.omitted) == (MOST_BOXES, 3)


def test_a_name_is_one_bounded_line() -> None:
    (box,) = read_answer(answer(icon(0, 0, 1, 1, "a\n\x00b\u202ec " + "x" * 1000))).boxes
    assert box.text == ("a b c " + "x" * 1000)[:200]


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4)), st.integers(1, 60), st.integers(1, 40))
def test_targets_lie_in_the_picture_and_no_two_on_one_place(
    places: list[tuple[float, float, float, float]], width: int, height: int
) -> None:
    shown = Rect.from_extents(7, 9, width, height)
    boxes = [SeenBox((min(l, r), min(t, b), max(l, r), max(t, b))) for l, t, r, b in places]  # noqa: E741
    targets = targets_of(boxes, Picture(b"\x01" * (shown.area * 3), shown), WINDOW)
    assert all(not t.rect.empty and t.rect.intersection(shown) == t.rect for t in targets)
    assert len({t.rect for t in targets}) == len(targets)


def test_the_same_place_that_looks_the_same_keeps_its_handle_and_another_look_does_not() -> None:
    box = SeenBox((0.1, 0.1, 0.5, 0.5), "x")
    first = targets_of([box], BLANK, WINDOW)[0].handle
    assert targets_of([box], BLANK, WINDOW)[0].handle == first
    black = Picture(bytes(WINDOW.rect.area * 3), WINDOW.rect)
    assert targets_of([box], black, WINDOW)[0].handle != first


async def test_a_file_that_is_no_picture_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_text("no")
    client = OmniparserGrounding("http://127.0.0.1:9")
    for name in ("x.png", "missing.png"):
        with pytest.raises(CaptureFailed, match=name):
            await client.screen_parsing(tmp_path / name, WINDOW)
