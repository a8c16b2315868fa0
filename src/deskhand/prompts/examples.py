"""Worked examples: few, short, and chosen by the words they share with the task (contract 3.2)."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from deskhand.config.yaml_values import Located, Source
from deskhand.core.errors import ConfigurationError
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelRequest
from deskhand.core.text import stems, tokens
from deskhand.prompts.reply_schema import in_form, reply_fields

MOST_TOKENS: Final = 1500
MOST_EXAMPLES: Final = 2
"""In the first step of an agent that is no host."""
GENERAL_EXAMPLES: Final = 2
"""The first ones of a file, shown where no word fits."""
_KEYS: Final = ("situation", "tools", "words", "answer")


@dataclass(frozen=True, slots=True)
class Example:
    """One good step. It is used only where all `tools` are offered; `words` are those of similar tasks."""

    situation: str
    answer: str
    status: str
    tools: frozenset[str]
    words: frozenset[str]

    @property
    def tokens(self) -> int:
        return tokens(f"{self.situation}\n{self.answer}\n\n")


@cache
def packaged_examples(kind: str, reply_type: type[BaseModel], *, several: bool = False) -> tuple[Example, ...]:
    """Return the packaged examples of a kind of agent; none for an unknown kind."""
    file = resources.files("deskhand.prompts").joinpath("examples", f"{kind}.yaml")
    return parse_examples(file.read_text("utf-8"), file.name, reply_type, several=several) if file.is_file() else ()


def read_examples(path: Path, reply_type: type[BaseModel], *, several: bool = False) -> tuple[Example, ...]:
    """Read a user's file. Raises: ConfigurationError, every problem with its line."""
    try:
        return parse_examples(path.read_text("utf-8"), str(path), reply_type, several=several)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}", fix="name a readable file of examples") from error


def parse_examples(text: str, name: str, reply_type: type[BaseModel], *, several: bool = False) -> tuple[Example, ...]:
    """Parse examples. Their answers take the form of a reply: an `action`, or with `several` a list of actions.

    Raises: ConfigurationError, naming every problem as `name:line: message`.
    """
    source = Source(name)
    root = source.parse(text)
    if root is None and not source.problems:
        source.complain(1, "there are no examples")
    found = (
        [_example(item, source, reply_type, several=several) for item in source.items(root, "a file of examples")]
        if root
        else []
    )
    if source.problems:
        raise ConfigurationError("\n".join(source.problems), fix="each example has situation, tools, words and answer")
    return tuple(found)


def choose(examples: Iterable[Example], request: ModelRequest) -> tuple[Example, ...]:
    """Return the examples for a step: a host's assignment and end, and the best others that fit; few after the first
    step.

    An example scores the number of its words that the task has; one without any is left out. Where no example has any,
    as for most languages, the first ones are chosen.
    """
    offered = {tool.name for tool in request.tools}
    task = stems(" ".join((request.request, request.subtask, *request.host_message)))
    ranked = [example for example in examples if example.tools <= offered]
    ranked.sort(key=lambda example: -_likeness(example, task))
    like = [example for example in ranked if _likeness(example, task)] or ranked[:GENERAL_EXAMPLES]
    always = _of_host(ranked, asks=not request.steps_done) if request.agent == AgentKind.HOST else []
    most = len(always) or (1 if request.steps_done else MOST_EXAMPLES)
    chosen: list[Example] = []
    room = MOST_TOKENS
    for example in [*always, *(example for example in like if example not in always)][:most]:
        if example.tokens > room:
            break
        chosen.append(example)
        room -= example.tokens
    return tuple(chosen)


def _of_host(ranked: Sequence[Example], *, asks: bool) -> list[Example]:
    """Return the best example of each status that every host needs, and, if it `asks`, of a question."""
    statuses = ("ASSIGN", "FINISH", *(("PENDING",) if asks else ()))
    found = (next((each for each in ranked if each.status == status), None) for status in statuses)
    return [example for example in found if example is not None]


def _likeness(example: Example, task: Collection[str]) -> int:
    return len(example.words & frozenset(task))


def _example(node: Located, source: Source, reply_type: type[BaseModel], *, several: bool) -> Example:
    entries = source.mapping(node, "an example", _KEYS, required=("situation", "answer"))
    answer = entries.get("answer")
    reply = _reply(answer, source, reply_type) if answer is not None else {}
    words: Sequence[str] = source.texts(entries.get("words"), "words")
    return Example(
        situation=source.text(entries.get("situation"), "situation").strip(),
        answer=json.dumps(in_form(reply, reply_fields(reply_type, several=several)), ensure_ascii=False),
        status=str(reply.get("status", "")),
        tools=frozenset(source.texts(entries.get("tools"), "tools")),
        words=stems(" ".join(words)),
    )


def _reply(node: Located, source: Source, reply_type: type[BaseModel]) -> JsonObject:
    """Return the given fields of an answer by their own names."""
    try:
        return reply_type.model_validate(node.plain()).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        for problem in error.errors():
            where = ".".join(str(part) for part in problem["loc"])
            source.complain(node.line, f"the answer is no reply: {where}: {problem['msg']}")
        return {}
