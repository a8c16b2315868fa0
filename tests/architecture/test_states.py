"""Layer 1 says when and what; how and with what is other people's business (contract 2.1)."""

import ast
from pathlib import Path

import pytest

import deskhand.states

ALLOWED = ("deskhand.core", "deskhand.states")


@pytest.mark.requires("state.asks-its-agent", "state.asks-its-agent")
def test_a_state_asks_its_agent_and_nobody_else() -> None:
    files = sorted(Path(deskhand.states.__file__).parent.glob("*.py"))
    assert len(files) > 4
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for name in _imported(node):
                assert not name.startswith("deskhand") or name.startswith(ALLOWED), f"{file.name} imports {name}"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
