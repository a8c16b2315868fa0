"""Writes a journal and waits to be killed: `killed_writer.py FOLDER`. Prints one line once the intent is kept."""

import sys
import threading
from pathlib import Path

from deskhand.core.events import ActionFinished, ActionIntended, SessionStarted, StepStarted
from deskhand.store.journal import Journal


class _Clock:
    def monotonic(self) -> float:
        return 1.0

    def now(self) -> float:
        return 1_700_000_000.0


def main() -> None:
    journal = Journal(Path(sys.argv[1]), _Clock())
    journal.emit(SessionStarted(session_id="s1", version="0.1.0", request="Save it", model="playbook:x", desktop=":7"))
    journal.emit(StepStarted(step=1, agent="HostAgent", round=1, state="CONTINUE"))
    for call_id in ("a", "b"):
        journal.emit(ActionIntended(step=1, agent="HostAgent", call_id=call_id, tool="click_input", arguments={}))
        if call_id == "a":
            journal.emit(
                ActionFinished(step=1, agent="HostAgent", call_id=call_id, tool="click_input", status="success")
            )
    sys.stdout.write("kept\n")
    sys.stdout.flush()
    threading.Event().wait()


main()
