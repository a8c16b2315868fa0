"""`deskhand.run`: what the command line can, by one call from Python; on a desktop in memory."""

import re
from pathlib import Path

import pytest

import deskhand
from cli.test_modes import BOOK, World, world
from cli.test_run_with_model import decide
from deskhand.config.sections import Configuration, McpSection, ModelsSection, ToolServerEntry
from deskhand.core.command import Effect
from deskhand.core.errors import ConfigurationError, UsageError
from deskhand.core.events import ActionFinished, Event, ProblemMet
from deskhand.core.outcomes import Outcome
from deskhand.store.journal import read_events
from stage import Person, assign, scripted
from stage import say as reply
from wire.server import Answer, Fail, Json, Wire, wire

__all__ = ["world"]
pytestmark = [pytest.mark.requires("python.run"), pytest.mark.anyio]

ASKS = "Which door?"


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Models are asked over the wire, which takes time that passes."""
    return "asyncio"


def keys(monkeypatch: pytest.MonkeyPatch, server: Wire) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")


def write(name: str, text: str) -> None:
    Path(name).write_text(text)


def read(name: str) -> str:
    return Path(name).read_text()


class Heard:
    """A listener."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


async def test_a_model_by_name_is_asked_and_listeners_hear_what_the_journal_has(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    with wire(script=decide) as server:
        keys(monkeypatch, server)
        ending = await deskhand.run(
            "Air", model="openai:mine", files=["a.odt"], opens=world.open, out="out", listeners=[heard]
        )
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "aired")
    assert [type(event) for event in heard.events] == [type(event) for event in read_events(Path("out"))]
    assert [e.effect for e in heard.events if isinstance(e, ActionFinished)] == [Effect.CONFIRMED] * 2, (
        "the window was chosen, and the door opened"
    )
    assert world.opened == ["a.odt"]


@pytest.mark.parametrize("error", [KeyError("mine"), SystemExit("mine")])
async def test_a_listener_that_breaks_is_warned_about_and_the_session_goes_on(
    world: World, error: BaseException
) -> None:
    class Broken(Heard):
        def emit(self, event: Event) -> None:
            super().emit(event)
            raise error

    broken, whole = Broken(), Heard()
    with pytest.warns(UserWarning, match=f"Broken.emit.*{type(error).__name__}"):
        ending = await deskhand.run(
            "Air", playbook="door.yaml", files=["a.odt"], opens=world.open, out="out", listeners=[broken, whole]
        )
    assert ending.outcome is Outcome.SUCCESS
    assert (len(broken.events), len(whole.events) > 1) == (1, True)


