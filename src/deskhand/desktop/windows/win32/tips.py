"""Texts of tooltips: they name buttons that show a picture."""

import ctypes
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from . import dlls
from .class_names import standard_class
from .failures import Gone
from .memory import SIZE, ask, memory_of, wide
from .messages import send, send_signed
from .structures import ToolInfo
from .windows import class_of, top_level

TTM_GETTOOLCOUNT: Final = 0x040D
TTM_GETTEXTW: Final = 0x0438
TTM_ENUMTOOLSW: Final = 0x043A

_CLASS: Final = "tooltips_class32"
_OF_CONTROL: Final = 0x1  # TTF_IDISHWND
_MOST_TOOLS: Final = 512
_MOST_UNITS: Final = 512


def tip_of(tips: int, window: int, tool: int) -> str:
    """The text that the tooltips `tips` show for a tool of a window, "" where there is none. Raises Gone and Hung."""
    try:
        return _present_tip(tips, window, tool)
    except LookupError:
        return ""


@lru_cache(maxsize=1024)  # a tooltip stays the same, once it is there
def _present_tip(tips: int, window: int, tool: int) -> str:
    memory = memory_of(tips)
    info = ToolInfo(size=ctypes.sizeof(ToolInfo), window=window, tool=tool, text=memory.start + SIZE // 2)
    memory.write(bytes(2), SIZE // 2)
    memory.write(bytes(info))
    send(tips, TTM_GETTEXTW, _MOST_UNITS, memory.start)
    text = wide(memory.read(SIZE // 2, _MOST_UNITS * 2))
    if not text:
        raise LookupError(tool)
    return text


def tips_of_controls(handle: int) -> Mapping[int, str]:
    """The texts that tooltips show for whole controls, by their handles, in the program of a window."""
    thread = dlls.thread_process(handle, None)
    found: dict[int, str] = {}
    for tips in (each for each in top_level() if dlls.thread_process(each, None) == thread):
        try:
            if standard_class(class_of(tips)) == _CLASS:
                found.update(_of_controls(tips))
        except Gone:
            continue
    return found


def _of_controls(tips: int) -> Mapping[int, str]:
    count = min(_MOST_TOOLS, max(0, send_signed(tips, TTM_GETTOOLCOUNT)))
    asked = [(index, ToolInfo(size=ctypes.sizeof(ToolInfo))) for index in range(count)]
    tools = [tool for tool in ask(tips, TTM_ENUMTOOLSW, asked) if tool.flags & _OF_CONTROL]
    return {tool.tool: text for tool in tools if (text := tip_of(tips, tool.window, tool.tool))}
