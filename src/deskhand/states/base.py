"""The base classes of all states and their managers (contract 2.1).

A state is a row of facts and at most one behaviour. It holds no data: data that changes is on the agent or in the
context. `handle` does the work and redirects the agent; `leads_to`, `next_state`, `next_agent` and `is_*` are pure.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, TypeVar, overload

from deskhand.core.context import Context, RunMode
from deskhand.core.errors import DuplicateState, StateError
from deskhand.core.events import SubtaskArchived
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Decided
from deskhand.core.statuses import AgentStatus, Cause, StepVerdict
from deskhand.states.moves import Asked, Assigned, Move
from deskhand.states.registration import require_claimable, require_class, require_instance, require_usable
from deskhand.states.table import Edge, TransitionTable, packaged_table

log = logging.getLogger(__name__)


class StateAgent(Protocol):
    """The interface of an agent for its states; `agents` implements it."""

    @property
    def name(self) -> str: ...
    @property
    def mode(self) -> RunMode: ...
    @property
    def status(self) -> str: ...
    @property
    def state(self) -> "AgentState": ...
    @property
    def state_manager(self) -> "AgentStateManager": ...
    @property
    def host(self) -> "StateAgent | None": ...
    @property
    def redirection(self) -> Move | None: ...
    @property
    def arrival(self) -> Move | None:
        """The redirection that led to the present state."""
        ...

    def accept_redirection(self, redirection: Move) -> None: ...
    def set_state(self, state: "AgentState", arrival: Move | None = None) -> None: ...
    def fails_spent(self) -> bool:
        """Return whether the limits of FAILs, of the subtask or of the round, are exceeded."""
        ...

    def get_active_appagent(self) -> "StateAgent | None": ...
    def record_result(self, context: Context) -> None: ...
    def record_failure(self, context: Context, reason: str) -> None: ...
    def close_subtask(self, context: Context, status: str, outcome: Outcome, error: str) -> SubtaskRecord: ...

    async def process(self, context: Context, *, fresh: bool = False) -> StepVerdict: ...
    async def process_asker(self, context: Context) -> Asked: ...
    async def process_confirmation(self, context: Context) -> Decided | None:
        """Return None where the safe guard is off and the user was not asked."""
        ...

    async def process_resume(self, context: Context) -> None: ...
    async def create_subagent(self, context: Context) -> Assigned: ...


def redirect(agent: StateAgent, status: str, cause: Cause, reason: str, *, trigger: str = "") -> None:
    """Set `agent.status`: the one function that does (contract 2.1).

    `trigger` names the row where several have these ends and this cause. Raises: StateError, as `Move` does.
    """
    agent.accept_redirection(Move(str(status), cause, trigger, reason))


def archive(context: Context, record: SubtaskRecord) -> None:
    """Record an ended subtask in the context and the journal, for every machine.

    Raises: StateError for anything else than a record, such as a text.
    """
    if not _is_record(record):
        raise StateError(f"a subtask cannot be archived as {record!r}", fix="pass what agent.close_subtask(…) returns")
    context.previous_subtasks.append(record)
    context.events.emit(
        SubtaskArchived(
            agent=record.agent,
            subtask=record.subtask,
            application=record.application,
            status=record.status,
            outcome=record.outcome,
            result=record.result,
            error=record.error,
            actions=list(record.actions),
            window=record.window,
            note=record.note,
        )
    )


def _is_record(given: object) -> bool:
    return isinstance(given, SubtaskRecord)


class AgentState(ABC):
    """One state of one machine. Instances are shared and immutable."""

    status: ClassVar[str] = ""
    subtask_end: ClassVar[bool] = False
    round_end: ClassVar[bool] = False
    terminal: ClassVar[bool] = False
    acts: ClassVar[bool] = True
    """True if it works on the desktop: then it runs only while the user does not and the budgets last, and counts as a
    step at least. False where it only waits or hands over; a terminal state never works.
    """
    manager_class: ClassVar["type[AgentStateManager] | None"] = None

    def __init_subclass__(
        cls,
        *,
        status: str | None = None,
        subtask_end: bool | None = None,
        round_end: bool | None = None,
        terminal: bool | None = None,
        **kwargs: object,
    ) -> None:
        """`status`: its name. Facts that are not given are those of the class that it derives from."""
        super().__init_subclass__(**kwargs)
        cls.status = cls.status if status is None else str(status)
        cls.subtask_end = cls.subtask_end if subtask_end is None else subtask_end
        cls.round_end = cls.round_end if round_end is None else round_end
        cls.terminal = cls.terminal if terminal is None else terminal
        cls.acts = cls.acts and not cls.terminal

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} holds no data: put {name!r} on the agent or in the context")

    @classmethod
    def name(cls) -> str:
        """Return the status of this state."""
        return cls.status

    @classmethod
    def agent_class(cls) -> type | None:
        """Return the agent class bound to this state's manager."""
        return cls.manager_class.agent_class if cls.manager_class else None

    @abstractmethod
    async def handle(self, agent: StateAgent, context: Context) -> None:
        """Do this state's work and redirect the agent. Every exception of a state becomes ERROR (contract 7)."""

    def leads_to(self, agent: StateAgent) -> Move | None:
        """Return the edge to take now; None ends the round. Here: the agent's redirection."""
        if agent.redirection is None:
            reason = f"{self.name() or 'no state'} set no status; its handle is to end with redirect(agent, …)"
            return Move(AgentStatus.ERROR, Cause.SYSTEM, "raised", reason)
        return agent.redirection

    def next_state(self, agent: StateAgent) -> "AgentState | None":
        """Return the state that `leads_to` names, from the machine that takes over."""
        move, successor = self.leads_to(agent), self.next_agent(agent)
        return None if move is None else successor.state_manager.get_state(move.status)

    def next_agent(self, agent: StateAgent) -> StateAgent:
        """Return the agent that acts next: the agent itself unless a state hands over."""
        return agent

    def is_round_end(self) -> bool:
        return self.round_end

    def is_subtask_end(self) -> bool:
        return self.subtask_end


