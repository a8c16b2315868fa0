"""Text in fields of real applications: byte for byte by every way, whatever the layout, and nothing left over."""

import os
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio
import pytest
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.techniques.text_entry import WAYS as LADDER
from deskhand.commands.techniques.text_entry import by_accessibility, by_keys, by_paste
from deskhand.commands.tools.keyboard import Keys, keyboard_input
from deskhand.core.command import Command, Effect, Route
from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.x11.input import XInput
from deskhand.desktop.linux.x11.keys import Keymap
from deskhand.desktop.linux.x11.xkb import LOCK, Xkb
from deskhand.desktop.protocols.input import Chord
from desktop.linux.fixture import BRIDGE, UNO, keys_down, linux_desktop
from desktop.linux.typed import FIXTURES, QT6, WAYS, Typing, launch_typing, run_trials
from support import FULL, need
from windows_programs import WIN32, need_wine

TRIALS: Final = 1000 if FULL else 2
"""Two of each toolkit are together of all kinds."""

_FOREIGN: Final = ("dead", "cjk", "emoji", "combining", "rtl", "cyrillic", "mixed", "long")
KNOWN: Final = {
    *(("Swing", "keys", kind) for kind in ("emoji", "mixed")),
    *((WIN32, "keys", kind) for kind in _FOREIGN),
}
"""Java makes one of 16 bits of a key that gives more. Wine loses characters that the layout has no key for. A result
says so.
"""

FIRST: Final = {name: 97 * place for place, name in enumerate(FIXTURES)}
"""Each toolkit has a sample of its own."""

NUM_LOCK: Final = 1 << 4
LAYOUTS: Final = (
    ("us", 0, 0),
    ("us", NUM_LOCK, 0),
    ("de", LOCK, 0),
    ("fr", 0, 0),
    ("fr", LOCK, 0),
    ("ru", 0, 0),
    ("us,ru", 0, 1),
)
"""Layout, what is locked, group."""

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
async def typing(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Typing]:
    """The fields of GTK 3 on a desktop of their own, for all tests of this file."""
    folder = tmp_path_factory.mktemp("typing")
    async with linux_desktop(folder) as desktop:
        yield await launch_typing(desktop, "GTK 3", folder)


@pytest.fixture
def keyboard(typing: Typing) -> Generator[Display]:
    """Another client of its X server; the layout is `us` without locks again afterwards, and no key is down."""
    display = Display(typing.desktop.environment["DISPLAY"])
    try:
        yield display
        assert keys_down(typing.desktop.environment["DISPLAY"]) == 0
    finally:
        set_layout(display, "us")
        display.close()


def set_layout(display: Display, layout: str, locked: int = 0, group: int = 0) -> None:
    subprocess.run(["setxkbmap", "-display", display.get_display_name(), layout], check=True)
    xkb = Xkb(display)
    xkb.lock(locked, LOCK | NUM_LOCK)
    xkb.lock_group(group)
    display.sync()


@contextmanager
def held(display: Display, keysym: int) -> Generator[None]:
    """A modifier that is down, as one left over."""
    code = display.keysym_to_keycode(keysym)
    xtest.fake_input(display, X.KeyPress, code)
    display.sync()
    yield
    xtest.fake_input(display, X.KeyRelease, code)
    display.sync()


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Chromium"])
@pytest.mark.long
@pytest.mark.requires("typing.exact", "typing.released")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_what_is_put_into_a_field_is_what_its_application_says(toolkit: str, tmp_path: Path) -> None:
    if toolkit == WIN32:
        need_wine()
    need(*{"Qt 6": (QT6,), "Swing": (BRIDGE,), "Writer": (UNO,)}.get(toolkit, ()))
    async with linux_desktop(tmp_path) as desktop:
        numbers = range(FIRST[toolkit], FIRST[toolkit] + TRIALS)
        tally = await run_trials(desktop, toolkit, tmp_path, numbers)
    assert [tally.of(verdict) for verdict in ("LIE", "LOST", "DOWN")] == [[], [], []]
    tried = [t for t in tally.trials if t.verdict != "refused" and (toolkit, t.way, t.kind) not in KNOWN]
    right = [trial for trial in tried if trial.verdict == "right"]
    assert len(right) >= 0.95 * len(tried), [trial for trial in tried if trial.verdict != "right"]
    assert {trial.way for trial in right} >= {"paste", "keys"}


