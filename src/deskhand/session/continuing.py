"""An interrupted session taken up on an open desktop: its windows, its agents, its broken step (ADR 0119)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.agents import BasicAgent, HostAgent
from deskhand.commands import CommandDispatcher
from deskhand.core.context import Context
from deskhand.core.events import (
    DataSaved,
    SessionResumed,
    StepRemembered,
    SubtaskAssigned,
    VerdictData,
    WindowFollowed,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Decided
from deskhand.core.statuses import AgentStatus, Cause, StepVerdict
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.memory import MemoryItem, record_data
from deskhand.session.broken_step import Settled, settled
from deskhand.session.interrupted import HOST, AgentRecord, Interrupted, OpenRound, Place
from deskhand.session.reopening import Fate, Reopened
from deskhand.session.round import Ending, ResumePoint
from deskhand.session.session import Earlier
from deskhand.session.unknown_actions import Judge, Judged
from deskhand.states import AgentState, redirect
from deskhand.states.app import after_fresh_look

_RESUMED: Final = "The session was interrupted and continues in another process."


@dataclass(frozen=True, slots=True)
class Resuming:
    """The parts of a session that is resumed. `version` and `model` are those of the present process."""

    known: Interrupted
    host: HostAgent
    context: Context
    dispatcher: CommandDispatcher
    version: str
    model: str
    follows_script: bool

    async def take_up(self, reopened: Reopened) -> Earlier:
        """Restore context and agents, look for the effect of the interrupted action, write all of it to the journal.

        Returns the part of the session that is behind. Raises: DesktopGone.
        """
        known = self.known
        judged = await self._judged(reopened)
        done = self._settled(reopened, judged)
        self.context.events.emit(
            SessionResumed(
                version=self.version,
                desktop=reopened.desktop,
                model=self.model,
                place=f"{known.agents[known.place.agent].name} {known.place.state}",
                windows=list(reopened.changes),
                unknown=[*known.lost, *([done.unclear] if done and done.unclear else [])],
                seconds=known.spending.seconds,
                step=known.spending.steps,
            )
        )
        current = self._written(_with_opened(known, judged), reopened, done)
        self._restore_context(current)
        agents = self._restore_agents(current, reopened)
        endings = tuple(Ending(Outcome(each.outcome), each.reason) for each in known.finished_rounds)
        if known.round is None:
            return Earlier(endings, known.spending.seconds)
        point = self._point(current, agents, reopened, known.round)
        return Earlier(endings, known.spending.seconds, known.round.request, point)

    async def _judged(self, reopened: Reopened) -> Judged | None:
        broken = self.known.broken
        if broken is None or broken.unfinished is None:
            return None
        found = reopened.windows.get(broken.agent)
        if reopened.did_save:
            return Judged(happened=True, evidence="the document was written after it was sent")
        if found is not None and found.fate is not Fate.KEPT:
            left = "the files that it may have changed"
            return Judged(happened=None, evidence="its window was lost in the interruption", shown_by=left)
        worked_in = frozenset(each.window.handle for each in reopened.windows.values() if each.window)
        judge = Judge(self.dispatcher, reopened.applications, worked_in)
        return await judge.judge(broken.unfinished, found.window if found else None)

    def _settled(self, reopened: Reopened, judged: Judged | None) -> Settled | None:
        broken = self.known.broken
        if broken is None or broken.agent in reopened.begun_anew:
            return None
        opened = judged.window if judged else None
        has_window = (opened or self.known.assignment.window) is not None
        return settled(broken, judged, self.dispatcher.catalogue.spec, has_window=has_window)

    def _written(self, known: Interrupted, reopened: Reopened, done: Settled | None) -> Interrupted:
        """Write the changes to the journal, and return the session with it."""
        events = self.context.events
        agents = list(known.agents)
        for number, found in reopened.windows.items():
            before = agents[number].window
            if found.window is None or before is None or found.fate is Fate.KEPT:
                continue
            agents[number] = replace(agents[number], window=found.window)
            if number in reopened.begun_anew and known.round is not None:
                events.emit(_assigned_again(agents[number], found.window, known))
                agents[number] = replace(agents[number], steps=(), plan=(), result="", summary="", questions=())
            else:
                events.emit(_followed(agents[number].name, before, found.window, known.spending.steps))
        known = replace(known, agents=tuple(agents))
        if known.place.agent in reopened.begun_anew:
            known = replace(known, place=replace(known.place, state=AgentStatus.CONTINUE, verdict=None), broken=None)
        return known if done is None else self._with_step(known, done)

    def _with_step(self, known: Interrupted, done: Settled) -> Interrupted:
        broken = known.broken
        if broken is None:
            return known
        agent, events = known.agents[broken.agent], self.context.events
        if done.finished is not None:
            events.emit(done.finished)
        for name, data in done.data:
            application = agent.window.application if agent.window else ""
            known.blackboard.save(name, data, application=application, step=broken.step)
            events.emit(DataSaved(step=broken.step, agent=agent.name, name=name, data=data, application=application))
        events.emit(
            StepRemembered(
                step=broken.step,
                agent=agent.name,
                item=done.item,
                record=record_data(done.record),
                verdict=done.verdict,
            )
        )
        known.blackboard.add_trajectories(done.item)
        if broken.record is None:
            agent.memory.add(MemoryItem(dict(done.item)))
        elif (latest := agent.memory.latest()) is not None:
            latest.values = dict(done.item)
        steps = (*(step for step in agent.steps if step.step != broken.step), done.record)
        agents = list(known.agents)
        agents[broken.agent] = replace(agent, steps=steps)
        return replace(known, agents=tuple(agents), place=replace(known.place, verdict=done.verdict))

    def _restore_context(self, known: Interrupted) -> None:
        context, spending, current = self.context, known.spending, known.round
        context.previous_subtasks = list(known.previous_subtasks)
        context.session_step, context.tokens = spending.steps, spending.tokens
        context.cost_usd, context.has_unpriced_answer = spending.cost_usd, spending.has_unpriced_answer
        context.waited_for_person_s = spending.waited_s
        context.secret_actions = list(known.secrets)
        if (chosen := known.assignment.window) is not None:
            context.application_root, context.application_process = chosen.name, chosen.application
            context.application_window = chosen.handle
        if current is None:
            return
        context.request, context.current_round_id = current.request, current.number
        context.current_round_step = spending.steps - current.first_step
        context.fails_of_round, context.rejected_actions = current.fails, set(current.rejected)
        context.subtask, context.host_message = current.subtask, current.message
        context.asked = known.place.asked

    def _restore_agents(self, known: Interrupted, reopened: Reopened) -> tuple[BasicAgent, ...]:
        host = self.host
        others = [self.host.create_again(record.window) for record in known.agents[1:] if record.window is not None]
        agents = (host, *others)
        for agent, record in zip(agents, known.agents, strict=True):
            _restore(agent, record, self.context)
        active = None if known.active is None else agents[known.active]
        host.take_up(others, active, _chosen(known, reopened))
        assignment = known.assignment
        host.assign(assignment.subtask, assignment.message, is_last=assignment.is_last)
        return agents

    def _point(
        self, known: Interrupted, agents: Sequence[BasicAgent], reopened: Reopened, current: OpenRound
    ) -> ResumePoint:
        """Set the state that the round goes on with."""
        place = known.place
        agent = agents[place.agent]
        point = ResumePoint(
            agent,
            is_handled=place.is_handled,
            seconds=max(0.0, known.spending.seconds - current.began_s),
            subtasks_before=current.subtasks_before,
            came_from_app=place.previous is not None and place.agent == HOST and place.previous.agent != HOST,
        )
        if reopened.work_lost and self.follows_script:
            return replace(point, ending=Ending(Outcome.FAILED, "; ".join(reopened.work_lost)))
        if (last := _round_end(place, agents)) is not None:
            return replace(point, ended_by=last)
        if _enter(agent, place):
            return replace(point, is_handled=True)
        if reopened.work_lost or reopened.begun_anew:
            self._report(agent, (*reopened.work_lost, *reopened.changes))
        return point

    def _report(self, agent: BasicAgent, lines: Sequence[str]) -> None:
        """Report the changes to a model: with the record of its last step, or the message of its host."""
        told = " ".join((_RESUMED, *lines))
        if agent.steps:
            last = agent.steps[-1]
            agent.steps[-1] = replace(last, warning="\n".join(filter(None, (last.warning, told))))
        elif agent is not self.host:
            self.context.host_message = (*self.context.host_message, told)


def _with_opened(known: Interrupted, judged: Judged | None) -> Interrupted:
    """Return the session with the window that its interrupted launch opened, for the host's next subtask."""
    if judged is None or judged.window is None:
        return known
    return replace(known, assignment=replace(known.assignment, window=judged.window))


