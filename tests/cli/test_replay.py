"""`deskhand replay`: a recorded session is done again without a model, on a desktop in memory and on a real one."""

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import pytest

from cli.driver import SESSION_KEYS, Console, Finished, deskhand, environment, processes_with
from cli.recorded import events_of, write
from deskhand.core.events import ActionFinished, Event, ReplyAccepted, SessionOptions, SessionStarted
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.build import SessionPlan
from deskhand.store.journal import read_events
from desktop.linux.fixture import PROGRAM
from orders import ORDERS, Orders
from support import wait_until_ended
from wire.server import Answer, Json, Say, texts_of, wire

T = TypeVar("T")
BOOK: Final = """\
playbook: 1
name: orders
params: {customer: text, output: path}
host:
  - {on: {role: window, name: "/Orders$/"}, status: ASSIGN, agent: orders, subtask: Enter the orders}
  - {status: FINISH, result: "Saved ${output}", expect: {file: "${output}"}}
agents:
  orders:
    - {tool: read_table, on: {role: table}, save_as: orders}
    - for_each: order in ${orders.cells}
      steps:
        - {tool: set_edit_text, on: {role: textbox, name: "Region:"}, args: {text: "${order.Region}"}}
        - {tool: set_edit_text, on: {role: textbox, name: Sum}, args: {text: "${order.Amount}"}}
        - {tool: invoke, on: {role: button, name: Add, within: {role: group, name: Order}}}
    - {tool: set_edit_text, on: {role: textbox, name: Customer}, args: {text: "${customer}"}}
    - {tool: set_edit_text, on: {role: textbox, name: File}, args: {text: "${output}"}}
    - {tool: invoke, on: {role: button, name: Save}, expect: {file: "${output}"}, status: FINISH}
"""
APRIL: Final = [["Region", "Amount"], ["West", "3"], ["East", "12"], ["Far North", "7"], ["South", "3"]]


class Impatient(FakeDesktop):
    """A desktop on which waiting for something ends soon."""

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        return await super().wait_until(condition, deadline_s=min(deadline_s, 0.05))


