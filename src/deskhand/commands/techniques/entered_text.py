"""A text typed into a line and entered: the line has to read it right before Enter, which may close or reload it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.effects.diff import window_sign
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import Before, caret_of, read_if_there
from deskhand.commands.effects.typed_text import reads_otherwise
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.core.command import Effect
from deskhand.core.errors import UNREADABLE
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_READS_S: Final = 0.5
_ENTER: Final = Chord("enter")
Wait: TypeAlias = Callable[[Desktop, Before], Awaitable[Finding]]
_LINES: Final = frozenset({Role.TEXTBOX, Role.PASSWORD})


def entered_line(earlier: Before, chords: Sequence[Chord]) -> TargetInfo | None:
    """The line, or the named text, that a text is typed into before Enter; None if the keys do something else."""
    if len(earlier.expected.typed) != 1 or chords[-1] != _ENTER or _ENTER in chords[:-1]:
        return None
    focused = [c for c in earlier.seen.controls if c.states >= {"focused", "editable"}] if earlier.seen else []
    line = earlier.target or next(reversed(focused), None)
    if line is None or line.type not in _LINES:
        return None
    return line if earlier.expected.aimed or "multi_line" not in line.states else None


async def press_and_enter(
    tools: ToolContext, call: Call, earlier: Before, chords: Sequence[Chord], line: TargetInfo, wait: Wait
) -> Finding:
    """Type the text, read it in its line, and press Enter. If the line is gone then, and no window opened, the text was
    taken, though it is read nowhere else. `wait`: waits for the effect of Enter.
    """
    desktop, text = tools.desktop, earlier.expected.typed[0]
    length = await _length(desktop, line)
    await press_in_order(desktop, call, chords[:-1])

    async def read() -> str | None:
        if line.type is Role.PASSWORD:
            grew = await _length(desktop, line) - length
            return f"had {grew} characters more" if grew == len(text) else None
        now = await read_if_there(desktop, line, earlier.window)
        has_it = now is not None and now.value != line.value and not reads_otherwise(line, now, [text])
        return f"read {quoted(text)}" if has_it else None

    reading = await desktop.wait_until(read, deadline_s=_READS_S)
    if reading is not None:
        earlier = replace(earlier, expected=replace(earlier.expected, aimed=0))  # Enter may put it anywhere
    await press_in_order(desktop, call, chords[-1:])
    found = await wait(desktop, earlier)
    if reading is None or found.effect not in {None, Effect.UNVERIFIABLE}:
        return found
    if not (after := await _after(desktop, earlier, line)):
        return found
    message = f"{line.describe} {reading} when {{ENTER}} was pressed, and {after}"
    return replace(found, effect=Effect.CONFIRMED, message=message, retry_safe=False)


async def _length(desktop: Desktop, line: TargetInfo) -> int:
    caret = await caret_of(desktop, line) if line.type is Role.PASSWORD else None
    return caret.length if caret else 0


async def _after(desktop: Desktop, earlier: Before, line: TargetInfo) -> str:
    """The end of a line as a phrase: it is gone, or its window is; empty if it is there, or a window opened."""
    windows = await desktop.windows()
    opened = {window.handle for window in windows} - {window.handle for window in earlier.windows}
    if opened:
        return ""
    if (sign := window_sign(earlier.windows, windows, earlier.window)) and sign.certain and not sign.mere:
        return sign.message
    try:
        now = await read_if_there(desktop, line, earlier.window)
    except UNREADABLE:
        return ""
    return "" if now is not None and "showing" in now.states else "is gone"
