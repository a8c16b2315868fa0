"""The record of a script: a session folder with its actions and expectations, and pictures of its failures."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from deskhand import __version__
from deskhand.commands.secret_texts import may_be_password
from deskhand.core.command import Command, Effect, Result, ResultStatus
from deskhand.core.errors import ApplicationUnresponsive, DesktopError, ErrorInfo, UsageError
from deskhand.core.events import (
    SCRIPT,
    ActionIntended,
    CheckRun,
    ControlsListed,
    ErrorData,
    ObservationTaken,
    PictureSaved,
    ProblemMet,
    RanOn,
    SessionFinished,
    SessionStarted,
    StepFinished,
    StepStarted,
)
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Clock, EventSink
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.program_records import ProgramRecords
from deskhand.perception.canvas import Drawing, highlighted
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.pipeline.action_events import action_finished, target_data
from deskhand.scripting.results import Unmet
from deskhand.session.build import new_session_id
from deskhand.session.clock import SystemClock
from deskhand.session.ran_on import ran_on
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import Journal, is_journal
from deskhand.store.log_folder import LogFolder

AGENT: Final = "Script"
_ACT: Final = "ACT"
_EXPECT: Final = "EXPECT"
_LEAVE: Final = "LEAVE"
_OBSERVE_S: Final = 3.0
"""Timeout for the observation of a failure: the program may not answer."""


@dataclass(frozen=True, slots=True)
class Attempted:
    """An action of a script. `seen`: the observation that it was decided on."""

    tool: str
    arguments: JsonObject
    target: TargetInfo | None = None
    window: TargetInfo | None = None
    seen: Observation | None = None


class Recording:
    """Writes the events of one script. It is the witness of the hand that acts."""

    def __init__(self, desktop: Desktop, events: EventSink, images: ImageWriter, log: LogFolder) -> None:
        self.pictures = False
        self._desktop = desktop
        self._events = events
        self._images = images
        self._log = log
        self._clock: Clock = SystemClock()
        self._labeller = Labeller()
        self._step = 0
        self._began_s = 0.0
        self._has_result = False
        self._is_shown = False
        self._noted = set[int | None]()

    def intended(self, command: Command) -> None:
        self._events.emit(
            ActionIntended(
                step=self._step,
                agent=AGENT,
                call_id=command.call_id,
                tool=command.tool_name,
                arguments=command.parameters,
                target=target_data(command.target),
                may_be_password=may_be_password(command),
                part_of=command.part_of,
            )
        )

    def finished(self, command: Command, result: Result) -> None:
        self._has_result = True
        result = replace(result, seconds=self._clock.monotonic() - self._began_s)
        self._events.emit(action_finished(self._step, AGENT, command, result, may_be_password=may_be_password(command)))

    async def act(
        self, attempted: Attempted, send: Callable[[], Awaitable[Result]], *, fails: Callable[[Result], bool]
    ) -> Result:
        """Record an action as a step. `fails`: whether a result is a failure. Raises: as `send`."""
        self._begin(_ACT, attempted.window, attempted.seen)
        framed = [attempted.target] if attempted.target else []
        if self.pictures and attempted.window:
            await self._picture("selected", attempted.window, framed)
        try:
            result = await send()
        except Exception as error:
            await self._failed(attempted, error, framed)
            raise
        if not self._has_result:
            self.finished(_command(attempted), result)
        problem = _problem(result) if fails(result) else ""
        if problem:
            await self._show(attempted.window, framed)
        self._end(problem)
        return result

    async def not_found(self, attempted: Attempted, error: Exception, near: Sequence[TargetInfo]) -> None:
        """Record an action whose control was not found as a step that failed, with the nearest controls framed."""
        self._begin(_ACT, attempted.window, attempted.seen)
        await self._failed(attempted, error, near)

    async def expected(
        self, name: str, window: TargetInfo, wait: Callable[[], Awaitable[Unmet | None]]
    ) -> Unmet | None:
        """Record an expectation as a step; return the result of `wait`, with its picture. Raises: as `wait`."""
        self._begin(_EXPECT, window)
        try:
            unmet = await wait()
        except Exception as error:
            self._check(name, f"{type(error).__name__}: {error}", ok=False)
            await self._show(window, (), answers=not isinstance(error, ApplicationUnresponsive))
            self._end(ok=False)
            raise
        self._check(name, unmet.details if unmet else "", ok=unmet is None)
        if unmet is not None:
            unmet = replace(unmet, picture=await self._show(window, unmet.framed))
        self._end(ok=unmet is None)
        return unmet

    async def left_by(self, error: Exception) -> None:
        """Save a picture of the desktop, unless the last step was a failure and has one."""
        if not self._is_shown:
            self._begin(_LEAVE)
            await self._show(None, ())
            self._end(f"{type(error).__name__}: {error}")

    def _begin(self, state: str, window: TargetInfo | None = None, seen: Observation | None = None) -> None:
        self._step += 1
        self._began_s = self._clock.monotonic()
        self._has_result = self._is_shown = False
        application = window.application if window else ""
        self._events.emit(
            StepStarted(step=self._step, agent=AGENT, round=1, state=state, subtask="", application=application)
        )
        if seen is not None:
            self._events.emit(
                ObservationTaken(
                    step=self._step,
                    agent=AGENT,
                    window=seen.window.name,
                    controls=len(seen.controls),
                    seconds=sum(seconds for _, seconds in seen.timing_s),
                    truncated=seen.truncated.reason if seen.truncated else "",
                    provisional=seen.provisional,
                    unsettled=seen.unsettled,
                )
            )

    async def _failed(self, attempted: Attempted, error: Exception, framed: Sequence[TargetInfo]) -> None:
        info = ErrorInfo.of(error)
        if not self._has_result:
            self.finished(_command(attempted), Result(ResultStatus.FAILURE, "", error=info, evidence=info.message))
        await self._show(attempted.window, framed, answers=not isinstance(error, ApplicationUnresponsive))
        self._end(info.message)

    def _check(self, name: str, detail: str, *, ok: bool) -> None:
        self._events.emit(CheckRun(step=self._step, agent=AGENT, name=name, ok=ok, detail=detail))

    def _end(self, problem: str = "", *, ok: bool = True) -> None:
        seconds = self._clock.monotonic() - self._began_s
        self._events.emit(
            StepFinished(
                step=self._step, agent=AGENT, status="", ok=ok and not problem, seconds=seconds, problem=problem
            )
        )

    async def _show(
        self, window: TargetInfo | None, framed: Sequence[TargetInfo], *, answers: bool = True
    ) -> Path | None:
        """Save a picture of a failure with these controls framed, and the list of the window's controls if it answers.

        Return the path of the picture; None where none could be taken.
        """
        self._is_shown = True
        path = await self._picture("final", window, framed)
        if window is not None and answers:
            await self._list(window)
            await self._note_packages(window)
        await self._images.drain()
        return path

    async def _note_packages(self, window: TargetInfo) -> None:
        """Record the packages of the window's program, once."""
        if isinstance(self._desktop, ProgramRecords) and window.pid not in self._noted:
            self._noted.add(window.pid)
            if versions := await self._desktop.packages_of(window):
                self._events.emit(RanOn(facts={f"package {name}": version for name, version in versions.items()}))

    async def _picture(
        self, kind: Literal["selected", "final"], window: TargetInfo | None, framed: Sequence[TargetInfo]
    ) -> Path | None:
        try:
            picture = await self._desktop.screenshot(window.rect if window else None)
        except DesktopError as error:
            self._events.emit(ProblemMet(where="a picture", error=ErrorData.of(error)))
            return None
        for reservation in picture.reservations:
            error_data = ErrorData(type="PasswordsUnchecked", message=reservation)
            self._events.emit(ProblemMet(where="a picture", error=error_data))
        path = self._log.failure(self._step) if kind == "final" else self._log.selected_controls(self._step)
        await self._images.submit(path, highlighted(Drawing(lambda: picture), picture.rect, *framed))
        self._events.emit(PictureSaved(step=self._step, agent=AGENT, what=kind, path=self._log.relative(path)))
        return path

    async def _list(self, window: TargetInfo) -> None:
        try:
            seen = await self._desktop.observe(window, picture=False, deadline_s=_OBSERVE_S)
        except DesktopError as error:
            self._events.emit(ProblemMet(where="the list of controls", error=ErrorData.of(error)))
            return
        text = compact(self._labeller.label(seen)).text
        path = self._log.controls(self._step)
        await self._images.submit(path, text.encode)
        relative = self._log.relative(path)
        self._events.emit(
            ControlsListed(step=self._step, agent=AGENT, window=seen.window.name, text=text, path=relative)
        )


