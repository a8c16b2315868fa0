"""Tools of plug-ins over MCP: listed, judged by the same rules, and their faults named."""

import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters

import deskhand
from deskhand.config.sections import Configuration, PolicySection
from deskhand.core.command import Effect, Route
from deskhand.desktop.fake import FakeDesktop
from deskhand.serve.mcp import make_server
from notes import Notes
from serve.clients import Person, connected, ids, of_this_run, refused, told
from support import ROOT

pytestmark = [pytest.mark.requires("mcp.plugins"), pytest.mark.anyio]

SENT: list[str] = []


@deskhand.tool
def rate(currency: str, window: str = "today") -> float:
    """Returns the rate of a currency in a window of time."""
    return {"USD": 1.5}[currency] + len(window)


@deskhand.tool(effect_class="send")
def mail(text: str) -> deskhand.ToolOutcome:
    """Sends a mail."""
    SENT.append(text)
    return deskhand.ToolOutcome(None, Effect.CONFIRMED, Route.APPLICATION_API, "the server has it")


@deskhand.tool
def title(call: deskhand.Call) -> str:
    """Returns the title of the window."""
    return call.window.name if call.window else ""


@deskhand.tool(agents=["clerk"])
def file_letter() -> str:
    """Files a letter; for an agent of its own alone."""
    return "filed"


TOOLS = (rate, mail, title, file_letter)


async def test_they_are_listed_called_in_the_observed_window_and_keep_their_arguments() -> None:
    async with connected(make_server(Notes().desktop, Configuration(), tools=TOOLS), "auto") as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"rate", "mail", "title"} < listed.keys()
        assert "file_letter" not in listed
        assert listed["rate"].annotations is not None
        assert listed["rate"].annotations.read_only_hint
        await ids(client)
        assert "7.5" in await told(client, "rate", currency="USD", window="a year")
        assert "Notes" in await told(client, "title")
        assert "window" in listed["title"].input_schema["properties"]
        assert "raised KeyError" in await refused(client, "rate", currency="EUR")
        assert "it takes currency, [window]" in await refused(client, "rate", amount=3)
        assert "there is no tool 'file_letter'" in await refused(client, "file_letter")


async def test_one_that_needs_no_window_works_where_none_is_open() -> None:
    async with connected(make_server(FakeDesktop(), Configuration(), tools=TOOLS), "auto") as client:
        assert "6.5" in await told(client, "rate", currency="USD")


async def test_one_that_changes_something_is_judged_and_approved_by_the_same_rules(tmp_path: Path) -> None:
    SENT.clear()
    rules = tmp_path / "rules.yaml"
    none = "{name: none, match: {arguments: {text: secret}}, decision: deny, reason: no}"
    rules.write_text(f"policy: 1\nrules: [{none}]\n")
    settings, person = Configuration(policy=PolicySection(files=(rules,))), Person()
    server = make_server(Notes().desktop, settings, tools=TOOLS)
    async with connected(server, "auto", person) as client:
        assert "confirmed" in await told(client, "mail", text="hello")
        assert "denied by rule none" in await refused(client, "mail", text="secret")
    assert SENT == ["hello"]
    assert len(person.asked) == 1, "sending is approved by the user"


PACKAGE = """\
import deskhand
from contextlib import asynccontextmanager
from deskhand.desktop.fake import FakeDesktop

@deskhand.tool
def rate(currency: str) -> float:
    'Returns the rate of a currency.'
    return 1.5

@asynccontextmanager
async def opened(address, *, holder, brief):
    yield FakeDesktop()
"""


async def test_deskhand_mcp_serves_those_of_installed_packages_and_names_a_broken_one(tmp_path: Path) -> None:
    info = tmp_path / "site" / "deskhand_rates-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deskhand-rates\nVersion: 1.2\n")
    tools = "[deskhand.tools]\nrate = deskhand_rates:rate\ngone = deskhand_rates:gone\n"
    (info / "entry_points.txt").write_text(f"{tools}[deskhand.backends]\nhall = deskhand_rates:opened\n")
    (tmp_path / "site" / "deskhand_rates.py").write_text(PACKAGE)
    log = tmp_path / "log"
    served = StdioServerParameters(
        command="/bin/sh",
        args=["-c", f'exec "{sys.executable}" -m deskhand mcp --desktop hall 2>"{log}"'],
        env={"PYTHONPATH": f"{ROOT / 'src'}:{tmp_path / 'site'}", "HOME": str(tmp_path), **of_this_run()},
        cwd=tmp_path,
    )
    async with connected(served, "auto") as client:
        assert "1.5" in await told(client, "rate", currency="USD")
    assert "gone (deskhand.tools) of deskhand-rates 1.2: AttributeError" in log.read_text()
