"""What an AppAgent's model is asked in the benchmarks, for a window with these controls."""

from collections.abc import Sequence

from deskhand.commands import standard_catalogue
from deskhand.core.model import ModelRequest
from deskhand.core.target import TargetInfo
from deskhand.states.table import packaged_table


def app_request(window: TargetInfo, controls: Sequence[TargetInfo], before: Sequence[TargetInfo]) -> ModelRequest:
    """`before`: the controls that it was told of at the step before."""
    table = packaged_table()
    return ModelRequest(
        agent="app",
        agent_name="app",
        messages=(),
        request="Chart the sales table",
        subtask='Read the table "Sales" and save it',
        host_message=(),
        steps_done=(),
        previous_subtasks=(),
        window=window,
        controls=tuple(controls),
        blackboard={},
        tools=tuple(standard_catalogue().specs("app").values()),
        allowed_statuses=table.claimable("app", "CONTINUE"),
        status_meanings=table.meanings("app", "CONTINUE"),
        seen_before=tuple(before),
    )
