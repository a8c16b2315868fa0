"""The legal edges of the machines, as data; `transitions.csv` is the source of truth (contract 2.2)."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from deskhand.core.statuses import Cause


@dataclass(frozen=True, slots=True)
class Edge:
    """One row. `to` is a state of the same machine, or `machine:STATE`; `when` is a description for readers."""

    machine: str
    source: str
    to: str
    cause: Cause
    trigger: str
    when: str = ""


_AGENTS: Final = {"host": "HostAgent", "app": "sub-agent"}
"""The agent that a hand-over goes to, by the word in front of the colon."""
Ends = tuple[str, str, str, Cause]
"""Machine, from, to, cause."""


class TransitionTable:
    """Rows with the lookups of the guard, the prompts and the docs. Immutable."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._edges = tuple(edges)
        self._rows: dict[Ends, dict[str, Edge]] = {}
        for edge in self._edges:
            triggers = self._rows.setdefault((edge.machine, edge.source, edge.to, edge.cause), {})
            triggers.setdefault(edge.trigger, edge)

    def __iter__(self) -> Iterator[Edge]:
        return iter(self._edges)

    def __len__(self) -> int:
        return len(self._edges)

    def row(self, machine: str, source: str, to: str, cause: Cause, trigger: str = "") -> Edge | None:
        """Return the row by which a machine may go from `source` to `to`; None: it may not.

        Without a trigger, the first row of this cause is returned.
        """
        triggers = self._rows.get((machine, source, to, cause))
        if triggers is None:
            return None
        return triggers.get(trigger) if trigger else next(iter(triggers.values()))

    def with_rows(self, edges: Iterable[Edge]) -> "TransitionTable":
        """Return a table of these rows and the given ones."""
        return TransitionTable((*self._edges, *edges))

    def of(self, machine: str) -> "TransitionTable":
        """Return the rows of one machine."""
        return TransitionTable(e for e in self._edges if e.machine == machine)

    def diagram(self) -> str:
        """Return the rows as a Mermaid state diagram, one arrow for all rows between two states."""
        arrows: dict[tuple[str, str], list[str]] = {}
        for edge in self._edges:
            label = f"{edge.cause} {edge.trigger}" if edge.cause.value != edge.trigger else edge.trigger
            arrows.setdefault((edge.source, _node(edge.to)), []).append(label)
        elsewhere = dict.fromkeys(edge.to for edge in self._edges if ":" in edge.to)
        last = {edge.to for edge in self._edges if ":" not in edge.to} - {edge.source for edge in self._edges}
        lines = [f'state "{shown(to)}" as {_node(to)}' for to in elsewhere]
        lines += ["[*] --> CONTINUE"]
        lines += [f"{source} --> {to}: {'<br/>'.join(labels)}" for (source, to), labels in arrows.items()]
        lines += [f"{state} --> [*]" for state in sorted(last)]
        return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])

    def claimable(self, machine: str, source: str) -> tuple[str, ...]:
        """Return the statuses that a model may claim in a state: its `llm` rows, in table order, each once."""
        rows = (e.to for e in self._edges if (e.machine, e.source, e.cause) == (machine, source, Cause.LLM))
        return tuple(dict.fromkeys(rows))

    def meanings(self, machine: str, source: str) -> dict[str, str]:
        """Return the meaning of each of those statuses: the text of the machine's first row by which a model claims it.

        They are the same in every state, and so the beginning of the prompt can be cached by providers.
        """
        words = {e.to: e.when for e in reversed(self._edges) if (e.machine, e.cause) == (machine, Cause.LLM)}
        return {status: words[status] for status in self.claimable(machine, source)}


@cache
def packaged_table() -> TransitionTable:
    """Return the table shipped with the program."""
    text = resources.files("deskhand.states").joinpath("transitions.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return TransitionTable(
        Edge(r["machine"], r["from"], r["to"], Cause(r["cause"]), r["trigger"], r["when"]) for r in rows
    )


def _node(to: str) -> str:
    return to.replace(":", "_")


def shown(to: str) -> str:
    """Return the end of a row in words: `CONTINUE of the HostAgent` for `host:CONTINUE`."""
    machine, _, state = to.rpartition(":")
    return f"{state} of the {_AGENTS.get(machine, machine)}" if machine else state
