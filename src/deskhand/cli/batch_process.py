"""Tasks of a batch in processes of their own, so that one that dies takes no other with it.

A task whose process died is continued once in another process, as `deskhand resume` does: nothing is sent twice.
Questions and confirmations are answered in the process of the command, one after the other.
"""

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Final, Protocol, TypeAlias, cast

import anyio
from anyio import to_thread

from deskhand.cli.batch_task import TaskSession
from deskhand.cli.run_options import Preparation
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Work
from deskhand.core.errors import DeskhandError, ErrorInfo, FleetError
from deskhand.core.events import ActionFinished, ActionIntended, Event, StepStarted
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest, Interactor
from deskhand.report.live import action_words
from deskhand.report.summary import SessionSummary
from deskhand.session.build import run_session
from deskhand.session.interactors import AutoInteractor
from deskhand.session.plan_file import Task
from deskhand.session.round import Ending

_CONTEXT: Final = get_context("spawn") if sys.platform == "win32" else get_context("forkserver")
_END_S: Final = 30.0
"""Time for a cancelled task to conclude its session."""
_GATE_S: Final = 60.0
"""Time for the answer whether a session may act."""


class Watching(Protocol):
    """Receiver of the progress of the tasks."""

    def began(self, task: Task) -> None:
        """A process for the task was started."""
        ...

    def stepped(self, task: Task, step: int, told: str) -> None:
        """The task does something, in words."""
        ...

    def remarked(self, task: Task, told: str) -> None:
        """Something unusual happened to the task."""
        ...

    def ended(self, task: Task, outcome: Outcome, reason: str) -> None:
        """The task has its outcome."""
        ...

    def asking(self, task: Task) -> None:
        """The user is about to be asked at the terminal."""
        ...

    def asked(self) -> None:
        """The terminal is free again."""
        ...


@dataclass(frozen=True, slots=True)
class _Step:
    """`told`: the action, in words; empty at the beginning of a step."""

    number: int
    told: str


@dataclass(frozen=True, slots=True)
class _Question:
    """Questions of an agent, or a confirmation; `number` comes back with the answer."""

    number: int
    agent: str = ""
    questions: tuple[str, ...] = ()
    confirmation: ConfirmationRequest | None = None
    acts: bool = False
    """The session is about to have effects: see `TaskProcesses.may_act`."""


@dataclass(frozen=True, slots=True)
class _Withdrawn:
    """Nobody waits for the answer to a question any more."""

    number: int


_Last: TypeAlias = SessionSummary | ErrorInfo
"""The last message of a process: the summary of its session, or the reason why it could not begin."""
_Message: TypeAlias = _Step | _Question | _Withdrawn | _Last
Answer: TypeAlias = Answers | bool | None
Ask: TypeAlias = Callable[[_Question], Awaitable[Answer]]


@dataclass(slots=True)
class TaskProcesses:
    """Runs each task in a process of its own and collects the summaries by the ids of the tasks.

    `attempts`: the number of processes that a task may have, each after the death of the one before. `may_act`: awaited
    before the first action of each; that action fails where the answer is False.
    """

    preparation: Preparation
    again: bool
    watching: Watching
    attempts: int = 2
    may_act: Callable[[], Awaitable[bool]] | None = None
    summaries: dict[str, SessionSummary] = field(default_factory=dict[str, SessionSummary])
    _user: "SharedUser" = field(init=False)

    def __post_init__(self) -> None:
        self._user = SharedUser(self.preparation.interactor, self.watching)
        _CONTEXT.set_forkserver_preload([__name__])  # the modules of a session are loaded once for all processes

    async def carry_out(self, task: Task, folder: Path) -> Ending:
        """Run one task; on cancellation its session is concluded first."""
        ending = Ending(Outcome.CANCELLED, "")
        try:
            ending = await self._ending(task, folder)
        finally:
            self.watching.ended(task, ending.outcome, ending.reason)
        return ending

    async def _ending(self, task: Task, folder: Path) -> Ending:
        nobody = replace(self.preparation, interactor=AutoInteractor())  # a terminal does not leave this process
        reaches_person = self.preparation.interactor.reaches_person
        session = TaskSession(nobody, task, folder, self.again)
        told = ""
        for attempt in range(self.attempts):
            self.watching.began(task)
            process = _Process(
                _Job(session, reaches_person, continues=attempt > 0, distant=self.may_act is not None),
                partial(self.watching.stepped, task),
                partial(self._ask, task),
            )
            try:
                await process.run()
            finally:
                if isinstance(process.last, SessionSummary):
                    self.summaries[task.id] = process.last
            match process.last:
                case SessionSummary() as summary:
                    return Ending(Outcome(summary.outcome), summary.reason)
                case ErrorInfo() as error:
                    return Ending(Outcome.ERROR, error.message)
                case None:
                    told = f"its process ended without a result ({process.end})"
                    self.watching.remarked(task, told)
        return Ending(Outcome.ERROR, f"{told}, {self.attempts} times" if self.attempts > 1 else told)

    async def _ask(self, task: Task, question: _Question) -> Answer:
        if question.acts:
            return self.may_act is None or await self.may_act()
        return await self._user.answer(task, question.agent, question.questions, question.confirmation)