def _restore(agent: BasicAgent, record: AgentRecord, context: Context) -> None:
    agent.memory, agent.steps, agent.step = record.memory, list(record.steps), record.step
    agent.plan, agent.result, agent.summary = record.plan, record.result, record.summary
    agent.questions = record.questions
    agent.fails, agent.failed_steps = record.fails, record.failed_steps
    agent.fails_of_round = context.fails_of_round


def _round_end(place: Place, agents: Sequence[BasicAgent]) -> tuple[BasicAgent, AgentState] | None:
    """Return agent and state of the last edge where it ended the round; the agent has the arrival that led there."""
    if (before := place.previous) is None:
        return None
    agent = agents[before.agent]
    state = agent.state_manager.get_state(before.state)
    if not state.is_round_end():
        return None
    agent.set_state(state, before.arrival)
    return agent, state


def _enter(agent: BasicAgent, place: Place) -> bool:
    """Enter the state of a place; True if its work is complete. Actions that were held are proposed anew."""
    is_rewound = place.state == AgentStatus.CONFIRM and not place.decided
    status = AgentStatus.CONTINUE if is_rewound else place.state
    agent.set_state(agent.state_manager.get_state(status), None if is_rewound else place.arrival)
    agent.decided = Decided(place.decided) if place.decided else None
    verdict = place.verdict
    if verdict is None or is_rewound or place.is_handled or verdict.status == AgentStatus.CONFIRM:
        return place.is_handled
    _redirect(agent, verdict)
    return True


