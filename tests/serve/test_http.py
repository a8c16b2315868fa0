"""A desktop in memory, served to the official client over HTTP: tools, answers, confirmations, and who gets in."""

import asyncio
import re
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import UsageError
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeWindow
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.serve.http import serve_http
from deskhand.serve.mcp import make_server
from deskhand.serve.served_desktop import serving as desktop_served
from deskhand.serve.web_server import Place, listen
from notes import Notes
from paged import Paged, letter
from serve.clients import ERAS, TOKEN, Absent, Person, ids, over_http, refused, text_of, told

HERE = Place()


class Undecided(Person):
    """Approves when it `decides`."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.decides = anyio.Event(), anyio.Event()

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.is_asked.set()
        await self.decides.wait()
        return await super().__call__(context, params)


EVERYWHERE = Place("0.0.0.0", names=("desk.example",))  # noqa: S104 - as is meant


@dataclass
class Served:
    folder: Path
    notes: Notes = field(default_factory=Notes)
    address: str = ""

    @asynccontextmanager
    async def opening(self) -> AsyncGenerator[Desktop]:
        yield self.notes.desktop

    def restart(self) -> None:
        """End the desktop, and start another of its name."""
        self.notes.desktop.faults.lost_desktop = True
        self.notes = Notes()


@asynccontextmanager
async def serving(
    tmp_path: Path, place: Place = HERE, configuration: Configuration | None = None
) -> AsyncGenerator[Served]:
    """The only folder whose files it may look into is empty."""
    it = Served(tmp_path / "project")
    it.folder.mkdir()
    send, receive = anyio.create_memory_object_stream[str](1)
    async with desktop_served("notes", it.opening) as desktop, anyio.create_task_group() as group, send, receive:
        server = make_server(desktop, configuration or Configuration(), (it.folder,))
        group.start_soon(lambda: serve_http(server, place, TOKEN, ready=send.send_nowait))
        it.address = await receive.receive()
        yield it
        group.cancel_scope.cancel()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    async with serving(tmp_path) as it:
        yield it


@pytest.mark.requires("mcp.tools", "mcp.ids")
async def test_a_client_sees_the_tools_looks_acts_and_is_told_what_came_of_it(served: Served) -> None:
    async with over_http(served.address, "legacy") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"observe_window", "click_input", "find_controls", "capture_desktop_screenshot", "verify"} <= set(tools)
        looks, acts = tools["texts"].annotations, tools["set_edit_text"].annotations
        assert looks is not None
        assert looks.read_only_hint
        assert acts is None  # by the protocol's defaults a tool writes, and may destroy
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
        assert "window" in tools["set_edit_text"].input_schema["properties"]
        assert "window" not in tools["launch_application"].input_schema["properties"]

        of = await ids(client)
        result = await client.call_tool("set_edit_text", {"id": of("Text"), "name": "Text", "text": "1 + 1"})
        assert (result.is_error, result.structured_content["effect"]) == (False, "confirmed")
        assert "confirmed by accessibility" in text_of(result)
        assert "1 + 1" in await told(client, "texts", id=of("Text"))
        assert "confirmed" in await told(client, "invoke", id=of("Save"), name="Save", window="Notes")
        await told(client, "wait", seconds=0.01)
    assert served.notes.log == ["Save"]


@pytest.mark.requires("mcp.files")
async def test_verify_looks_into_no_file_outside_of_the_folders(served: Served) -> None:
    secret, inside = served.folder.parent / "secret", served.folder / "inside"
    secret.write_text("xyzzy")
    inside.write_text("plugh")
    link = served.folder / "link"
    link.symlink_to(secret)
    async with over_http(served.address, "legacy") as client:
        held = await told(client, "verify", expect={"file": str(inside), "contains": "plugh"}, wait_s=0)
        assert '"verdict": "satisfied"' in held
        for file in (secret, link, served.folder / ".." / "secret", served.folder.parent / "nowhere"):
            for expect in ({"file": str(file)}, {"file": str(file), "contains": "xyzzy"}):
                answer = await refused(client, "verify", expect=expect, wait_s=0)
                assert f"FileOutOfBounds: {file} was not read: it is not in {served.folder}" in answer
                assert "--files FOLDER" in answer


@pytest.mark.requires("mcp.ids")
async def test_what_is_found_before_anything_was_observed_has_an_id_to_act_by(served: Served) -> None:
    async with over_http(served.address, "legacy") as client:
        found = re.search(r'"id": "(\d+)"', await told(client, "find_controls", name="Save", window="Notes"))
        assert found
        assert "confirmed" in await told(client, "invoke", id=found[1], name="Save")
        assert (await ids(client))("Save") == found[1]
    assert served.notes.log == ["Save"]


@pytest.mark.requires("find.whole-document")
async def test_the_answer_of_a_search_has_its_extent(served: Served) -> None:
    Paged(letter(), desktop=served.notes.desktop)
    async with over_http(served.address, "legacy") as client:
        found = await told(client, "find_controls", text="heron", window="Letter")
        assert "\n(3 hits in the 200 paragraphs of the document; show=2 scrolls to hit 2)\n" in found
        shown = await told(client, "find_controls", text="heron", show=2, window="Letter")
        assert "\n(hit 2 is in view)\n" in shown
        row = r'"id": "\d+", "role": "paragraph", "name": "", "value": "heron and kestrel", [^}]*"hit": 2'
        assert re.search(row, shown)


@pytest.mark.requires("mcp.ids")
async def test_an_id_never_means_another_control_whatever_window_was_looked_at_since(served: Served) -> None:
    pressed: list[str] = []
    count = FakeControl(Role.CHECKBOX, "Count")

    def press() -> None:
        pressed.append("OK")
        count.value = str(len(pressed))

    ok = FakeControl(Role.BUTTON, "OK", on_click=press)
    served.notes.desktop.open(FakeWindow("Other", [ok, count], "other"))
    async with over_http(served.address, "2026-07-28") as client:
        of_notes = await ids(client, window="Notes")
        of_other = await ids(client, window="Other")
        assert int(of_other("OK")) > int(of_notes("Tidy"))
        await client.call_tool("invoke", {"id": of_notes("Save")})
        await client.call_tool("invoke", {"id": of_other("OK")})
        assert (await ids(client, window="Notes"))("Save") == of_notes("Save")
        assert "has no control" in await refused(client, "invoke", id=of_other("OK"), window="Notes")
    assert (served.notes.log, pressed) == (["Save"], ["OK"])


@pytest.mark.requires("mcp.errors", "mcp.ids")
async def test_what_goes_wrong_is_told_with_what_to_do(served: Served) -> None:
    async with over_http(served.address, "2026-07-28") as client:
        assert "observe_window" in await refused(client, "invoke", id="1")
        of = await ids(client)
        assert "is not called 'Save'" in await refused(client, "invoke", id=of("Tidy"), name="Save")
        assert "no control '99'" in await refused(client, "texts", id="99")
        unknown = await refused(client, "fly")
        assert "there is no tool 'fly'; there are: capture_desktop_screenshot" in unknown
        assert unknown.endswith("To do: call one of those")
        assert "wait: seconds: " in await refused(client, "wait", seconds="soon")
        wrong = await refused(client, "set_value", id=of("Text"), value="soon")
        assert "set_value: value: wanted is a number" in wrong
        assert "To do: call set_value again with arguments that fit; it takes id, [name], value, [window]" in wrong
        assert "it takes nothing" in await refused(client, "get_desktop_app_info", window="Notes")
        assert "screenshot: should be one of no, plain, labelled" in await refused(
            client, "observe_window", screenshot="yes"
        )
        assert "no window 'Nothing' is open" in await refused(client, "observe_window", window="Nothing")


@pytest.mark.requires("mcp.picture")
async def test_a_picture_without_room_for_all_labels_says_so(served: Served) -> None:
    place = served.notes.window.rect
    strip = Rect.from_extents(place.left, place.top, 24, 40)
    served.notes.window.controls.extend(FakeControl(Role.LABEL, f"Label {n}", rect=strip) for n in range(60))
    async with over_http(served.address, "legacy") as client:
        assert re.search(
            r"\(no room for the labels of \d+ of its controls\)",
            await told(client, "observe_window", screenshot="labelled"),
        )
        assert "no room" not in await told(client, "observe_window", screenshot="plain")


@pytest.mark.requires("mcp.picture")
async def test_a_picture_comes_as_an_image_and_only_when_asked_for(served: Served) -> None:
    async with over_http(served.address, "2026-07-28") as client:
        for arguments, kinds in (
            ({}, ["text"]),
            ({"screenshot": "plain"}, ["text", "image"]),
            ({"screenshot": "labelled"}, ["text", "image"]),
        ):
            result = await client.call_tool("observe_window", arguments)
            assert [part.type for part in result.content] == kinds
        image = (await client.call_tool("capture_desktop_screenshot", {})).content[1]
        assert isinstance(image, types.ImageContent)
        assert image.mime_type == "image/png"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requires("mcp.confirm")
async def test_a_person_at_the_client_approves_or_it_is_not_done(era: str, served: Served) -> None:
    for answer, done in (
        (types.ElicitResult(action="decline"), False),
        (types.ElicitResult(action="cancel"), False),
        (types.ElicitResult(action="accept", content={"approve": False}), False),
        (types.ElicitResult(action="accept", content={"approve": True}), True),
    ):
        person = Person(answer)
        async with over_http(served.address, era, person) as client:
            of = await ids(client)
            result = await client.call_tool("invoke", {"id": of("Delete"), "name": "Delete"})
        assert (result.is_error, served.notes.log) == (not done, ["Delete"] if done else [])
        assert 'Control: button "Delete"' in person.asked[0]
    async with over_http(served.address, era) as client:
        of = await ids(client)
        assert "delete-by-name" in await refused(client, "invoke", id=of("Delete"), name="Delete")
    assert served.notes.log == ["Delete"]


@pytest.mark.requires("mcp.confirm")
async def test_other_calls_go_on_while_a_user_decides_and_what_changed_meanwhile_is_not_done(served: Served) -> None:
    person, problems = Undecided(), list[str]()
    async with over_http(served.address, "legacy", person) as client, anyio.create_task_group() as group:
        of = await ids(client)

        async def delete() -> None:
            problems.append(await refused(client, "invoke", id=of("Delete"), name="Delete"))

        group.start_soon(delete)
        await person.is_asked.wait()
        assert "Delete" in await told(client, "observe_window")
        assert "confirmed" in await told(client, "invoke", id=of("Save"), name="Save")
        served.notes.window.title = "Another document"
        person.decides.set()
    assert "what the user approved changed meanwhile" in problems[0]
    assert served.notes.log == ["Save"]


@pytest.mark.requires("mcp.unsaved")
async def test_unsaved_changes_count_though_the_window_was_not_observed_since(served: Served) -> None:
    window, closed = served.notes.window, list[str]()

    def close_it() -> None:
        closed.append(window.title)
        served.notes.count.value = str(len(closed))

    window.controls.append(FakeControl(Role.BUTTON, "Close", on_click=close_it))
    window.controls.append(FakeControl(Role.BUTTON, "Store", on_click=lambda: setattr(window, "title", "Notes")))
    window.on_key = lambda _: close_it() is None
    served.notes.text.on_text = lambda _: setattr(window, "title", "*Notes")
    async with over_http(served.address, "legacy") as client:
        of = await ids(client)
        for close in (("invoke", {"id": of("Close")}), ("keyboard_input", {"keys": "{VK_MENU}{F4}"})):
            await told(client, "set_edit_text", id=of("Text"), text=f"a text for {close[0]}")
            assert "has changes that are not saved" in await refused(client, close[0], **close[1])
            await told(client, "invoke", id=of("Store"))
            await client.call_tool(*close)
    assert closed == ["Notes", "Notes"]


@pytest.mark.requires("mcp.errors")
async def test_an_unknown_application_is_refused_without_a_question(served: Served) -> None:
    person = Person()
    async with over_http(served.address, "legacy", person) as client:
        assert "ActionRefused" in await refused(client, "launch_application", application="Nowhere Office")
    assert person.asked == []


@pytest.mark.requires("mcp.http")
async def test_answers_are_sent_without_waiting_for_more() -> None:
    delays: list[int] = []

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delays.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listening = listen(HERE)
    server = await asyncio.start_server(note, sock=listening)
    async with server, await anyio.connect_tcp(*listening.getsockname()) as stream:
        with pytest.raises(anyio.EndOfStream):
            await stream.receive()
    assert delays == [1]


@pytest.mark.requires("mcp.confirm")
async def test_an_approval_counts_once_and_for_what_was_shown(served: Served) -> None:
    async with over_http(served.address, "2026-07-28", Person()) as client:
        of = await ids(client)
        delete = {"id": of("Delete"), "name": "Delete"}
        asked = await client.session.call_tool("invoke", delete, allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        yes = dict.fromkeys(asked.input_requests or {}, types.ElicitResult(action="accept", content={"approve": True}))
        other = {"id": of("Delete"), "action": "press"}
        for arguments in (other, delete):  # another command, and then the answer is used up
            again = await client.session.call_tool(
                "invoke", arguments, allow_input_required=True, input_responses={**yes}
            )
            assert isinstance(again, types.InputRequiredResult)
            assert set(again.input_requests or {}).isdisjoint(yes)
    assert served.notes.log == []


@pytest.mark.requires("mcp.http")
async def test_nobody_gets_in_without_the_token_or_under_another_name(served: Served) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    known = {"authorization": f"Bearer {TOKEN}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False) as http:
        for headers, status in (
            ({}, 401),
            ({"authorization": "Bearer"}, 401),
            ({"authorization": f"Bearer {TOKEN}x"}, 401),
            ({"authorization": f"Basic {TOKEN}"}, 401),
            ({**known, "host": "evil.example"}, 421),
            ({**known, "origin": "http://evil.example"}, 403),
            ({**known, "origin": "null"}, 403),
        ):
            assert (await http.post(served.address, json=body, headers=headers)).status_code == status
        assert (await http.get(served.address)).status_code == 401


@pytest.mark.requires("mcp.http")
async def test_a_server_that_others_reach_answers_under_its_address_and_the_names_it_was_given(tmp_path: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    known = {"authorization": f"Bearer {TOKEN}", "accept": "application/json, text/event-stream"}
    async with (
        serving(tmp_path, EVERYWHERE) as it,
        httpx2.AsyncClient(trust_env=False) as http,
    ):
        port = it.address.split(":")[2].split("/")[0]
        address = f"http://127.0.0.1:{port}/mcp"
        statuses = {
            host: (await http.post(address, json=body, headers={**known, "host": host})).status_code
            for host in (f"desk.example:{port}", f"0.0.0.0:{port}", f"127.0.0.1:{port}", "evil.example")
        }
        assert [status == 421 for status in statuses.values()] == [False, False, True, True]
        assert (await http.post(address, json=body, headers={"host": "desk.example"})).status_code == 401


@pytest.mark.requires("mcp.confirm")
async def test_a_person_who_never_answers_has_not_approved(tmp_path: Path) -> None:
    configuration = Configuration(system=SystemSection(ask_timeout=0.05))
    async with serving(tmp_path, configuration=configuration) as it:
        async with over_http(it.address, "legacy", Absent()) as client:
            of = await ids(client)
            answer = await refused(client, "invoke", id=of("Delete"), name="Delete")
        assert "delete-by-name" in answer
        assert it.notes.log == []


@pytest.mark.parametrize("host", ["ü..b", "a\0b", "nowhere.invalid"])
async def test_a_host_that_nobody_can_listen_at_is_a_usage_error(host: str) -> None:
    server = make_server(Notes().desktop, Configuration())
    with pytest.raises(UsageError, match=r"cannot listen at .*:0: "):
        await serve_http(server, Place(host), TOKEN, ready=lambda _: None)
