"""An agent of others that asks a model: its own machine, strategies, tools and prompt, and no change of ours."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import deskhand
from deskhand.agents import BasicAgent, TextAgent, ThirdPartyAgent
from deskhand.commands import Tool
from deskhand.core.context import Context
from deskhand.core.errors import PipelineError, StateError
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase, ProcessingResult, provides
from deskhand.pipeline.text.strategies import TextAgentProcessor
from deskhand.prompts import PromptFiles
from deskhand.states import AgentStateManager, AppAgentStateManager, Edge
from deskhand.states.app import ContinueAppAgentState
from deskhand.states.base import StateAgent
from notes import Notes, prompt_of
from stage import assign, say, stage

pytestmark = pytest.mark.requires("state.text-agents")

LETTERS = ["Where is my order?", "Thank you!"]


@deskhand.tool(agents=["clerk"])
def answer(letter: int, text: str) -> str:
    """Answers a letter by its number."""
    LETTERS[letter - 1] = f"answered: {text}"
    return LETTERS[letter - 1]


@provides("seen_text")
class ReadLetters(BaseProcessingStrategy):
    async def execute(self, agent: Any, context: Any) -> ProcessingResult:  # Any: as in the class it derives from
        lines = [f"{number}. {letter}" for number, letter in enumerate(LETTERS, 1)]
        return ProcessingResult(success=True, data={"seen_text": "\n".join(lines)})


class ClerkProcessor(TextAgentProcessor):
    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {**super().build_strategies(), ProcessingPhase.DATA_COLLECTION: ReadLetters()}


class ClerkStateManager(AppAgentStateManager, without=["SCREENSHOT"]):
    machine = "clerk"


@ClerkStateManager.register(like="CONTINUE", when="an answer is to be read once more")
class ProofreadState(ContinueAppAgentState, status="PROOFREAD"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        context.set("proofread", context.get("proofread", 0))
        await super().handle(agent, context)


class ClerkAgent(TextAgent):
    kind = "clerk"
    manager_class = ClerkStateManager
    processor_class = ClerkProcessor
    instructions = "You answer letters, politely."


def no_tools(folder: Path) -> Sequence[Tool]:
    return (answer,)


CLERK = ThirdPartyAgent("clerk", "Clerk", "answers letters", ClerkAgent, no_tools)


async def test_it_is_assigned_a_subtask_asks_with_its_own_words_and_acts_by_its_own_tool(tmp_path: Path) -> None:
    LETTERS[:] = ["Where is my order?", "Thank you!"]
    replies = {
        "HostAgent": [assign("Clerk", "Answer the first letter"), say("FINISH")],
        "Clerk": [
            say("PROOFREAD", "answer", args={"letter": 1, "text": "It is on its way."}),
            say("FINISH", result="one letter is answered"),
        ],
    }
    it = stage(Notes().desktop, replies, log_path=tmp_path, third_party=[CLERK])
    assert (await it.run("Answer my letters")).outcome is Outcome.SUCCESS
    assert LETTERS[0] == "answered: It is on its way."
    assert it.events.edges()[1:5] == [
        ("host", "ASSIGN", "clerk:CONTINUE", "system"),
        ("clerk", "CONTINUE", "PROOFREAD", "llm"),
        ("clerk", "PROOFREAD", "FINISH", "llm"),
        ("clerk", "FINISH", "host:CONTINUE", "system"),
    ]
    first, second = (request for request in it.model.requests if request.agent_name == "Clerk")
    prompt = prompt_of(first)
    assert prompt.startswith("You answer letters, politely.")
    assert "1. Where is my order?" in prompt
    assert "an answer is to be read once more" in prompt
    assert "Answers a letter by its number." in prompt
    assert "Subtask: Answer the first letter" in prompt
    assert "1. answered: It is on its way." in prompt_of(second)
    assert "SCREENSHOT" not in first.allowed_statuses
    assert it.context.previous_subtasks[0].result == "one letter is answered"


async def test_its_template_is_a_file_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "clerk.md.j2"
    file.write_text('You are a clerk.\n{% include "rules.md.j2" %}\n')

    class Templated(ClerkAgent):
        prompt_files = PromptFiles(main=file)

    clerk = ThirdPartyAgent("clerk", "Clerk", "answers letters", Templated)
    replies = {"HostAgent": [assign("Clerk", "Answer"), say("FINISH")], "Clerk": [say("FINISH")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path, third_party=[clerk])
    assert (await it.run()).outcome is Outcome.SUCCESS
    (asked,) = (request for request in it.model.requests if request.agent_name == "Clerk")
    assert prompt_of(asked).startswith("You are a clerk.\n# Your answer")


class BareStateManager(AgentStateManager):
    machine = "bare"
    edges = (Edge("bare", "CONTINUE", "FINISH", Cause.LLM, "reply"),)


class Wordless(TextAgent):
    kind = "clerk"
    manager_class = ClerkStateManager
    processor_class = ClerkProcessor


class Stateless(ClerkAgent):
    manager_class = BareStateManager


class Unfinished(BasicAgent):
    kind = "clerk"


@pytest.mark.parametrize(
    ("kind", "make", "problem"),
    [
        ("clerk", Wordless, "Wordless asks a model without instructions"),
        ("clerks", ClerkAgent, "ClerkAgent is of the kind 'clerk', not 'clerks'"),
        ("clerk", Stateless, "BareStateManager has no state for CONTINUE, FINISH, the fallback"),
        ("clerk", Unfinished, "Unfinished has no manager_class and no processor_class"),
        ("clerk", "ClerkAgent", "'ClerkAgent' makes no agent"),
    ],
)
def test_an_agent_that_would_fail_in_a_session_is_refused_where_it_is_offered(
    kind: str, make: Any, problem: str
) -> None:
    with pytest.raises(StateError, match=problem):
        ThirdPartyAgent(kind, "Clerk", "answers letters", make)


def test_strategies_that_do_not_fit_are_named_where_the_agent_is_defined() -> None:
    class Blind(TextAgentProcessor):
        pass

    with pytest.raises(PipelineError, match="needs 'seen_text', which nothing before it provides"):

        class BlindAgent(ClerkAgent):  # pyright: ignore[reportUnusedClass]
            processor_class = Blind


def test_an_agent_that_uses_the_machine_of_another_does_not_take_it_over() -> None:
    before = AppAgentStateManager.agent_class

    class Guest(ClerkAgent):
        manager_class = AppAgentStateManager

    assert AppAgentStateManager.agent_class is before is not Guest
