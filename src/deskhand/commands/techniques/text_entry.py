"""Entering text into a field: ways in order, each judged by the text the field then exposes (decision 39).

A way that is refused has changed nothing. The next one is tried only while the field's text is unchanged.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

import anyio

from deskhand.commands.call import Call, Focus, ToolContext, ToolOutcome
from deskhand.commands.control_kinds import RESULT_UNKNOWN
from deskhand.commands.effects.confirmation import judge, outcome, wait_for_reading
from deskhand.commands.effects.elsewhere import Measures, or_not_applied
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import Before, before, read_back, try_observe
from deskhand.commands.effects.text_match import decimal_mark, is_nearly, is_number, is_same_formula, numbers_in
from deskhand.commands.effects.typed_text import aim_at, find_typed, uncounted
from deskhand.commands.effects.window_diff import difference, own_changes
from deskhand.commands.key_syntax import may_swap
from deskhand.commands.techniques.cells import Sheet, open_sheet, shown_formula
from deskhand.commands.techniques.clipboard_block import MOST_SAVED, forms_of, put_on_clipboard, restore_clipboard
from deskhand.commands.techniques.escalation import take_keyboard
from deskhand.commands.techniques.number_fields import editor_of, number_field_of
from deskhand.commands.techniques.sheets import is_of_sheet, shape_on_sheet
from deskhand.commands.window_lookup import front_window, observe_front
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionDeadline, ActionRefused, ElementStale, NotOffered, PersonActs
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Quiet

MOST_TYPED: Final = 10_000
"""Characters. A longer text is not typed key by key."""

_MEASURES: Final = Measures(difference, own_changes, judge)
_TAKES_S: Final = 2.0
"""A field without a change for this long has finished."""
_STAYS_S: Final = 0.3
"""As `_TAKES_S`, after that time has passed once."""
_LONGEST_S: Final = 12.0
_CARET_S: Final = 1.0
_CHUNK: Final = 64
"""Characters typed between two checks."""
_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_FETCHED_S: Final = 2.0
"""Most applications fetch within milliseconds. Content restored too early is pasted instead of the text."""

_PASTE: Final = Chord("v", ("ctrl",))
_PASTE_WITHOUT_LETTERS: Final = Chord("insert", ("shift",))
_TO_ALL: Final = (
    (Chord("a", ("ctrl",)),),
    (Chord("home", ("ctrl",)), Chord("end", ("ctrl", "shift"))),
    (Chord("home"), Chord("end", ("shift",))),
)
_TO_END: Final = ((Chord("end", ("ctrl",)),), (Chord("end"),))
"""Keys that select all of a field, and that go to its end; each next tuple is for fields where the ones before fail."""

_DOCUMENT: Final = frozenset({Role.PARAGRAPH, Role.HEADING, Role.DOCUMENT, Role.CELL})
"""Roles where Ctrl+A selects more than the field."""

_SPLIT: Final = frozenset({Role.PARAGRAPH, Role.HEADING})
"""A line break splits these into several in Impress and comments; in Writer it stays inside."""


@dataclass(slots=True)
class Entry:
    """One text on its way into one field.

    `before` is the field's text, `added` the text to enter, `wanted` the text to be read afterwards. Of a password
    `before` is empty, `hidden` is its number of characters, and `appends` is true if the text goes after them.
    `earlier`: the snapshot before sending. `place`: index and number of paragraphs, if line breaks may split the
    target. `in_sheet`: it is a cell of a spreadsheet; `formula`: the sheet, if a formula is entered into it. `number`:
    the number field that it is, or whose text it edits. `waited`: the timeout for reading `wanted` has passed once;
    `rested`: after a way without effect the program was waited for.
    """

    tools: ToolContext
    call: Call
    target: TargetInfo
    before: str
    added: str
    wanted: str
    hidden: int | None
    in_sheet: bool = False
    formula: Sheet | None = None
    number: TargetInfo | None = None
    appends: bool = False
    earlier: Before | None = None
    place: tuple[int, int] | None = None
    waited: bool = False
    rested: bool = False

    @property
    def desktop(self) -> Desktop:
        return self.tools.desktop

    @property
    def secret(self) -> bool:
        return self.target.type is Role.PASSWORD

    @property
    def replaces(self) -> bool:
        return self.wanted == self.added and not self.appends

    async def begin(self) -> None:
        """Take the snapshot; the text itself is sent from now on."""
        if self.target.type in _SPLIT and "\n" in self.wanted:
            self.place = await _place(self)
        self.tools.delivered, self.waited = True, False
        self.earlier = await before(self.tools, self.call, self.target)


class _Moved(Enum):
    """Progress of a text that is waited for."""

    THERE = auto()
    ON = auto()


Way = Callable[[Entry], Awaitable[Route]]


async def enter(entry: Entry, ways: Sequence[Way]) -> ToolOutcome:
    """Try the ways in order. Raises: ActionRefused if all of them were refused."""
    _require_acceptable(entry)
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
            judged = await _judge(entry, route)
        except ElementStale:
            judged = await _judge_replacement(entry, route)
        if judged is not None:
            return judged
        if elsewhere := await _elsewhere(entry):
            return ToolOutcome(None, Effect.PARTIAL, route, elsewhere, retry_safe=False)
    if len(refusals) == len(ways):
        raise (
            refusals[-1]
            if len(ways) == 1
            else ActionRefused(
                f"{entry.target.describe} takes the text in no way: {' '.join(dict.fromkeys(map(str, refusals)))}",
                fix="Click it and observe the window.",
            )
        )
    message = "it still reads as before"
    if entry.in_sheet and RESULT_UNKNOWN in (await read_back(entry.desktop, entry.target)).states:
        message = f"{message}; it has a formula whose result is not exposed, such as an error"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, message, retry_safe=False)
    return ToolOutcome(None, Effect.SUSPECTED_NOOP, route, message, retry_safe=True)


async def _elsewhere(entry: Entry) -> str:
    """A sentence on the control that has the text instead of its field; empty without one."""
    seen = entry.earlier.seen if entry.earlier else None
    now = await try_observe(entry.desktop, seen.window) if seen and entry.added and not entry.secret else None
    if seen is None or now is None:
        return ""
    found = difference(seen, now, entry.target, Focus.NOBODY)
    aim = aim_at(entry.target, 1, seen, now)
    return find_typed(found.differing, found.selected_cells, found.added, [entry.added], aim=aim).otherwise


async def opened(tools: ToolContext, call: Call, target: TargetInfo, text: str, *, clear: bool) -> Entry:
    """Read a field before the entry. Raises: ActionRefused (it has no text), ElementStale, ActionDeadline."""
    desktop = tools.desktop
    target = editor_of(call, target)
    secret = target.type is Role.PASSWORD
    before = "" if secret else await desktop.read_text(target)
    in_sheet = target.type is Role.CELL and await is_of_sheet(desktop, call, target)
    entry = Entry(tools, call, target, before, text, text if clear else before + text, None, in_sheet)
    entry.formula = await open_sheet(desktop, call) if in_sheet and clear and text.startswith("=") else None
    entry.number = number_field_of(call, target)
    entry.hidden = await _length(entry) if secret else None
    entry.appends = secret and not clear and entry.hidden != 0
    return entry


async def by_accessibility(entry: Entry) -> Route:
    """Set the text, leaving window and focus in place."""
    if entry.secret and not entry.replaces:
        raise ActionRefused("The text of a password is not known, so nothing can be appended to it.")
    await entry.begin()
    if entry.target.type in _SPLIT and "focused" not in entry.target.states:
        with suppress(ActionRefused):
            await entry.desktop.put_caret(entry.target, 0, 0)  # else the view may return to the caret, on another page
    await entry.desktop.set_text(entry.target, entry.wanted)
    return Route.ACCESSIBILITY


async def by_value(entry: Entry) -> Route:
    """Set the value of a number field: in GTK a text set there does not count."""
    number = number_in(entry, entry.wanted)
    if number is None or entry.number is None:
        raise ActionRefused(f"{entry.target.describe} takes a number by accessibility, and no other text.")
    await entry.begin()
    try:
        await entry.desktop.set_value(entry.number, number)
    except NotOffered:
        entry.tools.delivered = False
        raise
    if not await _wait_for_text(entry, entry.wanted) and is_nearly(await _text(entry, entry.wanted), number):
        return await by_paste(entry)
    return Route.ACCESSIBILITY


async def by_paste(entry: Entry) -> Route:
    """Select the text to replace, paste, and restore the clipboard."""
    desktop = entry.desktop
    if not await _begin_at_caret(entry):
        return Route.SYNTHETIC_INPUT
    saved = await desktop.whole_clipboard(most_bytes=MOST_SAVED)
    may_restore = False
    try:
        await desktop.offer_clipboard({**forms_of(entry.added), "x-kde-passwordManagerHint": b"secret"})
        await _press_paste(entry)
        await _wait_for_text(entry, entry.wanted)
        await _leave(entry)
        may_restore = await _is_fetched(entry)
    except (ActionDeadline, PersonActs) as error:
        may_restore = not error.sent  # no application fetches a paste that was not sent
        raise
    finally:
        if not await restore_clipboard(entry.tools, saved, may=may_restore) and entry.secret:
            await put_on_clipboard(desktop, {})  # a late fetch must not get the password
    return Route.SYNTHETIC_INPUT


async def _press_paste(entry: Entry) -> None:
    """With a layout without Latin letters, Chromium accepts only Shift+Insert."""
    desktop = entry.desktop

    async def fetched() -> bool | None:
        return True if await desktop.clipboard_fetches() else None

    await desktop.press([_PASTE])
    if await desktop.wait_until(fetched, deadline_s=_FETCHED_S):
        return
    if await _is_fetched(entry) and not await desktop.clipboard_fetches() and await _is_as_before(entry):
        await desktop.press([_PASTE_WITHOUT_LETTERS])


async def by_keys(entry: Entry) -> Route:
    """Type in parts, each of which has to be read back before the next."""
    _require_can_be_typed(entry)
    if not await _begin_at_caret(entry):
        return Route.SYNTHETIC_INPUT
    saved = "" if entry.replaces else entry.before
    end = 0
    for part in parts(entry.added):
        end += len(part)
        await entry.desktop.press([Chord(character) for character in part])
        entry.waited = False
        if not await _wait_for_text(entry, saved + entry.added[:end]):
            break
    await _leave(entry)
    return Route.SYNTHETIC_INPUT


async def _leave(entry: Entry) -> None:
    """Leave a number field: only then the typed number counts."""
    if entry.number is not None:
        await entry.desktop.press([Chord("tab")])


WAYS: Final[tuple[Way, ...]] = (by_accessibility, by_paste, by_keys)


def ways_into(entry: Entry) -> Sequence[Way]:
    """The ways into a field, the least intrusive first."""
    if entry.in_sheet:
        return (by_paste,)  # typed text is in no cell until the cell is left
    if shape_on_sheet(entry.call, entry.target) is not None:
        return (by_paste, by_keys)  # by accessibility its editing would go on, and take the keys for other controls
    return (by_value, by_paste, by_keys, by_accessibility) if entry.number is not None else WAYS


def _require_acceptable(entry: Entry) -> None:
    """Raises: ActionRefused."""
    saved = {"\r"} & set(entry.before)  # those of a file with such line ends are accepted
    odd = sorted({character for character in entry.added if _is_control(character)} - saved)
    if odd:
        raise ActionRefused(
            f"The text contains {', '.join(map(repr, odd))}, which the field does not accept.",
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
    """True unless it reports to take a single line."""
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


def parts(text: str) -> list[str]:
    """Split a text to be checked after each part: limited in length, and between characters that may swap.

    No part but the last ends with a line break: after one, Chromium reports an extra line until more is typed.
    """
    found = [""]
    for character in text:
        last = found[-1]
        if last and ((len(last) >= _CHUNK and last[-1] != "\n") or may_swap(last[-1], character)):
            found.append("")
        found[-1] += character
    return found


async def _caret(desktop: Desktop, target: TargetInfo) -> Caret:
    try:
        return await desktop.caret(target)
    except ActionRefused:
        return Caret(-1, -1, -1)


async def _length(entry: Entry) -> int:
    """Number of characters of a password. After an emoji Chromium reports fewer than the caret's offset."""
    caret = await _caret(entry.desktop, entry.target)
    return max(caret.length, caret.end)


