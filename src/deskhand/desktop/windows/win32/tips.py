"""Texts of tooltips: they name buttons that show a picture."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from .failures import Gone, Refused
from .memory import SIZE, ask, memory_of, wide
from .messages import send, send_signed, thread_of
from .structures import ToolInfo
from .windows import standard_class_of, top_level

TTM_GETTOOLCOUNT: Final = 0x040D
TTM_GETTEXTW: Final = 0x0438
TTM_ENUMTOOLSW: Final = 0x043A

_CLASS: Final = "tooltips_class32"
_OF_CONTROL: Final = 0x1  # TTF_IDISHWND
_MOST_TOOLS: Final = 512
_MOST_UNITS: Final = 512


@lru_cache(maxsize=1024)  # of tool bars they stay the same, once they are there
def _present_tip(tips: int, window: int, tool: int) -> str:
    if text := _tip(tips, window, tool):
        return text
    raise LookupError(tool)


def tip_of_button(tips: int, bar: int, command: int) -> str:
    """The text that tooltips show for a button of a tool bar, "" where there is none.

    Raises:
        Gone, Hung: see `messages.send`.
        Refused: see `memory_of`.
    """
    try:
        return _present_tip(tips, bar, command)
    except LookupError:
        return ""


def tip_of_control(control: int, known: Sequence[tuple[int, int]]) -> str:
    """The text that tooltips show for a whole control, "" where there is none. `known`: see `tips_of_controls`.

    Raises Hung.
    """
    for tips, window in known:
        try:
            if text := _tip(tips, window, control):
                return text
        except (Gone, Refused):
            continue
    return ""


def _tip(tips: int, window: int, tool: int) -> str:
    memory = memory_of(tips)
    info = ToolInfo(size=memory.size_of(ToolInfo), window=window, tool=tool, text=memory.start + SIZE // 2)
    memory.write(bytes(2), SIZE // 2)
    memory.write_structures([info])
    send(tips, TTM_GETTEXTW, _MOST_UNITS, memory.start)
    return wide(memory.read(SIZE // 2, _MOST_UNITS * 2))


def tips_of_controls(handle: int) -> Mapping[int, Sequence[tuple[int, int]]]:
    """The controls that have tooltips of their own in the thread of a window: by the control the windows of these, each
    with the window by which it knows the control.
    """
    thread = thread_of(handle)
    found: dict[int, list[tuple[int, int]]] = {}
    for tips in (each for each in top_level() if thread_of(each) == thread):
        try:
            tools = _tools(tips) if standard_class_of(tips) == _CLASS else []
        except (Gone, Refused):
            continue
        for tool in tools:
            if tool.flags & _OF_CONTROL:
                found.setdefault(tool.tool, []).append((tips, tool.window))
    return found


def _tools(tips: int) -> list[ToolInfo]:
    count = min(_MOST_TOOLS, max(0, send_signed(tips, TTM_GETTOOLCOUNT)))
    size = memory_of(tips).size_of(ToolInfo)
    return ask(tips, TTM_ENUMTOOLSW, [(index, ToolInfo(size=size)) for index in range(count)])