class World:
    """Each session gets a desktop whose Writer shows the orders of the opened file.

    `shown` are those applications, `change` gets each before its session does. `files`: those that were opened.
    """

    def __init__(self) -> None:
        self.shown: list[Orders] = []
        self.customers: list[str] = []
        self.files: list[Path] = []
        self.change: Callable[[FakeWindow], None] = lambda _: None

    @asynccontextmanager
    async def open(self, choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:
        yield Impatient([FakeApplication("writer", self._opened)])

    def _opened(self, desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        assert file is not None
        self.files.append(file)
        customer, path = (FakeControl(Role.TEXTBOX, name, states={"editable"}) for name in ("Customer", "File"))

        def save() -> None:
            self.customers.append(customer.value)
            Path(path.value).write_text(json.dumps(orders.added))

        more = [customer, path, FakeControl(Role.BUTTON, "Save", on_click=save)]
        orders = Orders(json.loads(file.read_text()), f"{file.name} - Orders", more=more, is_shown=False)
        self.shown.append(orders)
        self.change(orders.window)
        return orders.window


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    """A folder with documents, and the desktops of sessions."""
    made = World()
    monkeypatch.setattr("deskhand.cli.run_options.SessionPlan", partial(SessionPlan, opens=made.open))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    Path("orders.yaml").write_text(BOOK)
    Path("march.odt").write_text(json.dumps(ORDERS))
    Path("april.odt").write_text(json.dumps(APRIL))
    return made


def record(console: Console, *arguments: object) -> Finished:
    """A run of the playbook with a customer of the request, into the folder `first`."""
    given = ("--file", "march.odt", "--param", "customer=Ada Lovelace", "--param", "output=first/orders.json")
    done = console(
        "run", "Enter the orders of Ada", "--playbook", "orders.yaml", *given, "--out", "first", "--json", *arguments
    )
    assert done.code == 0, done.err
    return done


def saved(path: str) -> list[list[str]]:
    found: list[list[str]] = json.loads(Path(path).read_text())
    return found


@pytest.mark.requires("replay.same", "replay.named")
def test_a_session_is_done_again_in_a_new_folder_and_names_the_one_it_replays(console: Console, world: World) -> None:
    first = record(console)
    done = console("replay", "first", "--out", "second", "--json")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert set(done.json) == SESSION_KEYS | {"replays"}
    assert done.item("replays") == first.item("session_id")
    assert done.item("request") == "Enter the orders of Ada"
    assert done.item("outputs") == [str(Path("second/orders.json").absolute())]
    assert saved("first/orders.json") == saved("second/orders.json") == ORDERS[1:]
    assert world.customers == ["Ada Lovelace"] * 2
    assert [file.parent for file in world.files] == [
        Path(f"{name}/log/documents").absolute() for name in ("first", "second")
    ]
    assert "Replay of" in Path("second/report.html").read_text()
    compared = console("sessions", "diff", "first", "second")
    assert (compared.code, compared.out.splitlines()[1]) == (0, "the same actions and outcome"), compared.out


@pytest.mark.requires("replay.data", "replay.parameters")
def test_other_data_in_the_document_and_another_value_give_another_result(console: Console, world: World) -> None:
    record(console)
    Path("march.odt").write_text(json.dumps(APRIL))
    changed = console("replay", "first", "--out", "second")
    assert (changed.code, saved("second/orders.json")) == (0, APRIL[1:]), changed.err
    assert "march.odt has other content than in the session" in changed.err
    Path("march.odt").write_text(json.dumps(ORDERS))
    other = console("replay", "first", "--out", "third", "--file", "april.odt", "--param", "customer=Grace")
    assert (other.code, saved("third/orders.json")) == (0, APRIL[1:]), other.err
    assert world.customers == ["Ada Lovelace", "Ada Lovelace", "Grace"]
    assert sum(orders.others for orders in world.shown) == 0, "the twin of the button"
    assert console("replay", "first", "--out", "fourth", "--param", "client=x").code == 2


@pytest.mark.full("three sessions; a replay is a session, and sessions are replayed in other tests")
@pytest.mark.requires("replay.same")
def test_a_replay_is_replayed_and_listed_like_any_session(console: Console, world: World) -> None:
    first = record(console)
    again = console("replay", "first", "--json")
    assert again.code == 0, again.err
    folder = Path(str(again.item("session_dir")))
    assert saved(str(folder / "orders.json")) == ORDERS[1:]
    assert (folder / "playbook.yaml").is_file()
    identity = str(again.item("session_id"))
    assert f"replays  {first.item('session_id')}" in console("sessions", "show", identity).out
    third = console("replay", identity, "--out", "third", "--json")
    assert (third.code, third.item("replays")) == (0, identity), third.err
    assert saved("third/orders.json") == ORDERS[1:]


@pytest.mark.requires("replay.fails")
def test_a_step_that_does_not_fit_ends_the_replay_with_the_step_and_what_was_seen(
    console: Console, world: World
) -> None:
    record(console)

    def rename(window: FakeWindow) -> None:
        window.find("Save").name = "Store"

    world.change = rename
    done = console("replay", "first", "--out", "second", "--json")
    assert (done.code, done.item("outcome")) == (1, "failed")
    reason = str(done.item("reason"))
    assert 'wanted button "Save"; found none' in reason
    line = int(reason.rpartition("second/playbook.yaml:")[2].partition(":")[0])
    steps = Path("second/playbook.yaml").read_text().splitlines()
    assert "name: Save" in "\n".join(steps[line - 1 : line + 4])
    assert world.customers == ["Ada Lovelace"], "nothing was saved by the replay"
    compared = console("sessions", "diff", "first", "second")
    assert compared.code == 1
    assert "differs in its actions" in compared.out


@pytest.mark.requires("replay.outputs")
def test_a_file_that_exists_is_replaced_only_by_force_and_a_document_never(console: Console, world: World) -> None:
    given = ("--param", "output=elsewhere.json")
    record(console, *given)
    Path("elsewhere.json").write_text("precious")
    refused = console("replay", "first", "--out", "second")
    assert refused.code == 2
    assert f"{Path('elsewhere.json').absolute()} exists already" in refused.err
    assert "give another path with --param output=PATH, or --force to replace it" in refused.err
    assert (Path("elsewhere.json").read_text(), Path("second").exists()) == ("precious", False)
    other = console("replay", "first", "--out", "second", "--param", "output=other.json")
    assert (other.code, saved("other.json")) == (0, ORDERS[1:]), other.err
    assert Path("elsewhere.json").read_text() == "precious"
    again = console("replay", "first", "--out", "second", "--force")
    assert (again.code, saved("elsewhere.json")) == (0, ORDERS[1:]), again.err
    document = console("replay", "first", "--out", "third", "--param", "output=march.odt", "--force")
    assert (document.code, json.loads(Path("march.odt").read_text())) == (2, ORDERS)
    assert "is a document that the replay opens" in document.err
    same = console("replay", "first", "--out", "first", "--force")
    assert (same.code, "has the session that is replayed" in same.err, Path("first/log").is_dir()) == (2, True, True)


@pytest.mark.requires("replay.documents")
def test_a_document_that_is_gone_is_named_with_the_option_for_another_one(console: Console, world: World) -> None:
    record(console)
    Path("march.odt").unlink()
    done = console("replay", "first", "--out", "second")
    assert done.code == 2
    assert f"the document {Path('march.odt').absolute()} of the session is gone" in done.err
    assert "give another one with --file PATH" in done.err
    many = console("replay", "first", "--out", "second", "--file", "april.odt", "--file", "april.odt")
    assert (many.code, "the session opened 1 files, and --file is given 2 times" in many.err) == (2, True)
    assert not Path("second").exists()


def refused(console: Console, folder: str, events: Sequence[Event]) -> str:
    done = console("replay", write(Path(folder), events), "--out", "out")
    assert done.code == 2, done.err
    assert not Path("out").exists()
    return done.err


@pytest.mark.requires("replay.refused")
def test_what_cannot_be_replayed_is_refused_with_the_reason_before_anything_begins(
    console: Console, world: World
) -> None:
    assert "its outcome is failed" in refused(console, "failed", events_of("a", at=1.0, outcome="failed"))
    assert "it carried out 0 requests" in refused(console, "killed", events_of("b", at=1.0, outcome=""))
    several = events_of("c", at=1.0)
    assert "it carried out 2 requests" in refused(console, "several", [*several[:-1], several[-2], several[-1]])
    vendor = [
        *events_of("d", at=1.0)[:2],
        ReplyAccepted(step=1, agent="AppAgent", status="CONTINUE", raw="click: Click(at=Spot(x=3, y=4))"),
        *events_of("d", at=1.0)[2:],
    ]
    assert "step 1 was decided by a model that points at places of its pictures" in refused(console, "vendor", vendor)
    at_point = '{"status": "FINISH", "function": "scroll", "args": {"x": 0.5, "y": 0.5, "wheel_dist": 3}}'
    scrolled = [
        *events_of("f", at=1.0)[:2],
        ReplyAccepted(step=1, agent="AppAgent", status="FINISH", raw=at_point),
        ActionFinished(step=1, agent="AppAgent", call_id="c", tool="scroll", status="success"),
        *events_of("f", at=1.0)[-2:],
    ]
    begun = SessionStarted.model_validate({**scrolled[0].model_dump(), "options": SessionOptions(requests=["Scroll"])})
    assert "pointed at places of its pictures (scroll)" in refused(console, "point", [begun, *scrolled[1:]])
    damaged = write(Path("damaged"), events_of("e", at=1.0))
    (damaged / "journal.sqlite").write_bytes(b"no journal")
    assert console("replay", damaged).code == 4


@pytest.mark.requires("replay.refused")
def test_a_session_in_windows_that_were_open_before_needs_a_desktop_with_them(console: Console, world: World) -> None:
    record(console)
    started, *events = read_events(Path("first/log"))
    assert isinstance(started, SessionStarted)
    assert started.options is not None
    begun = started.options.model_copy(update={"files": []})
    moved = started.model_copy(update={"options": begun, "desktop": "work"})
    told = refused(console, "open/log", [moved, *events])
    assert "windows that were open on work before it began" in told
    assert "--desktop" in told
    old = started.model_copy(update={"options": None})
    assert "does not name the files and applications" in refused(console, "old/log", [old, *events])


FIXTURE_BOOK: Final = """\
playbook: 1
name: fixture
host:
  - {on: {role: window, name: Fixture}, status: ASSIGN, agent: fixture, subtask: Fill and press}
  - {status: FINISH, result: It is done}
agents:
  fixture:
    - {tool: set_edit_text, on: {role: textbox, name: Name}, args: {text: Ada Lovelace}}
    - {tool: invoke, on: {role: button, name: Press me}, expect: {effect: confirmed}}
    - {status: FINISH}
"""


@pytest.mark.full("25 s; the others replay on a desktop in memory")
@pytest.mark.desktop
@pytest.mark.requires("replay.same", "replay.parameters")
def test_a_session_in_a_real_program_is_done_again_with_another_name(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    argv = ["/usr/bin/python3", str(PROGRAM), str(state)]
    (tmp_path / "settings.yaml").write_text(json.dumps({"applications": {"fixture": {"argv": argv}}}))
    (tmp_path / "book.yaml").write_text(FIXTURE_BOOK)
    env = environment(XDG_STATE_HOME=str(tmp_path / "state"), HOME=str(tmp_path))
    given = ("--playbook", tmp_path / "book.yaml", "--app", "fixture", "--config", tmp_path / "settings.yaml")
    first = deskhand("run", "Enter Ada Lovelace", *given, "--out", tmp_path / "first", "--json", env=env)
    assert (first.code, json.loads(state.read_text())["name"]) == (0, "Ada Lovelace"), first.err
    state.unlink()
    again = deskhand("replay", tmp_path / "first", "--param", "name=Grace Hopper", "--json", env=env)
    assert (again.code, again.item("replays")) == (0, first.item("session_id")), again.err
    told = json.loads(state.read_text())
    assert (told["name"], told["pressed"]) == ("Grace Hopper", 1)
    wait_until_ended(processes_with(str(tmp_path)))


@pytest.mark.requires("model.heal.file", "replay.fails")
def test_a_step_that_does_not_fit_is_healed_by_a_model_where_one_is_given(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(console)

    def rename(window: FakeWindow) -> None:
        window.find("Save").name = "Store"

    def decide(body: Json) -> Answer:
        label = re.search(r'(\d+) button "Store"', "\n".join(texts_of(body)))
        assert label is not None
        return Say(json.dumps({"status": "FINISH", "function": "invoke", "control_label": label[1]}))

    world.change = rename
    with wire(script=decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
        done = console("replay", "first", "--out", "second", "--heal", "openai:mine", "--json")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert len(server.heard) == 1
    assert saved("second/orders.json") == ORDERS[1:]
    healed = str(Path("second/playbook.healed.yaml").absolute())
    assert done.item("healed", "file") == healed
    options = ("--file", "march.odt", "--out", "third", "--param", f"output={Path('third.json').absolute()}")
    again = console("run", "Enter", "--playbook", healed, *options)
    assert (again.code, saved("third.json")) == (0, ORDERS[1:]), again.err