async def _place_caret(entry: Entry) -> None:
    """Select the text to replace, or put the caret at the end. Raises: ActionRefused if that fails."""
    desktop, target = entry.desktop, entry.target
    length = (await _caret(desktop, target)).length
    if length == 0 or (entry.in_sheet and entry.replaces):
        return  # pasting into a cell replaces its content

    async def is_there() -> bool | None:
        caret = await desktop.caret(target)
        short = length - caret.end
        if short > 0 and (short > 1 or not _is_whole(await desktop.read_text(target), caret.end)):
            return None  # Chromium counts a line break more than there are, which cannot be selected
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
    raise ActionRefused(f"The text of {target.describe} could not be selected.", fix="Select it with the pointer.")


def _is_whole(text: str, end: int) -> bool:
    """True if a text ends at an offset, in characters or 16-bit units, or with a line break after it."""
    return text.endswith("\n") or end in {len(text), len(text.encode("utf-16-le")) // 2}


async def _begin_at_caret(entry: Entry) -> bool:
    """Prepare the caret; True if there is text to enter, else delete the old text.

    Raises: ActionRefused.
    """
    _require_one_paragraph(entry)
    await take_keyboard(entry.tools, entry.call, entry.target, sure=True)
    await _place_caret(entry)
    await entry.begin()
    if not entry.added and (entry.before or entry.hidden):
        await entry.desktop.press([Chord("delete")])
    return bool(entry.added)


async def _is_fetched(entry: Entry) -> bool:
    """True if the application will not fetch the clipboard any more."""
    if await entry.desktop.clipboard_fetches():
        return True
    settled = await entry.desktop.settle(entry.call.window, deadline_s=_TAKES_S)
    return settled.is_quiet or settled.reason is Quiet.GONE


async def _is_as_before(entry: Entry) -> bool:
    if entry.secret:
        return await _length(entry) == entry.hidden
    return await entry.desktop.read_text(entry.target) == entry.before


async def _wait_for_text(entry: Entry, text: str) -> bool:
    """True once the field has the text; waits as long as it makes progress.

    After one full timeout it only has to stay so.
    """
    patience_s, entry.waited = _STAYS_S if entry.waited else _TAKES_S, True
    desktop = entry.desktop
    first: str | int = entry.hidden or 0 if entry.secret else entry.before
    seen = [first]

    def is_there(now: str | int) -> bool:
        return now in _expected(entry, text) if isinstance(now, int) else _matches(entry, text, now)

    async def moves() -> _Moved | None:
        now: str | int
        now = await _length(entry) if entry.secret else await _text(entry, text)
        if is_there(now):
            return _Moved.THERE
        if now != seen[-1]:
            seen.append(now)
            return _Moved.ON
        return None

    if is_there(first):  # it reads so until the input is handled
        await desktop.settle(entry.call.window, deadline_s=_TAKES_S)
    with anyio.move_on_after(_LONGEST_S):
        while (moved := await desktop.wait_until(moves, deadline_s=patience_s)) is not None:
            if moved is _Moved.THERE:
                return True
    return False


def _expected(entry: Entry, text: str) -> tuple[int, ...]:
    """The expected lengths of a password: toolkits count characters, or 16-bit units."""
    there = 0 if entry.replaces else entry.hidden or 0
    return there + len(text), there + len(text.encode("utf-16-le")) // 2


async def _judge(entry: Entry, route: Route) -> ToolOutcome | None:
    """The outcome; None without any effect."""
    equal = await _wait_for_text(entry, entry.wanted)
    if entry.secret:
        return await _judge_by_length(entry, route, equal=equal)
    if equal and entry.earlier is not None:
        found = await wait_for_reading(
            entry.desktop,
            entry.earlier,
            lambda: _reading(entry),
            deadline_s=_TAKES_S,
            was_so=_matches(entry, entry.wanted, entry.before),
        )
        goes_on = found.effect is Effect.SUSPECTED_NOOP and await _text(entry, entry.wanted) != entry.before
        if found.effect is not None and not goes_on:
            return await _with_doubts(entry, found, route)
    read = await _text(entry, entry.wanted)
    if read == entry.before:
        return None if entry.rested else await _judge_at_rest(entry, route)
    return ToolOutcome(None, Effect.PARTIAL, route, text_difference(entry.wanted, read), retry_safe=False)


async def _judge_at_rest(entry: Entry, route: Route) -> ToolOutcome | None:
    """As `_judge`, of a text that reads as before: what was sent may still be handled, and must not be sent twice."""
    entry.rested = True
    await entry.desktop.settle(entry.call.window, deadline_s=_LONGEST_S)
    return None if await _text(entry, entry.wanted) == entry.before else await _judge(entry, route)


async def _with_doubts(entry: Entry, found: Finding, route: Route) -> ToolOutcome:
    """The outcome of a text that reads as wanted: its program may have another number, or a formula an error."""
    applied = (
        await or_not_applied(entry.desktop, entry.earlier, found, entry.target, _MEASURES) if entry.earlier else found
    )
    done = outcome(applied, route, nothing=Effect.UNVERIFIABLE)
    if found.effect is Effect.CONFIRMED and entry.number is not None and (message := await _uncounted(entry)):
        return replace(done, effect=Effect.PARTIAL, evidence=message)
    if entry.formula is None:
        return done
    cell = await read_back(entry.desktop, entry.target)
    if RESULT_UNKNOWN in cell.states and cell.value in {"", entry.before}:
        message = f"{found.message}; its result is not exposed, such as an error"
        return replace(done, effect=Effect.UNVERIFIABLE, evidence=message)
    return replace(done, evidence=f"{found.message}, which comes to {quoted(cell.value)}")


async def _uncounted(entry: Entry) -> str:
    """A sentence on a number field whose program has another number for as long as that is waited for; else empty."""
    field, last = entry.number, ""

    async def counted() -> bool | None:
        nonlocal last
        now = await read_back(entry.desktop, field) if field else None
        last = uncounted(field, now, entry.wanted) if field and now else ""
        return None if last else True

    return "" if await entry.desktop.wait_until(counted, deadline_s=_STAYS_S) else last


async def _judge_replacement(entry: Entry, route: Route) -> ToolOutcome | None:
    """The outcome if the action replaced the field's control, as for paragraphs of Writer that outgrow the window."""
    window = await front_window(entry.desktop, entry.call.need_window())
    seen = entry.earlier.seen if entry.earlier else None
    for control in (await entry.desktop.observe(window, picture=False)).controls:
        elsewhere = replace(entry, target=control)
        if seen is not None and seen.find(control.handle) is not None:
            continue  # a neighbour from before
        if control.type is entry.target.type and not entry.secret and await _reads(elsewhere) == entry.wanted:
            return await _judge(elsewhere, route)
    message = "its control was replaced, and no control with that text was found"
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, message, retry_safe=False)


