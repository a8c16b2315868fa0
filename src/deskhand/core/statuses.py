"""Statuses of the state machines, and normalisation of a claimed status."""

from dataclasses import dataclass
from enum import StrEnum


class AgentStatus(StrEnum):
    """Statuses common to all agents."""

    ERROR = "ERROR"
    FINISH = "FINISH"
    CONTINUE = "CONTINUE"
    FAIL = "FAIL"
    PENDING = "PENDING"
    CONFIRM = "CONFIRM"
    SCREENSHOT = "SCREENSHOT"


class HostAgentStatus(StrEnum):
    """Statuses of the HostAgent."""

    ERROR = "ERROR"
    FINISH = "FINISH"
    CONTINUE = "CONTINUE"
    ASSIGN = "ASSIGN"
    FAIL = "FAIL"
    PENDING = "PENDING"
    CONFIRM = "CONFIRM"


class AppAgentStatus(StrEnum):
    """Statuses of an AppAgent."""

    CONTINUE = "CONTINUE"
    SCREENSHOT = "SCREENSHOT"
    FINISH = "FINISH"
    FAIL = "FAIL"
    PENDING = "PENDING"
    CONFIRM = "CONFIRM"
    ERROR = "ERROR"


class Cause(StrEnum):
    """Who or what moved a machine along an edge."""

    LLM = "llm"
    SYSTEM = "system"
    USER = "user"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """Status at the end of a step, who set it and by which row, and `reannotate`: controls get new labels."""

    status: str
    cause: Cause
    trigger: str
    reason: str = ""
    reannotate: bool = False


_SYNONYMS = {
    "DONE": "FINISH",
    "COMPLETE": "FINISH",
    "COMPLETED": "FINISH",
    "FAILED": "FAIL",
    "DELEGATE": "ASSIGN",
    "DELEGATE_TO_APP": "ASSIGN",
}


def normalise_status(text: str) -> str:
    """A claimed status in the spelling of the machines: case and spaces folded, the six synonyms mapped, nothing else.

    Non-ASCII letters that only become those of a status in upper case (`ﬁnish`) are not folded.
    """
    word = text.strip()
    if not word.isascii():
        return text
    return _SYNONYMS.get(word.upper(), word.upper())
