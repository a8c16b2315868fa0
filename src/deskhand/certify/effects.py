"""The list of effects that of a simulation: all real changes and key presses, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

KEYS: Final = "pressed keys in"
_LASTING: Final = frozenset({"set", KEYS, "selected cells of"})
"""Effects of which several in a row on one thing are one, with the last value."""


@dataclass(frozen=True, slots=True)
class AppEffect:
    """One effect: a verb, its object, the value; `foreign`: its object is none that the playbook means."""

    verb: str
    on: str
    value: str = ""
    foreign: bool = False

    @property
    def sentence(self) -> str:
        value = f" to {self.value!r}" if self.verb == "set" else f" {self.value}" if self.value else ""
        return f"{self.verb} {self.on}{value}"


@dataclass(slots=True)
class Effects:
    """Effects so far; each belongs to a step by its number."""

    all: list[AppEffect] = field(default_factory=list[AppEffect])
    steps: list[int] = field(default_factory=list[int])

    def add(self, step: int, effect: AppEffect) -> None:
        last = self.all[-1] if self.steps and self.steps[-1] == step else None
        if last is not None and effect.verb in _LASTING and replace(last, value="") == replace(effect, value=""):
            self.all[-1] = replace(effect, value=last.value + effect.value) if effect.verb == KEYS else effect
            return
        self.all.append(effect)
        self.steps.append(step)

    def of_step(self, step: int) -> list[AppEffect]:
        return [effect for effect, number in zip(self.all, self.steps, strict=True) if number == step]


def is_prefix(some: Sequence[AppEffect], whole: Sequence[AppEffect]) -> bool:
    return list(some) == list(whole[: len(some)])


def difference(wanted: Sequence[AppEffect], found: Sequence[AppEffect]) -> str:
    """The first difference as a phrase; empty without one."""
    for at, effect in enumerate(found):
        if effect.foreign:
            return f"{effect.sentence}, which no step means"
        if at >= len(wanted):
            return f"once more: {effect.sentence}"
        if effect != wanted[at]:
            is_missing = list(found).count(wanted[at]) < list(wanted).count(wanted[at])
            return f"missing: {wanted[at].sentence}" if is_missing else f"instead: {effect.sentence}"
    return f"missing: {wanted[len(found)].sentence}" if len(found) < len(wanted) else ""
