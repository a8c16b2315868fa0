"""Tasks of a batch on the nodes of a cluster: which desktop is free, what a task there reports, which node is lost."""

import time
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio
from anyio.abc import TaskGroup

from deskhand.core.errors import (
    ClusterUnavailable,
    DeskhandError,
    FleetError,
    NodeLost,
    NodeSilent,
    NodesMissing,
)
from deskhand.fleet.cluster import RESOURCE, Actor, Cluster, RayNode
from deskhand.fleet.contents import Input, NodeContents, Shipment
from deskhand.fleet.folder_copy import FolderCopy
from deskhand.fleet.node import Slot
from deskhand.fleet.task_run import Follower, Patience, TaskRun
from deskhand.fleet.verdict import Facts, NodeVerdict, facts_function, verdict_on
from deskhand.fleet.work import Updates, Work

BY_USER: Final = "cancelled by the user"
_LOOK_S: Final = 1.0
"""Time between two readings of the list of nodes."""
_LEAVE_S: Final = 10.0
_HEAD_S: Final = 15.0
"""Time in which the head of a cluster answers."""
_STARTS: Final = 3
"""Attempts to start the process of a desktop."""


@dataclass(frozen=True, slots=True)
class Done:
    """The work ended, and its whole folder is here. `folder`: its path on the node. `cancelled`: why it was, if so."""

    folder: str
    result: object
    cancelled: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The node, or the process there, is gone. `acted`: the work may have had effects."""

    address: str
    acted: bool
    reason: str


@dataclass(eq=False, slots=True)
class _Node:
    node: RayNode
    alive: bool = True
    verdict: NodeVerdict | None = None
    agent: Actor | None = None
    contents: NodeContents | None = None

    @property
    def may_take(self) -> bool:
        return self.alive and (self.verdict is None or not self.verdict.reason)


@dataclass(eq=False, slots=True)
class _Desktop:
    """A slot that was made. `root`: the batch's folder there. `gone`: its process ended."""

    node: _Node
    actor: Actor
    root: str
    gone: anyio.Event = field(default_factory=anyio.Event)