@pytest.mark.full("the others take the same way", but=["de-2-0", "us,ru-0-1"])
@pytest.mark.requires("typing.layouts", "typing.released")
@pytest.mark.parametrize(("layout", "locked", "group"), LAYOUTS)
async def test_text_comes_out_right_whatever_the_layout(
    layout: str, locked: int, group: int, typing: Typing, keyboard: Display
) -> None:
    set_layout(keyboard, layout, locked, group)
    for way in ("keys", "paste"):
        for kind in ("ascii", "dead", "cyrillic") if way == "keys" else ("mixed",):
            trial = await typing.trial(3, way, "page", kind)
            assert trial.verdict == "right", trial
    state = Xkb(keyboard).state()
    assert (state.locked & (LOCK | NUM_LOCK), state.locked_group) == (locked, group)


@pytest.mark.full("layouts that change meanwhile are rare")
@pytest.mark.requires("typing.layouts")
async def test_a_layout_that_changes_between_and_during_texts_is_noticed(typing: Typing, keyboard: Display) -> None:
    async def put(text: str) -> None:
        effects.append((await typing.put("line", text, [by_keys])).effect)

    effects: list[Effect | None] = []
    for layout in ("de", "fr", "us"):
        text = f"zyq{{}}@ äß漢 {layout}"
        effects.clear()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, set_layout, keyboard, layout)
            tasks.start_soon(put, f"{text} 1")
        assert (effects == [Effect.CONFIRMED]) <= (await typing.told("line", f"{text} 1") == f"{text} 1")
        await put(text)
        await put(text)
        assert (effects[1:], await typing.told("line", text)) == ([Effect.CONFIRMED] * 2, text)


@pytest.mark.requires("typing.released")
async def test_a_key_that_somebody_left_down_is_let_go_of_before_typing(typing: Typing, keyboard: Display) -> None:
    with held(keyboard, XK.XK_Control_L):
        assert (await typing.put("line", "after", [by_keys])).effect is Effect.CONFIRMED
        assert keys_down(keyboard.get_display_name()) == 0
    assert await typing.told("line", "after") == "after"


@pytest.mark.requires("typing.layouts")
async def test_caps_lock_that_a_lost_connection_had_switched_off_is_on_again(typing: Typing, keyboard: Display) -> None:
    set_layout(keyboard, "us", LOCK)
    lost = XInput(keyboard)
    lost.unlocked = lost.keymap.xkb.state()
    lost.keymap.xkb.lock(0, LOCK)
    keyboard.sync()
    next_one = Display(typing.desktop.environment["DISPLAY"])
    try:
        assert XInput(next_one, lost).keymap.xkb.state().locked & LOCK
    finally:
        next_one.close()


@pytest.mark.requires("typing.released")
async def test_a_text_that_is_cancelled_leaves_no_key_down_and_gives_borrowed_ones_back(
    typing: Typing, keyboard: Display
) -> None:
    await typing.put("page", "", LADDER)
    told = len(typing.truth()["page"])

    async def has_begun() -> bool | None:
        return True if len(typing.truth()["page"]) > told else None

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(typing.put, "page", "漢字Aa" * 500, [by_keys])
        assert await typing.desktop.wait_until(has_begun, deadline_s=10)
        tasks.cancel_scope.cancel()
    assert keys_down(keyboard.get_display_name()) == 0
    assert 0 < len(typing.truth()["page"]) < 2000


@pytest.mark.requires("typing.released")
async def test_without_an_unused_key_a_character_is_refused_before_anything_is_typed(
    typing: Typing, keyboard: Display
) -> None:
    await typing.put("line", "before", LADDER)
    keymap = Keymap(keyboard, {})
    spare = [code for code in range(8, 256) if not any(keyboard.get_keyboard_mapping(code, 1)[0])]
    for code in spare:
        keyboard.change_keyboard_mapping(code, [(XK.XK_F20,) * 4])
    keyboard.sync()
    with pytest.raises(ActionRefused, match="no unused key can be borrowed"):
        keymap.batch([Chord("a"), Chord("漢")])
    with pytest.raises(ActionRefused, match="no unused key can be borrowed"):
        await typing.put("line", "a漢", [by_keys])
    assert await typing.told("line", "before") == "before"
    pasted = await typing.put("line", "a漢", LADDER[1:])
    assert (pasted.effect, await typing.told("line", "a漢")) == (Effect.CONFIRMED, "a漢")