S = TypeVar("S", bound=type[AgentState])


@dataclass(frozen=True, slots=True)
class SessionState:
    """A state of one session, with the rows that lead to it and away from it. Made by `for_session` of its manager."""

    manager: type["AgentStateManager"]
    state: type[AgentState]
    edges: tuple[Edge, ...]

    def add_to(self, manager: "AgentStateManager") -> None:
        """Add it to the machine of an agent, where it is one of that machine."""
        if type(manager) is self.manager:
            manager.add_edges(self.edges)
            manager.add_state(self.state.name(), self.state())


class AgentStateManager:
    """The states of one machine. Registration is per class; an instance (cache, `add_state`, `add_edges`) belongs to
    one session.

    A machine that plugs in derives from another one: it sets `machine` (its name in edges), and has the states and rows
    of that one, except those named by `without`; a state registered with it replaces the one of that name. Or it
    derives from this class, sets `edges` (its rows) too, and registers all of its states, one of them with the status
    "" (the fallback). Its agent's class names it as `manager_class`.
    """

    machine: ClassVar[str] = ""
    agent_class: ClassVar[type | None] = None
    none_state_class: ClassVar[type[AgentState] | None] = None
    edges: ClassVar[tuple[Edge, ...]] = ()
    _registry: ClassVar[dict[str, type[AgentState]]]
    _inherited: ClassVar[dict[str, type[AgentState]]]
    _added: ClassVar[set[str]]
    _rows: ClassVar[TransitionTable | None]

    def __init_subclass__(cls, *, without: Iterable[str] = (), **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        left_out, parent = set(map(str, without)), cls._parent()
        states = parent.classes() if parent else dict[str, type[AgentState]]()
        cls._inherited = {name: state for name, state in states.items() if name not in left_out}
        cls._registry, cls._added, cls._rows = dict(cls._inherited), set(), None

    @classmethod
    def _parent(cls) -> "type[AgentStateManager] | None":
        """Return the machine that it derives from; None where that is the base of all."""
        found = cls.__mro__[1]
        return found if found is not AgentStateManager and issubclass(found, AgentStateManager) else None

    def __init__(self) -> None:
        self._states: dict[str, AgentState] = {}
        self._lock = threading.Lock()
        self.table = self.rows()

    @overload
    @classmethod
    def register(cls, state: S) -> S: ...
    @overload
    @classmethod
    def register(cls, *, edges: Iterable[Edge] = (), like: str = "", when: str = "") -> Callable[[S], S]: ...
    @classmethod
    def register(
        cls, state: S | None = None, *, edges: Iterable[Edge] = (), like: str = "", when: str = ""
    ) -> S | Callable[[S], S]:
        """Class decorator, for all sessions from now on.

        `edges`: rows that lead to the state and away from it. `like`: a state of this machine that works, whose rows it
        gets too; a model may claim it where it may claim that one, and prompts say `when`.
        Raises: DuplicateState where another class has the name, StateError where it would fail in a session, no row
        leads to it or away from it, or `like` or an end of a row is no state.
        """

        def add(state: S) -> S:
            cls._add(state, cls._rows_of(state, edges, like, when))
            return state

        return add if state is None else add(state)

    @classmethod
    def for_session(
        cls, state: type[AgentState], *, edges: Iterable[Edge] = (), like: str = "", when: str = ""
    ) -> SessionState:
        """Return a state for the sessions that it is given to alone, as by `run(states=[…])`; otherwise as `register`.

        Raises: as `register`.
        """
        rows = cls._rows_of(state, edges, like, when)
        cls._checked(state, rows)
        state.manager_class = cls
        return SessionState(cls, state, rows)

    @classmethod
    def unregister(cls, state: type[AgentState]) -> None:
        """Remove a state that was registered with rows, and those, as before a notebook defines it again.

        Raises: StateError for any other one.
        """
        require_class(state, AgentState)
        name = state.name()
        found = cls._registry.get(name)
        if found is None:
            return
        if found is not state:
            raise StateError(f"{name} of {cls.__name__} is {found.__name__}, not {state.__name__}", fix="give that one")
        if name not in cls._added:
            raise StateError(
                f"{name or 'the fallback'} is a state of {cls.__name__} itself, and other states lead to it",
                fix="derive a machine from it, and register a state of that name there",
            )
        ends = (name, f"{cls.machine}:{name}")
        cls._rows = TransitionTable(row for row in cls.rows() if row.source != name and row.to not in ends)
        cls._added.discard(name)
        del cls._registry[name]

    @classmethod
    def _require_free(cls, state: type[AgentState]) -> None:
        """Raises: DuplicateState where another class has the name, and did not come from the machine derived from."""
        name = state.name()
        taken = cls._registry.get(name)
        if taken is not None and taken is not state and taken is not cls._inherited.get(name):
            raise DuplicateState(
                f"{cls.__name__} already has {taken.__name__} for {name!r}; {state.__name__} cannot take it",
                fix="give the state another status, remove one of the two, or derive a machine of your own",
            )

    @classmethod
    def _rows_of(cls, state: type[AgentState], edges: Iterable[Edge], like: str, when: str) -> tuple[Edge, ...]:
        """Return the rows of a state to be registered. Raises: as `register`."""
        if cls is AgentStateManager:
            raise StateError(
                "AgentStateManager is the base of all machines",
                fix="register with AppAgentStateManager, HostAgentStateManager, or a machine of your own",
            )
        require_class(state, AgentState)
        cls._require_free(state)
        require_usable(state, AgentState)
        return (*edges, *cls._rows_like(state.name(), str(like), when)) if like else tuple(edges)

    @classmethod
    def _checked(cls, state: type[AgentState], rows: tuple[Edge, ...]) -> TransitionTable:
        """Return the machine's rows with those of a new state. Raises: as `register`."""
        name = state.name()
        cls._require_rows_of_states(name, rows)
        table = cls.rows().with_rows(rows)
        if name and (rows or all(row.source != name for row in table)):
            cls._require_ways(state, table)
        return table

    @classmethod
    def _add(cls, state: type[AgentState], rows: tuple[Edge, ...]) -> None:
        name = state.name()
        cls._rows = cls._checked(state, rows)
        cls._registry[name] = state
        if rows:
            cls._added.add(name)
        state.manager_class = cls
        if name == "":
            cls.none_state_class = state

    @classmethod
    def _require_ways(cls, state: type[AgentState], table: TransitionTable) -> None:
        """Raises: StateError for a state that cannot be reached, claimed or left."""
        name = state.name()
        into = [row for row in table if row.to == name and row.source != name]
        fix = 'register it with edges=[…], or with like="CONTINUE"'
        if not into:
            raise StateError(f"no row leads to {name!r} of {state.__name__}", fix=fix)
        if not cls._ends(state) and all(row.source != name or row.to == name for row in table):
            raise StateError(f"no row leads away from {name!r} of {state.__name__}", fix=fix)
        require_claimable(name, into)
        for row in into:
            asks = cls._registry.get(row.source)
            if row.cause is Cause.LLM and asks is not None and not asks.acts:
                raise StateError(f"no model is asked in {row.source}, so none can claim {name!r} there", fix=fix)

    @staticmethod
    def _ends(state: type[AgentState]) -> bool:
        made = state()
        return made.terminal or made.is_subtask_end() or made.is_round_end()

    @classmethod
    def _require_rows_of_states(cls, name: str, rows: Iterable[Edge]) -> None:
        """Raises: StateError for a row of another machine, or with an end that is no state."""
        known = {*cls._registry, name}
        for row in rows:
            if row.cause not in tuple(Cause):
                raise StateError(
                    f"the row from {row.source!r} to {row.to!r} has the cause {row.cause!r}",
                    fix=f"give one of: {', '.join(Cause)}",
                )
            unknown = next((end for end in (row.source, row.to) if ":" not in end and end not in known), None)
            if row.machine != cls.machine or unknown is not None:
                raise StateError(
                    f"the row from {row.source!r} to {row.to!r} is none of {cls.__name__}",
                    fix=f"its machine is {cls.machine!r}, and its states are {', '.join(sorted(filter(None, known)))}",
                )

    @classmethod
    def _rows_like(cls, name: str, like: str, when: str) -> tuple[Edge, ...]:
        """Return the rows of a state for another one, and those by which a model claims that. Raises: StateError."""
        if like not in cls._registry:
            known = ", ".join(sorted(filter(None, cls._registry)))
            raise StateError(f"{cls.__name__} has no state {like!r}", fix=f"give one of: {known}")
        if not cls._registry[like].acts:
            working = ", ".join(each for each, state in cls._registry.items() if each and state.acts)
            raise StateError(f"{like} only waits, hands over or ends", fix=f"give edges=[…], or one of: {working}")
        rows = tuple(cls.rows())
        copied = tuple(replace(row, source=name) for row in rows if row.source == like)
        sources = dict.fromkeys(
            (like, name, *(row.source for row in rows if row.to == like and row.cause is Cause.LLM))
        )
        claims = tuple(Edge(cls.machine, source, name, Cause.LLM, "reply", when) for source in sources)
        return (*copied, *claims)

    @classmethod
    def require_complete(cls) -> None:
        """Raises: StateError where a row has a state that is not registered, or there is none to begin in."""
        ends = [end for row in cls.rows() for end in (row.source, row.to) if ":" not in end]
        missing = [name for name in dict.fromkeys((AgentStatus.CONTINUE, *ends, "")) if name not in cls._registry]
        if missing:
            names = ", ".join(f"{name}" or 'the fallback (status "")' for name in missing)
            raise StateError(
                f"{cls.__name__} has no state for {names}",
                fix="register it, or derive the machine from AppAgentStateManager",
            )

    @classmethod
    def bind_agent(cls, agent_class: type) -> None:
        """Bind the agent class that this machine governs, the first that names it; called by that class."""
        if "agent_class" not in cls.__dict__:
            cls.agent_class = agent_class

    @classmethod
    def rows(cls) -> TransitionTable:
        """Return the first rows of every session's machine: the class's own `edges`, otherwise those of the machine
        that it derives from, otherwise the packaged ones.
        """
        if cls._rows is None:
            parent = cls._parent()
            if "edges" in cls.__dict__:
                cls._rows = TransitionTable(cls.edges)
            elif parent is not None:
                rows = (row for row in parent.rows() if row.source in cls._registry)
                rows = (row for row in rows if ":" in row.to or row.to in cls._registry)
                cls._rows = TransitionTable(replace(row, machine=cls.machine) for row in rows)
            else:
                cls._rows = packaged_table().of(cls.machine)
        return cls._rows

    @classmethod
    def classes(cls) -> "dict[str, type[AgentState]]":
        """Return the registered states, by name."""
        return dict(cls._registry)

    @classmethod
    def names(cls) -> Iterable[str]:
        return tuple(cls._registry)

    @property
    def state_map(self) -> dict[str, AgentState]:
        """The states created or added so far, by name."""
        return dict(self._states)

    @property
    def none_state(self) -> AgentState:
        """Return the fallback for an unknown status: logged, never cached."""
        if self.none_state_class is None:
            raise StateError(f"{type(self).__name__} has no fallback state", fix='register a state with name ""')
        return self.none_state_class()

    def get_state(self, status: str) -> AgentState:
        """Return the state of a status, created on first use."""
        known = self._states.get(status)  # every transition comes here; only creating a state needs the lock
        if known is not None:
            return known
        name = str(status)
        with self._lock:
            made = self._registry.get(name)
            if made is None or name == "":
                log.warning("%s knows no status %r", type(self).__name__, name)
                return self.none_state
            return self._states.setdefault(name, made())

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add rows to this session's machine at run time, so that an added state can be entered and left.

        Raises: StateError for a status that no model can claim.
        """
        added = tuple(edges)
        for edge in added:
            require_claimable(edge.to, added)
        self.table = self.table.with_rows(added)

    def add_state(self, status: str, state: AgentState) -> None:
        """Add or replace a state of this session's machine at run time. Raises: StateError for anything else."""
        require_instance(state, AgentState)
        with self._lock:
            self._states[str(status)] = state
