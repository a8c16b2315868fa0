"""The agents' memory: one `Memory` each, one `Blackboard` and one `Documents` per session (contract 3.2).

It never saves itself.
"""

from deskhand.memory.blackboard import Blackboard, ImageNote
from deskhand.memory.documents import Documents
from deskhand.memory.recall import Recalled, recall, record_data, record_of, subtask_of
from deskhand.memory.steps import Memory, MemoryItem

__all__ = [
    "Blackboard",
    "Documents",
    "ImageNote",
    "Memory",
    "MemoryItem",
    "Recalled",
    "recall",
    "record_data",
    "record_of",
    "subtask_of",
]
