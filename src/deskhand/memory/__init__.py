"""What agents remember: `Memory` per agent, one `Blackboard` per session (SPEC 3.2). It never saves itself."""

from deskhand.memory.blackboard import Blackboard, ImageNote
from deskhand.memory.memory import Memory, MemoryItem

__all__ = ["Blackboard", "ImageNote", "Memory", "MemoryItem"]
