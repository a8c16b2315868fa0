"""Trials of typing on a real desktop: a text goes into a field of a fixture; the fixture's own file judges."""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.techniques.text_entry import Way, by_accessibility, by_keys, by_paste, enter, opened
from deskhand.core.command import Command, Effect
from deskhand.core.errors import DeskhandError, ElementStale
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import JAVA, keys_down
from support import QT6, ROOT
from tools.windows_scripts import windows_script
from windows_programs import WIN32

APPS: Final = ROOT / "tests/apps"
_SHOWN_S: Final = 10.0
_TOLD_S: Final = 10.0

WAYS: Final[Mapping[str, Way]] = {"accessibility": by_accessibility, "paste": by_paste, "keys": by_keys}
KEYS: Final[Mapping[Role, str]] = {Role.TEXTBOX: "line", Role.PASSWORD: "secret"}


def _python(program: str, *arguments: str, python: str = "/usr/bin/python3") -> tuple[str, ...]:
    return (python, str(APPS / program), *arguments)


FIXTURES: Final[Mapping[str, tuple[str, ...]]] = {
    "GTK 3": _python("typing_gtk3.py"),
    "GTK 4": _python("typing_gtk4.py"),
    "Qt 5": _python("typing_qt.py", "PyQt5"),
    "Qt 6": _python("typing_qt.py", "PySide6", python=str(QT6)),
    "Swing": (*JAVA, str(APPS / "TypingSwing.java")),
    "Chromium": _python("typing_chromium.py"),
    "Writer": _python("typing_writer.py"),
    WIN32: windows_script("typing_win32.py"),
}
TITLES: Final = {"Writer": "LibreOffice Writer$"}

MOST: Final = {"Writer": 1500}
"""A paragraph that goes over several pages is told in parts, those that show."""

_ASCII: Final = "".join(map(chr, range(0x20, 0x7F)))
_DEAD: Final = "áàâäãåéèêëíìîïóòôöõúùûüýÿñçÁÀÂÄÃÅÉÈÊËÑÇßœŒæøØŁłŞğĞ^`´¨~¸°"
_CJK: Final = "漢字仮名交じり文中文汉语拼音한국어조선글日本語東京都私鬱あいうえおカキクケコ、。「」"
_CYRILLIC: Final = "".join(map(chr, range(0x410, 0x450))) + "ёЁґҐєЄіІїЇўЎ"
_RTL: Final = "שלום עולם ابجد هوز حطي كلمن سعفص قرشت"
_EMOJI: Final = (
    "😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "❤️", "☂︎", "🇩🇪", "1️⃣", "🧑🏿‍🚀", "𝔘", "𠮷",
)  # fmt: skip
_COMBINING: Final = ("e\u0301", "o\u0308\u0304", "n\u0303", "क्षि", "a\u0328\u0302", "\u1e69", "s\u0323\u0307")
_FEW: Final = 22
KINDS: Final = ("ascii", "dead", "cjk", "emoji", "combining", "rtl", "cyrillic", "mixed", "tabs", "lines", "long")


def text_of(number: int, way: str, kind: str = "") -> tuple[str, str]:
    """The text of a trial and its kind, all of it following from its number.

    Typed texts of 10 kB are few: toolkits that lay out a paragraph anew at each key take minutes for one.
    """
    rng = random.Random(number)  # noqa: S311 - trials are to be repeated
    kind = kind or KINDS[number % len(KINDS)]
    sources: dict[str, Sequence[str]] = {
        "ascii": _ASCII,
        "dead": _DEAD,
        "cjk": _CJK,
        "emoji": _EMOJI,
        "combining": _COMBINING,
        "rtl": _RTL,
        "cyrillic": _CYRILLIC,
    }
    everything = [*_ASCII, *_DEAD, *_CJK, *_CYRILLIC, *_RTL, *_EMOJI, *_COMBINING]
    source = [
        *sources.get(kind, everything),
        *(["\t"] * 3 if kind == "tabs" else []),
        *(["\n"] * 9 if kind == "lines" else []),
    ]
    source = sources.get(kind, everything)
    if kind in {"tabs", "lines"}:
        source = [*_ASCII, *(["\t"] * 20 if kind == "tabs" else ["\n"] * 20)]
    if kind == "long":
        source = [*_ASCII, *"äöüßé€"]
        length = 10_000 if way != "keys" or (number > _FEW and number < 2 * _FEW) else 500
        return "".join(rng.choice(source) for _ in range(length)), kind
    return "".join(rng.choice(source) for _ in range(rng.randint(1, 60))), kind


@dataclass(frozen=True, slots=True)
class Trial:
    """One text by one way, and what came of it: `effect` or the name of the error; what the fixture says."""

    number: int
    kind: str
    way: str
    field: str
    append: bool
    wanted: str
    before: str
    truth: str
    effect: str
    told: str
    down: int = 0

    @property
    def verdict(self) -> str:
        """right, refused (nothing changed), or the effect. LIE: confirmed and not so; LOST: refused and changed; DOWN:
        a key stayed down."""
        if self.down:
            return "DOWN"
        if self.effect == Effect.CONFIRMED:
            return "right" if self.truth == self.wanted else "LIE"
        if self.effect in set(Effect):
            return self.effect
        return "refused" if self.truth == self.before else "LOST"


