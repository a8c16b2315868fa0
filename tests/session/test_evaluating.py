"""The EvaluationAgent's verdict on a round: reported beside the outcome, never instead of it (contract 2.3)."""

from pathlib import Path

import pytest

from deskhand.core.errors import ModelDenied
from deskhand.core.events import ModelAnswered, ProblemMet, RoundEvaluated, RoundFinished, SessionFinished
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, PictureLimits
from deskhand.core.outcomes import Outcome
from deskhand.core.usage import Usage
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from notes import APP, Notes, prompt_of
from report.test_playbook import kept
from stage import Stage, assign, say, stage

VERDICT: JsonObject = {
    "complete": "no",
    "reason": "the text was never saved",
    "sub_scores": [{"name": "written", "evaluation": "yes"}, {"name": "saved", "evaluation": "no"}],
}


def judged(path: Path, *replies: ScriptedReply, **settings: object) -> tuple[Stage, ScriptedModel]:
    judge = ScriptedModel(replies, name="judge", pictures=PictureLimits(800, 640_000))
    scripts = {
        "HostAgent": [assign("Notes", "Write it"), say("FINISH", result="all done")],
        APP: [say("FINISH", "set_edit_text", "Text", args={"text": "x"})],
    }
    return stage(Notes().desktop, scripts, log_path=path, evaluation=judge, settings=settings), judge


@pytest.mark.requires("round.evaluated")
async def test_the_verdict_stands_beside_the_outcome_in_every_report(tmp_path: Path) -> None:
    it, _ = judged(tmp_path / "log", VERDICT)
    ending = await it.run("Write it and save it")
    assert ending.outcome is Outcome.SUCCESS, "the verdict decides nothing"
    (event,) = it.events.of(RoundEvaluated)
    assert (event.round, event.model, event.complete) == (1, "judge", "no")
    assert event.scores == {"written": "yes", "saved": "no"}

    it.events.emit(SessionFinished(outcome="success", reason="all done", seconds=1.0))
    log = kept(it, tmp_path / "log")
    summary = summarise(log)
    assert summary.outcome == "success"
    told = summary.to_json()["evaluations"]
    assert told == [
        {"round": 1, "model": "judge", "complete": "no", "reason": "the text was never saved", "scores": event.scores}
    ]
    assert "the text was never saved" in render_markdown(log)
    page = render_report(log)
    assert "the text was never saved" in page
    assert "saved: no" in page


@pytest.mark.requires("round.evaluated")
async def test_the_judge_is_told_what_was_done_and_shown_the_desktop(tmp_path: Path) -> None:
    it, judge = judged(tmp_path, VERDICT)
    await it.run("Write it and save it")
    (request,) = judge.requests
    prompt = prompt_of(request)
    assert "Write it and save it" in prompt
    assert "success, all done" in prompt
    assert "Ended subtask in notes: Write it: success" in prompt
    assert '"Notes"' in prompt
    assert '"complete": "yes|no|unsure: ' in prompt
    pictures = [part for message in request.messages for part in message.parts if not hasattr(part, "text")]
    assert len(pictures) == 1
    assert request.tools == ()


@pytest.mark.requires("round.evaluated")
@pytest.mark.parametrize(
    "replies",
    [[ModelDenied("wrong key")], [ModelReply({"complete": "maybe"}, "", Usage(1, 1, 0.1))] * 3, ["I think so"] * 3],
)
async def test_a_judge_that_cannot_judge_changes_no_outcome_and_is_told(
    tmp_path: Path, replies: list[ScriptedReply]
) -> None:
    it, judge = judged(tmp_path, *replies)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert it.events.of(RoundEvaluated) == []
    assert [event.where for event in it.events.of(ProblemMet)] == ["evaluation"]
    assert len(judge.requests) == len(replies)


@pytest.mark.requires("round.evaluated")
async def test_judging_costs_and_is_not_done_where_no_budget_is_left(tmp_path: Path) -> None:
    it, judge = judged(tmp_path, ModelReply(VERDICT, "", Usage(100, 20, 0.5)))
    await it.run()
    assert it.context.cost_usd == 0.5
    assert [event.agent for event in it.events.of(ModelAnswered)][-1] == "EvaluationAgent"

    it, judge = judged(tmp_path, VERDICT, max_tokens=1)
    it.context.tokens = 5
    assert (await it.run()).outcome is Outcome.BUDGET
    assert judge.requests == []
    assert [event.outcome for event in it.events.of(RoundFinished)] == ["budget"]
