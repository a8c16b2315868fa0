"""A package that is built as a wheel and installed plugs into a session: everything that an entry point can give."""

import importlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import deskhand
from cli.driver import Console
from deskhand.core.errors import DeskhandError, PluginBroken
from deskhand.core.events import Event, ProblemMet, SubtaskArchived
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.desktop.backends import load_toolkits, open_desktop
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.models.scripted import ScriptedReply
from stage import assign, say, scripted

pytestmark = [pytest.mark.requires("python.plugins"), pytest.mark.anyio]

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "deskhand-acme"
version = "1.2"

[project.entry-points."deskhand.tools"]
rate = "deskhand_acme:rate"

[project.entry-points."deskhand.agents"]
clerk = "deskhand_acme:clerk"

[project.entry-points."deskhand.retrievers"]
shelf = "deskhand_acme:Shelf"
torn = "deskhand_acme:Torn"

[project.entry-points."deskhand.backends"]
acme = "deskhand_acme:open_room"
bare = "deskhand_acme:open_nothing"
fails = "deskhand_acme:open_failing"
leaves = "deskhand_acme:open_leaving"
needy = "deskhand_acme:Shelf"
virtual = "deskhand_acme:open_room"

[project.entry-points."deskhand.toolkits"]
acme = "deskhand_acme:Acme"
odd = "deskhand_acme:Shelf"
wrong = "deskhand_acme:Wrong"
"""
MODULE = '''\
from contextlib import asynccontextmanager
from dataclasses import replace

import deskhand
from deskhand.agents import BasicAgent, ThirdPartyAgent
from deskhand.core.model import Passage
from deskhand.core.roles import Role
from deskhand.core.statuses import Cause
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3
from deskhand.states import AgentStateManager, AppAgentStateManager, Edge, redirect
from deskhand.states.app import AppAgentState, ErrorAppAgentState, FinishAppAgentState, NoneAppAgentState


@deskhand.tool
def rate(currency: str) -> float:
    """Returns the rate of a currency."""
    return 1.5


class ClerkStates(AgentStateManager):
    machine = "clerk"
    edges = (
        Edge("clerk", "CONTINUE", "FINISH", Cause.SYSTEM, "filed"),
        *(
            replace(row, machine="clerk")
            for row in AppAgentStateManager.rows()
            if row.source in {"FINISH", "ERROR"} or (row.source, row.to) == ("CONTINUE", "ERROR")
        ),
    )


@ClerkStates.register
class Files(AppAgentState, status="CONTINUE"):
    async def handle(self, agent, context):
        agent.result = f"filed: {context.subtask}"
        redirect(agent, "FINISH", Cause.SYSTEM, "it is filed", trigger="filed")


@ClerkStates.register
class Done(FinishAppAgentState, status="FINISH", subtask_end=True, terminal=True):
    pass


@ClerkStates.register
class Failed(ErrorAppAgentState, status="ERROR", subtask_end=True, round_end=True, terminal=True):
    pass


@ClerkStates.register
class Unknown(NoneAppAgentState, status="", subtask_end=True, round_end=True):
    pass


class Clerk(BasicAgent):
    kind = "clerk"
    manager_class = ClerkStates

    def __init__(self, name, services, models, *, mode, target, process_name):
        super().__init__(name, services, models, mode=mode, application=process_name)

    def build_processor(self, context):
        raise NotImplementedError


clerk = ThirdPartyAgent("clerk", "Clerk", "Files letters.", Clerk, lambda folder: ())


class Shelf:
    async def retrieve(self, query, application, limit):
        return (Passage("document", "Doors", "Doors open inwards.", "doors.md"),)


class Torn:
    def __init__(self):
        raise KeyError("torn")


@asynccontextmanager
async def open_room(address, *, holder, brief):
    desktop = FakeDesktop(name=f"acme:{address}")
    desktop.open(FakeWindow(f"{address} Writer", [FakeControl(Role.CHECKBOX, "Door")], application="writer"))
    yield desktop


@asynccontextmanager
async def open_nothing(address, *, holder, brief):
    yield "a text"


@asynccontextmanager
async def open_failing(address, *, holder, brief):
    raise KeyError(address)
    yield


@asynccontextmanager
async def open_leaving(address, *, holder, brief):
    yield FakeDesktop()
    raise KeyError(address)


class Acme(Gtk3):
    @classmethod
    def owns(cls, name, version, application):
        return application == "acme" and bool(version + "")

    def identify(self, role, state, name):
        return super().identify(role, state, {"Press me": "Press", "?": 0}[name] or name + 1)


class Wrong(Gtk3):
    async def identify(self, role, state, name):
        return role, name
'''


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("acme")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "deskhand_acme.py").write_text(MODULE)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True, timeout=120)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture
def acme(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package, installed as installers do it: unpacked."""
    folder = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.chdir(tmp_path)
    importlib.invalidate_caches()
    yield
    sys.modules.pop("deskhand_acme", None)


