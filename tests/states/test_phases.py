"""Which phases a state runs, seen in the runs that walk every row (contract 2.2)."""

import csv
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import pytest

from deskhand.core.events import Event, PhaseFinished, TransitionTaken
from deskhand.pipeline.framework import ProcessingPhase
from states.situations import SITUATIONS, Place

LISTED = {
    (row["machine"], row["state"]): row["phases"]
    for row in csv.DictReader(resources.files("deskhand.states").joinpath("states.csv").read_text("utf-8").splitlines())
}
PHASES = {
    "all": {phase.value for phase in ProcessingPhase},
    "data_collection": {ProcessingPhase.DATA_COLLECTION.value},
    "none": set[str](),
}
State = tuple[str, str]
"""Machine and status."""


def phases_by_state(events: Sequence[Event]) -> Iterator[tuple[State, str]]:
    """Every state a run was in with each phase that ran there; a state in which none ran with an empty word."""
    state = ("host", "CONTINUE")
    yield state, ""
    for event in events:
        if isinstance(event, PhaseFinished):
            yield state, event.phase
        elif isinstance(event, TransitionTaken):
            machine, _, status = event.to.rpartition(":")
            state = (machine or event.machine, status)
            yield state, ""


@pytest.mark.requires("state.every-state")
@pytest.mark.long
async def test_every_state_runs_the_phases_the_list_says_and_no_others(tmp_path: Path) -> None:
    seen: dict[State, set[str]] = {}
    for row, situation in SITUATIONS.items():
        it = situation(Place(row, tmp_path))
        await it.run()
        for state, phase in phases_by_state(it.events.all):
            seen.setdefault(state, set()).update({phase} - {""})
    entered = {state: PHASES[phases] for state, phases in LISTED.items() if state[1]}
    assert seen == entered
