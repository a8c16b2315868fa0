"""What docs/playbooks.md shows is right, and its whole example does what it says."""

import re
from pathlib import Path

import pytest

from deskhand.commands import Catalogue, standard_catalogue
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.playbook_tools import tool_problems
from stage import Person, rule, stage
from support import ROOT

BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "playbooks.md").read_text(encoding="utf-8"), re.DOTALL)
(ORDERS,) = [block for block in BLOCKS if "playbook: 1" in block]
FRAGMENT = """\
playbook: 1
name: fragment
params: {output: path, kind: text, done: {type: text, default: ""}}
agents:
  one:
"""
CATALOGUE = Catalogue(standard_catalogue())
TOOLS = {tool.spec.name: tool.spec for tool in CATALOGUE}
ROWS = [["Region", "Amount"], ["North", "250"], ["South", "1200"]]


class Orders:
    """A form that orders are entered into: `log` is what it was told."""

    def __init__(self, *, tip: bool = False) -> None:
        self.desktop = FakeDesktop()
        self.log: list[str] = []
        self.region, self.amount = FakeControl(Role.TEXTBOX, "Region"), FakeControl(Role.TEXTBOX, "Amount")
        self.count = FakeControl(Role.CHECKBOX, "Counter")
        table = FakeControl(Role.TABLE, "Orders", table=FakeTable.of(ROWS))
        buttons = [self._button(name) for name in ("Large", "Add", "Close day")]
        self.tip = self._button("Close tip")
        controls = [table, self.region, self.amount, *buttons, self.count, *([self.tip] if tip else [])]
        self.window = self.desktop.open(FakeWindow("Shop - Orders", controls, "orders", focused=self.region))

    def _button(self, name: str) -> FakeControl:
        def press() -> None:
            self.log.append(f"{name} {self.region.value} {self.amount.value}" if name == "Add" else name)
            self.count.value = str(len(self.log))
            if name == "Close tip":
                self.window.controls.remove(self.tip)

        return FakeControl(Role.BUTTON, name, on_click=press)


class Afresh:
    """A playbook model that is built anew for every question, so that it can have kept nothing."""

    pictures = None

    def __init__(self, **parameters: object) -> None:
        self.playbook, self.parameters = parse_playbook(ORDERS, "orders.yaml"), parameters
        self.name = "afresh"
        self.requests: list[ModelRequest] = []

    async def respond(self, request: ModelRequest):
        self.requests.append(request)
        return await PlaybookModel(self.playbook, self.parameters).respond(request)


@pytest.mark.requires("model.playbook.documented")
@pytest.mark.parametrize("block", [block for block in BLOCKS if "playbook: 1" not in block])
def test_every_fragment_of_the_page_is_a_valid_part_of_a_playbook(block: str) -> None:
    book = parse_playbook(FRAGMENT + "".join(f"    {line}\n" for line in block.splitlines()), "playbooks.md")
    assert tool_problems(book, TOOLS, CATALOGUE.validate) == []


@pytest.mark.requires("model.playbook.documented")
def test_the_example_uses_its_tools_rightly() -> None:
    assert tool_problems(parse_playbook(ORDERS, "playbooks.md"), TOOLS, CATALOGUE.validate) == []


@pytest.mark.requires("model.playbook.documented", "model.playbook.loop", "model.playbook.condition")
@pytest.mark.parametrize("tip", [True, False])
async def test_the_example_enters_each_row_and_marks_the_large_one(tmp_path: Path, tip: bool) -> None:
    orders = Orders(tip=tip)
    ending = await stage(orders.desktop, Afresh(), log_path=tmp_path).run()
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "All orders are entered")
    assert orders.log == [*(["Close tip"] if tip else []), "Add North 250", "Large", "Add South 1200", "Close day"]


async def test_the_example_leaves_a_draft_where_it_is_told_to(tmp_path: Path) -> None:
    orders = Orders()
    await stage(orders.desktop, Afresh(draft="yes"), log_path=tmp_path).run()
    assert orders.log == ["Add North 250", "Large", "Add South 1200"]


@pytest.mark.requires("model.playbook.keeps-nothing")
async def test_a_step_of_a_loop_that_a_person_approves_is_done_once(tmp_path: Path) -> None:
    orders, person = Orders(), Person(decides=[True, True])
    model = Afresh()
    it = stage(orders.desktop, model, log_path=tmp_path, person=person, rules=rule("{name: Add}", "confirm"))
    assert (await it.run()).outcome is Outcome.SUCCESS
    last = [request for request in model.requests if request.agent == "app"][-1]
    assert [record.position for record in last.steps_done] == [1, 2, 3, 5, 6, 7, 8, 9]
    assert orders.log == ["Add North 250", "Large", "Add South 1200", "Close day"]
    assert len(person.shown) == 2
