"""Random cases of texts and numbers given to real applications; their files and titles judge what was confirmed."""

import os
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from deskhand.core.command import Effect, Result
from support import FULL

_CASES: Final = os.environ.get("DESKHAND_CASES", "")
SEED: Final = int(os.environ.get("DESKHAND_SEED", "34"))
_FULL: Final = 1000
_PLAIN: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")


def trials(sample: int) -> int:
    """The number of cases of a kind: `DESKHAND_CASES`, else 1000 with `DESKHAND_TRIALS=full`, else a small sample."""
    return int(_CASES or (_FULL if FULL else sample))


def chance(kind: str, number: int) -> random.Random:
    """The source of one case, which follows from the seed, its kind and its number."""
    return random.Random(f"{SEED}/{kind}/{number}")  # noqa: S311 - cases are repeated by their seed


Judge: TypeAlias = Callable[[], bool]
"""True if the program has what was given, asked once all cases are done."""


@dataclass(frozen=True)
class Case:
    """One action, its result, and the judge of it."""

    about: str
    result: Result
    holds: Judge


@dataclass
class Tally:
    """The cases of one kind."""

    kind: str
    cases: list[Case] = field(default_factory=list[Case])

    def add(self, about: str, result: Result, holds: Judge) -> None:
        self.cases.append(Case(about, result, holds))

    def wrong(self) -> list[str]:
        """Cases that were confirmed although the program has something else."""
        false = [case for case in self.cases if case.result.effect is Effect.CONFIRMED and not case.holds()]
        return [f"seed {SEED}, {self.kind}: {case.about}: {case.result.evidence}" for case in false]

    def missed(self) -> list[str]:
        """Cases that worked and were not confirmed."""
        true = [case for case in self.cases if case.holds() and case.result.effect is not Effect.CONFIRMED]
        return [f"{case.about}: {case.result.effect} {case.result.evidence}" for case in true]

    @property
    def share(self) -> float:
        """The share of cases that worked and were confirmed."""
        worked = [case for case in self.cases if case.holds()]
        return sum(case.result.effect is Effect.CONFIRMED for case in worked) / len(worked) if worked else 1.0

    def __str__(self) -> str:
        effects = Counter(str(case.result.effect) for case in self.cases)
        counts = ", ".join(f"{count} {effect}" for effect, count in sorted(effects.items()))
        worked = sum(case.holds() for case in self.cases)
        return (
            f"{self.kind} (seed {SEED}): {len(self.cases)} cases, {counts}, {len(self.wrong())} false; "
            f"of {worked} that worked {self.share:.1%} confirmed"
        )


WORDS: Final = (
    *(
        "North",
        "Northwest",
        "North Sea",
        "Northeast",
        "Ham",
        "Hamburg",
        "Hamburger Hof",
        "Bre",
        "Bremen",
        "Bremerhaven",
    ),
    *("monday", "Monday", "january", "HEllo", "x", "y1", "total", "Total", "South", "Southwest", "été", "日本"),
)
LIKE_NUMBERS: Final = (
    *("00123", "1/2", "3-4", "12E3", "MAR1", "10%", "1,5", "'tis", "TRUE", "false", "+49 30 1234", "2026-11-27"),
    *("1.000", "007", "3/4", "10-12", "1E5", "SEPT2", "5%", "0,25", "@home", "no", "(030) 12", "27.11.26", "-0"),
    *("1.10", "5.0", "65", "-1.5", "0.5", "1,234.50", "$5", "5 kg", "12:30", "1e-7", "+5", "-5", ".5", "5.", "1 000"),
    *(
        "123456789012345",
        "1234567890123456",
        "0.10",
        "0x10",
        "#1",
        "1.2.3",
        "12.50",
        "half",
        "€ 5",
        "1 1/2",
        " 5",
        "5 ",
    ),
)


def number_like(rng: random.Random) -> str:
    """A text that a spreadsheet may take for a number, a date, a time or a formula."""
    if rng.random() < 0.6:
        return rng.choice(LIKE_NUMBERS)
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 8)))
    signs = rng.choice(("", "-", "+", "'", "0", "00", " ", "$"))
    rest = rng.choice(("", ".0", ".10", ",5", "%", "e2", "/3", "-4", ":15", ".", " 1/2", ".5.6", "E+3", " kg"))
    return f"{signs}{digits}{rest}"


def is_plain_number(text: str) -> bool:
    """True for a number without leading zeros, signs other than a minus, separators, units and exponents."""
    return _PLAIN.fullmatch(text) is not None