class Fleet:
    """The desktops of a cluster's nodes for one batch. `limiter`: as many tasks at a time as there are desktops."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        tasks: int,
        workers: int | None,
        office: bool,
        note: Callable[[str], None],
        patience: Patience | None = None,
    ) -> None:
        """`tasks`: their number. `workers`: the most at a time.

        `office`: tasks need LibreOffice. `note`: prints a line for the user."""
        self.limiter = anyio.CapacityLimiter(1)
        self.shipment = Shipment()
        self._cluster = cluster
        self._wanted = anyio.CapacityLimiter(max(1, min(tasks, workers or tasks)))
        self._office = office
        self._note = note
        self._patience = patience or Patience()
        self._name = uuid.uuid4().hex[:12]
        self._ours = Facts(*facts_function()())
        self._nodes: dict[str, _Node] = {}
        self._desktops: set[_Desktop] = set()
        self._free: deque[_Desktop] = deque()
        self._changed = anyio.Event()
        self._runs: set[TaskRun] = set()
        self._headless = ""
        """The loss of the head, as a sentence."""
        self._without_since: float | None = time.monotonic()

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Find nodes for the duration, and leave nothing on them. Raises: ClusterUnavailable."""
        async with anyio.create_task_group() as group:
            try:
                await self._look(group)
                group.start_soon(self._watch, group)
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await self._leave()
                group.cancel_scope.cancel()

    async def run(
        self, name: str, work: Work, inputs: Sequence[Input], copy: FolderCopy, follower: Follower
    ) -> Done | Lost:
        """Carry out one work on a free desktop, once. On cancellation it concludes first.

        Raises: NodesMissing, UsageError (a file cannot be read), StoreError (its folder cannot be written here).
        """
        desktop = await self._free_desktop()
        follower.began(f"{desktop.root}/tasks/{name}/out")
        run = TaskRun(desktop.actor, name, follower, copy, self._patience)
        self._runs.add(run)
        try:
            return await self._run(desktop, run, work, inputs)
        except NodeLost as error:
            self._retract(desktop)
            return Lost(desktop.node.node.address, run.acted, error.message)
        finally:
            self._runs.discard(run)
            if not desktop.gone.is_set():
                self._free.append(desktop)
                self._change()

    async def _run(self, desktop: _Desktop, run: TaskRun, work: Work, inputs: Sequence[Input]) -> Done:
        contents, actor = desktop.node.contents, desktop.actor
        if contents is not None:
            await contents.bring(self.shipment, [digest for item in inputs for _, digest in item.files])
        ended: list[Updates] = []
        errors: list[DeskhandError] = []

        async def begin() -> None:
            try:
                await actor.call("run", run.name, work, inputs)
            except NodeSilent:
                pass  # it may run all the same: the news will show it
            except DeskhandError as error:
                errors.append(error)
                group.cancel_scope.cancel()

        async def follow() -> None:
            try:
                ended.append(await run.follow(group))
            except NodeLost as error:
                errors.append(error)
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as caller:
            caller.start_soon(run.cancel_with_caller)
            with anyio.CancelScope(shield=True):
                async with anyio.create_task_group() as group:
                    group.start_soon(begin)
                    group.start_soon(follow)
                run.has_ended = True
                if ended:
                    with suppress(NodeLost):
                        await actor.call("clear", run.name)
            caller.cancel_scope.cancel()
        if run.failure is not None:
            raise run.failure
        if not ended:
            raise errors[0]
        folder = f"{desktop.root}/tasks/{run.name}/out"
        told = self._headless or (BY_USER if run.cancelled_at is not None else "")
        return Done(folder, ended[0].result, told)

    async def _free_desktop(self) -> _Desktop:
        """Wait for a desktop as long as a node may bring one. Raises: NodesMissing."""
        while True:
            if self._headless:
                raise NodesMissing(self._headless, fix="start the cluster again, then run the same command")
            while self._free:
                desktop = self._free.popleft()
                if not desktop.gone.is_set():
                    return desktop
            changed = self._changed
            wait_s = self._patience.join_s - (time.monotonic() - (self._without_since or time.monotonic()))
            if self._without_since is not None and wait_s <= 0:
                raise NodesMissing(self._reasons(), fix="deskhand fleet status lists the nodes and what each lacks")
            with anyio.move_on_after(wait_s if self._without_since is not None else None):
                await changed.wait()

    def _reasons(self) -> str:
        told = [
            f"{known.node.address}: {known.verdict.reason if known.alive and known.verdict else 'it is gone'}"
            for known in self._nodes.values()
            if not known.may_take
        ]
        found = "; ".join(dict.fromkeys(told)) or f"none has the resource {RESOURCE}"
        return f"no node could take the task for {self._patience.join_s:g} s ({found})"

    def _change(self) -> None:
        """Something that waiting tasks want to know has changed."""
        if any(known.may_take for known in self._nodes.values()):
            self._without_since = None
        elif self._without_since is None:
            self._without_since = time.monotonic()
        self.limiter.total_tokens = max(1, len(self._desktops))
        self._changed.set()
        self._changed = anyio.Event()

    async def _watch(self, group: TaskGroup) -> None:
        """Read the list of nodes at intervals while the head answers; Ray ends this process 60 s after its loss."""
        silent = False
        while not silent:
            with anyio.move_on_after(_LOOK_S):
                await anyio.sleep_forever()
            silent = True
            with anyio.move_on_after(_HEAD_S), suppress(ClusterUnavailable):
                await self._look(group)
                silent = False
        self._headless = f"the head of the cluster at {self._cluster.address} does not answer any more"
        self._note(f"{self._headless}: the sessions are cancelled")
        self._change()
        async with anyio.create_task_group() as cancelling:
            for run in self._runs:
                cancelling.start_soon(run.cancel)

    async def _look(self, group: TaskGroup) -> None:
        for node in await self._cluster.answer(self._cluster.nodes):
            known = self._nodes.get(node.id)
            if known is None and node.alive and node.desktops:
                self._nodes[node.id] = _Node(node)
                self._change()
                group.start_soon(self._join, self._nodes[node.id])
            elif known is not None and known.alive and not node.alive:
                known.alive = False
                for desktop in [desktop for desktop in self._desktops if desktop.node is known]:
                    self._retract(desktop)
                self._note(f"node {node.address} is gone")
                self._change()

    async def _join(self, known: _Node) -> None:
        """Judge a node, then offer its desktops for as long as it lives."""
        node, name = known.node, f"{self._name}-{known.node.id[:8]}"
        try:
            known.verdict, known.agent = await verdict_on(self._cluster, node, name, self._ours, office=self._office)
        except FleetError as error:
            known.verdict = NodeVerdict(node, reason=f"it did not answer: {error.message}")
        agent = known.agent
        if agent is None:
            verdict = known.verdict
            self._note(
                f"node {node.address} gets no task: {verdict.reason}{f' ({verdict.fix})' if verdict.fix else ''}"
            )
            self._change()
            return
        known.contents = NodeContents(partial(agent.call, "take"))
        async with anyio.create_task_group() as group:
            for _ in range(node.desktops):
                group.start_soon(self._offer, known, name)

    async def _offer(self, known: _Node, name: str) -> None:
        """Offer one desktop of a node when the batch can use it, in a new process where one ended."""
        failed = 0
        while known.alive and failed < _STARTS:
            async with self._wanted:
                if await self._has_free(known.node):
                    failed = await self._offered(known, name, failed)
            with anyio.move_on_after(_LOOK_S):  # others use its desktops, or the list of nodes is not up to date
                await anyio.sleep_forever()

    async def _has_free(self, node: RayNode) -> bool:
        try:
            free = await self._cluster.answer(self._cluster.free_desktops)
        except ClusterUnavailable:
            return False
        return free.get(node.id, 0) > 0

    async def _offered(self, known: _Node, name: str, failed: int) -> int:
        """Offer a desktop until its process ends; return the number of failures in a row."""
        actor = self._cluster.actor(known.node, Slot, name, self._patience.silence_s, desktops=1)
        try:
            root: str = await actor.call("folder")
        except FleetError as error:
            if failed + 1 == _STARTS and known.alive:
                self._note(f"node {known.node.address} has one desktop less: {error.message}")
            return failed + 1
        desktop = _Desktop(known, actor, root)
        self._desktops.add(desktop)
        self._free.append(desktop)
        self._change()
        await desktop.gone.wait()
        return 0

    def _retract(self, desktop: _Desktop) -> None:
        desktop.gone.set()
        self._desktops.discard(desktop)
        desktop.actor.end()
        self._change()

    async def _leave(self) -> None:
        """End the processes on the nodes and remove their folders."""
        for desktop in self._desktops:
            desktop.actor.end()
        with anyio.move_on_after(_LEAVE_S):
            async with anyio.create_task_group() as group:
                for known in self._nodes.values():
                    if known.alive and known.agent is not None:
                        group.start_soon(_left, known.agent)


async def _left(agent: Actor) -> None:
    with suppress(NodeLost):
        await agent.call("leave")
    agent.end()
