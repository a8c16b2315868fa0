"""`deskhand fleet status`."""

import uuid
from typing import Annotated

import anyio
import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_USAGE
from deskhand.core.json import JsonObject
from deskhand.fleet.cluster import AUTO, RESOURCE, Cluster
from deskhand.fleet.verdict import Facts, NodeVerdict, examined, facts_function


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Show the nodes of a Ray cluster that offer desktops.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    group.callback()(_group)
    group.command("status")(status)
    app.add_typer(group, name="fleet")


def _group() -> None:
    """Show the nodes of a Ray cluster that offer desktops."""


def status(
    ray: Annotated[str, typer.Option(metavar="auto|HOST:PORT", help="The cluster.")] = AUTO, as_json: JsonOption = False
) -> int:
    """List the nodes with their version, desktops, and the verdict of `deskhand doctor` there."""
    with Cluster(ray) as cluster:
        verdicts = run_async(lambda: _verdicts(cluster))
        free = cluster.free_desktops()
    usable = any(verdict.node.desktops and not verdict.reason for verdict in verdicts)
    if as_json:
        print_json({"ok": usable, "nodes": [_as_object(verdict, free.get(verdict.node.id, 0)) for verdict in verdicts]})
    else:
        for verdict in verdicts:
            _print(verdict, free.get(verdict.node.id, 0))
        print_line(f"\n{_total(verdicts)}")
    return 0 if usable else EXIT_USAGE


async def _verdicts(cluster: Cluster) -> list[NodeVerdict]:
    nodes = sorted((node for node in cluster.nodes() if node.alive), key=lambda node: node.address)
    verdicts = {node.id: NodeVerdict(node, reason=f"it offers no {RESOURCE}") for node in nodes}
    ours = Facts(*facts_function()())

    async def examine(index: int) -> None:
        node = nodes[index]
        verdicts[node.id] = await examined(cluster, node, f"status-{uuid.uuid4().hex[:12]}", ours)

    async with anyio.create_task_group() as group:
        for index, node in enumerate(nodes):
            if node.desktops:
                group.start_soon(examine, index)
    return [verdicts[node.id] for node in nodes]


def _as_object(verdict: NodeVerdict, free: int) -> JsonObject:
    node, facts = verdict.node, verdict.facts
    return {
        "address": node.address,
        "version": facts.deskhand if facts else "",
        "python": facts.python if facts else "",
        "desktops": node.desktops,
        "free": free,
        "ok": not verdict.reason,
        "reason": verdict.reason,
        "fix": verdict.fix,
        "checks": [
            {"id": check.id, "ok": check.ok, "required": check.required, "detail": check.detail, "fix": check.fix}
            for check in verdict.checks
        ],
    }


def _print(verdict: NodeVerdict, free: int) -> None:
    node = verdict.node
    version = f"Deskhand {verdict.facts.deskhand}" if verdict.facts and verdict.facts.deskhand else ""
    desktops = f"{_desktops(node.desktops)}, {free} free" if node.desktops else ""
    state = f"gets no task: {verdict.reason}" if verdict.reason else "ok"
    print_line("  ".join(filter(None, (f"{node.address:<15}", version, desktops, state))))
    if verdict.fix:
        print_line(f"{'':<15}  fix: {verdict.fix}")


def _total(verdicts: list[NodeVerdict]) -> str:
    usable = [verdict for verdict in verdicts if verdict.node.desktops and not verdict.reason]
    desktops = sum(verdict.node.desktops for verdict in usable)
    return f"{_desktops(desktops)} on {len(usable)} of {len(verdicts)} nodes can take tasks"


def _desktops(count: int) -> str:
    return f"{count} desktop" if count == 1 else f"{count} desktops"
