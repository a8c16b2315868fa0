"""The report as a page of Markdown, for the log of a CI run."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.events import SessionResumed, TransitionTaken
from deskhand.core.text import cut
from deskhand.report.formatting import money, pause_end, seconds
from deskhand.report.summary import SessionSummary, summarise_events
from deskhand.report.timeline import Action, Pause, Step, build_timeline

_MOST_EVIDENCE: Final = 300
_NO_WORD: Final = re.compile(r"\W")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>&])")


def render_markdown(session_dir: Path) -> str:
    """Summary of the session: outcome, checks, subtasks, steps. Raises: StoreError."""
    events = redacted_events(session_dir)
    summary = summarise_events(events, session_dir)
    timeline = build_timeline(events)
    lines = [
        *_head(summary, has_model=not timeline.is_script),
        *_rounds(summary),
        *_checks(summary),
        *_evaluations(summary),
        *_healed(summary),
        *_subtasks(summary),
        *_states(timeline.transitions),
        *_pauses(timeline.pauses),
        *_resumptions(timeline.resumptions),
        *_steps(timeline.steps),
    ]
    return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """Text of unknown origin as one line that Markdown does not interpret."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _head(summary: SessionSummary, *, has_model: bool) -> list[str]:
    calls, cost = f", {summary.model_calls} model calls", f", cost {money(summary.cost_usd)}"
    totals = f"{summary.steps} steps{calls * has_model}, {seconds(summary.wall_s)}{cost * has_model}"
    lines = [
        f"# {summary.outcome.replace('_', ' ').upper()}: {one_line(summary.request) or 'a session without a request'}",
        "",
        one_line(summary.reason),
        "",
        f"{totals}. Session `{summary.session_id or 'unknown'}`"
        + (f", a replay of `{summary.replays}`." if summary.replays else "."),
        "",
    ]
    if summary.error:
        lines += [f"**{one_line(summary.error.type)}**: {one_line(summary.error.message)}", ""]
        lines += [f"What to do: {one_line(summary.error.fix)}", ""] if summary.error.fix else []
    found = [f"- Document: {one_line(document.told)}" for document in summary.documents]
    found += [f"- Output: {one_line(output)}" for output in summary.outputs]
    return [*lines, *found, ""] if found else lines


def _rounds(summary: SessionSummary) -> list[str]:
    rows = [[str(r.round), one_line(r.request), r.outcome, one_line(r.reason)] for r in summary.rounds]
    return _table("Rounds", ["", "Request", "Outcome", "Reason"], rows)


def _checks(summary: SessionSummary) -> list[str]:
    rows = [
        ["ok" if check.ok else "**failed**", one_line(check.name), one_line(check.detail)] for check in summary.checks
    ]
    return _table("Checks", ["", "Check", "Detail"], rows)


def _evaluations(summary: SessionSummary) -> list[str]:
    rows = [
        [
            str(e.round),
            e.complete,
            one_line(e.reason),
            one_line("; ".join(f"{name}: {s}" for name, s in e.scores.items())),
        ]
        for e in summary.evaluations
    ]
    return _table("Evaluation, which decides nothing", ["Round", "Complete", "Reason", "Parts"], rows)


def _healed(summary: SessionSummary) -> list[str]:
    healed = summary.healed
    if healed is None:
        return []
    rows = [
        [str(s.line), one_line(s.was), one_line(s.now or f"left: {s.unwritten}"), one_line(s.why), str(s.calls)]
        for s in healed.steps
    ]
    where = f"in {one_line(healed.file)}" if healed.file else f"not written: {one_line(healed.reason)}"
    return _table(f"Healed steps of the playbook, {where}", ["Line", "Was", "Now", "Why", "Calls"], rows)


def _subtasks(summary: SessionSummary) -> list[str]:
    rows = [[one_line(s.subtask), one_line(s.application), s.status, s.outcome] for s in summary.subtasks]
    return _table("Subtasks", ["Subtask", "Application", "Status", "Outcome"], rows)


def _states(taken: Sequence[TransitionTaken]) -> list[str]:
    """Return a diagram of the edges that the session took, also of states and machines that plug in."""
    if not taken:
        return []
    arrows = Counter((_node(edge.machine, edge.source), _node(edge.machine, edge.to), edge.cause) for edge in taken)
    lines = [
        f"    {source} --> {to}: {cause}{f' ×{times}' if times > 1 else ''}"
        for (source, to, cause), times in arrows.items()
    ]
    return ["## States", "", "```mermaid", "stateDiagram-v2", *lines, "```", ""]


def _node(machine: str, state: str) -> str:
    of, _, status = state.rpartition(":")
    return _NO_WORD.sub("_", f"{of or machine}_{status}")


def _pauses(pauses: list[Pause]) -> list[str]:
    rows = [
        [
            str(pause.began.step or ""),
            one_line(pause.began.reason),
            pause_end(pause.ended.how) if pause.ended else "unknown",
            seconds(pause.ended.seconds) if pause.ended else "",
        ]
        for pause in pauses
    ]
    return _table("Pauses, in which nothing was sent", ["Step", "Why", "Then", "Time"], rows)


def _resumptions(resumed: list[SessionResumed]) -> list[str]:
    rows = [[str(each.step), one_line("; ".join((*each.unknown, *each.windows))) or "nothing"] for each in resumed]
    return _table("Interruptions, after which the session was resumed", ["After step", "Known of it"], rows)


def _steps(steps: list[Step]) -> list[str]:
    head = ["", "Agent", "State", "Action", "Effect", "Evidence", "Led to", "Time"]
    return _table("Steps", head, [_step(step) for step in steps])


def _step(step: Step) -> list[str]:
    actions = list(step.actions.values())
    return [
        str(step.number),
        one_line(step.started.agent),
        step.started.state,
        "<br>".join(_action(action) for action in actions),
        "<br>".join(_effect(action) for action in actions),
        "<br>".join(_evidence(action) for action in actions),
        step.finished.status if step.finished else "did not end",
        seconds(step.seconds),
    ]


def _action(action: Action) -> str:
    target = action.target
    return one_line(f"{action.tool} {target.role} {target.name}" if target else action.tool).rstrip()


def _effect(action: Action) -> str:
    if action.unknown:
        return "unknown"
    return one_line(action.finished.effect or action.finished.status) if action.finished else ""


def _evidence(action: Action) -> str:
    """Evidence of the effect, or the reason why there is none; shortened, as the page has all of it."""
    done = action.finished
    if done is None:
        return ""
    told = done.evidence or (done.error.message if done.error else "")
    return one_line(cut(told, _MOST_EVIDENCE))


def _table(title: str, head: list[str], rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    lines = [head, ["---"] * len(head), *rows]
    return [f"## {title}", "", *(f"| {' | '.join(line)} |" for line in lines), ""]
