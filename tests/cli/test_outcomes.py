"""One outcome from the innermost agent to journal, exit code, page, Markdown and JSON (contract 2.3, 6)."""

import json
import os
import re
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from deskhand.cli.session_run import carry_out
from deskhand.config.sections import Configuration, PolicySection, SystemSection
from deskhand.core.errors import ApplicationGone, DesktopBusy, DesktopStartFailed, LaunchFailed
from deskhand.core.events import (
    Event,
    QuestionsAsked,
    RoundFinished,
    SessionFinished,
    StepStarted,
    SubtaskArchived,
)
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers
from deskhand.core.usage import Usage
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.build import SessionPlan
from deskhand.store.journal import read_events
from notes import APP, CONFIRM_DELETE, Notes
from stage import Answer, Person, assign, rule, say, scripted

EXIT = {
    "success": 0,
    "failed": 1,
    "rejected": 3,
    "error": 4,
    "step_limit": 5,
    "budget": 5,
    "timeout": 6,
    "cancelled": 6,
}


@asynccontextmanager
async def notes_open(choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
    yield Notes().desktop


def opening_raises(error: Exception) -> Callable[..., object]:
    @asynccontextmanager
    async def opens(choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
        raise error
        yield Notes().desktop

    return opens


@dataclass
class SignalAt:
    """Sends this process a signal at the first event of a kind, as a person does with Ctrl+C."""

    kind: type[Event]
    sent: list[int] = field(default_factory=list[int])

    def emit(self, event: Event) -> None:
        if isinstance(event, self.kind) and not self.sent:
            self.sent.append(os.getpid())
            os.kill(os.getpid(), signal.SIGINT)


@dataclass
class Way:
    """How a session is made to end: the agents' replies, and what else is set up."""

    outcome: str
    host: Sequence[Answer] = (assign("Notes", "Tidy"), say("FINISH", result="done"))
    app: Sequence[Answer] = (say("FINISH"),)
    person: Callable[[], Person] = lambda: Person(reachable=False)
    settings: dict[str, object] = field(default_factory=dict[str, object])
    signal_at: type[Event] | None = None
    opens: Callable[..., object] = notes_open
    exit_code: int | None = None
    rounds: list[str] | None = None


def page_outcome(page: str) -> str:
    """What the badge at the top of the page says."""
    found = re.search(r'<p class="outcome"><span class="badge big \w+">([^<]*)</span>', page)
    assert found is not None
    return found[1]


class Silent(Person):
    """Is there, and says nothing."""

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        await anyio.sleep_forever()
        return Answers()


def dear(request: ModelRequest) -> ModelReply:
    return ModelReply({"status": "CONTINUE"}, "", Usage(100, 100, 1.0))


def broken(request: ModelRequest) -> ModelReply:
    raise ZeroDivisionError("division by zero")


def nonsense(request: ModelRequest) -> ModelReply:
    return ModelReply({"status": "NO"}, "")


DELETE = say("CONTINUE", "invoke", "Delete")
ASK = say("PENDING", questions=["Which?"])
WAYS = {
    "success": Way("success"),
    "the app's FAIL": Way("failed", app=[say("FAIL", comment="cannot")]),
    "the host's FAIL": Way("failed", host=[say("FAIL", comment="impossible")]),
    "a loop": Way("failed", app=[say("CONTINUE", "wait", args={"seconds": 0.1})] * 4),
    "an unconfirmed claim": Way(
        "failed", app=[say("FINISH", "keyboard_input", args={"keys": "{F5}"})], settings={"max_failed_steps": 0}
    ),
    "rejected": Way("rejected", app=[DELETE], person=lambda: Person(decides=[False])),
    "rejected at the host": Way(
        "rejected", host=[say("CONFIRM", "select_application_window", "Notes")], person=lambda: Person(decides=[False])
    ),
    "the app's ERROR": Way("error", app=[say("ERROR", comment="lost")]),
    "the host's ERROR": Way("error", host=[say("ERROR", comment="lost")]),
    "an exception in a model": Way("error", app=[broken]),
    "no usable reply": Way("error", app=[nonsense] * 3),
    "max_step": Way("step_limit", app=[say("CONTINUE")] * 5, settings={"max_step": 4}),
    "max_tokens": Way("budget", app=[dear] * 3, settings={"max_tokens": 150}),
    "max_usd": Way("budget", app=[dear] * 3, settings={"max_usd": 0.5}),
    "max_seconds": Way("timeout", app=[say("CONTINUE")] * 99, settings={"max_seconds": 1e-6}),
    "nobody answers": Way("timeout", app=[ASK], settings={"ask_question": True}),
    "nobody answers the host": Way("timeout", host=[ASK], settings={"ask_question": True}),
    "nobody decides": Way("timeout", app=[DELETE]),
    "Ctrl+C in a step": Way("cancelled", signal_at=StepStarted),
    "Ctrl+C while a person is asked": Way(
        "cancelled", app=[ASK], person=Silent, signal_at=QuestionsAsked, settings={"ask_question": True}
    ),
    "no desktop": Way("error", opens=opening_raises(DesktopStartFailed("no server")), rounds=[]),
    "another session's desktop": Way("error", opens=opening_raises(DesktopBusy("held")), exit_code=2, rounds=[]),
    "an application that never came": Way("failed", opens=opening_raises(LaunchFailed("no window")), rounds=[]),
    "an application that went": Way("failed", opens=opening_raises(ApplicationGone("went")), rounds=[]),
    "something nobody foresaw": Way("error", opens=opening_raises(ZeroDivisionError("oh")), rounds=[]),
}


def plan_of(way: Way, folder: Path) -> SessionPlan:
    policy = folder / "policy.yaml"
    policy.write_text(rule(CONFIRM_DELETE, "confirm"))
    return SessionPlan(
        session_id="s1",
        session_dir=folder / "log",
        requests=("Tidy up",),
        model=scripted({"HostAgent": way.host, APP: way.app}),
        configuration=Configuration(
            system=SystemSection.model_validate(way.settings), policy=PolicySection(files=(policy,))
        ),
        interactor=way.person(),
        listeners=(SignalAt(way.signal_at),) if way.signal_at else (),
        opens=way.opens,  # pyright: ignore[reportArgumentType] - what opens may raise instead
    )


@pytest.mark.requires("round.one-outcome", "round.session-outcome", "round.outcome")
@pytest.mark.parametrize("name", WAYS)
def test_everything_that_tells_how_a_session_ended_tells_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    way = WAYS[name]
    code = carry_out(plan_of(way, tmp_path), tmp_path / "report.html", as_json=True)
    told = json.loads(capsys.readouterr().out)
    events = list(read_events(tmp_path / "log"))
    finished = [event for event in events if isinstance(event, SessionFinished)]
    rounds = [event.outcome for event in events if isinstance(event, RoundFinished)]
    assert rounds == ([way.outcome] if way.rounds is None else way.rounds)
    assert [event.outcome for event in finished] == [way.outcome]
    assert summarise(tmp_path / "log").outcome == way.outcome
    assert told["outcome"] == way.outcome
    assert code == (EXIT[way.outcome] if way.exit_code is None else way.exit_code)
    assert (told["error"] is None) is (way.outcome == "success")
    shown = way.outcome.replace("_", " ")
    page = (tmp_path / "report.html").read_text()
    assert page_outcome(page) == shown
    assert render_markdown(tmp_path / "log").startswith(f"# {shown.upper()}: Tidy up")
    last = [event.outcome for event in events if isinstance(event, SubtaskArchived)][-1:]
    assert last in ([way.outcome], []), "the innermost agent's outcome is the session's"


@pytest.mark.requires("round.one-outcome")
@pytest.mark.parametrize("name", list({way.outcome: name for name, way in WAYS.items()}.values()))
def test_without_json_the_same_outcome_and_code_are_told(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    way = WAYS[name]
    code = carry_out(plan_of(way, tmp_path), tmp_path / "report.html", as_json=False)
    assert code == (EXIT[way.outcome] if way.exit_code is None else way.exit_code)
    assert capsys.readouterr().out.splitlines()[0] == f"outcome  {way.outcome}"


def test_every_outcome_is_among_the_ways_and_only_success_exits_with_zero() -> None:
    assert {way.outcome for way in WAYS.values()} == set(Outcome) == EXIT.keys()
    assert [outcome for outcome in Outcome if outcome.exit_code == 0] == [Outcome.SUCCESS]
    assert {outcome.value: outcome.exit_code for outcome in Outcome} == EXIT


@pytest.mark.requires("round.one-outcome")
def test_a_page_that_cannot_be_written_changes_no_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.html").mkdir()
    code = carry_out(plan_of(WAYS["the app's FAIL"], tmp_path), tmp_path / "report.html", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (code, told["outcome"], told["report"]) == (1, "failed", None)


@pytest.mark.requires("round.one-outcome", "model.cost-known")
@pytest.mark.parametrize(("price", "known"), [(0.25, 0.75), (None, None)])
def test_an_unknown_price_is_unknown_everywhere(
    price: float | None, known: float | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def paid(answer: Answer) -> Answer:
        def reply(request: ModelRequest) -> ModelReply:
            content = answer(request)
            assert isinstance(content, dict)
            return ModelReply(content, "", Usage(1, 1, price))

        return reply

    way = Way("success", host=[paid(assign("Notes", "Tidy")), paid(say("FINISH"))], app=[paid(say("FINISH"))])
    carry_out(plan_of(way, tmp_path), tmp_path / "report.html", as_json=True)
    assert json.loads(capsys.readouterr().out)["cost_usd"] == known
    words = "cost unknown" if known is None else "cost $0.7500"
    assert words in render_markdown(tmp_path / "log")