@pytest.mark.requires("typing.ladder")
async def test_text_by_accessibility_moves_no_focus_and_activates_no_window(typing: Typing) -> None:
    await typing.desktop.activate(typing.window)
    await typing.desktop.focus(await typing.field("line"))
    await typing.told("focus", "line")
    result = await typing.put("page", "elsewhere", LADDER)
    assert (result.effect, result.route) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    assert (typing.truth()["focus"], await typing.told("page", "elsewhere")) == ("line", "elsewhere")


@pytest.mark.requires("typing.clipboard")
async def test_what_was_on_the_clipboard_is_there_again_after_a_paste(typing: Typing) -> None:
    large = os.urandom(700_000)
    before = {"UTF8_STRING": "före".encode(), "text/html": b"<b>f</b>", "image/x-odd": large}
    await typing.desktop.offer_clipboard(before)
    assert (await typing.put("page", "pasted", [by_paste])).effect is Effect.CONFIRMED
    assert await typing.told("page", "pasted") == "pasted"
    assert await typing.desktop.whole_clipboard(most_bytes=1_000_000) == before
    await typing.desktop.offer_clipboard({})
    assert (await typing.put("page", "again", [by_paste])).effect is Effect.CONFIRMED
    assert await typing.desktop.whole_clipboard(most_bytes=1_000_000) == {}


@pytest.mark.requires("typing.exact")
async def test_what_a_field_cannot_hold_is_refused_and_leaves_it_alone(typing: Typing) -> None:
    await typing.put("line", "stays", LADDER)
    for text, why in (
        ("one\ntwo", "takes one line"),
        ("a\rb", "which the field does not accept"),
        ("a\0b", "which the field does not accept"),
    ):
        with pytest.raises(ActionRefused, match=why):
            await typing.put("line", text, LADDER)
    assert await typing.told("line", "stays") == "stays"


@pytest.mark.requires("typing.exact")
async def test_text_is_added_at_the_end_by_every_way(typing: Typing) -> None:
    await typing.put("page", "0", LADDER)
    for way in WAYS.values():
        assert (await typing.put("page", "+é", [way], clear=False)).effect is Effect.CONFIRMED
    assert await typing.told("page", "0+é+é+é") == "0+é+é+é"


@pytest.mark.requires("typing.exact")
async def test_of_a_password_the_number_of_characters_is_told_and_nothing_else(typing: Typing) -> None:
    for way in (by_accessibility, by_paste, by_keys):
        result = await typing.put("secret", "hünter2", [way])
        assert result.effect is Effect.CONFIRMED
        assert "it has 7 characters now" in result.evidence
        assert "nter2" not in result.evidence
        assert await typing.told("secret", "hünter2") == "hünter2"
        await typing.put("secret", "", [by_keys])


@pytest.mark.full("texts that long are rare")
@pytest.mark.long
@pytest.mark.requires("typing.exact")
async def test_a_megabyte_ends_in_time_and_is_never_wrongly_confirmed(typing: Typing) -> None:
    text = "0123456789 äöü\n" * 70_000
    with anyio.fail_after(60):
        result = await typing.put("page", text, [by_accessibility])
    told = await typing.told("page", text)
    assert (result.effect is Effect.CONFIRMED) <= (told == text)
    await typing.put("page", "", [by_accessibility])


@pytest.mark.requires("typing.order")
async def test_keys_sent_together_are_taken_in_their_order_by_writer(tmp_path: Path) -> None:
    everything = "{VK_CONTROL}a"
    async with linux_desktop(tmp_path) as desktop:
        writer = await launch_typing(desktop, "Writer", tmp_path)
        call = Call(Command("keyboard_input", window=writer.window), None, writer.window)
        for keys, wanted in (
            ("hello", "hello"),
            (everything, "hello"),
            ("{END}Q", "helloQ"),
            ("{LEFT}{LEFT}x{BACKSPACE}y{HOME}z", "zhellyoQ"),
            (f"{everything}{{RIGHT}}{{ENTER}}", "zhellyoQ\n"),
            (f"{everything}{{BACKSPACE}}one{{VK_CONTROL}}{{HOME}}two", "twoone"),
        ):
            await keyboard_input(ToolContext(desktop), call, Keys(keys=keys))
            assert await writer.told("page", wanted) == wanted