@dataclass(slots=True)
class Tally:
    trials: list[Trial] = field(default_factory=list[Trial])

    def of(self, verdict: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.verdict == verdict]

    def rows(self) -> dict[tuple[str, str], Counter[str]]:
        """Way and kind → how often each verdict."""
        rows: dict[tuple[str, str], Counter[str]] = {}
        for trial in self.trials:
            rows.setdefault((trial.way, trial.kind), Counter())[trial.verdict] += 1
        return rows


class Typing:
    """The fixture of a toolkit on a desktop."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, state_file: Path, most: int) -> None:
        """Texts are cut to `most` characters."""
        self.desktop = desktop
        self._most = most
        self.window = window
        self._state_file = state_file
        self._fields: dict[str, TargetInfo] = {}
        self._display = desktop.environment["DISPLAY"]

    def truth(self) -> dict[str, str]:
        return json.loads(self._state_file.read_text(encoding="utf-8"))

    async def field(self, key: str) -> TargetInfo:
        """A field by its key, as it is now."""
        if key in self._fields:
            try:
                return await self.desktop.resolve(self._fields[key])
            except ElementStale:
                del self._fields[key]  # Writer makes another paragraph of one that was longer than the window

        async def look() -> TargetInfo | None:
            seen = (await self.desktop.observe(self.window, picture=False)).controls
            return _meant(key, seen)

        found = await self.desktop.wait_until(look, deadline_s=_SHOWN_S)
        assert found is not None, f"no field {key} shows"
        self._fields[key] = found
        return found

    async def told(self, key: str, text: str) -> str:
        """What the fixture says of a field: that it has this text, or what it says a moment later."""

        async def says_so() -> bool | None:
            return True if self.truth().get(key) == text else None

        await self.desktop.wait_until(says_so, deadline_s=_TOLD_S)
        return self.truth()[key]

    async def put(self, key: str, text: str, ways: Sequence[Way], *, clear: bool = True) -> ToolOutcome:
        """What `set_edit_text` does, by these ways alone. Raises: DeskhandError."""
        target = await self.field(key)
        call = Call(Command("set_edit_text", target=target, window=self.window), target, self.window)
        tools = ToolContext(self.desktop)
        return await enter(await opened(tools, call, target, text, clear=clear), ways)

    async def trial(self, number: int, way: str, key: str = "page", kind: str = "") -> Trial:
        text, kind = text_of(number, way, kind)
        text = text[: self._most]
        append = number % 5 == 4 and kind != "long"
        before = self.truth()[key]
        if append and len(before) > 1000:
            append = False
        wanted = before + text if append else text
        trial = Trial(number, kind, way, key, append, wanted, before, before, "", "")
        try:
            outcome = await self.put(key, text, [WAYS[way]], clear=not append)
        except DeskhandError as error:
            truth, effect, told = await self.told(key, before), type(error).__name__, str(error)
        else:
            truth, effect, told = await self.told(key, wanted), str(outcome.effect), outcome.evidence
        return replace(trial, truth=truth, effect=effect, told=told, down=keys_down(self._display))


def _meant(key: str, seen: Sequence[TargetInfo]) -> TargetInfo | None:
    named = {"line": "Line", "page": "Page", "secret": "Secret"}[key]
    found = [c for c in seen if c.name.rstrip(":") == named and c.type in {Role.TEXTBOX, Role.PASSWORD, Role.TEXT}]
    paragraphs = [c for c in seen if c.type is Role.PARAGRAPH]
    return next(iter(found), None) or (paragraphs[0] if key == "page" and paragraphs else None)


async def run_trials(
    desktop: LinuxDesktop, toolkit: str, folder: Path, numbers: range, ways: Sequence[str] = tuple(WAYS)
) -> Tally:
    """Each number by each way."""
    fixture = await launch_typing(desktop, toolkit, folder)
    tally = Tally()
    for way in ways:
        for number in numbers:
            tally.trials.append(await fixture.trial(number, way))
    return tally


async def launch_typing(desktop: LinuxDesktop, toolkit: str, folder: Path) -> Typing:
    """Starts the fixture of a toolkit and waits for its window."""
    argv = (*FIXTURES[toolkit], str(folder / "texts.json"))
    window = await desktop.launch(Application("typing", argv, window=TITLES.get(toolkit, "^Typing$")))
    fixture = Typing(desktop, window, folder / "texts.json", MOST.get(toolkit, 10_000))

    async def tells() -> bool | None:
        return True if (folder / "texts.json").exists() else None

    assert await desktop.wait_until(tells, deadline_s=_SHOWN_S)
    return fixture
