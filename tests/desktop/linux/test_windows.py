"""Which window a dialog belongs to, as X knows it and as tools go by it."""

from dataclasses import replace
from pathlib import Path

import pytest
from Xlib import X

from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.linux.x11.connection import close_display, open_display
from deskhand.desktop.linux.x11.windows import XWindows
from deskhand.desktop.protocols.windows import Application
from deskhand.policy.facts import target_identity
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import SomePlace, a11y_address, linux_desktop
from desktop.linux.servers import server
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.no-wrong-target")]

PROGRAM = Application("two", ("/usr/bin/python3", str(ROOT / "tests/apps/two_windows_gtk3.py")), window="^Calc$")
PATIENCE_S = 10.0


def test_a_dialog_is_of_the_window_that_it_is_transient_for_where_that_is_listed() -> None:
    with server("Xvfb", "-screen", "0", "320x240x24") as name:
        display = open_display(name)
        root, atom = display.screen().root, display.intern_atom
        window, dialog, over, unlisted = (root.create_window(0, 0, 9, 9, 0, X.CopyFromParent) for _ in range(4))
        root.change_property(atom("_NET_CLIENT_LIST_STACKING"), atom("WINDOW"), 32, [window.id, dialog.id, over.id])
        windows = XWindows(display)

        def parents() -> list[str]:
            listed = windows.list()
            assert [each.parent for each in listed] == [windows.get(each).parent for each in listed]
            return [each.parent for each in listed]

        dialog.set_wm_transient_for(window)
        over.set_wm_transient_for(dialog)
        assert parents() == [f"x11:{dialog.id:#x}", f"x11:{window.id:#x}", ""]
        for nobody in (root, unlisted, over):
            over.set_wm_transient_for(nobody)
            assert parents() == ["", f"x11:{window.id:#x}", ""]
        close_display(display)


async def all_of(desktop: LinuxDesktop) -> dict[str, TargetInfo]:
    """The windows by their titles, once all are there."""

    async def there() -> dict[str, TargetInfo] | None:
        found = {window.name: window for window in await desktop.windows()}
        return found if found.keys() >= {"Writer", "Calc", "Find", "More"} else None

    found = await desktop.wait_until(there, deadline_s=PATIENCE_S)
    assert found, await desktop.windows()
    return found


async def test_a_dialog_of_another_window_of_the_process_is_not_in_front_of_this_one(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        await desktop.launch(PROGRAM)
        windows = await all_of(desktop)
        writer, calc = windows["Writer"], windows["Calc"]
        await desktop.activate(calc)
        await desktop.activate(windows["More"])
        assert (await front_window(desktop, calc)).name == "Calc"
        assert (await front_window(desktop, writer)).name == "More"
        typed = await Tools(desktop).run(calc, "keyboard_input", None, keys="{END}, too")
        assert typed.effect is Effect.CONFIRMED, typed
        seen = await desktop.observe(calc, picture=False)
        assert [control.value for control in seen.controls if "editable" in control.states] == ["Calc, too"]

        field = next(control for control in seen.controls if control.value == "Calc, too")
        assert field.fingerprint is not None
        before_the_title_changed = replace(field, fingerprint=replace(field.fingerprint, window="Calc 1"))
        place = SomePlace(
            "visitor", desktop.environment["DISPLAY"], desktop.environment, await a11y_address(desktop.environment)
        )
        visitor = await attach(place)
        found = [await visitor.resolve(before_the_title_changed) for _ in range(2)]
        await visitor.close()
        assert target_identity(found[0]) == target_identity(found[1]), "what was judged is what is acted on"
