"""Outcomes of a subtask, a round and a session, and their exit codes."""

from enum import StrEnum


class Outcome(StrEnum):
    SUCCESS = "success"
    FAILED = "failed"
    REJECTED = "rejected"
    ERROR = "error"
    STEP_LIMIT = "step_limit"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Outcome.SUCCESS: 0,
    Outcome.FAILED: 1,
    Outcome.REJECTED: 3,
    Outcome.ERROR: 4,
    Outcome.STEP_LIMIT: 5,
    Outcome.BUDGET: 5,
    Outcome.TIMEOUT: 6,
    Outcome.CANCELLED: 6,
}