async def _reads(entry: Entry) -> str | None:
    """The field's text; None if it has none, or is gone."""
    try:
        return await _text(entry, entry.wanted)
    except (ActionRefused, ElementStale):
        return None


async def _text(entry: Entry, wanted: str) -> str:
    """The field's text; for a paragraph split by line breaks, the text of all its parts.

    Their number has to match the line breaks: otherwise the following paragraphs were there before. All may be new
    objects by then.
    """
    if entry.formula is not None:
        return await shown_formula(entry.desktop, entry.formula, entry.target.name) or entry.before
    read = await entry.desktop.read_text(entry.target)
    if entry.place is None or not wanted.startswith(f"{read}\n"):
        return read
    beside, (own, count) = await _beside(entry), entry.place
    lines = wanted.count("\n") - read.count("\n")
    if len(beside) != count + lines:
        return read
    return "\n".join([await entry.desktop.read_text(control) for control in beside[own : own + lines + 1]])


async def _place(entry: Entry) -> tuple[int, int] | None:
    """Index of a paragraph among its siblings, and their number; None if it is not listed."""
    beside = await _beside(entry)
    own = next((place for place, control in enumerate(beside) if control.handle == entry.target.handle), None)
    return None if own is None else (own, len(beside))


async def _beside(entry: Entry) -> list[TargetInfo]:
    """The visible paragraphs with the same parent, itself included."""
    desktop, target = entry.desktop, entry.target
    seen = await observe_front(desktop, entry.call.need_window())
    return [control for control in seen.controls if control.parent == target.parent and control.type in _SPLIT]