@asynccontextmanager
async def recording(desktop: Desktop, folder: Path, name: str) -> AsyncGenerator[Recording]:
    """Write a session folder until the block is left, which ends the session: failed where an error leaves the block.

    Raises: UsageError (the folder has a session), StoreError.
    """
    if is_journal(folder):
        raise UsageError(f"{folder} has a session already", fix="give each recording a folder of its own")
    clock = SystemClock()
    began_s = clock.monotonic()
    with Journal(folder, clock) as journal:
        started = SessionStarted(
            session_id=new_session_id(),
            version=__version__,
            request=name,
            model="",
            desktop=desktop.name,
            mode=SCRIPT,
            options=None,
        )
        journal.emit(started)
        outcome, error = Outcome.CANCELLED, None
        try:
            async with ImageWriter(journal, folder=folder) as images:
                journal.emit(await ran_on(desktop, ()))
                made = Recording(desktop, journal, images, LogFolder(folder))
                try:
                    yield made
                    outcome = Outcome.SUCCESS
                except Exception as left_by:
                    outcome, error = Outcome.FAILED, ErrorData.of(left_by)
                    await made.left_by(left_by)
                    raise
        finally:
            reason = error.message.partition("\n")[0] if error else ""
            seconds = clock.monotonic() - began_s
            journal.emit(SessionFinished(outcome=outcome, reason=reason, seconds=seconds, error=error))


def _command(attempted: Attempted) -> Command:
    """Return the command of an action that was never sent, as the tool was called."""
    return Command(
        attempted.tool, attempted.arguments, target=attempted.target, window=attempted.window, seen=attempted.seen
    )


def _problem(result: Result) -> str:
    """Return why an action is not confirmed."""
    return (result.error.message if result.error else result.evidence) or (result.effect or Effect.UNVERIFIABLE)