def words(request: ModelRequest) -> str:
    """The text that the model reads."""
    return "\n".join(str(part) for message in request.messages for part in message.parts)


@pytest.mark.usefixtures("acme")
async def test_tool_agent_retriever_and_desktop_of_a_wheel_work_in_a_session() -> None:
    heard: list[Event] = []
    read: list[str] = []

    def look(request: ModelRequest) -> ScriptedReply:
        read.append(words(request))
        use = say("CONTINUE", "rate", args={"currency": "USD"})
        assert callable(use)
        return use(request)

    def end(request: ModelRequest) -> ScriptedReply:
        read.append(words(request))
        return {"status": "FINISH"}

    answers = {
        "HostAgent": [assign("Hall Writer", "Look up"), assign("Clerk", "File it"), say("FINISH")],
        "AppAgent/writer": [look, end],
    }
    ending = await deskhand.run(
        "Air", model=scripted(answers), desktop="acme:Hall", out="out", listeners=[heard.append]
    )
    assert ending.outcome is Outcome.SUCCESS, ending
    assert "Doors open inwards." in read[0]
    assert "1.5" in read[1], "the model is given the result"
    assert [event.result for event in heard if isinstance(event, SubtaskArchived)][-1] == "filed: File it"
    problems = [event.error.message for event in heard if isinstance(event, ProblemMet)]
    assert [problem.partition(": ")[2] for problem in problems] == ["KeyError: 'torn'"]


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("choice", "problem"),
    [("bare", "a str is no desktop: it has no .*windows"), ("fails:hall", "KeyError: 'hall'"), ("leaves:x", "'x'")],
)
async def test_a_backend_that_breaks_is_named(choice: str, problem: str) -> None:
    with pytest.raises(PluginBroken, match=rf"deskhand\.backends\) of deskhand-acme 1\.2: .*{problem}"):
        async with open_desktop(choice):
            pass


@pytest.mark.usefixtures("acme")
async def test_the_error_of_the_work_on_a_plugged_desktop_is_raised_as_it_is() -> None:
    async def work() -> None:
        async with open_desktop("acme:Hall") as desktop:
            assert [window.name for window in await desktop.windows()] == ["Hall Writer"]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()


@pytest.mark.usefixtures("acme")
def test_a_toolkit_whose_hook_raises_is_named_once_and_ours_is_used_from_then_on() -> None:
    faults: list[DeskhandError] = []
    (acme,) = load_toolkits(faults.append)
    assert len(faults) == 2, "odd and wrong"
    assert acme.owns("gtk", "3.24", "acme")
    toolkit = acme("gtk", "3.24", "acme")
    assert isinstance(toolkit, Toolkit)
    assert toolkit.identify(1, 0, "Press me") == (1, "Press")
    assert toolkit.identify(1, 0, "Other") == (1, "Other"), "its name is not in the table of the plug-in"
    assert toolkit.identify(1, 0, "Press me") == (1, "Press me"), "none of its hooks is called again"
    assert not acme.owns("gtk", "3.24", "acme")
    (named,) = faults[2:]
    assert "acme (deskhand.toolkits) of deskhand-acme 1.2: identify raised KeyError: 'Other'" in named.message


@pytest.mark.usefixtures("acme")
def test_a_toolkit_whose_claim_raises_is_named_and_claims_nothing() -> None:
    faults: list[DeskhandError] = []
    (acme,) = load_toolkits(faults.append)
    assert not acme.owns("gtk", None, "acme")  # pyright: ignore[reportArgumentType] - what no application reports
    assert "owns raised TypeError" in faults[-1].message
    assert not acme.owns("gtk", "3.24", "acme")


@pytest.mark.usefixtures("acme")
def test_all_groups_are_listed_with_the_faults_of_those_that_cannot_be_used(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = Console(capsys)("plugins", "--json")
    assert done.code == 1
    told = {(each["group"], each["name"]): each["fault"] or "" for each in json.loads(done.out)}
    usable = {key for key, fault in told.items() if not fault}
    assert usable == {
        ("deskhand.tools", "rate"),
        ("deskhand.agents", "clerk"),
        ("deskhand.retrievers", "shelf"),
        ("deskhand.backends", "acme"),
        ("deskhand.backends", "bare"),
        ("deskhand.backends", "fails"),
        ("deskhand.backends", "leaves"),
        ("deskhand.toolkits", "acme"),
    }
    assert "KeyError: 'torn'" in told["deskhand.retrievers", "torn"]
    assert "names a private desktop" in told["deskhand.backends", "virtual"]
    assert "it is called with ('', holder=…, brief=…), but" in told["deskhand.backends", "needy"]
    assert "not all of these are derived from Toolkit: Shelf" in told["deskhand.toolkits", "odd"]
    assert "has to be not async" in told["deskhand.toolkits", "wrong"]
