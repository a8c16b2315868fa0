"""Writes what docs/states.md says of the machines, from the table and the classes: `python -m tools.state_docs`.

The page is written by hand but for what stands between `<!-- host diagram -->` and `<!-- end -->` and the like.
With `--check` nothing is written; exit code 1 where the page is not what it would be.
"""

import csv
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from deskhand.states import (
    AgentStateManager,
    AppAgentStateManager,
    Edge,
    HostAgentStateManager,
    TransitionTable,
    packaged_table,
)
from deskhand.states.table import shown
from tools.pages import write_page

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "states.md"
MANAGERS: Final[Mapping[str, type[AgentStateManager]]] = {"host": HostAgentStateManager, "app": AppAgentStateManager}
BLOCK: Final = re.compile(r"(<!-- (\w+) (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state as the list of states and its class have it."""

    name: str
    class_name: str
    kind: str
    phases: str
    subtask_end: bool
    round_end: bool


def states_of(machine: str) -> list[StateRow]:
    """The states of a machine, in the order of the list; what a class says is read from the class."""
    text = resources.files("deskhand.states").joinpath("states.csv").read_text("utf-8")
    manager = MANAGERS[machine]()
    found: list[StateRow] = []
    for row in csv.DictReader(text.splitlines()):
        if row["machine"] == machine:
            state = manager.get_state(row["state"]) if row["state"] else manager.none_state
            class_name, ends = type(state).__name__, (state.is_subtask_end(), state.is_round_end())
            found.append(StateRow(state.name(), class_name, row["kind"], row["phases"], *ends))
    return found


def diagram(_: str, table: TransitionTable) -> str:
    """A Mermaid state diagram."""
    return f"```mermaid\n{table.diagram()}\n```"


def state_table(machine: str, _: TransitionTable) -> str:
    rows = [
        [
            f"`{state.name}`" if state.name else "(none)",
            f"`{state.class_name}`",
            state.kind,
            state.phases.replace("_", " "),
            " and ".join(word for word, holds in (("subtask", state.subtask_end), ("round", state.round_end)) if holds),
        ]
        for state in states_of(machine)
    ]
    return _table(("state", "class", "kind", "phases it runs", "ends"), rows)


def edge_table(_: str, table: TransitionTable) -> str:
    rows = [[f"`{e.source}`", _link(e), e.cause.value, e.trigger, e.when] for e in table]
    return _table(("from", "to", "cause", "trigger", "when"), rows)


def _link(edge: Edge) -> str:
    state, of, agent = shown(edge.to).partition(" of ")
    return f"`{state}`{of}{agent}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


PARTS: Final[Mapping[str, Callable[[str, TransitionTable], str]]] = {
    "diagram": diagram,
    "states": state_table,
    "edges": edge_table,
}


def filled(page: str, table: TransitionTable) -> str:
    """The page with its generated parts as they should be."""

    def fill(block: re.Match[str]) -> str:
        begin, machine, part, end = block.groups()
        return f"{begin}{PARTS[part](machine, table.of(machine))}\n{end}"

    return BLOCK.sub(fill, page)


def main(arguments: Sequence[str]) -> int:
    wanted = filled(PAGE.read_text(encoding="utf-8"), packaged_table())
    return write_page(PAGE, wanted, "the table and the classes", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
