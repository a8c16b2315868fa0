"""A step plans its actions once and judges each of them twice; no field of its context is idle."""

import re
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Final, TypeVar

import pytest

import deskhand
from deskhand.pipeline.context import AppAgentProcessorContext, HostAgentProcessorContext
from notes import APP, Notes
from stage import act, assign, say, stage

T = TypeVar("T")

FOR_PLUG_INS: Final = {
    *("prompt_message", "thought", "observation_text", "comment", "questions", "result", "execution_result"),
    *("control_log", "status", "additional_memory", "memory_item", "updated_blackboard", "clean_screenshot_url"),
    *("desktop_screenshot_url", "ui_tree_path", "screenshot_saved_time", "control_recorder", "control_filter_time"),
    *("annotated_screenshot_url", "action", "concat_screenshot_path", "last_control_screenshot_path"),
    *("control_reannotate", "selected_control_screenshot_path"),
}
"""Fields that the contract names for strategies that plug in."""


@pytest.mark.requires("pipeline.action-order")
async def test_a_step_plans_once_and_judges_each_action_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    both = say("FINISH", actions=[act("invoke", "Save"), act("invoke", "Tidy")])
    it = stage(notes.desktop, {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [both]}, log_path=tmp_path)
    done: Counter[str] = Counter()

    def counted(work: Callable[..., T]) -> Callable[..., T]:
        @wraps(work)
        def count(*args: object, **named: object) -> T:
            done[work.__name__] += 1
            return work(*args, **named)

        return count

    catalogue, policy = it.services.dispatcher.catalogue, it.services.policy
    for owner, name in ((catalogue, "specs"), (catalogue, "validate"), (policy, "judge"), (policy, "clear")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    await it.run()
    assert notes.log == ["Save", "Tidy"]
    steps, actions = 3, 3
    assert done == {"specs": steps, "validate": actions, "judge": 2 * actions, "clear": actions}


def test_only_fields_that_the_contract_names_are_not_read() -> None:
    source = Path(deskhand.__file__).parent
    texts = [path.read_text() for room in ("pipeline", "agents") for path in sorted((source / room).rglob("*.py"))]
    owner = r"(?:context|local|_local|processing_context)"
    read = {name for text in texts for name in re.findall(rf"\b{owner}\.(\w+)\b(?!\s*=[^=])", text)}
    read |= {name for text in texts for name in re.findall(r'get_local\("(\w+)"\)', text)}
    names = AppAgentProcessorContext.field_names() | HostAgentProcessorContext.field_names()
    assert names - read == FOR_PLUG_INS
