"""Formatting of numbers, times and values for a page."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.report.costs import Spent

ROWS_SHOWN: Final = 200
LONG_TEXT: Final = 160
FACTS_SHOWN: Final = 6

_TONES: Final = {
    "good": {"success", "confirmed", "allow", "approved", "ok", "FINISH"},
    "bad": {"failed", "failure", "error", "refused", "deny", "rejected", "ERROR", "FAIL"},
    "wary": {
        "partial",
        "suspected_noop",
        "unverifiable",
        "unknown",
        "confirm",
        "timeout",
        "cancelled",
        "step_limit",
        "budget",
        "none",
        "CONFIRM",
        "PENDING",
    },
}


_PAUSE_ENDS: Final = {
    "quiet": "went on",
    "handed_back": "was handed back",
    "timeout": "the user was still active",
    "stopped": "was stopped",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Tabular data; `omitted` rows are missing in `rows`."""

    rows: list[list[str]]
    count: int
    columns: int

    @property
    def omitted(self) -> int:
        return self.count - len(self.rows)


def tone(word: str) -> str:
    """Colour of a status, effect, decision, state or outcome: `good`, `bad`, `wary` or `plain`."""
    return next((name for name, words in _TONES.items() if word in words), "plain")


def pause_end(how: str) -> str:
    """End of a pause for the user, in words (`PauseEnded.how`)."""
    return _PAUSE_ENDS[how]


def seconds(value: float) -> str:
    """A duration: `340 ms`, `2.41 s`, `1 min 12 s`."""
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < 60:
        return f"{value:.2f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def money(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"${value:.4f}" if value else "$0"


def spent(of: Spent) -> str:
    """Calls, tokens and money in one line."""
    calls = f"{of.calls} model call{'' if of.calls == 1 else 's'}"
    return f"{calls}, {of.input} tokens in, {of.output} out, {priced(of.cost_usd)}"


def priced(value: float | None) -> str:
    """Costs for a place without a caption that names them."""
    return "price unknown" if value is None else money(value)


def moment(at: float) -> str:
    """A moment (seconds since 1970) in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def spoken(name: str) -> str:
    """A name of the program as words: `LLM_INTERACTION` is `llm interaction`."""
    return name.replace("_", " ").lower()


def as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain_value(value: JsonValue) -> str:
    """A value for a reader: text unchanged, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_table(value: JsonValue) -> Table | None:
    """The table in a value: a list of rows, or an object with one under `cells` or `rows`; None: there is none."""
    if isinstance(value, dict):
        return as_table(value.get("cells")) or as_table(value.get("rows"))
    if not isinstance(value, list) or not value:
        return None
    rows = [row for row in value if isinstance(row, list)]
    if len(rows) != len(value):
        return None
    shown = [[_cell(cell) for cell in row] for row in rows[:ROWS_SHOWN]]
    return Table(shown, len(rows), max(len(row) for row in rows))


def as_facts(value: JsonValue) -> dict[str, JsonValue]:
    """An object of a few short facts; empty for any other value."""
    if not isinstance(value, dict) or len(value) > FACTS_SHOWN:
        return {}
    short = all(not isinstance(part, dict | list) and not is_long(plain_value(part)) for part in value.values())
    return dict(value) if short else {}


def _cell(cell: JsonValue) -> str:
    return "" if cell is None else plain_value(cell)


def is_long(text: str) -> bool:
    """True if a text is folded until the reader opens it."""
    return len(text) > LONG_TEXT or text.count("\n") > 2
