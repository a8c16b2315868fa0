"""A connection to a Ray cluster; the only module that names Ray, which is imported when a cluster is asked for."""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, Final, Self, TypeVar

from deskhand.core.errors import (
    ClusterUnavailable,
    DeskhandError,
    FleetError,
    MissingRequirement,
    NodeLost,
    NodeSilent,
    UsageError,
)

T = TypeVar("T")

RESOURCE: Final = "deskhand_desktop"
"""The resource of a node that is the number of its desktops."""
AUTO: Final = "auto"
FIX: Final = 'python -m pip install "deskhand[ray]"'
_START: Final = f"ray start --head --resources='{{\"{RESOURCE}\": 2}}'"
_REACH_S: Final = 5.0
_CONNECT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class RayNode:
    """A node as the cluster lists it. `desktops`: the number that it offers."""

    id: str
    address: str
    alive: bool
    desktops: int


@dataclass(frozen=True, slots=True)
class Actor:
    """An object in a process of its own on a node."""

    handle: Any  # of Ray, which has no types for it
    ray: Any  # the module

    async def call(self, method: str, *arguments: object) -> Any:  # the result of the method
        """Raises: NodeLost if the process or its node ended, NodeSilent if it cannot be reached now, else the error of
        the method: as it is, or a FleetError.
        """
        try:
            return await getattr(self.handle, method).remote(*arguments)
        except self.ray.exceptions.ActorUnavailableError as error:
            raise NodeSilent(_first_line(error)) from error
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, DeskhandError):
                raise error.cause from error
            raise FleetError(f"{method} failed on the node: {_last_line(error)}") from error
        except self.ray.exceptions.RayError as error:
            raise NodeLost(_first_line(error)) from error

    def end(self) -> None:
        """End its process."""
        with suppress(Exception):  # it has ended, or the connection has
            self.ray.kill(self.handle)


class Cluster:
    """A connection of this process to a cluster; one at a time. Used as a context manager."""

    def __init__(self, address: str) -> None:
        """`address`: HOST:PORT of the cluster's head, or `auto`: the one of this machine.

        Raises: MissingRequirement (Ray is not installed), UsageError (the address), ClusterUnavailable.
        """
        self.address = address
        _check_address(address)
        self._ray = _ray()
        failures: list[Exception] = []
        # On the main thread Ray would take SIGTERM for itself.
        thread = Thread(target=self._connect, args=(failures,), daemon=True)
        thread.start()
        thread.join(_CONNECT_S)
        if thread.is_alive():
            raise ClusterUnavailable(f"the cluster at {address} does not answer", fix="look at its head: ray status")
        if failures:
            raise _unavailable(address, failures[0]) from failures[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()

    def _connect(self, failures: list[Exception]) -> None:
        logging.getLogger("ray").setLevel(logging.ERROR)  # it warns of the other thread
        try:
            self._ray.init(
                address=self.address, namespace="deskhand", log_to_driver=False, logging_level=logging.ERROR,
                configure_logging=False,
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - raised by the thread that waits
            failures.append(error)

    def nodes(self) -> list[RayNode]:
        """The nodes that are or were part of the cluster. Raises: ClusterUnavailable."""
        try:
            found: list[dict[str, Any]] = self._ray.nodes()
        except Exception as error:
            raise _unavailable(self.address, error) from error
        return [
            RayNode(node["NodeID"], node["NodeManagerAddress"], node["Alive"], int(node["Resources"].get(RESOURCE, 0)))
            for node in found
        ]

    def free_desktops(self) -> Mapping[str, int]:
        """The number of desktops of each node, by its id, that nobody uses now. Raises: ClusterUnavailable."""
        from ray._private import state  # no public name has the resources of each node

        listed: Any = state  # it has no types
        try:
            found: dict[str, dict[str, float]] = listed.available_resources_per_node()
        except Exception as error:
            raise _unavailable(self.address, error) from error
        return {node: int(free.get(RESOURCE, 0)) for node, free in found.items()}

    async def answer(self, ask: Callable[[], T]) -> T:
        """Return what the cluster answers to a question, such as `nodes`; the wait can be cancelled.

        Its thread does not hold up the end of the program: without a head Ray waits for ever.
        """
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[T] = loop.create_future()

        def wait() -> None:
            try:
                answer = ask()
            except ClusterUnavailable as error:
                finish = partial(answered.set_exception, error)
            else:
                finish = partial(answered.set_result, answer)
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: None if answered.done() else finish())

        Thread(target=wait, daemon=True).start()
        return await answered

    async def call_on(self, node: RayNode, function: Callable[[], object]) -> Any:  # the result of the function
        """Call a function in a process on a node, once. Raises: NodeLost, ValueError with the function's error."""
        remote = self._ray.remote(function).options(num_cpus=0, max_retries=0, scheduling_strategy=self._on(node))
        try:
            return await remote.remote()
        except self._ray.exceptions.RayTaskError as error:
            raise ValueError(_last_line(error)) from error
        except self._ray.exceptions.RayError as error:
            raise NodeLost(_first_line(error)) from error

    def actor(self, node: RayNode, kind: type, *arguments: object, desktops: int = 0) -> Actor:
        """Make an object on a node; it waits there for its desktops. Ray makes it once and repeats no call."""
        made = self._ray.remote(kind).options(
            num_cpus=0,
            resources={RESOURCE: desktops} if desktops else None,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=self._on(node),
        )
        return Actor(made.remote(*arguments), self._ray)

    def _on(self, node: RayNode) -> object:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node.id, soft=False)


def _ray() -> Any:  # the module
    try:
        import ray
        from ray._private import worker
    except ImportError as error:
        raise MissingRequirement("tasks cannot run on Ray: the extra `ray` is not installed", fix=FIX) from error
    # upstream: not reported. It prints on stdout that processes on nodes were lost, which `log_to_driver` leaves on.
    # seen in: ray 2.60.0
    setattr(worker, "print_to_stdstream", _print_nothing)  # noqa: B010 - an assignment would need its type
    return ray


def _print_nothing(*_: object, **__: object) -> None:
    """Takes the place of a function of Ray."""


def _check_address(address: str) -> None:
    if address == AUTO:
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise UsageError(
            f"{address} is no address of a cluster",
            fix="give HOST:PORT of its head, as in --ray 10.0.0.1:6379, or auto",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), _REACH_S).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ClusterUnavailable(
            f"no cluster answers at {address}: {reason}", fix=f"start its head: {_START}"
        ) from error


def _unavailable(address: str, error: Exception) -> ClusterUnavailable:
    text = str(error)
    if "Version mismatch" in text:
        facts = " ".join(text.split()).removeprefix("Version mismatch: ")
        return ClusterUnavailable(
            f"the cluster at {address} has another version of Ray or Python: {facts}",
            fix="run the command with the same versions as the cluster",
        )
    if address == AUTO:
        return ClusterUnavailable(
            f"no cluster runs on this machine: {_first_line(error)}",
            fix=f"give the address of a head with --ray HOST:PORT, or start one: {_START}",
        )
    return ClusterUnavailable(
        f"this machine cannot use the cluster at {address}: {_first_line(error)}",
        fix=f"make this machine a node of it: ray start --address={address} --num-cpus=0",
    )


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _last_line(error: BaseException) -> str:
    return [type(error).__name__, *(line.strip() for line in str(error).splitlines() if line.strip())][-1]
