"""A user's own templates in place of the packaged ones (contract 3.4, 5)."""

from pathlib import Path

import pytest

from deskhand.agents import AgentFactory
from deskhand.config.sections import PromptsSection
from deskhand.core.context import RunMode
from deskhand.core.errors import ConfigurationError
from deskhand.core.model import Message, TextPart
from deskhand.core.replies import AppAgentResponse
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.prompts import MessageConstructor, PromptFiles
from models.requests import ask
from notes import Notes
from stage import stage

WINDOW = TargetInfo(TargetKind.WINDOW, "Notes", Role.WINDOW, handle="w", application="notes")
EXAMPLE = "- {situation: Chart it., words: [chart], answer: {status: FINISH}}"


def system_of(messages: tuple[Message, ...]) -> str:
    (part,) = messages[0].parts
    assert isinstance(part, TextPart)
    return part.text


def written(folder: Path, text: str, name: str = "own.md.j2") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.requires("prompt.own-templates")
def test_the_system_message_is_the_users_with_the_packaged_parts_it_includes(tmp_path: Path) -> None:
    path = written(tmp_path, 'Be quick.\n{% include "screen.md.j2" %}\n{{ tools }}')
    own = MessageConstructor("app", AppAgentResponse, files=PromptFiles(main=path))
    system = system_of(own.messages(ask(), ""))
    assert system.startswith("Be quick.\n# The screen")
    assert "- invoke(" in system
    assert "Rules" not in system


@pytest.mark.requires("prompt.own-templates")
@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("one\n{% if %}", 2, "Expected an expression"),
        ("one\ntwo\n{{ tolls }}", 3, "'tolls' is undefined"),
        ("{% include 'nothing.j2' %}", 1, "nothing.j2"),
        ("\n{{ ''.__class__.__mro__ }}", 2, "unsafe"),
        ("{{ 1 / 0 }}", 1, "division"),
    ],
)
def test_a_wrong_template_says_where(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as error:
        MessageConstructor("app", AppAgentResponse, files=PromptFiles(main=path))
    assert error.value.message.startswith(f"{path}:{line}: ")
    assert what in error.value.message


@pytest.mark.requires("prompt.own-templates")
def test_a_template_that_is_not_there_is_named(tmp_path: Path) -> None:
    for files in (PromptFiles(main=tmp_path / "no"), PromptFiles(examples=tmp_path / "no")):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            MessageConstructor("app", AppAgentResponse, files=files)


@pytest.mark.requires("prompt.own-templates")
def test_settings_and_arguments_take_effect_the_arguments_first(tmp_path: Path) -> None:
    services = stage(Notes().desktop, {}, log_path=tmp_path).services
    configured = written(tmp_path, "configured")
    examples = written(tmp_path, EXAMPLE, "own.yaml")
    prompts = PromptsSection(appagent_prompt=configured, appagent_example_prompt=examples)
    factory = AgentFactory(services, (), mode=RunMode.NORMAL, prompts=prompts)
    agent = factory.create_agent("app", "AppAgent/notes", "notes", "Notes", target=WINDOW)
    messages = agent.message_constructor.messages(ask(), "")
    assert system_of(messages) == "configured"
    assert any(isinstance(part, TextPart) and "Chart it." in part.text for part in messages[1].parts)
    main = written(tmp_path, "given", "given.j2")
    agent = factory.create_agent("app", "AppAgent/notes", "notes", "Notes", False, str(main), target=WINDOW)
    assert (system_of(agent.message_constructor.messages(ask(), "")), agent.is_visual) == ("given", False)


@pytest.mark.requires("prompt.own-templates")
def test_a_wrong_setting_is_told_before_any_agent_is_made(tmp_path: Path) -> None:
    services = stage(Notes().desktop, {}, log_path=tmp_path).services
    with pytest.raises(ConfigurationError, match=r"own\.md\.j2:1"):
        AgentFactory(
            services,
            (),
            mode=RunMode.NORMAL,
            prompts=PromptsSection(appagent_prompt=written(tmp_path, "{{ nothing }}")),
        )
