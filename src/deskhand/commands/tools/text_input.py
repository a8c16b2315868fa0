"""Entering text, and tools without an effect on the desktop (contract 4.2)."""

from typing import ClassVar, Final

from pydantic import Field

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, TargetArguments, action
from deskhand.commands.control_kinds import CONTENT_CONTROLS, is_shape
from deskhand.commands.effects.accepted import as_accepted
from deskhand.commands.effects.snapshot import require_usable, with_final_states
from deskhand.commands.techniques.clipboard_block import forms_of
from deskhand.commands.techniques.date_parts import enter_and_leave, enter_parts
from deskhand.commands.techniques.dates import Moment, in_form_of, is_date, parts_of_date
from deskhand.commands.techniques.meant_controls import beside_label, field_inside
from deskhand.commands.techniques.text_entry import enter, number_in, opened, ways_into
from deskhand.core.command import Effect, EffectClass, Needed, Route
from deskhand.core.errors import ActionRefused, ElementNotFound
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_OF_PARTS: Final = frozenset({Role.GROUP, Role.TEXTBOX})
_FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.SPINBUTTON, Role.COMBOBOX})
_READ_ONLY: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.SPINBUTTON})
"""Other roles may inherit the state from the page or document around them."""

_MERE_TEXTS: Final = {
    **dict.fromkeys((Role.LABEL, Role.TEXT), "choose the field beside it, or only read it"),
    **dict.fromkeys(
        (Role.PARAGRAPH, Role.HEADING),
        "find out whether its document is read-only (in LibreOffice: Edit, Edit Mode) or this part of it is protected",
    ),
}
"""Roles that accept text only if editable, with the advice for others."""


_PRESSED: Final = frozenset(
    {
        Role.BUTTON,
        Role.CHECKBOX,
        Role.IMAGE,
        Role.LINK,
        Role.MENU,
        Role.MENUITEM,
        Role.MENUITEMCHECKBOX,
        Role.MENUITEMRADIO,
        Role.RADIO,
        Role.SWITCH,
        Role.TAB,
    }
)


class SetText(TargetArguments):
    text: str = Field(description="text to enter; tabs and line ends unchanged; a date as 2026-03-12")
    clear: bool = Field(default=True, description="replace what is there; false: add at the end")


class Clipboard(Arguments):
    text: str | None = Field(default=None, description="text to put there; left out: the clipboard is read")


class Wait(Arguments):
    seconds: float = Field(gt=0, le=60, description="at most so long")


class Summary(Arguments):
    text: str = Field(description="text to store")


class Annotation(Arguments):
    decided: ClassVar = frozenset({"control_labels"})

    control_labels: list[str] = Field(min_length=1, description="labels of controls, as in the latest observation")


async def set_edit_text(tools: ToolContext, call: Call, arguments: SetText) -> ToolOutcome:
    """Replaces the text of a field (a date as 2026-03-12), or adds to its end (`clear` false). It may leave the focus
    elsewhere.
    """
    if arguments.clear and (moment := _moment_for(call, call.need_target(), arguments.text)) is not None:
        return await as_accepted(tools.desktop, call.need_target(), await _set_date(tools, call, moment))
    _require_whole(call, call.need_target())
    _require_own_editor(call, call.need_target())
    await _require_editable(tools.desktop, call, call.need_target())
    target = await require_usable(tools.desktop, call, call.need_target())
    entry = await opened(tools, call, target, arguments.text, clear=arguments.clear)
    done = await enter(entry, ways_into(entry))
    return await as_accepted(tools.desktop, entry.number or entry.target, done, number_in(entry, entry.wanted))


def _moment_for(call: Call, target: TargetInfo, text: str) -> Moment | None:
    """The date or time for a field of those; None for another text or field.

    Raises: ActionRefused for a day that does not exist.
    """
    inside = call.command.seen.inside_of(target) if call.command.seen else []
    shows_date = target.type is Role.SPINBUTTON and is_date(target.value)
    if not shows_date and not (target.type in _OF_PARTS and parts_of_date(inside)):
        return None
    try:
        return Moment.of(text)
    except ValueError as error:
        raise ActionRefused(f"{target.describe}: {error}", fix="give a day that exists, such as 2026-03-12") from error


