"""What the house promises and no import contract can say."""

import re
from pathlib import Path

import pytest

import deskhand

ROOMS = Path(deskhand.__file__).parent


@pytest.mark.requires("model.playbook.same-path")
@pytest.mark.parametrize("room", ["agents", "states", "pipeline", "commands", "memory", "prompts"])
def test_no_agent_knows_what_kind_of_model_decides(room: str) -> None:
    files = sorted((ROOMS / room).rglob("*.py"))
    assert files
    assert [f.name for f in files if "playbook" in f.read_text("utf-8").lower()] == []


def test_commands_read_traits_and_not_the_roles_of_a_backend() -> None:
    files = sorted((ROOMS / "commands").rglob("*.py"))
    assert files
    backend = re.compile(r"raw_role|is_office|soffice")
    assert [f.name for f in files if backend.search(f.read_text("utf-8"))] == []


def test_the_reader_of_trees_names_no_toolkit() -> None:
    files = sorted((ROOMS / "desktop/linux/atspi").glob("*.py"))
    assert files
    owners = r"gtk|qt|swing|java|chromium|libreoffice|soffice|calc|impress|electron|firefox"
    names = re.compile(rf"(?<![a-z])(?:{owners})(?![a-z])", re.IGNORECASE)
    assert [f"{f.name}: {found[0]}" for f in files if (found := names.search(f.read_text("utf-8")))] == []


@pytest.mark.requires("cli.public-names")
def test_every_public_name_can_be_imported() -> None:
    assert {name for name in deskhand.__all__ if getattr(deskhand, name, None) is None} == set()
    wanted = (
        "Session HostAgent AppAgent AgentState AgentStateManager HostAgentStateManager AppAgentStateManager "
        "AgentStatus HostAgentStatus AppAgentStatus ProcessorTemplate BaseProcessingStrategy ComposedStrategy "
        "ProcessingPhase ProcessingResult depends_on provides Command Result TargetInfo Blackboard run"
    )
    assert set(wanted.split()) == set(deskhand.__all__)
