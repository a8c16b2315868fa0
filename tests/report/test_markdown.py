"""The Markdown report is short, and text from outside stays text."""

from pathlib import Path

from deskhand.core.events import ActionIntended, SessionStarted, StepStarted
from deskhand.report.markdown import one_line, render_markdown
from deskhand.store.journal import Journal
from report.demo_session import write_demo_session
from store.clocks import StillClock


def test_the_demo_in_markdown(tmp_path: Path) -> None:
    write_demo_session(tmp_path)
    lines = render_markdown(tmp_path).splitlines()
    assert lines[0].startswith("# SUCCESS: Extract the sales table")
    assert "14 steps, 14 model calls, 8.46 s, cost $0. Session `2026-01-05T08-00-00-4f2a`." in lines
    assert "| ok | cells | 20 cells equal the table of the document |" in lines
    assert "| Read the sales table | writer | FINISH | success |" in lines
    expected = r"| 2 | AppAgent\(writer\) | CONTINUE | read\_table table Sales | success | FINISH | 310 ms |"
    assert expected in lines


def test_text_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(
            SessionStarted(session_id="s", version="1", request="a\n# b <script> | c", model="m", desktop="d", at=1.0)
        )
        journal.emit(StepStarted(step=1, agent="x|y", round=1, state="CONTINUE", at=1.0))
        journal.emit(ActionIntended(step=1, agent="x|y", call_id="1", tool="go", arguments={}, at=1.0))
    text = render_markdown(tmp_path)
    assert text.startswith("# ERROR: a \\# b \\<script\\> \\| c\n")
    assert r"| 1 | x\|y | CONTINUE | go | unknown | did not end | 0 ms |" in text


def test_every_mark_of_markdown_is_escaped() -> None:
    assert one_line("`*_[](#)\n|") == r"\`\*\_\[\]\(\#\) \|"