async def _reading(entry: Entry) -> str | None:
    read = await _text(entry, entry.wanted)
    if not _matches(entry, entry.wanted, read):
        return None
    return f"reads {quoted(read)}" if len(read) <= 60 else "reads back equal"


def _matches(entry: Entry, text: str, read: str) -> bool:
    """True for the same text, the same formula of a cell, or in a number field the same number (`8.00` for `8`)."""
    if read == text or (entry.formula is not None and is_same_formula(text, read)):
        return True
    number = number_in(entry, text)
    return number is not None and is_number(read, number, decimal_mark([read, entry.before]))


def number_in(entry: Entry, text: str) -> float | None:
    """The number in a text for a number field; None if it is none, or ambiguous."""
    if entry.number is None or not _NUMBER.fullmatch(text):
        return None
    found = numbers_in(text, decimal_mark([entry.before]))
    return next(iter(found)) if len(found) == 1 else None


async def _judge_by_length(entry: Entry, route: Route, *, equal: bool) -> ToolOutcome | None:
    if entry.hidden in _expected(entry, entry.wanted) and equal:
        message = "a password is never read back; its number of characters is right, and was so before"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, message, retry_safe=False)
    if equal and entry.earlier is not None:
        found = await wait_for_reading(
            entry.desktop, entry.earlier, lambda: _length_reading(entry), deadline_s=_TAKES_S
        )
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    length = await _length(entry)
    if length < 0:
        message = "a password is never read back"
        return ToolOutcome(None, Effect.UNVERIFIABLE, route, message, retry_safe=False)
    if length == entry.hidden:
        return None
    message = "a password is never read back; its number of characters is wrong"
    return ToolOutcome(None, Effect.PARTIAL, route, message, retry_safe=False)


async def _length_reading(entry: Entry) -> str | None:
    """The number of characters of a password, if it is the expected one; it was another before."""
    length = await _length(entry)
    if length not in _expected(entry, entry.wanted):
        return None
    return f"a password is never read back; it has {length} characters now, as many as were written"


def text_difference(wanted: str, read: str) -> str:
    """The difference of two texts, in a few words."""
    if len(wanted) + len(read) <= 200:
        return f"wanted {quoted(wanted)}, reads {quoted(read)}"
    pairs = enumerate(zip(wanted, read, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), min(len(wanted), len(read)))
    return (
        f"wanted {len(wanted)} characters, reads {len(read)}; they differ from character {at + 1} on: "
        f"{quoted(wanted[at : at + 20])} for {quoted(read[at : at + 20])}"
    )
