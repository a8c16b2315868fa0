"""What the house promises and no import contract can say."""

import ast
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Final

import pytest

import deskhand

ROOMS = Path(deskhand.__file__).parent
LONGEST_CHAIN: Final = 5
"""Modules, from a tool down to one without imports in the room; packages that only list their modules not counted."""


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


def test_no_import_chain_in_commands_is_longer_than_five_modules() -> None:
    imports = _imports_in("commands")
    assert len(imports) > 20
    longest = max((_longest_chain(module, imports) for module in imports), key=len)
    assert len(longest) <= LONGEST_CHAIN, longest


def _imports_in(room: str) -> Mapping[str, Set[str]]:
    """The modules of a room, each with those of the room that it imports."""
    files = (file for file in (ROOMS / room).rglob("*.py") if file.name != "__init__.py")
    modules = {".".join(("deskhand", *file.relative_to(ROOMS).with_suffix("").parts)): file for file in files}
    return {module: _names_imported(file) & modules.keys() for module, file in modules.items()}


def _names_imported(file: Path) -> Set[str]:
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}{end}" for node in froms for end in ("", *(f".{alias.name}" for alias in node.names))}


def _longest_chain(module: str, imports: Mapping[str, Set[str]]) -> tuple[str, ...]:
    return max(((module, *_longest_chain(other, imports)) for other in imports[module]), key=len, default=(module,))


@pytest.mark.requires("cli.public-names")
def test_every_public_name_can_be_imported() -> None:
    assert {name for name in deskhand.__all__ if getattr(deskhand, name, None) is None} == set()
    wanted = (
        "Session HostAgent AppAgent AgentState AgentStateManager HostAgentStateManager AppAgentStateManager "
        "AgentStatus HostAgentStatus AppAgentStatus ProcessorTemplate BaseProcessingStrategy ComposedStrategy "
        "ProcessingPhase ProcessingResult depends_on provides Command Result TargetInfo Blackboard run "
        "ModelSetup open_desktop Desktop Window Locator ActionFailed ExpectationFailed expect tool ToolContext "
        "ToolOutcome Call ProcessorMiddleware OwnPolicy ActionFacts running_session RunningSession"
    )
    assert set(wanted.split()) == set(deskhand.__all__)