async def test_all_models_of_a_configuration_are_used(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(body: Json) -> Answer:
        return Fail(401) if body["model"] == "broken" else decide(body)

    models = ModelsSection(host="openai:thinker", app="openai:broken", backup="openai:spare", evaluation="openai:judge")
    with wire(script=answer) as server:
        keys(monkeypatch, server)
        configuration = Configuration(models=models)
        ending = await deskhand.run("Air", files=["a.odt"], opens=world.open, out="out", configuration=configuration)
    assert ending.outcome is Outcome.SUCCESS, ending
    assert [heard.body["model"] for heard in server.heard] == ["thinker", "broken", "spare", "thinker", "judge"]


async def test_the_configuration_of_the_user_is_the_default(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_MODELS__MODEL", "openai:mine")
    with wire(script=decide) as server:
        keys(monkeypatch, server)
        assert (await deskhand.run("Air", files=["a.odt"], opens=world.open, out="out")).outcome is Outcome.SUCCESS


async def test_a_model_of_the_callers_own_is_asked_beside_those_of_the_configuration(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    click = reply("FINISH", "click_input", "Door")
    own = scripted({"HostAgent": [assign("a.odt Writer", "Open"), reply("FINISH")], "AppAgent/writer": [click]})
    configuration = Configuration(models=ModelsSection(evaluation="openai:judge"))
    with wire(script=decide) as server:
        keys(monkeypatch, server)
        ending = await deskhand.run(
            "Air", model=own, files=["a.odt"], opens=world.open, out="out", configuration=configuration
        )
    assert ending.outcome is Outcome.SUCCESS
    assert [heard.body["model"] for heard in server.heard] == ["judge"]


@pytest.mark.requires("model.heal.step", "model.heal.file")
async def test_a_step_of_a_playbook_that_does_not_fit_is_given_to_the_healing_model(world: World) -> None:
    write("gate.yaml", BOOK.replace("name: Door}", "name: Gate}", 1))
    healer = scripted({"AppAgent/writer": [reply("FINISH", "click_input", "Door")]}, name="healer")
    ending = await deskhand.run("Air", playbook="gate.yaml", heal=healer, files=["a.odt"], opens=world.open, out="out")
    assert ending.outcome is Outcome.SUCCESS, ending
    assert (len(healer.requests), read("gate.healed.yaml")) == (1, BOOK)
    with pytest.raises(UsageError, match="heal needs a playbook"):
        await deskhand.run("Air", model=healer, heal=healer, opens=world.open, out="again")


async def test_a_playbook_takes_the_place_of_a_model(world: World) -> None:
    ending = await deskhand.run("Air", playbook="door.yaml", files=["a.odt"], opens=world.open, out="out")
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "aired")


async def test_questions_reach_the_interactor(world: World) -> None:
    person = Person(says={ASKS: "the left one"})
    asks = reply("PENDING", questions=[ASKS])
    own = scripted({"HostAgent": [asks, reply("FINISH")]})
    ending = await deskhand.run("Air", model=own, opens=world.open, out="out", interactor=person)
    assert (ending.outcome, person.questions) == (Outcome.SUCCESS, [ASKS])


async def test_tool_servers_of_the_configuration_are_connected_and_their_failure_is_reported(world: World) -> None:
    heard = Heard()
    servers = {"mail": ToolServerEntry(command=("/nowhere/mail",))}
    own = scripted({"HostAgent": [reply("FINISH")]})
    configuration = Configuration(mcp=McpSection(servers=servers))
    await deskhand.run("Air", model=own, opens=world.open, out="out", configuration=configuration, listeners=[heard])
    assert [e.where for e in heard.events if isinstance(e, ProblemMet)] == ["the tool server mail"]
    secret = {"mail": ToolServerEntry(command=("mail",), environment={"KEY": "${NOT_SET}"})}
    configuration = Configuration(mcp=McpSection(servers=secret))
    with pytest.raises(ConfigurationError, match="NOT_SET"):
        await deskhand.run("Air", model=own, opens=world.open, out="more", configuration=configuration)


@pytest.mark.parametrize(
    ("request_", "options", "problem"),
    [
        (" ", {"model": "openai:mine"}, "there is no request"),
        ("Air", {}, "no model is chosen"),
        ("Air", {"model": "mine"}, "mine"),
        ("Air", {"model": "openai:mine", "playbook": "door.yaml"}, "exclude each other"),
        ("Air", {"model": "openai:mine", "parameters": {"a": 1}}, "parameters need a playbook"),
        ("Air", {"playbook": "window.yaml"}, "window.yaml"),
    ],
)
async def test_a_wrong_call_is_refused_before_anything_starts(
    world: World, request_: str, options: dict[str, object], problem: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(problem)):
        await deskhand.run(request_, opens=world.open, out="out", **options)  # pyright: ignore[reportArgumentType]
    assert not world.desktops


async def test_a_folder_with_the_journal_of_another_session_is_refused(world: World) -> None:
    async def air() -> None:
        await deskhand.run("Air", playbook="door.yaml", files=["a.odt"], opens=world.open, out="out")

    await air()
    before = len(list(read_events(Path("out"))))
    with pytest.raises(UsageError, match="another session"):
        await air()
    assert len(list(read_events(Path("out")))) == before
