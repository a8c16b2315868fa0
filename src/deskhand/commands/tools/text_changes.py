"""Replacing texts, and inserting tables into documents, in one step (contract 4.2)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from pydantic import Field

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.effects.snapshot import require_usable
from deskhand.commands.effects.text_copy import Kind, TextCopy, counts_in, read_texts, replaced
from deskhand.commands.techniques.document_copy import copied
from deskhand.commands.techniques.office_windows.interface import document_interface
from deskhand.commands.techniques.own_interface import change, free_window
from deskhand.commands.techniques.text_entry import by_accessibility, by_paste, enter, opened, ways_into
from deskhand.core.command import Effect, EffectClass, Needed, Route
from deskhand.core.errors import ActionRefused, DeskhandError
from deskhand.core.json import JsonValue
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import quoted
from deskhand.core.type_checks import items_of
from deskhand.desktop.protocols.application_interface import ApplicationInterface, DocumentKind

_CHANGE_S: Final = 40.0
_TITLE: Final = "Replace"
"""Of the step for Undo."""
_TEXT: Final = frozenset({"editable", "multi_line"})
_EITHER: Final = (Kind.COMMENT, Kind.INDEX, Kind.ASIDE)
"""Paragraphs that LibreOffice replaces or leaves, by its version."""


class Pair(Arguments):
    find: str = Field(min_length=1, description="text to find; capitals count")
    replace: str = Field(description="text in its place")


class ReplaceText(Arguments):
    pairs: list[Pair] = Field(min_length=1, description="texts and their replacements")
    id: str = Field(default="", description="label of a field; empty: the whole document or editor")
    name: str = Field(default="", description="its name; a control of another name is refused")


class InsertTable(Arguments):
    decided: ClassVar = frozenset({"after"})

    rows: list[list[str]] = Field(min_length=1, description="the texts of the cells, row by row")
    after: str = Field(default="", description="text of the paragraph before it; empty: at the caret")


async def replace_text(tools: ToolContext, call: Call, arguments: ReplaceText) -> ToolOutcome:
    """Replaces every occurrence of texts, all at once; formats stay. `counts`: how many, by pair."""
    pairs = [(pair.find, pair.replace) for pair in arguments.pairs]
    if len({old for old, _ in pairs}) < len(pairs):
        raise ActionRefused("a text to find is given twice", fix="give each once")
    window = await free_window(tools, call)
    if call.target is not None:
        return await _in_field(tools, call, call.target, pairs, window)
    if Trait.HAS_OWN_INTERFACE in window.traits:
        async with document_interface(tools, call, window) as interface:
            return await _in_document(tools, interface, pairs)
    return await _in_field(tools, call, await _editor(tools, window), pairs, window)


async def _in_document(
    tools: ToolContext, interface: ApplicationInterface, pairs: list[tuple[str, str]]
) -> ToolOutcome:
    """Replace in a document; all its texts before and after are read from copies."""
    before = await _changeable(interface)
    given: list[JsonValue] = [[old, new] for old, new in pairs]
    told = await change(tools, interface, "replace", pairs=given, deadline_s=_CHANGE_S)
    after = await _texts(interface)
    done = before.of(Kind.TEXT) + _gone(before, after)
    counts = list(items_of(told["counts"], int)) if "counts" in told else counts_in(done, pairs)
    data, route = {"counts": counts}, interface.route
    left, note = _left(before, after, pairs)
    message = f"{_told(pairs, counts)}{note}"
    if problem := _difference(before, after, pairs):
        told = await interface.change("undo", title=_TITLE)
        undone = told["undone"] is True and _is_as_before(before, await _texts(interface))
        told = f"{message}; but {problem}; it was {'undone' if undone else 'not undone: undo it by Ctrl+Z'}"
        return ToolOutcome(data, Effect.PARTIAL, route, told, retry_safe=False)
    if counts != counts_in(done, pairs):
        wrong = f"{message}; in the copies other numbers are found"
        return ToolOutcome(data, Effect.UNVERIFIABLE, route, wrong, retry_safe=False)
    if not any(counts):
        return ToolOutcome(data, Effect.SUSPECTED_NOOP, route, f"no text was found{note}")
    effect = Effect.PARTIAL if left[Kind.ASIDE] else Effect.CONFIRMED
    return ToolOutcome(data, effect, route, message, retry_safe=False)


def _is_as_before(before: TextCopy, now: TextCopy) -> bool:
    """True but for results of formulas, which may change by themselves."""
    return now.fixed == before.fixed and all(now.of(kind) == before.of(kind) for kind in Kind if kind != Kind.FORMULA)


def _gone(before: TextCopy, after: TextCopy) -> Counter[str]:
    """The paragraphs that may stay and did not."""
    return sum((before.of(kind) - after.of(kind) for kind in _EITHER), Counter[str]())


def _left(before: TextCopy, after: TextCopy, pairs: Sequence[tuple[str, str]]) -> tuple[Counter[Kind], str]:
    """The number of texts that stay, by kind, and a note on them; empty without any."""
    found = Counter[Kind]()
    for kind in set(Kind) - {Kind.TEXT, Kind.NUMBER}:
        found[kind] = sum(counts_in(before.of(kind) & after.of(kind), pairs))
    numbers = before.of(Kind.NUMBER) & after.of(Kind.NUMBER)
    found[Kind.NUMBER] = sum(numbers[old] for old, _ in pairs)  # a digit of a number is no text
    parts = [f"{found[kind]} in {kind.value}" for kind in Kind if found[kind]]
    return found, f"; not replaced: {', '.join(parts)}" if parts else ""


def _difference(before: TextCopy, after: TextCopy, pairs: Sequence[tuple[str, str]]) -> str:
    """A text that is not as it should be, in a sentence; empty if all are. Results of formulas may change."""
    missing = _replaced(before.of(Kind.TEXT), pairs) - after.of(Kind.TEXT)
    del missing[""]  # a cell without a text has no paragraph
    if missing:
        return f"no text reads {quoted(next(iter(missing)))}"
    if others := after.of(Kind.TEXT) - _replaced(before.of(Kind.TEXT), pairs):
        return f"a text reads {quoted(next(iter(others)))}"
    for kind in _EITHER:
        if _replaced(before.of(kind) - after.of(kind), pairs) != after.of(kind) - before.of(kind):
            changed = next(iter((before.of(kind) - after.of(kind)) or after.of(kind)))
            return f"{quoted(changed)} in {kind.value} would be lost or changed"
    if changes := before.of(Kind.NUMBER) - after.of(Kind.NUMBER):
        return f"the number {quoted(next(iter(changes)))} changed"
    if changes := (before.fixed - after.fixed) + (after.fixed - before.fixed):
        return f"a cell with a number or formula changed: {quoted(next(iter(changes)))}"
    return ""


def _replaced(texts: Counter[str], pairs: Sequence[tuple[str, str]]) -> Counter[str]:
    found = Counter[str]()
    for text, count in texts.items():
        found[replaced(text, pairs)] += count
    return found


async def _in_field(
    tools: ToolContext, call: Call, target: TargetInfo, pairs: list[tuple[str, str]], window: TargetInfo
) -> ToolOutcome:
    """Replace in one text, which is set as a whole; in an editor by a paste, which one Undo takes back."""
    is_long, seen = "multi_line" in target.states, call.command.seen
    if is_long and (Trait.HAS_OWN_INTERFACE in window.traits or (seen is not None and seen.inside_of(target))):
        raise ActionRefused(f"{target.describe} may have formats, which would be lost", fix="use its own dialog")
    target = await require_usable(tools.desktop, call, target)
    if "editable" not in target.states or Trait.OF_SHEET in target.traits:
        raise ActionRefused(f"{target.describe} is no text that can be changed", fix="choose a field, or leave id out")
    text = await tools.desktop.read_text(target)
    counts = counts_in(Counter([text]), pairs)
    data = {"counts": counts}
    if not any(counts):
        return ToolOutcome(data, Effect.SUSPECTED_NOOP, Route.ACCESSIBILITY, "no text was found")
    caret = await tools.desktop.caret(target)
    entry = await opened(tools, replace(call, target=target), target, replaced(text, pairs), clear=True)
    done = await enter(entry, (by_paste, by_accessibility) if is_long else ways_into(entry))
    try:
        place = len(replaced(text[: caret.start], pairs))
        await tools.desktop.put_caret(target, place, place)
    except DeskhandError as error:
        tools.notes.append(f"the caret is elsewhere: {error.message}")
    return replace(done, data=data, evidence=f"{_told(pairs, counts)}; {done.evidence}")


async def _editor(tools: ToolContext, window: TargetInfo) -> TargetInfo:
    """The only text of several lines in a window that can be changed. Raises: ActionRefused."""
    seen = await tools.desktop.observe(window, picture=False)
    found = [control for control in seen.controls if control.states >= _TEXT]
    if len(found) != 1:
        raise ActionRefused(f'"{window.name}" has {len(found)} texts to change', fix="give the id of one")
    return found[0]


async def insert_table(tools: ToolContext, call: Call, arguments: InsertTable) -> ToolOutcome:
    """Inserts a table of texts into a text document."""
    width = max(map(len, arguments.rows))
    if not width:
        raise ActionRefused("the table has no cells", fix="give at least one")
    rows = [[*row, *[""] * (width - len(row))] for row in arguments.rows]
    window = await free_window(tools, call)
    async with document_interface(tools, call, window) as interface:
        if interface.document.kind is not DocumentKind.TEXT:
            raise ActionRefused("the document is no text", fix="open a text document")
        before = await _changeable(interface)
        given: list[JsonValue] = [list[JsonValue](row) for row in rows]
        told = await change(tools, interface, "insert_table", rows=given, after=arguments.after, deadline_s=_CHANGE_S)
        after, route = await _texts(interface), interface.route
    name = str(told["name"])
    problem = _of_table(before, after, name, rows, arguments.after)
    message = f"the table {name} of {len(rows)} rows and {width} columns is in the document"
    if problem:
        return ToolOutcome({"name": name}, Effect.PARTIAL, route, f"{message}, but {problem}")
    return ToolOutcome({"name": name}, Effect.CONFIRMED, route, message, retry_safe=False)


def _of_table(before: TextCopy, after: TextCopy, name: str, rows: list[list[str]], paragraph: str) -> str:
    """The difference from what was wanted, in a sentence; empty without any."""
    found = next((table for table in after.tables if table.name == name), None)
    if found is None:
        return "the copy of the document has none of this name"
    if [list(row) for row in found.rows] != rows:
        return "its cells read otherwise"
    if paragraph not in found.after:
        return f"it follows {quoted(found.after)}"
    wanted = before.of(*Kind) + Counter(text for row in rows for text in row)
    lost, new = wanted - after.of(*Kind), after.of(*Kind) - wanted
    del new[""], lost[""]  # a text cannot end with a table, and one may take the place of an empty paragraph
    if not paragraph and lost.total() == 1 and _are_parts(next(iter(lost)), list(new.elements())):
        return ""
    if lost:
        return f"{quoted(next(iter(lost)))} is not in the document any more"
    return f"{quoted(next(iter(new)))} is in the document now" if new else ""


def _are_parts(text: str, parts: list[str]) -> bool:
    """True for the parts of a paragraph that the caret was in."""
    return len(parts) <= 2 and text in {"".join(parts), "".join(reversed(parts))}


async def _changeable(interface: ApplicationInterface) -> TextCopy:
    """The texts as they are before a change. Raises: ActionRefused where the document must not be changed."""
    if interface.document.read_only:
        raise ActionRefused("the document is open for reading only", fix="save it under another name first")
    before = await _texts(interface)
    if before.tracked:
        raise ActionRefused(
            "changes are recorded in the document", fix="accept or reject them, and end the recording, first"
        )
    return before


async def _texts(interface: ApplicationInterface) -> TextCopy:
    async with copied(interface) as file:
        return read_texts(file)


def _told(pairs: Sequence[tuple[str, str]], counts: Sequence[int]) -> str:
    return ", ".join(f"{quoted(old)}: {count}" for (old, _), count in zip(pairs, counts, strict=True))


_REPLACED: Final = Expects(
    (
        Rule("document of LibreOffice", "all its texts in a copy, replaced and else as before"),
        Rule("field, editor", "it reads the text that was wanted, as of `set_edit_text`"),
    )
)
_INSERTED: Final = Expects((Rule("", "the table with its cells and its place in a copy of the document"),))
TOOLS = (
    action(
        ReplaceText,
        replace_text,
        effect_class=EffectClass.EDIT,
        expects=_REPLACED,
        deadline_s=90.0,
        needs=Needed.DOCUMENT,
    ),
    action(
        InsertTable,
        insert_table,
        effect_class=EffectClass.EDIT,
        expects=_INSERTED,
        deadline_s=90.0,
        needs=Needed.TEXT_DOCUMENT,
    ),
)
