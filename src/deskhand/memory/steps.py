"""The steps of an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from deskhand.core.json import JsonObject, JsonValue


@dataclass(slots=True)
class MemoryItem:
    """One step: the reply's fields and those added by the program (contract 3.2), under the reply's own names."""

    values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def add_values_from_dict(self, values: Mapping[str, JsonValue]) -> None:
        self.values.update(values)

    def to_dict(self) -> JsonObject:
        """Return a copy."""
        return dict(self.values)

    def get(self, name: str) -> JsonValue:
        return self.values.get(name)


@dataclass(slots=True)
class Memory:
    """All steps of one agent, oldest first; it survives re-assignment."""

    items: list[MemoryItem] = field(default_factory=list[MemoryItem])

    def add(self, item: MemoryItem) -> None:
        self.items.append(item)

    def latest(self) -> MemoryItem | None:
        return self.items[-1] if self.items else None