class SharedUser:
    """The user of several tasks, who is asked in the process of the command, for one task after the other."""

    def __init__(self, asked: Interactor, watching: Watching) -> None:
        self._asked = asked
        self._watching = watching
        self._terminal = anyio.Lock()

    async def answer(
        self, task: Task, agent: str, questions: Sequence[str], confirmation: ConfirmationRequest | None
    ) -> Answer:
        """Answer questions or a confirmation, when those of other tasks are answered."""
        async with self._terminal:
            self._watching.asking(task)
            try:
                if confirmation is not None:
                    return await self._asked.confirm(confirmation)
                return await self._asked.ask(agent, questions)
            finally:
                self._watching.asked()


@dataclass(frozen=True, slots=True)
class _Job:
    """A task for a process. `continues`: its first process died. `distant`: the command is on another machine."""

    session: TaskSession
    reaches_person: bool
    continues: bool
    distant: bool


@dataclass(slots=True)
class _Process:
    """The process of a job, from this side."""

    job: _Job
    stepped: Callable[[int, str], None]
    ask: Ask
    last: _Last | None = None
    end: str = ""
    """The end of the process, in words."""
    _waits: dict[int, anyio.CancelScope] = field(default_factory=dict[int, anyio.CancelScope])
    _open: set[int] = field(default_factory=set[int])
    """Questions without an answer."""

    async def run(self) -> None:
        """Run the process to its end. On cancellation its session is cancelled and concluded, at most for a while."""
        ours, theirs = cast("tuple[Connection, Connection]", connection.Pipe())  # of Windows it has another type
        process = _CONTEXT.Process(target=_carry_out, args=(self.job, theirs), daemon=True)
        with ours:
            try:
                await to_thread.run_sync(process.start)
            finally:
                theirs.close()
            try:
                await self._follow(ours)
            except anyio.get_cancelled_exc_class():
                process.terminate()
                for number in [*self._open]:
                    self._send(ours, number, None)
                with anyio.move_on_after(_END_S, shield=True):
                    await self._follow(ours)
                raise
            finally:
                process.kill()  # it has closed its side, or takes too long
                await to_thread.run_sync(process.join)
                code = process.exitcode or 0
                self.end = signal.Signals(-code).name if code < 0 else f"exit code {code}"

    async def _follow(self, ours: Connection) -> None:
        """Take the messages of the process until its end."""
        async with anyio.create_task_group() as group:
            while (message := await _received(ours)) is not None:
                match message:
                    case _Step():
                        self.stepped(message.number, message.told)
                    case _Question():
                        self._open.add(message.number)
                        group.start_soon(self._answer, ours, message)
                    case _Withdrawn():
                        self._waits[message.number].cancel()
                    case _:
                        self.last = message
            group.cancel_scope.cancel()

    async def _answer(self, ours: Connection, question: _Question) -> None:
        with anyio.CancelScope() as scope:
            self._waits[question.number] = scope
            self._send(ours, question.number, await self.ask(question))

    def _send(self, ours: Connection, number: int, answer: Answer) -> None:
        self._open.discard(number)
        with suppress(ConnectionError):
            ours.send((number, answer))