async def _set_date(tools: ToolContext, call: Call, moment: Moment) -> ToolOutcome:
    """Enter a date or time in the form of its field. Raises: ActionRefused if that is not clear; as `enter`."""
    target = await require_usable(tools.desktop, call, call.need_target())
    if target.type is not Role.SPINBUTTON:
        return await enter_parts(tools, call, target, moment)
    text = in_form_of(target.value, moment)
    if not text:
        message = (
            f"{target.describe} shows {quoted(target.value)}, which does not show how {moment.iso} is written there"
        )
        raise ActionRefused(message, fix="give the date as the field writes it")
    tools.notes.append(f"that is {moment.iso}")
    seen = call.command.seen
    editor = next((part for part in seen.inside_of(target) if part.type is Role.TEXTBOX), None) if seen else None
    if editor is not None:
        return await enter_and_leave(tools, call, editor, text)
    entry = await opened(tools, call, target, text, clear=True)
    return await enter(entry, ways_into(entry))


def _require_whole(call: Call, target: TargetInfo) -> None:
    """Raises: ActionRefused for a date or a time of a page, whose parts take numbers separately, and for a text with
    content controls, which would be removed.
    """
    if CONTENT_CONTROLS in target.states:
        raise ActionRefused(
            f"{target.describe} has content controls, which a text set as a whole would remove",
            fix="click into the control and type with keyboard_input",
        )
    inside = call.command.seen.inside_of(target) if call.command.seen else []
    parts = [part.describe for part in inside if part.type is Role.SPINBUTTON]
    if target.type in _OF_PARTS and parts:
        raise ActionRefused(
            f"{target.describe} takes its text in parts",
            fix=f"give each its number with set_value: {', '.join(parts)}",
        )


def _require_own_editor(call: Call, target: TargetInfo) -> None:
    """Raises: ActionRefused for a part of an editor of a page, or the frame around one: only the editor takes text; for
    a shape with paragraphs: they take it; for a combo box or group around a text field.
    """
    seen = call.command.seen
    if (field := field_inside(seen, target)) is not None:
        raise ActionRefused(f"{target.describe} takes no text itself", fix=f"write into {field.describe}")
    texts = _texts_of_shape(target, seen)
    if seen is None or (not texts and _takes_text_itself(target)):
        return
    candidates = texts
    if target.type is Role.DOCUMENT and "editable" not in target.states:
        candidates = seen.inside_of(target)
    elif target.type in _MERE_TEXTS:
        above = target
        while (found := seen.find(above.parent)) is not None:
            above = found
            candidates.append(above)
    editor = next((part for part in candidates if _takes_text_itself(part)), None)
    if editor is not None:
        raise ActionRefused(f"{target.describe} takes no text itself", fix=f"write into {editor.describe}")


def _texts_of_shape(target: TargetInfo, seen: Observation | None) -> list[TargetInfo]:
    """The paragraphs of a shape; none of any other control."""
    if seen is None or not is_shape(target):
        return []
    return [part for part in seen.inside_of(target) if part.type in {Role.HEADING, Role.PARAGRAPH}]


def _takes_text_itself(target: TargetInfo) -> bool:
    return {"editable", "focusable"} <= target.states


async def _require_editable(desktop: Desktop, call: Call, target: TargetInfo) -> None:
    """Raises: ActionRefused if it takes no text or reports to be read-only, enabled or not; ElementStale."""
    if _editable(target) or _editable(await with_final_states(desktop, call, target)):
        return
    if target.type in _PRESSED:
        raise ActionRefused(f"{target.describe} takes no text", fix="choose the field that is meant, or press it")
    around = call.command.seen.find(target.parent) if call.command.seen else None
    if target.type in {Role.HEADING, Role.PARAGRAPH} and around is not None and is_shape(around):
        message = f"{target.describe} is in {around.describe}, whose text is not being edited"
        raise ActionRefused(message, fix="double-click that shape, then type with keyboard_input")
    fix = _MERE_TEXTS.get(target.type, "find out what makes it editable, or only read it")
    if (field := beside_label(call.command.seen, target, _FIELDS)) is not None:
        fix = f"write into {field.describe} beside it"
    raise ActionRefused(f"{target.describe} is read-only", fix=fix)


