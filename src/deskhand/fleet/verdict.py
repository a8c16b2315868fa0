"""The verdict on a node, if it can take tasks: from its version of Deskhand and the checks of `doctor` there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from deskhand.core.errors import NodeLost
from deskhand.desktop.backends import Requirement
from deskhand.desktop.machine_check import can_start_desktop
from deskhand.fleet.cluster import Actor, Cluster, RayNode
from deskhand.fleet.node import NodeAgent


class Facts(NamedTuple):
    """The versions of a machine. `code`: hash of the package's files, as a version may be of several states of it."""

    deskhand: str
    code: str
    python: str


def facts_function() -> Callable[[], tuple[str, str, str]]:
    """A function that returns the facts of the machine on which it is called.

    It is local, so that Ray sends it as code: the node may have no Deskhand, or one without this module.
    """

    def facts() -> tuple[str, str, str]:
        import hashlib  # noqa: PLC0415 - as above
        import platform  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        try:
            import deskhand  # noqa: PLC0415
        except ImportError:
            return "", "", platform.python_version()
        folder = Path(str(deskhand.__file__)).parent
        made = hashlib.sha256()
        for file in sorted(folder.rglob("*.py")):
            made.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
        return getattr(deskhand, "__version__", "?"), made.hexdigest()[:12], platform.python_version()

    return facts


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """`reason`: why the node gets no task, and `fix` the remedy; empty: it can take tasks."""

    node: RayNode
    facts: Facts | None = None
    checks: Sequence[Requirement] = ()
    reason: str = ""
    fix: str = ""


async def verdict_on(
    cluster: Cluster, node: RayNode, name: str, ours: Facts, *, office: bool
) -> tuple[NodeVerdict, Actor | None]:
    """Judge a node. `name`: of the batch's folder there. `office`: tasks need LibreOffice.

    Returns the object with the folder too, where the node can take tasks. Raises: NodeLost.
    """
    try:
        facts = Facts(*await cluster.call_on(node, facts_function()))
    except ValueError as error:
        return NodeVerdict(node, reason=f"its versions cannot be read: {error}"), None
    if wrong := difference(facts, ours):
        fix = f'on {node.address}: python -m pip install "deskhand[ray]=={ours.deskhand}", then start its node again'
        return NodeVerdict(node, facts, reason=wrong, fix=fix), None
    agent = cluster.actor(node, NodeAgent, name)
    checks: Sequence[Requirement] = await agent.call("check")
    missing = [check for check in checks if check.required and not check.ok]
    if not office and can_start_desktop(list(checks)):
        missing = [check for check in missing if not check.id.startswith("libreoffice")]
    if missing:
        agent.end()
        return NodeVerdict(node, facts, checks, missing[0].detail, missing[0].fix), None
    return NodeVerdict(node, facts, checks), agent


def difference(there: Facts, here: Facts) -> str:
    """The first fact in which a node differs from this machine, as a sentence; empty: there is none."""
    if not there.deskhand:
        return "Deskhand is not installed there"
    if there.python != here.python:
        return f"it runs Python {there.python}, this machine {here.python}"
    if there.deskhand != here.deskhand:
        return f"it has Deskhand {there.deskhand}, this machine {here.deskhand}"
    if there.code != here.code:
        return f"its Deskhand {there.deskhand} has other code than the one of this machine"
    return ""


async def examined(cluster: Cluster, node: RayNode, name: str, ours: Facts) -> NodeVerdict:
    """Judge a node and leave nothing there."""
    try:
        verdict, agent = await verdict_on(cluster, node, name, ours, office=True)
        if agent is not None:
            await agent.call("leave")
            agent.end()
    except NodeLost as error:
        return NodeVerdict(node, reason=f"it did not answer: {error.message}")
    return verdict
