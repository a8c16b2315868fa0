"""A desktop in memory, viewed by pages without a browser: frames, who has the hands, and who gets in."""

from collections.abc import AsyncGenerator
from io import BytesIO

import anyio
import pytest
from PIL import Image
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from deskhand.core.errors import UsageError
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, PointerMoved, WheelTurned
from serve.view.in_memory import PATIENCE_S, SCREEN, TOKEN, Page, Served, serving, wait_for


@pytest.fixture
async def served() -> AsyncGenerator[Served]:
    async with serving() as it:
        yield it


@pytest.mark.requires("view.token")
async def test_the_first_request_makes_the_token_a_cookie_that_scripts_cannot_read(served: Served) -> None:
    answer = await served.get(f"/?token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{served.cookie};")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    page = await served.get("/", cookie=served.cookie)
    assert page.status_code == 200
    assert "<canvas" in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert TOKEN not in page.text
    for file in ("/view.css", "/view.js", "/session.js"):
        assert (await served.get(file, cookie=served.cookie)).status_code == 200


@pytest.mark.requires("view.token")
async def test_who_has_no_token_or_comes_from_elsewhere_is_refused_with_a_sentence(served: Served) -> None:
    cases: list[tuple[str, dict[str, str], str]] = [
        ("/", {}, "The token is missing"),
        ("/view.js", {"cookie": "deskhand-view-1=x"}, "The token is missing"),
        ("/", {"cookie": f"deskhand-view-1={TOKEN}"}, "The token is missing"),
        ("/?token=wrong", {}, "The token is wrong"),
        ("/?token=", {}, "The token is wrong"),
        (f"/?token={TOKEN}", {"host": "evil.example"}, "This page is at http://127.0.0.1:"),
        (f"/?token={TOKEN}", {"origin": "http://evil.example"}, "Pages of other addresses get nothing"),
    ]
    for path, headers, sentence in cases:
        answer = await served.get(path, **headers)
        assert answer.status_code in {403, 421}, (path, headers)
        assert sentence in answer.text, (path, headers)
        assert TOKEN not in answer.text


@pytest.mark.requires("view.token")
async def test_no_other_page_is_connected(served: Served) -> None:
    address, port = served.host.split(":")
    cases = [
        ("", f"http://{served.host}", "", "The token is missing"),
        (f"deskhand-view-1={TOKEN}", f"http://{served.host}", "", "The token is missing"),
        (served.cookie, "http://evil.example", "", "Pages of other addresses get nothing"),
        (served.cookie, "null", "", "Pages of other addresses get nothing"),
        (served.cookie, f"http://{served.host}", "evil.example", "This page is at http://127.0.0.1:"),
    ]
    for cookie, origin, host, sentence in cases:
        url, headers = f"ws://{host or address}:{port}/live", {"Cookie": cookie, "Origin": origin}
        with pytest.raises(InvalidStatus) as refusal:
            await connect(url, additional_headers=headers, host=address, port=int(port))
        assert sentence.encode() in (refusal.value.response.body or b"")
    assert served.desktop.taken == []


@pytest.mark.requires("view.picture")
async def test_a_page_gets_the_whole_picture_and_then_what_changes(served: Served) -> None:
    async with served.page() as page:
        await page.until(lambda it: it.frames)
        assert page.latest["desktop"]["name"] == "memory"
        assert (page.latest["screen"]["width"], page.latest["screen"]["height"]) == (SCREEN.width, SCREEN.height)
        assert (page.frames[0].rect, colour(page)) == (SCREEN, (10, 20, 30))
        served.desktop.colour = (200, 100, 50)
        served.desktop.paint(Rect(10, 10, 20, 30))
        await page.until(lambda it: len(it.frames) == 2)
        assert (page.frames[1].rect, colour(page)) == (Rect(10, 10, 20, 30), (200, 100, 50))
        served.desktop.pointer = Point(77, 66)
        await page.until(lambda it: it.latest["pointer"] == {"kind": "pointer", "x": 77, "y": 66})


@pytest.mark.requires("view.picture")
async def test_a_slow_page_gets_the_union_of_what_changed_and_never_a_queue(served: Served) -> None:
    async with served.page() as page:
        page.shows = False
        await page.until(lambda it: it.frames)
        served.desktop.paint(Rect(0, 0, 10, 10))
        await page.until(lambda it: len(it.frames) == 2)
        for left in range(0, 300, 5):
            served.desktop.paint(Rect(left, 50, left + 5, 60))
        served.desktop.pointer = Point(5, 5)  # comes through all the same
        await page.until(lambda it: it.latest["pointer"]["x"] == 5)
        assert len(page.frames) == 2
        page.shows = True
        await page.send("shown", sequence=2)
        await page.until(lambda it: len(it.frames) == 3)
        assert page.frames[2].rect == Rect(0, 50, 300, 60)
        assert len(served.desktop.taken) == 3