def _redirect(agent: BasicAgent, verdict: VerdictData) -> None:
    """Redirect an agent as its state would have done after a step whose record is complete."""
    last = StepVerdict(
        verdict.status, Cause(verdict.cause), verdict.trigger, verdict.reason, reannotate=verdict.reannotate
    )
    last = after_fresh_look(last) if agent.state_name == AgentStatus.SCREENSHOT else last
    redirect(agent, last.status, last.cause, last.reason, trigger=last.trigger)


def _chosen(known: Interrupted, reopened: Reopened) -> TargetInfo | None:
    """Return the window for the host's next subtask as it is now."""
    chosen = known.assignment.window
    if chosen is None or chosen.kind is TargetKind.THIRD_PARTY_AGENT:
        return chosen
    moved = (found.window for number, found in reopened.windows.items() if _was(known.agents[number], chosen))
    return next((window for window in moved if window is not None), None) or reopened.present(chosen)


def _was(record: AgentRecord, window: TargetInfo) -> bool:
    return record.window is not None and record.window.handle == window.handle


def _assigned_again(agent: AgentRecord, window: TargetInfo, known: Interrupted) -> SubtaskAssigned:
    current = known.round
    return SubtaskAssigned(
        agent=agent.name,
        subtask=current.subtask if current else "",
        application=window.application,
        window=window.name,
        reused=True,
        handle=window.handle,
        pid=window.pid,
        message=list(current.message) if current else [],
        files=dict(agent.files),
        step=known.spending.steps,
    )


def _followed(agent: str, before: TargetInfo, now: TargetInfo, step: int) -> WindowFollowed:
    return WindowFollowed(step=step, agent=agent, closed=before.name, window=now.name, handle=now.handle, pid=now.pid)
