"""How a subtask, a round and a session end (SPEC 2.3), and which exit code says so (SPEC 6)."""

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
