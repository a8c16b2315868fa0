"""What agents remember: `Memory` per agent, one `Blackboard` per session (SPEC 3.2). It never saves itself."""

from deskhand.memory.blackboard import Blackboard, ImageNote
from deskhand.memory.memory import Memory, MemoryItem
from deskhand.memory.recall import Recalled, recall, record_data

__all__ = ["Blackboard", "ImageNote", "Memory", "MemoryItem", "Recalled", "recall", "record_data"]
