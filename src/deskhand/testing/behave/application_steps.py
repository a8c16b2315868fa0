"""Steps that start and close applications, use the keyboard, and wait.

`Applications` has the meaning of their names.
"""

from functools import partial
from typing import Final, TypedDict, Unpack

import anyio

from deskhand.core.errors import UsageError
from deskhand.testing.behave.applications import environment_in
from deskhand.testing.behave.context import Context, on_desktop
from deskhand.testing.behave.keys import chord, key
from deskhand.testing.behave.phrases import phrase

_START: Final = ' | via "{via}" | via command "{command}" | via command | in "{session}" | with env "{environ}"'


class _Start(TypedDict, total=False):
    via: str
    command: str
    via_command: bool
    session: str
    environ: str


@phrase(f'Start application "{{name}}"{_START}')
def start_application(context: Context, name: str, **how: Unpack[_Start]) -> None:
    """Programs of it that run already are ended first."""
    on_desktop(context, partial(context.deskhand.applications.end, name))
    _start(context, name, how)


@phrase(f'Start another instance of "{{name}}"{_START}')
def start_another(context: Context, name: str, **how: Unpack[_Start]) -> None:
    _start(context, name, how)


def _start(context: Context, name: str, how: _Start) -> None:
    if how.get("via", "command") not in {"command", "menu"}:
        raise UsageError(f'an application does not start via "{how.get("via")}"', fix="write command or menu")
    environment = environment_in(how["environ"]) if "environ" in how else None
    start = context.deskhand.applications.start
    on_desktop(context, partial(start, name, how.get("command", ""), environment))


@phrase('Close application "{name}" via "{way}"')
def close_application(context: Context, name: str, way: str) -> None:
    on_desktop(context, partial(context.deskhand.close, name, way, _shortcut(context, name)))


def _shortcut(context: Context, name: str) -> str:
    return chord(context.config.userdata.get(f"deskhand.shortcut.{name}", "<Ctrl><Q>"))


@phrase('Application "{name}" is running')
def expect_running(context: Context, name: str) -> None:
    on_desktop(context, partial(context.deskhand.applications.require_windows, name))


@phrase('Application "{name}" is no longer running')
def expect_ended(context: Context, name: str) -> None:
    on_desktop(context, partial(context.deskhand.applications.require_ended, name))


@phrase('Type text: "{text}" with uinput', 'Type text: "{text}"')
def type_text(context: Context, text: str) -> None:
    on_desktop(context, partial(context.deskhand.type, text))


@phrase('Press key: "{name}" with uinput', 'Press key: "{name}"')
def press_key(context: Context, name: str) -> None:
    on_desktop(context, partial(context.deskhand.press, key(name)))


@phrase('Key combo: "{combo}" with uinput', 'Key combo: "{combo}"')
def press_chord(context: Context, combo: str) -> None:
    on_desktop(context, partial(context.deskhand.press, chord(combo)))


@phrase("Wait {number:g} second before action", "Wait {number:g} seconds before action")
def wait(context: Context, number: float) -> None:
    """For programs whose readiness nothing shows; a step that expects something needs no wait before it."""

    async def pause() -> None:
        with anyio.move_on_after(number):
            await anyio.sleep_forever()

    on_desktop(context, pause)


@phrase("Commentary")
def comment(context: Context) -> None:
    """Do nothing; the text below the step is for readers."""


@phrase("Dummy pass")
def succeed(context: Context) -> None:
    """Do nothing."""


@phrase("Dummy fail")
def fail(context: Context) -> None:
    del context
    raise AssertionError("this step always fails")
