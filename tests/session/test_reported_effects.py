"""What an effect was read from stands in the journal and in the report (contract 4.3)."""

import html
from pathlib import Path

import pytest

from deskhand.core.events import ActionFinished
from deskhand.report.html import render_report
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal
from notes import APP, Notes
from stage import assign, say, stage

BESIDE = "nothing was seen to change"


@pytest.mark.requires("effect.reported")
async def test_the_evidence_of_each_action_is_in_the_journal_and_in_the_report(tmp_path: Path) -> None:
    agent = [say("CONTINUE", "invoke", "Save"), say("FINISH", "invoke", "Quiet"), say("FINISH")]
    host = [assign("Notes", "Save"), say("FINISH")]
    it = stage(Notes().desktop, {"HostAgent": host, APP: agent}, log_path=tmp_path)
    await it.run()
    told = [event.evidence for event in it.events.of(ActionFinished) if event.tool == "invoke"]
    assert told[0] == 'checkbox "Counter" now has the value "1"'
    assert told[1].startswith(BESIDE)
    with Journal(tmp_path, SystemClock()) as journal:
        for event in it.events.all:
            journal.emit(event)
    page = html.unescape(render_report(tmp_path))
    for evidence in told:
        assert evidence in page
