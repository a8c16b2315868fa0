"""Thousands of replies that must not be used: nothing of them happens, and asking ends (contract 3.2)."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

import pytest

from deskhand.core.events import ActionIntended, ModelAnswered
from deskhand.core.outcomes import Outcome
from notes import APP, Notes
from pipeline.malformed import DAMAGES, good, malformed
from stage import assign, say, stage
from support import FULL

TRIALS: Final = 10_000 if FULL else 145
ATTEMPTS: Final = 3


@pytest.mark.long
@pytest.mark.requires("pipeline.malformed-replies")
async def test_no_malformed_reply_does_anything_and_asking_ends(tmp_path: Path) -> None:
    """Each session gets a handful: two that are repaired, or three that end it."""
    done: Counter[str] = Counter()
    seed = 0
    while seed < TRIALS:
        gives_up = seed % 2 == 0
        batch = [malformed(seed + number) for number in range(ATTEMPTS if gives_up else ATTEMPTS - 1)]
        seed += len(batch)
        notes = Notes()
        replies = {
            "HostAgent": [assign("Notes", "Save"), say("FINISH"), say("FINISH")],
            APP: [*(text for _, text in batch), say("FINISH")],
        }
        it = stage(notes.desktop, replies, log_path=tmp_path, settings={"json_parsing_retry": ATTEMPTS})
        ending = await it.run()
        kinds = [kind for kind, _ in batch]
        assert ending.outcome is (Outcome.ERROR if gives_up else Outcome.SUCCESS), (seed, kinds, ending)
        assert notes.log == [], (seed, kinds)
        assert notes.text.value == "", (seed, kinds)
        assert [event.tool for event in it.events.of(ActionIntended)] == ["select_application_window"], (seed, kinds)
        answers = [event for event in it.events.of(ModelAnswered) if event.agent == APP]
        assert [event.error is not None for event in answers] == [True] * len(batch) + [False] * (not gives_up)
        said = [event.error.message for event in answers if event.error]
        assert all("\n" not in message and 10 < len(message) < 500 for message in said), (seed, kinds, said)
        done.update(kinds)
    assert done.keys() == DAMAGES.keys()


@pytest.mark.requires("pipeline.malformed-replies")
async def test_the_replies_are_good_before_they_are_damaged(tmp_path: Path) -> None:
    """What makes the trial above able to fail: undamaged, each of them acts."""
    for seed in range(30):
        notes = Notes()
        reply = json.dumps({**good(Random(seed)), "status": "FINISH"})  # noqa: S311 - the same replies every time
        replies = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [reply, say("FINISH")]}
        it = stage(notes.desktop, replies, log_path=tmp_path)
        await it.run()
        assert [event.error.message for event in it.events.of(ModelAnswered) if event.error] == [], seed
        assert notes.log or notes.text.value, seed
