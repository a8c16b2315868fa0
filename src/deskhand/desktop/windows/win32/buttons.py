"""Buttons, check boxes, radio buttons, group boxes, labels and pictures."""

import re
from typing import Final

from .failures import Refused
from .kinds import Kind, Part, act_never
from .messages import WM_KEYDOWN, WM_SETFOCUS, beginning_of, post, send
from .reading import WS_DISABLED, Control, Reading, without_ampersand
from .tips import tip_of_control, tips_of_controls
from .windows import style_of

BM_CLICK: Final = 0x00F5
BM_GETCHECK: Final = 0x00F0
BM_GETSTATE: Final = 0x00F2

_MARKUP: Final = re.compile(r"</?a\b[^>]*>", re.IGNORECASE)
_RETURN: Final = 0x0D

_TYPE: Final = 0xF
_PUSH_LIKE: Final = 0x1000
_CHECKS: Final = frozenset({2, 3, 5, 6})
_RADIOS: Final = frozenset({4, 9})
_GROUP: Final = 7
_DEFAULTS: Final = frozenset({1, 13})
_PUSHED: Final = 0x4

_STATIC_TYPE: Final = 0x1F
_PICTURES: Final = frozenset({3, 14, 15})
_OWNER_DRAWN: Final = 13
_TEXTS: Final = frozenset({0, 1, 2, 11, 12})
_NO_PREFIX: Final = 0x80
_LONGEST_LABEL: Final = 100
"""A longer text explains something, and names nothing."""


def _read_button(control: Control, reading: Reading) -> None:
    kind = control.style & _TYPE
    name = without_ampersand(control.caption)
    if kind == _GROUP:
        reading.add(control, "panel", name=name)
        return
    name = name or _tip(control, reading)
    if kind in _CHECKS or kind in _RADIOS:
        reading.add(control, _checkable_role(control), _check_states(control), name=name, actions=("press", "focus"))
        return
    states = ("focusable", "is-default") if kind in _DEFAULTS else ("focusable",)
    reading.add(control, "push button", states, name=name, actions=("press", "focus"))


def _tip(control: Control, reading: Reading) -> str:
    if reading.tips is None:
        reading.tips = tips_of_controls(control.handle)
    return tip_of_control(control.handle, reading.tips.get(control.handle, ()))


def is_group_box(control: Control) -> bool:
    """It is a frame around other controls, with a title."""
    return control.kind == "button" and control.style & _TYPE == _GROUP


def _checkable_role(control: Control) -> str:
    if control.style & _PUSH_LIKE:
        return "toggle button"
    return "radio button" if control.style & _TYPE in _RADIOS else "check box"


def _check_states(control: Control) -> tuple[str, ...]:
    check = send(control.handle, BM_GETCHECK)
    found = {1: ("checked",), 2: ("indeterminate",)}.get(check, ())
    pressed = ("pressed",) if found and control.style & _PUSH_LIKE else ()
    return ("focusable", "checkable", *found, *pressed)


def _act_button(part: Part, action: str) -> None:
    if action != "press":
        act_never(part, action)
    if style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the button {part.handle} is disabled")
    post(part.handle, BM_CLICK)


def _read_static(control: Control, reading: Reading) -> None:
    kind = control.style & _STATIC_TYPE
    if kind in _TEXTS or kind == _OWNER_DRAWN:
        reading.add(control, "label", name=_static_text(control))
    elif kind in _PICTURES:
        reading.add(control, "image", name=_static_text(control))


def _static_text(control: Control) -> str:
    return control.caption if control.style & _NO_PREFIX else without_ampersand(control.caption)


def label_text(control: Control) -> str:
    """The name that a label gives to the field after it, "" for what is no label."""
    if control.kind != "static" or control.style & _STATIC_TYPE not in _TEXTS | {_OWNER_DRAWN}:
        return ""
    text = _static_text(control).strip()
    return text if len(text) <= _LONGEST_LABEL else ""


def _read_link(control: Control, reading: Reading) -> None:
    name = _MARKUP.sub("", beginning_of(control.handle, 1024))
    reading.add(control, "link", ("focusable",), name=name, actions=("press", "focus"))


def _act_link(part: Part, action: str) -> None:
    if action != "press":
        act_never(part, action)
    post(part.handle, WM_SETFOCUS)  # which chooses the first link of the text
    post(part.handle, WM_KEYDOWN, _RETURN, 1)


LINK: Final = Kind(_read_link, _act_link)
BUTTON: Final = Kind(_read_button, _act_button)
STATIC: Final = Kind(_read_static)