async def _received(channel: Connection) -> "_Message | None":
    """The next message; None: the other side has ended."""
    await anyio.wait_readable(channel)
    try:
        return channel.recv()
    except (EOFError, ConnectionError):
        return None


def _carry_out(job: _Job, channel: Connection) -> None:
    """Carry out a job in this process, which ends with the one that started it."""
    if job.distant:
        os.setsid()  # the process group of a process of Ray's is killed with it, before the session could conclude
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        _send(channel, _outcome(job, channel))
    except DeskhandError as error:
        _send(channel, ErrorInfo.of(error))


def _send(channel: Connection, message: _Message) -> None:
    """Send a message if the process of the command lives; without it nobody needs one."""
    with suppress(ConnectionError):
        channel.send(message)


def _outcome(job: _Job, channel: Connection) -> SessionSummary:
    """Raises: DeskhandError if the session cannot begin."""
    session, run = job.session, run_session
    if job.continues and (ended := session.ended()) is not None:
        return ended
    relay = _Relay(channel, reaches_person=job.reaches_person)
    listeners = (_Steps(channel), *([_Gate(relay)] if job.distant else []))
    if job.continues:
        prepared, run = session.to_continue(listeners)
    else:
        prepared = session.prepared(listeners)
    plan = replace(prepared.plan, interactor=relay)
    summaries: list[SessionSummary] = []

    def conclude(work: Work[Ending]) -> int:
        summaries.append(session.concluded(replace(prepared, plan=plan), work))
        return 0

    with session.announced(plan):
        run_and_conclude(partial(run, plan), conclude)
    return summaries[0]


def _end_with_parent() -> None:
    """Cancel the session when the process of the command has died."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Sends the steps of the session; implements `core.ports.EventSink`."""

    channel: Connection

    def emit(self, event: Event) -> None:
        match event:
            case StepStarted():
                _send(self.channel, _Step(event.step, event.subtask))
            case ActionFinished():
                _send(self.channel, _Step(event.step, action_words(event)))
            case _:
                pass


@dataclass(slots=True)
class _Gate:
    """Holds up the first action until the command knows that it may have effects; implements `core.ports.EventSink`."""

    relay: "_Relay"
    is_open: bool = False

    def emit(self, event: Event) -> None:
        """Raises: FleetError if the command does not answer; the action, whose intent is recorded, is not sent."""
        if isinstance(event, ActionIntended) and not self.is_open:
            self.is_open = self.relay.may_act()
            if not self.is_open:
                raise FleetError("the action was not sent: the command that gave the task could not be asked")


class _Relay:
    """Asks in the process of the command; implements `core.ports.Interactor`."""

    def __init__(self, channel: Connection, *, reaches_person: bool) -> None:
        self._channel = channel
        self._reaches_person = reaches_person
        self._number = 0

    @property
    def reaches_person(self) -> bool:
        return self._reaches_person

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        answer = await self._answered(_Question(self._next(), agent, tuple(questions)))
        return answer if isinstance(answer, Answers) else Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        answer = await self._answered(_Question(self._next(), confirmation=request))
        return answer if isinstance(answer, bool) else None

    def may_act(self) -> bool:
        """Ask if the session may have effects; meanwhile nothing else runs in it."""
        question = _Question(self._next(), acts=True)
        _send(self._channel, question)
        with suppress(EOFError, ConnectionError):
            while self._channel.poll(_GATE_S):
                number, answer = self._channel.recv()
                if number == question.number:
                    return answer is True
        return False

    def _next(self) -> int:
        self._number += 1
        return self._number

    async def _answered(self, question: _Question) -> Answer:
        """The answer; None if the process that was to answer is gone."""
        _send(self._channel, question)
        try:
            while True:
                await anyio.wait_readable(self._channel)
                number, answer = self._channel.recv()
                if number == question.number:  # else the late answer to one that was withdrawn
                    return answer
        except (EOFError, ConnectionError):
            return None
        except anyio.get_cancelled_exc_class():
            _send(self._channel, _Withdrawn(question.number))
            raise
