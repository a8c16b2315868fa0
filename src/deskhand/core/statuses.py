"""The statuses of the state machines, and how a claimed status is normalised (SPEC 2.2, 2.3)."""

from dataclasses import dataclass
from enum import StrEnum


class AgentStatus(StrEnum):
    """Statuses any agent can know."""

    ERROR = "ERROR"
    FINISH = "FINISH"
    CONTINUE = "CONTINUE"
    FAIL = "FAIL"
    PENDING = "PENDING"
    CONFIRM = "CONFIRM"
    SCREENSHOT = "SCREENSHOT"


class HostAgentStatus(StrEnum):
    ERROR = "ERROR"
    FINISH = "FINISH"
    CONTINUE = "CONTINUE"
    ASSIGN = "ASSIGN"
    FAIL = "FAIL"
    PENDING = "PENDING"
    CONFIRM = "CONFIRM"


class AppAgentStatus(StrEnum):
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
    """How a step ended: the status, who set it and by which row, and whether controls are to be labelled anew."""

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
    """A claimed status as the machines spell it: case and spaces folded, the six synonyms mapped, nothing else.

    Letters that only turn into those of a status when they are raised (`ﬁnish`) are other letters.
    """
    word = text.strip()
    if not word.isascii():
        return text
    return _SYNONYMS.get(word.upper(), word.upper())
