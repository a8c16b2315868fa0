"""Packages plug in by entry points; one that is broken is named, and everything else works."""

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

import deskhand
from cli.driver import Console
from cli.test_modes import World, world
from deskhand.config.sections import Configuration, ModelsSection
from deskhand.core.errors import PluginBroken, UsageError
from deskhand.core.events import Event, ProblemMet
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.desktop.backends import BACKENDS
from deskhand.models.scripted import ScriptedReply
from deskhand.session.plugins import AGENTS, MODELS, RETRIEVERS, TOOLS, load_agents, load_tools
from stage import assign, say, scripted

__all__ = ["world"]
pytestmark = pytest.mark.requires("python.plugins")

PACKAGE = """\
from contextlib import asynccontextmanager, contextmanager

import deskhand
from deskhand.agents import ThirdPartyAgent
from deskhand.agents.shell import ShellAgent
from deskhand.core.usage import Usage

@deskhand.tool
def rate(currency: str) -> float:
    'Returns the rate of a currency.'
    return 1.5

@deskhand.tool
def clipboard() -> str:
    'Takes the name of a tool that is there.'
    return ""

number = 7

class ClerkAgent(ShellAgent):
    kind = "clerk"

clerk = ThirdPartyAgent("clerk", "Clerk", "Answers letters.", ClerkAgent)

shell = ThirdPartyAgent("shell", "Other shell", "Takes the kind of another.", ShellAgent, lambda folder: ())

class Parrot:
    name = "parrot"
    pictures = None

    async def respond(self, request):
        raise RuntimeError("Parrot repeats")

class Egg:
    name = "egg"

class Picky:
    def __init__(self):
        raise KeyError("shelf")

@contextmanager
def plain(address, *, holder, brief):
    yield None

@asynccontextmanager
async def managed(address, *, holder, brief):
    yield None

async def late(address, *, holder, brief):
    return None

class Needy(Parrot):
    def __init__(self, seeds): ...

class Named(Parrot):
    def __init__(self, name, setup):
        self.name = f"{name} for {setup.timeout_s:g} s at {setup.cost_usd('nobody', name, Usage(1_000_000, 0))} dollars"

    async def respond(self, request):
        raise RuntimeError(self.name)
"""


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with one whose entry points a test writes."""
    folder = tmp_path / "site-packages"
    info = folder / "deskhand_rates-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deskhand-rates\nVersion: 1.2\n")
    (folder / "deskhand_rates.py").write_text(PACKAGE)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "deskhand_rates", raising=False)
    return info / "entry_points.txt"


def offer(file: Path, group: str, **objects: str) -> None:
    lines = [f"{name} = {place}" for name, place in objects.items()]
    with file.open("a") as out:
        out.write("\n".join([f"[{group}]", *lines, ""]))
    installed = file.parent.parent.stat()
    os.utime(file.parent.parent, ns=(installed.st_atime_ns, installed.st_mtime_ns + 1))  # as installers change it


def test_tools_and_agents_of_packages_are_loaded_and_faults_are_named(package: Path) -> None:
    offer(
        package,
        TOOLS,
        rate="deskhand_rates:rate",
        taken="deskhand_rates:clipboard",
        gone="deskhand_rates:nothing",
        other="nowhere:at_all",
        wrong="deskhand_rates:number",
        leaves="deskhand_leaves:tool",
    )
    (package.parent.parent / "deskhand_leaves.py").write_text("raise SystemExit(3)")
    offer(package, AGENTS, clerk="deskhand_rates:clerk", clerk2="deskhand_rates:clerk", other="deskhand_rates:shell")
    faulty: list[PluginBroken] = []
    assert [tool.spec.name for tool in load_tools(("clipboard",), faulty.append)] == ["rate"]
    assert [agent.title for agent in load_agents(["shell"], faulty.append)] == ["Clerk"]
    faults = "\n".join(fault.message for fault in faulty)
    assert "gone (deskhand.tools) of deskhand-rates 1.2: AttributeError" in faults
    assert "ModuleNotFoundError" in faults
    assert "int is no Tool" in faults
    assert "there is a tool 'clipboard' already" in faults
    assert "SystemExit: 3" in faults
    assert "there is an agent of the kind 'clerk' already" in faults
    assert "there is an agent of the kind 'shell' already" in faults
    assert len(faulty) == 7


async def test_a_session_offers_them_and_continues_without_a_broken_one(package: Path, world: World) -> None:
    offer(package, TOOLS, rate="deskhand_rates:rate", gone="deskhand_rates:nothing")
    events: list[Event] = []
    offered: list[set[str]] = []

    def look(request: ModelRequest) -> ScriptedReply:
        offered.append({tool.name for tool in request.tools})
        return use(request)

    use = say("CONTINUE", "rate", args={"currency": "USD"})
    assert callable(use)
    answers = {"HostAgent": [assign("a.odt Writer", "Open"), say("FINISH")], "AppAgent/writer": [look, say("FINISH")]}

    class Listener:
        def emit(self, event: Event) -> None:
            events.append(event)

    ending = await deskhand.run(
        "Air", model=scripted(answers), files=["a.odt"], opens=world.open, out="out", listeners=[Listener()]
    )
    assert ending.outcome is Outcome.SUCCESS, ending
    assert "rate" in offered[0]
    (problem,) = [event for event in events if isinstance(event, ProblemMet)]
    assert (problem.where, problem.error.type) == ("a plug-in", "PluginBroken")


async def test_a_model_of_a_package_is_chosen_by_its_name(package: Path, world: World) -> None:
    offer(package, MODELS, parrot="deskhand_rates:Parrot", gone="deskhand_rates:nothing", egg="deskhand_rates:Egg")
    offer(package, MODELS, needy="deskhand_rates:Needy")
    ending = await deskhand.run("Air", model="parrot", opens=world.open, out="out")
    assert ending.outcome is Outcome.ERROR, "the parrot decides nothing, but it was asked"
    assert "Parrot" in ending.reason
    broken = {"gone": "nothing", "egg": "Egg is no model: it has no pictures, respond", "needy": "'seeds'"}
    for name, problem in broken.items():
        with pytest.raises(PluginBroken, match=problem):
            await deskhand.run("Air", model=name, opens=world.open, out="more")
    with pytest.raises(UsageError):
        await deskhand.run("Air", model="nobody", opens=world.open, out="more")


async def test_a_model_may_take_the_rest_of_its_name_and_the_settings(package: Path, world: World) -> None:
    offer(package, MODELS, named="deskhand_rates:Named", parrot="deskhand_rates:Parrot")
    models = ModelsSection.model_validate(
        {"model": "named:grey/7", "timeout_s": 7, "prices": {"7": {"input_per_mtok": 2, "output_per_mtok": 0}}}
    )
    ending = await deskhand.run("Air", opens=world.open, out="out", configuration=Configuration(models=models))
    assert "grey/7 for 7 s at 2.0 dollars" in ending.reason
    with pytest.raises(UsageError, match="the model parrot takes no name, and 'grey' was given"):
        await deskhand.run("Air", model="parrot:grey", opens=world.open, out="more")


def test_the_list_has_versions_and_faults(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(capsys)
    assert console("plugins").code == 0
    offer(package, TOOLS, rate="deskhand_rates:rate")
    done = console("plugins")
    assert (done.code, done.out.split()) == (0, ["deskhand.tools", "rate", "deskhand-rates", "1.2"])
    offer(package, TOOLS, again="deskhand_rates:rate", taken="deskhand_rates:clipboard")
    offer(package, MODELS, parrot="deskhand_rates:Parrot", needy="deskhand_rates:Needy")
    done = console("plugins", "--json")
    assert done.code == 1
    told = {plugin["name"]: plugin["fault"] or "" for plugin in json.loads(done.out)}
    assert list(told) == ["again", "rate", "taken", "needy", "parrot"]
    assert "'clipboard' already" in told["taken"]
    assert "'rate' already" in told["rate"], "what a session leaves out is a fault in the list"
    assert "'seeds'" in told["needy"]
    assert told["again"] == told["parrot"] == ""


def test_the_list_names_what_a_session_would_not_use(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    offer(package, MODELS, openai="deskhand_rates:Parrot", operator="deskhand_rates:Parrot")
    offer(package, RETRIEVERS, egg="deskhand_rates:Egg", picky="deskhand_rates:Picky")
    offer(package, BACKENDS, plain="deskhand_rates:plain", managed="deskhand_rates:managed", late="deskhand_rates:late")
    done = Console(capsys)("plugins", "--json")
    told = {plugin["name"]: plugin["fault"] or "" for plugin in json.loads(done.out)}
    assert "there is a model 'openai' already" in told["openai"]
    assert "there is a model 'operator' already" in told["operator"]
    assert "it has no retrieve" in told["egg"]
    assert "KeyError: 'shelf'" in told["picky"]
    assert [name for name in ("plain", "managed", "late") if "@asynccontextmanager" in told[name]] == ["plain", "late"]


async def test_of_two_packages_with_a_model_of_one_name_the_first_is_used_and_the_other_is_named(
    package: Path, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    other = package.parent.parent / "deskhand_zoo-2.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: deskhand-zoo\nVersion: 2.0\n")
    offer(other / "entry_points.txt", MODELS, parrot="deskhand_rates:Needy")
    offer(package, MODELS, parrot="deskhand_rates:Parrot")
    told = json.loads(Console(capsys)("plugins", "--json").out)
    assert [(each["package"], each["fault"] is None) for each in told] == [
        ("deskhand-rates 1.2", True),
        ("deskhand-zoo 2.0", False),
    ]
    assert "there is a model 'parrot' already" in told[1]["fault"]
    ending = await deskhand.run("Air", model="parrot", opens=world.open, out="out")
    assert "Parrot repeats" in ending.reason
