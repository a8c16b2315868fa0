"""What a new window paints first is no effect of the first action in it."""

from pathlib import Path

import anyio
import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

_STAYS_S = 0.5
_COMES_S = 10.0


@pytest.mark.requires("effect.painted")
async def test_a_new_window_that_is_blank_is_marked_once_it_is_painted(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        display = Display(desktop.environment["DISPLAY"])
        screen = display.screen()
        window = screen.root.create_window(50, 50, 200, 100, 0, X.CopyFromParent, background_pixel=screen.black_pixel)
        window.set_wm_name("Late painter")
        window.map()
        display.sync()

        async def listed() -> TargetInfo | None:
            return next((shown for shown in await desktop.windows() if shown.name == "Late painter"), None)

        shown = await desktop.wait_until(listed, deadline_s=_COMES_S)
        assert shown is not None
        marks: list[float] = []
        marked = anyio.Event()

        async def mark() -> None:
            marks.append(await desktop.paint_mark(shown))
            marked.set()

        with anyio.fail_after(_COMES_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(mark)
                with anyio.move_on_after(_STAYS_S):
                    await marked.wait()
                assert not marks
                window.fill_rectangle(window.create_gc(foreground=screen.white_pixel), 20, 20, 60, 20)
                display.sync()
        assert await desktop.painted_since(marks[0], shown, shown.rect) is False
        window.fill_rectangle(window.create_gc(foreground=screen.white_pixel), 100, 20, 60, 20)
        display.sync()
        assert await desktop.painted_since(marks[0], shown, shown.rect) is True
        same, other, beyond = (Rect.from_extents(left, 20, 60, 20) for left in (20, 100, -500))
        at = shown.rect.left, shown.rect.top
        for places, painted in [((same,), False), ((same, other), True), ((beyond, same), False), ((beyond,), None)]:
            found = await desktop.painted_since(marks[0], shown, *(place.moved(*at) for place in places))
            assert found is painted, places
        display.close()
