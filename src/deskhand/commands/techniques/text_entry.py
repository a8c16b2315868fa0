"""Putting text into a field: the ways there are, in order, each judged by what the field says then (ADR 0039).

A way that is refused has changed nothing. The next one is tried only where the field still says what it said before.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

import anyio

from deskhand.commands.catalogue import Call, ToolContext, ToolOutcome
from deskhand.commands.effects.numbers import decimal_mark, is_number, numbers_in
from deskhand.commands.effects.snapshot import Before, before, read_back
from deskhand.commands.effects.verdict import outcome, wait_for_reading
from deskhand.commands.expectation import RESULT_UNTOLD
from deskhand.commands.techniques.escalation import take_keyboard
from deskhand.commands.techniques.sheets import is_of_sheet
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionDeadline, ActionRefused, DeskhandError, ElementStale, NotOffered, PersonActs
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Quiet

MOST_TYPED: Final = 10_000
"""Characters of the longest text that is typed key by key."""

_TAKES_S: Final = 2.0
"""How long nothing may happen before a field is taken to have done all that it will do."""
_STAYS_S: Final = 0.3
"""How long for what had that time already."""
_LONGEST_S: Final = 12.0
_CARET_S: Final = 1.0
_CHUNK: Final = 64
"""Characters typed before they are read back."""
MOST_KEPT: Final = 16_000_000
"""Bytes on the clipboard that are kept while it is lent."""
_GIVE_BACK_S: Final = 1.0
_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_SIXTEEN_BITS: Final = "\uffff"
_JOINING: Final = frozenset({"Mn", "Me", "Mc", "Cf"})
_FETCHED_S: Final = 2.0
"""Most fetch within milliseconds. What is given back too early is pasted instead of the text."""

_PASTE: Final = Chord("v", ("ctrl",))
_PASTE_WITHOUT_LETTERS: Final = Chord("insert", ("shift",))
_TO_ALL: Final = (
    (Chord("a", ("ctrl",)),),
    (Chord("home", ("ctrl",)), Chord("end", ("ctrl", "shift"))),
    (Chord("home"), Chord("end", ("shift",))),
)
_TO_END: Final = ((Chord("end", ("ctrl",)),), (Chord("end"),))
"""Keys by which all of a field is selected, and its end is gone to; the next where those did not."""

_DOCUMENT: Final = frozenset({Role.PARAGRAPH, Role.HEADING, Role.DOCUMENT, Role.CELL})
"""Ctrl+A in one of these selects much more than it."""

_SPLIT: Final = frozenset({Role.PARAGRAPH, Role.HEADING})
"""A line break makes several of these of one, in Impress and comments; in Writer it stays in it."""


@dataclass(slots=True)
class Entry:
    """One text on its way into one field.

    `before` is what stood in the field, `added` what is put in, `wanted` what is to stand there then. Of a password
    `before` is empty and `hidden` how many characters stood there, `behind` whether it goes behind these. `earlier` is
    what stood right before it was sent, `place` which of how many paragraphs it was, where line breaks may make more of
    them, `in_sheet` whether it is a cell of a spreadsheet, and `waited` whether it was waited until it read so, as long
    as it got on.
    """

    tools: ToolContext
    call: Call
    target: TargetInfo
    before: str
    added: str
    wanted: str
    hidden: int | None
    in_sheet: bool = False
    behind: bool = False
    earlier: Before | None = None
    place: tuple[int, int] | None = None
    waited: bool = False

    @property
    def desktop(self) -> Desktop:
        return self.tools.desktop

    @property
    def secret(self) -> bool:
        return self.target.type is Role.PASSWORD

    @property
    def replaces(self) -> bool:
        return self.wanted == self.added and not self.behind

    async def begin(self) -> None:
        """The text itself is sent from now on."""
        if self.target.type in _SPLIT and "\n" in self.wanted:
            self.place = await _place(self)
        self.tools.delivered, self.waited = True, False
        self.earlier = await before(self.tools, self.call, self.target)


class _Moved(Enum):
    """What became of a text that is waited for."""

    THERE = auto()
    ON = auto()


Way = Callable[[Entry], Awaitable[Route]]


async def enter(entry: Entry, ways: Sequence[Way]) -> ToolOutcome:
    """Tries the ways in their order. Raises: ActionRefused where none of them could even be begun."""
    _require_can_stand_in(entry)
    refusals: list[ActionRefused] = []
    route = Route.ACCESSIBILITY
    for way in ways:
        try:
            route = await way(entry)
        except ActionRefused as refusal:
            refusals.append(refusal)
            if await _is_as_before(entry):
                continue
        try:
            judged = await _judged(entry, route)
        except ElementStale:
            judged = await _judged_elsewhere(entry, route)
        if judged is not None:
            return judged
    if len(refusals) == len(ways):
        raise (
            refusals[-1]
            if len(ways) == 1
            else ActionRefused(
                f"{entry.target.describe} takes the text in no way: {' '.join(dict.fromkeys(map(str, refusals)))}",
                fix="Click it and observe the window.",
            )
        )
    told = "it still reads as before"
    if entry.in_sheet and RESULT_UNTOLD in (await read_back(entry.desktop, entry.target)).states:
        told = f"{told}; it has a formula of which no result is told, as of an error"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, told, retry_safe=False)
    return ToolOutcome(None, Effect.SUSPECTED_NOOP, route, told, retry_safe=True)


async def opened(tools: ToolContext, call: Call, target: TargetInfo, text: str, *, clear: bool) -> Entry:
    """A field as it is before. Raises: ActionRefused (it has no text), ElementStale, ActionDeadline."""
    desktop = tools.desktop
    secret = target.type is Role.PASSWORD
    before = "" if secret else await desktop.read_text(target)
    in_sheet = target.type is Role.CELL and await is_of_sheet(desktop, call, target)
    entry = Entry(tools, call, target, before, text, text if clear else before + text, None, in_sheet)
    entry.hidden = await _length(entry) if secret else None
    entry.behind = secret and not clear and entry.hidden != 0
    return entry


async def by_accessibility(entry: Entry) -> Route:
    """Leaves window and focus where they are."""
    if entry.secret and not entry.replaces:
        raise ActionRefused("What stands in a password is not known, so nothing is set behind it.")
    await entry.begin()
    await entry.desktop.set_text(entry.target, entry.wanted)
    return Route.ACCESSIBILITY


async def by_value(entry: Entry) -> Route:
    """The number of a field of numbers, also where a text that is set behind it would not count, as in GTK."""
    number = _number_in(entry, entry.wanted)
    if number is None:
        raise ActionRefused(f"{entry.target.describe} takes a number by accessibility, and no other text.")
    await entry.begin()
    try:
        await entry.desktop.set_value(entry.target, number)
    except NotOffered:
        entry.tools.delivered = False
        raise
    return Route.ACCESSIBILITY


async def by_paste(entry: Entry) -> Route:
    """Selects what is to be replaced, pastes, and gives back what was on the clipboard."""
    desktop = entry.desktop
    if not await _begin_at_caret(entry):
        return Route.SYNTHETIC_INPUT
    kept = await desktop.whole_clipboard(most_bytes=MOST_KEPT)
    may_give_back = False
    try:
        await desktop.offer_clipboard({**forms_of(entry.added), "x-kde-passwordManagerHint": b"secret"})
        await _press_paste(entry)
        await _comes_to(entry, entry.wanted)
        await _leave(entry)
        may_give_back = await _can_be_given_back(entry)
    except (ActionDeadline, PersonActs) as error:
        may_give_back = not error.sent  # nobody comes for what was not pasted
        raise
    finally:
        if not await give_back(entry.tools, kept, may=may_give_back) and entry.secret:
            await _put_on_clipboard(desktop, {})  # what still comes for a password gets none
    return Route.SYNTHETIC_INPUT


async def give_back(tools: ToolContext, kept: Mapping[str, bytes] | None, *, may: bool = True) -> bool:
    """Puts on the clipboard what was on it before, within a moment; whether it is on it again. It is told where not.

    `kept`: None where that is not known. `may`: nobody comes any more for what is on it now.
    """
    if may and kept is not None and await _put_on_clipboard(tools.desktop, kept):
        return True
    if kept != {}:
        tools.notes.append("what was on the clipboard before is not there any more")
    return False


async def _put_on_clipboard(desktop: Desktop, contents: Mapping[str, bytes]) -> bool:
    """Also while the call is cancelled; whether it is on it."""
    with anyio.move_on_after(_GIVE_BACK_S, shield=True), suppress(DeskhandError):
        await desktop.offer_clipboard(contents)
        return True
    return False


async def _press_paste(entry: Entry) -> None:
    """Where the layout has no Latin letters, Chromium knows the other keys for it only."""
    desktop = entry.desktop

    async def fetched() -> bool | None:
        return True if await desktop.clipboard_fetches() else None

    await desktop.press([_PASTE])
    if await desktop.wait_until(fetched, deadline_s=_FETCHED_S):
        return
    if await _can_be_given_back(entry) and not await desktop.clipboard_fetches() and await _is_as_before(entry):
        await desktop.press([_PASTE_WITHOUT_LETTERS])


async def by_keys(entry: Entry) -> Route:
    """Types, a part at a time, and goes on only where that part reads back."""
    _require_can_be_typed(entry)
    if not await _begin_at_caret(entry):
        return Route.SYNTHETIC_INPUT
    kept = "" if entry.replaces else entry.before
    end = 0
    for part in parts(entry.added):
        end += len(part)
        await entry.desktop.press([Chord(character) for character in part])
        entry.waited = False
        if not await _comes_to(entry, kept + entry.added[:end]):
            break
    await _leave(entry)
    return Route.SYNTHETIC_INPUT


async def _leave(entry: Entry) -> None:
    """What was typed into a field of numbers counts once the keyboard is elsewhere."""
    if entry.target.type is Role.SPINBUTTON:
        await entry.desktop.press([Chord("tab")])


WAYS: Final[tuple[Way, ...]] = (by_accessibility, by_paste, by_keys)


def ways_into(entry: Entry) -> Sequence[Way]:
    """The ways into a field, that which leaves most alone first."""
    if entry.in_sheet:
        return (by_paste,)  # what is typed there stands in no cell until it is left
    return (by_value, by_paste, by_keys, by_accessibility) if entry.target.type is Role.SPINBUTTON else WAYS


def _require_can_stand_in(entry: Entry) -> None:
    """Raises: ActionRefused."""
    kept = {"\r"} & set(entry.before)  # it keeps those of a file with such line ends
    odd = sorted({character for character in entry.added if _is_control(character)} - kept)
    if odd:
        raise ActionRefused(
            f"The text has {', '.join(map(repr, odd))} in it, which no field takes that has none.",
            fix="Leave it out; a line ends with a line feed alone.",
        )
    if "\n" in entry.added and not _takes_lines(entry.target):
        raise ActionRefused(
            f"{entry.target.describe} takes one line, and the text has {entry.added.count(chr(10)) + 1}.",
            fix="Put it into one line, or choose another field.",
        )


def _is_control(character: str) -> bool:
    return (
        (character < " " and character not in "\n\t")
        or "\x7f" <= character < "\xa0"
        or "\ud800" <= character < "\ue000"
    )


def _takes_lines(target: TargetInfo) -> bool:
    """Whether nothing says that it takes one line only."""
    if target.type is Role.PASSWORD:
        return False
    return "single_line" not in target.states or "multi_line" in target.states


def _require_can_be_typed(entry: Entry) -> None:
    if "\r" in entry.added:
        raise ActionRefused("A carriage return cannot be typed beside a line feed.", fix="Paste it.")
    if len(entry.added) > MOST_TYPED:
        raise ActionRefused(f"{len(entry.added)} characters are too many to be typed.", fix="Paste them.")
    if "\t" in entry.added:
        raise ActionRefused("A tab that is typed leaves the field.", fix="Leave it out, or paste it.")
    if "\n" in entry.added and "multi_line" not in entry.target.states:
        raise ActionRefused("Enter that is typed may send the text off.", fix="Leave out the line breaks.")


def _require_one_paragraph(entry: Entry) -> None:
    if "\n" in entry.added and entry.target.type in _DOCUMENT:
        raise ActionRefused("A line break makes another paragraph of it.", fix="Fill the paragraphs one by one.")


def forms_of(text: str) -> dict[str, bytes]:
    """What a clipboard with a text on it offers: name of the form → bytes."""
    data = text.encode()
    return {"UTF8_STRING": data, "text/plain;charset=utf-8": data}


def goes_apart(character: str, following: str) -> bool:
    """Whether LibreOffice takes one of two characters in another way, and may put the second before the first.

    Marks that join the character before them and characters of more than 16 bits are such. Names of keys are not.
    """
    one, other = _way_of(character), _way_of(following)
    return one != other or "mark" in {one, other}


def _way_of(character: str) -> str:
    if len(character) != 1:
        return ""
    return "mark" if unicodedata.category(character) in _JOINING else "wide" if character > _SIXTEEN_BITS else ""


def parts(text: str) -> list[str]:
    """What is typed before it is read back: not too much, and nothing together that goes apart.

    Behind a line break Chromium tells of one too many until more is typed, so that no part but the last ends with one.
    """
    found = [""]
    for character in text:
        last = found[-1]
        if last and ((len(last) >= _CHUNK and last[-1] != "\n") or goes_apart(last[-1], character)):
            found.append("")
        found[-1] += character
    return found


async def _caret(desktop: Desktop, target: TargetInfo) -> Caret:
    try:
        return await desktop.caret(target)
    except ActionRefused:
        return Caret(-1, -1, -1)


async def _length(entry: Entry) -> int:
    """Of a password. Behind an emoji Chromium tells of fewer characters than the caret has gone."""
    caret = await _caret(entry.desktop, entry.target)
    return max(caret.length, caret.end)


async def _place_caret(entry: Entry) -> None:
    """What is to be replaced is selected, or the caret behind all. Raises: ActionRefused where it is not."""
    desktop, target = entry.desktop, entry.target
    length = (await _caret(desktop, target)).length
    if length == 0 or (entry.in_sheet and entry.replaces):
        return  # what is put into a cell replaces what stands there

    async def is_there() -> bool | None:
        caret = await desktop.caret(target)
        short = length - caret.end
        if short > 0 and (short > 1 or not (await desktop.read_text(target)).endswith("\n")):
            return None  # a line that Chromium shows below the last line break is counted and cannot be selected
        return True if caret.start == (0 if entry.replaces else caret.end) else None

    if target.type in _DOCUMENT:
        await desktop.put_caret(target, 0 if entry.replaces else length, length)
        if await desktop.wait_until(is_there, deadline_s=_CARET_S):
            return
    else:
        for chords in _TO_ALL if entry.replaces else _TO_END:
            await desktop.press(chords)
            if await desktop.wait_until(is_there, deadline_s=_CARET_S):
                return
    raise ActionRefused(f"What stands in {target.describe} could not be selected.", fix="Select it with the pointer.")


async def _begin_at_caret(entry: Entry) -> bool:
    """Whether there is something to put in where the caret is now; else what stood there is deleted.

    Raises: ActionRefused.
    """
    _require_one_paragraph(entry)
    await take_keyboard(entry.tools, entry.call, entry.target, sure=True)
    await _place_caret(entry)
    await entry.begin()
    if not entry.added and (entry.before or entry.hidden):
        await entry.desktop.press([Chord("delete")])
    return bool(entry.added)


async def _can_be_given_back(entry: Entry) -> bool:
    """Whether the application will not come for what is on the clipboard any more."""
    if await entry.desktop.clipboard_fetches():
        return True
    settled = await entry.desktop.settle(entry.call.window, deadline_s=_TAKES_S)
    return settled.reason in {Quiet.SETTLED, Quiet.UNSEEN, Quiet.GONE}


async def _is_as_before(entry: Entry) -> bool:
    if entry.secret:
        return await _length(entry) == entry.hidden
    return await entry.desktop.read_text(entry.target) == entry.before


async def _comes_to(entry: Entry, text: str) -> bool:
    """Whether the field says so, however long it takes to get there as long as it gets on.

    What was waited for before only has to stay so.
    """
    patience_s, entry.waited = _STAYS_S if entry.waited else _TAKES_S, True
    desktop = entry.desktop
    first: str | int = entry.hidden or 0 if entry.secret else entry.before
    seen = [first]

    def is_there(now: str | int) -> bool:
        return now in _expected(entry, text) if isinstance(now, int) else _says(entry, text, now)

    async def moves() -> _Moved | None:
        now: str | int
        now = await _length(entry) if entry.secret else await _text(entry, text)
        if is_there(now):
            return _Moved.THERE
        if now != seen[-1]:
            seen.append(now)
            return _Moved.ON
        return None

    if is_there(first):  # it reads so until what was sent is handled
        await desktop.settle(entry.call.window, deadline_s=_TAKES_S)
    with anyio.move_on_after(_LONGEST_S):
        while (moved := await desktop.wait_until(moves, deadline_s=patience_s)) is not None:
            if moved is _Moved.THERE:
                return True
    return False


def _expected(entry: Entry, text: str) -> tuple[int, ...]:
    """How long a password should be: toolkits count characters, or their 16 bits."""
    there = 0 if entry.replaces else entry.hidden or 0
    return there + len(text), there + len(text.encode("utf-16-le")) // 2


async def _judged(entry: Entry, route: Route) -> ToolOutcome | None:
    """What came of it; None where nothing did."""
    equal = await _comes_to(entry, entry.wanted)
    if entry.secret:
        return await _judged_by_length(entry, route, equal=equal)
    if equal and entry.earlier is not None:
        found = await wait_for_reading(
            entry.desktop,
            entry.earlier,
            lambda: _reading(entry),
            deadline_s=_TAKES_S,
            was_so=_says(entry, entry.wanted, entry.before),
        )
        goes_on = found.effect is Effect.SUSPECTED_NOOP and await _text(entry, entry.wanted) != entry.before
        if found.effect is not None and not goes_on:
            return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    read = await _text(entry, entry.wanted)
    if read == entry.before:
        return None
    return ToolOutcome(None, Effect.PARTIAL, route, difference(entry.wanted, read), retry_safe=False)


async def _judged_elsewhere(entry: Entry, route: Route) -> ToolOutcome | None:
    """The field was replaced by what was done to it, as paragraphs of Writer are that get longer than the window."""
    window = await front_window(entry.desktop, entry.call.need_window())
    seen = entry.earlier.seen if entry.earlier else None
    for control in (await entry.desktop.observe(window, picture=False)).controls:
        elsewhere = replace(entry, target=control)
        if seen is not None and seen.find(control.handle) is not None:
            continue  # it was there beside it
        if control.type is entry.target.type and not entry.secret and await _reads(elsewhere) == entry.wanted:
            return await _judged(elsewhere, route)
    told = "its control was replaced by another, and none is seen that reads so"
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, told, retry_safe=False)


async def _reads(entry: Entry) -> str | None:
    """What the field says; None where it has no text, or is gone."""
    try:
        return await _text(entry, entry.wanted)
    except (ActionRefused, ElementStale):
        return None


async def _text(entry: Entry, wanted: str) -> str:
    """What the field says; of a paragraph of which line breaks made several, all of these.

    Where there are as many more as there are line breaks: else those that follow stood there before. All of them may
    be other objects by then.
    """
    read = await entry.desktop.read_text(entry.target)
    if entry.place is None or not wanted.startswith(f"{read}\n"):
        return read
    beside, (own, count) = await _beside(entry), entry.place
    lines = wanted.count("\n") - read.count("\n")
    if len(beside) != count + lines:
        return read
    return "\n".join([await entry.desktop.read_text(control) for control in beside[own : own + lines + 1]])


async def _place(entry: Entry) -> tuple[int, int] | None:
    """Which of the paragraphs around it a paragraph is, from 0, and how many they are; None where it is not listed."""
    beside = await _beside(entry)
    own = next((place for place, control in enumerate(beside) if control.handle == entry.target.handle), None)
    return None if own is None else (own, len(beside))


async def _beside(entry: Entry) -> list[TargetInfo]:
    """The paragraphs in which a paragraph stands, itself among them, as far as they show."""
    desktop, target = entry.desktop, entry.target
    seen = await desktop.observe(await front_window(desktop, entry.call.need_window()), picture=False)
    return [control for control in seen.controls if control.parent == target.parent and control.type in _SPLIT]


async def _reading(entry: Entry) -> str | None:
    read = await _text(entry, entry.wanted)
    if not _says(entry, entry.wanted, read):
        return None
    return f"reads {quoted(read)}" if len(read) <= 60 else "reads back equal"


def _says(entry: Entry, text: str, read: str) -> bool:
    """Whether that is the text, or the same number in a field of numbers, as `08` or `8.00` for `8`."""
    if read == text:
        return True
    number = _number_in(entry, text)
    return number is not None and is_number(read, number, decimal_mark([read, entry.before]))


def _number_in(entry: Entry, text: str) -> float | None:
    """The number that a text for a field of numbers is; None where it is anything else, or may be one of two."""
    if entry.target.type is not Role.SPINBUTTON or not _NUMBER.fullmatch(text):
        return None
    found = numbers_in(text, decimal_mark([entry.before]))
    return next(iter(found)) if len(found) == 1 else None


async def _judged_by_length(entry: Entry, route: Route, *, equal: bool) -> ToolOutcome | None:
    if equal:
        told = "a password is never read back; it has as many characters as it should"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, told, retry_safe=False)
    length = await _length(entry)
    if length < 0:
        told = "a password is never read back"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, told, retry_safe=False)
    if length == entry.hidden:
        return None
    told = "a password is never read back; it has not as many characters as it should"
    return ToolOutcome(None, Effect.PARTIAL, route, told, retry_safe=False)


def difference(wanted: str, read: str) -> str:
    """Where two texts part, in a few words."""
    if len(wanted) + len(read) <= 200:
        return f"wanted {quoted(wanted)}, reads {quoted(read)}"
    pairs = enumerate(zip(wanted, read, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), min(len(wanted), len(read)))
    return (
        f"wanted {len(wanted)} characters, reads {len(read)}; they differ from character {at + 1} on: "
        f"{quoted(wanted[at : at + 20])} for {quoted(read[at : at + 20])}"
    )
