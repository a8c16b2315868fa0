"""Pressing keys, and the effect of each command among them (contract 4.2)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from pydantic import Field, field_validator, model_validator

from deskhand.commands.call import Call, ExpectedEffect, Expects, Focus, Request, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.control_kinds import ITEMS, TEXTS, VALUE
from deskhand.commands.effects.confirmation import outcome
from deskhand.commands.effects.diff import window_sign
from deskhand.commands.effects.elsewhere import or_not_applied
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import QUICK_S, Before, before, require_usable
from deskhand.commands.effects.verdict import MEASURES, wait_for_difference
from deskhand.commands.effects.window_diff import difference
from deskhand.commands.key_syntax import (
    changes_format,
    in_braces,
    is_character,
    last_command,
    literal,
    moves_caret,
    parse_keys,
    spelt,
    typed_at_first,
    typed_in,
)
from deskhand.commands.techniques.entered_text import entered_line, press_and_enter
from deskhand.commands.techniques.escalation import take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.commands.techniques.left_down import require_up
from deskhand.commands.techniques.number_fields import editor_of, number_field_of
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.roles import Role
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import LOCKS, Chord
from deskhand.desktop.protocols.windows import Until

_HANDLED_S: Final = 1.0
_COPIES_S: Final = 0.6
"""Timeout for an application to take the clipboard over."""
_COPY: Final = frozenset({Chord("c", ("ctrl",)), Chord("insert", ("ctrl",))})
_CUT: Final = frozenset({Chord("x", ("ctrl",)), Chord("delete", ("shift",))})
_SAVE_KEY: Final = Chord("s", ("ctrl",))
"""The key that saves in all programs, in any language."""

_FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.SPINBUTTON, Role.PARAGRAPH})


class Keys(Arguments):
    keys: str = Field(min_length=1, description="characters as they are, named keys and chords in braces")
    literal: bool | None = Field(default=None, exclude=True, description="keys are a text, to type as it is")
    id: str = Field(default="", description="label of the control to type into; empty: what has the focus")
    name: str = Field(default="", description="its name; a control of another name is refused")

    @model_validator(mode="before")
    @classmethod
    def _typed_as_it_is(cls, given: object) -> object:
        """Rewrite a literal text as keys."""
        arguments = dict(pairs_of(given))
        keys = arguments.get("keys")
        if arguments.get("literal") is not True or not isinstance(keys, str):
            return given
        return {**arguments, "keys": literal(keys), "literal": None}

    @field_validator("keys")
    @classmethod
    def _can_be_pressed(cls, keys: str) -> str:
        """Rewrite keys in braces, the form that rules about keys rely on."""
        return spelt(keys)


async def keyboard_input(tools: ToolContext, call: Call, arguments: Keys) -> ToolOutcome:
    """Presses keys in a control, or at the focus: `Hello{ENTER}`, `{ESC}`; `{VK_CONTROL}s` holds Ctrl for that key."""
    chords = parse_keys(arguments.keys)
    await require_up(tools.desktop, keys=True)
    if call.target is None:
        tools.delivered = True
        await tools.desktop.activate(await front_window(tools.desktop, call.need_window()))
    else:
        target = await require_usable(tools.desktop, call, call.target)
        await take_keyboard(tools, call, editor_of(call, target), sure=target.type in _FIELDS)
        call = replace(call, target=number_field_of(call, call.target) or call.target)
    found = await press_and_judge(tools, call, chords)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def press_and_judge(tools: ToolContext, call: Call, chords: Sequence[Chord]) -> Finding:
    """Press keys; the effect is that of the command at their end, and that of the keys before it is reported.

    A text among the keys before has to be read, or the command confirms nothing.
    """
    start = last_command(chords)
    if not start:
        return await _pressed(tools, call, chords)
    if typed_in(chords[:start]):
        first = await _pressed(tools, call, chords[:start])
        last = await _pressed(tools, call, chords[start:])
        effect = last.effect if first.effect is Effect.CONFIRMED else first.effect or Effect.UNVERIFIABLE
        return replace(last, effect=effect, message=f"{last.message}; before that: {first.message}")
    earlier = await before(tools, _of_keys(call, chords[:start]))
    await press_in_order(tools.desktop, call, chords[:start])
    await tools.desktop.settle(call.window, deadline_s=_HANDLED_S)
    now = await before(tools, _of_keys(call, chords[start:]))
    last = await _pressed(tools, call, chords[start:], now)
    return replace(last, message=f"{last.message}; before that: {_change(earlier, now) or 'no change'}")


async def _pressed(tools: ToolContext, call: Call, chords: Sequence[Chord], earlier: Before | None = None) -> Finding:
    if earlier is None and call.window is not None and changes_format(chords[-1]):
        await tools.desktop.settle(call.window, until=Until.FINAL_STATES)
    earlier = earlier or await before(tools, _of_keys(call, chords))
    if line := entered_line(earlier, chords):
        wait = partial(wait_for_difference, patient_s=QUICK_S)
        return await press_and_enter(tools, call, earlier, chords, line, wait)
    if chords[-1].key in LOCKS or chords[-1] in _COPY | _CUT:
        if elsewhere := await _read_elsewhere(tools.desktop, call, chords, earlier):
            return elsewhere
    else:
        await press_in_order(tools.desktop, call, chords)
    found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    if call.target is None or not earlier.expected.typed or earlier.expected.enters:
        return found
    return await or_not_applied(tools.desktop, earlier, found, call.target, MEASURES)


async def _read_elsewhere(desktop: Desktop, call: Call, chords: Sequence[Chord], earlier: Before) -> Finding | None:
    """Press keys whose effect is read from the clipboard, or from the lights of the keyboard; None without any."""
    if chords[-1].key in LOCKS:
        message = await _turned(desktop, call, chords)
        return Finding(Effect.CONFIRMED, message, retry_safe=False) if message else None
    message = await _copied(desktop, call, chords, earlier)
    return Finding(Effect.CONFIRMED, message, retry_safe=True) if message else None


async def _turned(desktop: Desktop, call: Call, chords: Sequence[Chord]) -> str:
    """Press keys, the last of which is that of a lock; a sentence on the lock, empty if it is as before."""
    lock = chords[-1].key
    was_on = lock in await desktop.locks()
    await press_in_order(desktop, call, chords)
    is_on = lock in await desktop.locks()
    return f"{lock} is {'on' if is_on else 'off'} now, as the keyboard's light shows" if is_on is not was_on else ""


async def _copied(desktop: Desktop, call: Call, chords: Sequence[Chord], earlier: Before) -> str:
    """Press keys that copy or cut; a sentence on the copied content.

    Empty if no application took the clipboard over, and for a text that is cut, which has to go.
    """
    if not await desktop.clipboard_taken(lambda: press_in_order(desktop, call, chords), deadline_s=_COPIES_S):
        return ""
    if chords[-1] in _CUT and not _is_in_items(earlier):
        return ""
    text = await desktop.read_clipboard()
    copied = (
        f"the clipboard has {len(text.decode(errors='replace'))} characters" if text else "the clipboard has a copy"
    )
    return f"{copied}; cut items stay until they are pasted" if chords[-1] in _CUT else copied


def _is_in_items(earlier: Before) -> bool:
    """True if the keyboard is in a list, a table or a tree, and in no text."""
    focused = {each.type for each in earlier.seen.controls if "focused" in each.states} if earlier.seen else set[Role]()
    return bool(focused & ITEMS) and not focused & TEXTS


def _of_keys(call: Call, chords: Sequence[Chord]) -> Call:
    """The call as if it had these keys alone."""
    parameters = {**call.command.parameters, "keys": in_braces(chords)}
    return replace(call, command=replace(call.command, parameters=parameters))


def _change(earlier: Before, now: Before) -> str:
    """One difference between two snapshots as a sentence; empty without any."""
    if (sign := window_sign(earlier.windows, now.windows, earlier.window)) is not None:
        return sign.message
    if earlier.seen is None or now.seen is None:
        return ""
    return difference(earlier.seen, now.seen, None, Focus.ANYBODY).first()


def _is_plain_text(request: Request) -> bool:
    return request.is_on(TEXTS) and "{" not in str(request.arguments.get("keys", ""))


def _typed_text(request: Request) -> ExpectedEffect:
    is_hidden = request.is_on({Role.PASSWORD})
    return ExpectedEffect(frozenset({VALUE}), typed=(str(request.arguments.get("keys", "")),), caret=is_hidden)


def _typed_keys(request: Request) -> ExpectedEffect:
    chords = parse_keys(str(request.arguments.get("keys", "")))
    texts = typed_in(chords)
    enters = bool(texts) and len(chords[-1].key) > 1 and chords[-1].key != "space"
    saves = chords[-1:] == (_SAVE_KEY,)
    caret = not texts and moves_caret(chords[-1])
    aimed = len(typed_at_first(chords)) or int(is_character(chords)) if request.target else 0
    return ExpectedEffect(
        focus=Focus.ANYBODY, typed=texts, aimed=aimed, enters=enters, caret=caret, saves=saves, saves_unknown=saves
    )


_KEYS = Expects(
    (
        Rule(
            "text alone, into a text field that is named",
            "its own value, which has the text put in and nothing else; another value, or a number field whose program "
            "has another number until it is left: `partial`; of a password that it has so many characters more",
            applies=_is_plain_text,
            expect=_typed_text,
        ),
        Rule(
            "text among the keys, anywhere else",
            "a control for each of the texts, or a place in one, that contains it now: one of its window that came or "
            "reads otherwise, a title; of a formula, the cell that had the cursor",
            "a field that reads more than the text, such as its completion, a text that is missing, or one for a named "
            "control that is in another, unless a key moved the keyboard before: `partial`",
            expect=_typed_keys,
        ),
        Rule(
            "other keys",
            "as of a button, or the keyboard's place; of keys that move or select, the caret or the selection in the "
            "text with the keyboard",
            "of a single character for a named control: never the text of a field elsewhere",
            expect=_typed_keys,
        ),
        Rule(
            "a command after other keys, as in `{ESC}{VK_CONTROL}s`",
            "as for that command alone; the effect of the keys before is reported, a text among them has to be read",
            "a text and the key that enters it or moves in it are one command, and so is a repeated key",
        ),
        Rule("a lock", "its light on the keyboard is on or off now, as the display server reports"),
        Rule("Ctrl+C, Ctrl+Insert", "an application took the clipboard over"),
        Rule("Ctrl+S in a window whose file is known", "the file was written and closed ([saving](#saving))"),
    )
)

TOOLS = (action(Keys, keyboard_input, effect_class=EffectClass.EDIT, expects=_KEYS, deadline_s=60.0),)