def _editable(target: TargetInfo) -> bool:
    """True unless it reports to be read-only."""
    if target.type in _MERE_TEXTS or target.type in _PRESSED:
        return "editable" in target.states
    return target.type not in _READ_ONLY or "read_only" not in target.states


async def clipboard(tools: ToolContext, call: Call, arguments: Clipboard) -> ToolOutcome:  # noqa: ARG001
    """Puts text on the clipboard, or returns the one on it."""
    desktop, text = tools.desktop, arguments.text
    if text is None:
        content = await desktop.read_clipboard()
        if content is None:
            message = "its owner does not return its content"
            return ToolOutcome(None, Effect.UNVERIFIABLE, evidence=message, retry_safe=True)
        found = content.decode(errors="replace")
        message = f"{len(found)} characters are on it" if found else "no text (UTF8_STRING) is on it"
        return ToolOutcome({"text": found}, Effect.CONFIRMED, evidence=message)
    tools.delivered = True
    await desktop.offer_clipboard(forms_of(text))
    read = await desktop.read_clipboard()
    if read == text.encode():
        return ToolOutcome(None, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, f"{len(text)} characters are on it")
    if read is None:
        message = "it was put there, and its present owner does not return its content"
        return ToolOutcome(None, Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT, message, retry_safe=True)
    message = f"{len(read)} bytes are on it that differ from the text"
    return ToolOutcome(None, Effect.PARTIAL, Route.SYNTHETIC_INPUT, message)


async def wait(tools: ToolContext, call: Call, arguments: Wait) -> ToolOutcome:
    """Waits for a quiet window, at most these seconds."""
    settled = await tools.desktop.settle(call.window, deadline_s=arguments.seconds)
    return ToolOutcome(evidence=settled.summary)


async def summary(tools: ToolContext, call: Call, arguments: Summary) -> ToolOutcome:  # noqa: ARG001
    """Keeps a text as the subtask's result, for replies without one."""
    return ToolOutcome({"text": arguments.text}, evidence=f"{len(arguments.text)} characters are stored")


async def annotation(tools: ToolContext, call: Call, arguments: Annotation) -> ToolOutcome:  # noqa: ARG001
    """Labels only these controls in the next picture."""
    known = {control.id for control in (call.command.seen.controls if call.command.seen else ())}
    if unknown := [label for label in arguments.control_labels if label not in known]:
        raise ElementNotFound(f"no control has the label {unknown[0]}", fix="give labels of the latest observation")
    message = f"the next picture labels {len(arguments.control_labels)} controls alone"
    return ToolOutcome({"control_labels": arguments.control_labels}, evidence=message)


_TEXT = Expects(
    (
        Rule("text field", "it reads the text that was wanted", "that its program calls it invalid: `partial`"),
        Rule("cell of a spreadsheet, a text that begins with `=`", "the input line shows that formula for the cell"),
        Rule(
            "field of a toolbar, which acts on Enter",
            "nothing: `unverifiable`",
            "items that came, went or read otherwise in a list that was there before: it filters as one types",
        ),
        Rule(
            "date or time, given in ISO form",
            "it reads that date in its own form, or by its parts; in Swing also that the field was left",
            "an order of day and month that its text does not show, and a day that does not exist, is refused",
        ),
        Rule("number field", "it shows the number, its program has it, and it is within its limits; else `partial`"),
        Rule(
            "password",
            "that it has as many characters now as were written, which are never read; if it had so many before: "
            "`unverifiable`",
        ),
    )
)
_CLIPBOARD = Expects((Rule("", "the clipboard"),))

TOOLS = (
    action(SetText, set_edit_text, effect_class=EffectClass.EDIT, expects=_TEXT, deadline_s=60.0),
    action(Clipboard, clipboard, effect_class=EffectClass.EDIT, expects=_CLIPBOARD),
    action(Wait, wait, effect_class=EffectClass.NONE, has_effect=False, deadline_s=65.0),
    action(Summary, summary, effect_class=EffectClass.NONE, has_effect=False),
    action(Annotation, annotation, effect_class=EffectClass.NONE, has_effect=False, needs=Needed.PICTURE),
)
