"""Worked examples (contract 3.2)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands import standard_catalogue
from deskhand.core.errors import ConfigurationError
from deskhand.core.model import AgentKind
from deskhand.core.replies import AgentReply, AppAgentResponse, HostAgentResponse
from deskhand.core.text import tokens
from deskhand.prompts.examples import GENERAL_EXAMPLES, MOST_TOKENS, choose, packaged_examples, parse_examples
from models.requests import ask
from prompts.sent import pressed

KINDS: list[tuple[str, type[AgentReply]]] = [
    ("app", AppAgentResponse),
    ("host", HostAgentResponse),
    ("shell", AgentReply),
]
GOOD = """\
- situation: A menu is open.
  tools: [invoke]
  words: [menu]
  answer: {function: invoke, status: CONTINUE}
"""


@pytest.mark.requires("prompt.examples")
@pytest.mark.parametrize(("kind", "reply_type"), KINDS)
def test_every_example_is_a_reply_with_tools_that_there_are(kind: str, reply_type: type[AgentReply]) -> None:
    examples = packaged_examples(kind, reply_type)
    assert examples
    offered = {**standard_catalogue().specs(kind), "run_command": None}
    for example in examples:
        reply = reply_type.model_validate(json.loads(example.answer))
        asked = {action.function for action in reply.ordered_actions()} - {"select_application_window"}
        assert asked <= example.tools <= set(offered), example.situation


@pytest.mark.requires("prompt.examples")
@given(st.text(), st.text())
def test_no_task_gets_more_examples_than_there_is_room_for(request: str, subtask: str) -> None:
    asked = replace(ask(subtask=subtask), request=request, tools=tuple(standard_catalogue().specs("app").values()))
    for words in ("", "read save open choose enter find row menu dialog table spreadsheet file option box send"):
        chosen = choose(packaged_examples("app", AppAgentResponse), replace(asked, request=f"{request} {words}"))
        assert sum(tokens(f"{example.situation}\n{example.answer}\n\n") for example in chosen) <= MOST_TOKENS


@pytest.mark.requires("prompt.examples")
def test_those_are_chosen_that_the_task_and_the_tools_are_like() -> None:
    examples = packaged_examples("app", AppAgentResponse)
    request = replace(ask(), request="Pick a language from the list", tools=())
    assert all(not example.tools for example in choose(examples, request))
    offered = replace(request, tools=tuple(standard_catalogue().specs(AgentKind.APP).values()))
    assert "select_item" in choose(examples, offered)[0].answer
    assert choose(examples, replace(offered, request="Zzz", subtask="")) == examples[:GENERAL_EXAMPLES]


@pytest.mark.requires("prompt.examples")
@pytest.mark.parametrize(
    ("kind", "reply_type", "request_", "shown"),
    [
        ("host", HostAgentResponse, "Speichere bitte das Dokument", "Speichere den Brief"),
        ("app", AppAgentResponse, "Trage die Adresse ein", "Trage den Namen"),
        ("app", AppAgentResponse, "Exporte le tableau", "Enregistre le document"),
        ("app", AppAgentResponse, "表を保存してください", "Ada Lovelace into a form"),
        ("host", HostAgentResponse, "Zapisz arkusz", "Extract the sales table"),
        ("host", HostAgentResponse, "Print the letter", "Change the date in the letter"),
    ],
)
def test_a_request_in_another_language_gets_examples_too(
    kind: str, reply_type: type[AgentReply], request_: str, shown: str
) -> None:
    tools = tuple(standard_catalogue().specs(kind).values())
    asked = replace(ask(subtask=""), request=request_, host_message=(), tools=tools)
    chosen = choose(packaged_examples(kind, reply_type), asked)
    assert any(shown in example.situation for example in chosen)


@pytest.mark.requires("prompt.own-templates")
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "own.yaml:1: there are no examples"),
        ("situation: x", "own.yaml:1: a file of examples must be a list, not a mapping"),
        (GOOD.replace("CONTINUE", "CONTINUE, functoin: x"), "own.yaml:4: the answer is no reply: functoin: "),
        (GOOD + "- {situation: y, answers: {}}", "own.yaml:5: an example lacks 'answer'"),
        ("- [", "own.yaml:1: not YAML"),
    ],
)
def test_a_wrong_file_of_examples_says_where(text: str, where: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        parse_examples(text, "own.yaml", AppAgentResponse)
    assert where in error.value.message


@pytest.mark.requires("prompt.examples")
@pytest.mark.parametrize("words", ["Print the letter", "Chart the table in a spreadsheet", "Zapisz arkusz"])
def test_a_host_has_an_assignment_and_an_end_among_its_examples_and_first_a_question(words: str) -> None:
    examples = packaged_examples("host", HostAgentResponse)
    tools = tuple(standard_catalogue().specs(AgentKind.HOST).values())
    first = replace(ask(AgentKind.HOST), request=words, subtask="", tools=tools)
    later = replace(first, steps_done=(pressed("button"),))
    assert [example.status for example in choose(examples, first)] == ["ASSIGN", "FINISH", "PENDING"]
    assert [example.status for example in choose(examples, later)] == ["ASSIGN", "FINISH"]


@pytest.mark.requires("prompt.examples")
def test_after_its_first_step_an_agent_has_the_best_example() -> None:
    examples = packaged_examples("app", AppAgentResponse)
    first = replace(ask(), request="Save the file", tools=tuple(standard_catalogue().specs(AgentKind.APP).values()))
    later = replace(first, steps_done=(pressed("button"),))
    assert choose(examples, later) == choose(examples, first)[:1]
    assert len(choose(examples, first)) == 2