@pytest.mark.requires("view.hands")
async def test_one_page_has_the_hands_and_the_other_sees_who(served: Served) -> None:
    async with served.page() as one, served.page("Mozilla Chrome/150.0 Safari/1") as other:
        await one.send("button", x=1, y=1, button="left", down=True)  # before it has the hands
        await one.send("take")
        await one.hands("mine")
        assert served.desktop.held_by == "viewer 1 · Firefox"
        assert await other.hands("other") == "viewer 1 · Firefox"
        await other.send("take")
        assert await other.notice() == (
            "viewer 1 · Firefox has pointer and keyboard: ask that person to hand them back."
        )
        await other.send("key", key="a")
        await one.send("move", x=3, y=4)
        await one.send("button", x=5, y=6, button="right", down=True, held=["ctrl"])
        await one.send("wheel", x=5, y=6, down=-2)
        await one.send("key", key="T", held=["ctrl", "shift"])
        await one.send("key", key="left", held=["shift"])
        await one.send("text", text="a\r\nü")
        await wait_for(lambda: len(served.desktop.sent) >= 6)
        assert served.desktop.sent == [
            PointerMoved(Point(3, 4)),
            ButtonChanged(Point(5, 6), MouseButton.RIGHT, True, ("ctrl",)),
            WheelTurned(Point(5, 6), 0, -2),
            KeysPressed((Chord("T", ("ctrl",)),)),
            KeysPressed((Chord("left", ("shift",)),)),
            KeysPressed((Chord("a"), Chord("\n"), Chord("ü"))),
        ]
        await one.send("hand_back")
        assert await other.hands("free") == ""
        assert (served.desktop.sent[-1], served.desktop.held_by) == ("release", "")
        await other.send("take")
        await other.hands("mine")
        assert served.desktop.held_by == "viewer 2 · Chrome"


@pytest.mark.requires("view.release")
async def test_a_page_that_goes_away_or_loses_the_focus_leaves_nothing_down(served: Served) -> None:
    async with served.page() as other, served.page() as page:
        await page.send("take")
        await page.hands("mine")
        await other.hands("other")
        await page.send("button", x=1, y=1, button="left", down=True)
        await page.send("release")
        await page.send("button", x=2, y=2, button="left", down=True)
        await wait_for(lambda: len(served.desktop.sent) == 3)
        assert served.desktop.sent[1] == "release"
        page.socket.transport.abort()  # as a browser that was killed
        await other.hands("free")
        assert (served.desktop.sent[3:], served.desktop.held_by) == (["release"], "")


@pytest.mark.requires("view.hands")
async def test_hands_that_a_program_has_are_refused_with_its_name(served: Served) -> None:
    served.desktop.held_by = "deskhand act (process 7)"
    async with served.page() as page:
        await page.send("take")
        assert await page.notice() == ("the pointer and keyboard of memory are held by deskhand act (process 7). wait")
        await page.hands("free")


async def test_what_cannot_be_pressed_is_reported_and_the_next_event_is_sent(served: Served) -> None:
    async with served.page() as page:
        await page.send("take")
        await page.hands("mine")
        served.desktop.refuses = True
        await page.send("key", key="alt")
        assert await page.notice() == "No key of this keyboard layout is alt. Set another layout."
        served.desktop.refuses = False
        for nonsense in ("{", '{"kind": "move"}', '{"kind": "fly"}'):
            await page.socket.send(nonsense)
            assert "not understood" in await page.notice()
        await page.send("key", key="a")
        await wait_for(lambda: served.desktop.sent == [KeysPressed((Chord("a"),))])


@pytest.mark.requires("view.end")
async def test_the_end_of_the_desktop_is_reported_and_ends_the_server(served: Served) -> None:
    async with served.page() as page:
        await page.until(lambda it: it.frames)
        served.desktop.ended.set()
        await page.until(lambda it: "ended" in it.latest)
        assert page.latest["ended"]["text"] == "The desktop memory has ended."
        with pytest.raises(ConnectionClosed) as closed, anyio.fail_after(PATIENCE_S):
            await page.socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001
    with anyio.fail_after(PATIENCE_S):
        await served.ended.wait()


async def test_later_pages_see_the_state_of_the_session_and_its_commands_reach_it() -> None:
    got: list[tuple[str, JsonObject, str]] = []

    async def commands(name: str, fields: JsonObject, who: str) -> None:
        got.append((name, fields, who))
        if name == "stop":
            raise UsageError("the session has ended", fix="start another one")

    async with serving(commands) as served:
        served.view.show_session({"step": 3})
        async with served.page() as page:
            await page.until(lambda it: "session" in it.latest)
            assert page.latest["session"] == {"kind": "session", "step": 3}
            served.view.show_session({"step": 4})
            await page.until(lambda it: it.latest["session"]["step"] == 4)
            await page.send("command", name="answer", fields={"text": "yes"})
            await page.send("command", name="stop")
            assert await page.notice() == "the session has ended. start another one"
    assert sorted(got) == [("answer", {"text": "yes"}, "viewer 1 · Firefox"), ("stop", {}, "viewer 1 · Firefox")]


async def test_without_a_session_a_command_is_refused(served: Served) -> None:
    async with served.page() as page:
        await page.send("command", name="pause")
        assert await page.notice() == "there is no session here to pause. use this page of a session: deskhand view ID"


def colour(page: Page) -> tuple[int, ...]:
    """The colour of the middle of the latest frame."""
    image = Image.open(BytesIO(page.frames[-1].data)).convert("RGB")
    found = image.getpixel((image.width // 2, image.height // 2))
    assert isinstance(found, tuple)
    return tuple(int(value) for value in found)
