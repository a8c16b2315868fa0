"""What tools say of themselves to a model (contract 4.2)."""

import pytest

from deskhand.commands import standard_catalogue
from deskhand.core.command import ToolSpec

OFFERED = [tool.spec for tool in standard_catalogue() if tool.spec.audience]


@pytest.mark.requires("act.described")
@pytest.mark.parametrize("spec", OFFERED, ids=lambda spec: spec.name)
def test_a_tool_and_each_of_its_arguments_says_in_a_sentence_what_it_is_for(spec: ToolSpec) -> None:
    assert spec.description[0].isupper()
    assert spec.description.endswith(".")
    assert len(spec.description) <= 260, "every prompt carries it"
    properties = spec.parameters["properties"]
    assert isinstance(properties, dict)
    undescribed = [
        name for name, part in properties.items() if not (isinstance(part, dict) and part.get("description"))
    ]
    assert undescribed == []
