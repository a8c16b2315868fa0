"""`deskhand screenshot`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, observed_desktop
from deskhand.cli.id_cache import label
from deskhand.cli.invocation import invocation
from deskhand.cli.observation_output import truncation_json
from deskhand.cli.signals import run_async
from deskhand.core.errors import ApplicationUnresponsive, CaptureFailed, UsageError
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Picture, Truncation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.screen import ScreenInfo
from deskhand.desktop.protocols.windows import windows_over
from deskhand.perception.annotation import Arrangement, PhotographerFacade, image_of
from deskhand.session.window_names import chosen_window
from deskhand.store.atomic_files import write_atomic
from deskhand.store.png import encode_png


def add_to(app: typer.Typer) -> None:
    app.command("screenshot")(screenshot)


def screenshot(
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG file to write.")],
    desktop: DesktopOption = "",
    window: Annotated[str, typer.Option("--window", help="Id or title; default: the whole desktop.")] = "",
    screen: Annotated[str, typer.Option("--screen", help="Name of one screen; default: all screens.")] = "",
    annotated: Annotated[bool, typer.Option("--annotated", help="Number the window's controls.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take a picture of a desktop or of one window; with --annotated, controls carry their ids of `observe`."""
    if output.suffix.lower() != ".png":
        raise UsageError(f"{output} does not end in .png", fix="give a name that ends in .png")
    if screen and (window or annotated):
        raise UsageError(
            "--screen is for pictures of the desktop", fix="leave out --screen, or --window and --annotated"
        )
    path = invocation().path(output)
    taken = run_async(lambda: _take(desktop, window, screen, annotated=annotated))
    write_atomic(path, taken.png, doing="write the picture", umask=invocation().umask)
    for title in taken.picture.unchecked:
        print_note(f'"{printable(title)}" did not report its password fields; check the picture before you share it')
    for title in taken.covered_by:
        print_note(f'"{printable(title)}" covers a part of the window and is in the picture')
    if taken.truncated:
        print_note(f"({printable(taken.truncated.message)})")
    if taken.labels and taken.labels.note:
        print_note(f"({taken.labels.note})")
    if as_json:
        print_json(
            {
                "path": str(path),
                "rect": [*taken.picture.rect.to_list()],
                "covered_by": [*taken.covered_by],
                "screens": [_screen_json(each) for each in taken.screens],
                "unchecked": [*taken.picture.unchecked],
                "truncated": truncation_json(taken.truncated),
                "unlabelled": [*taken.labels.left_out] if taken.labels else [],
            }
        )
    else:
        print_line(str(output))


@dataclass(frozen=True, slots=True)
class _Taken:
    """`truncated`: reason why some controls have no number in an annotated picture; `labels` are drawn on it."""

    picture: Picture
    png: bytes
    screens: tuple[ScreenInfo, ...]
    covered_by: tuple[str, ...] = ()
    truncated: Truncation | None = None
    labels: Arrangement | None = None


async def _take(desktop: str, window: str, screen: str, *, annotated: bool) -> _Taken:
    async with observed_desktop(desktop) as opened:
        screens = await opened.screens()
        if not window and not annotated:
            picture = await opened.screenshot(_screen_called(screen, screens))
            return _Taken(picture, encode_png(picture), screens)
        target = await chosen_window(opened, window)
        try:
            seen = await opened.observe(target, texts=annotated)
        except ApplicationUnresponsive:
            if annotated:
                raise
            picture = await opened.screenshot(target.rect)
            return _Taken(picture, encode_png(picture), screens, await _over(opened, target))
        if seen.picture is None:
            raise CaptureFailed(f'no picture of the window "{target.name}" was taken', fix="try again")
        covering = await _over(opened, seen.window)
        if not annotated:
            return _Taken(seen.picture, encode_png(seen.picture), screens, covering)
        facade = PhotographerFacade()
        arrangement = facade.arranged(seen.picture, await label(opened, seen))
        drawn = facade.drawn(image_of(seen.picture), arrangement)
        return _Taken(seen.picture, encode_png(drawn), screens, covering, seen.truncated, arrangement)


async def _over(desktop: Desktop, window: TargetInfo) -> tuple[str, ...]:
    """Titles of the windows that cover a part of a window, with its place when the picture was taken."""
    return tuple(other.name for other in windows_over(window, await desktop.windows()))


def _screen_called(name: str, screens: tuple[ScreenInfo, ...]) -> Rect | None:
    """Rectangle of a screen; None for the whole desktop. Raises: UsageError."""
    found = next((screen.rect for screen in screens if screen.name == name), None)
    if name and found is None:
        raise UsageError(f"no screen {name!r}", fix=f"the screens are: {', '.join(screen.name for screen in screens)}")
    return found


def _screen_json(screen: ScreenInfo) -> JsonObject:
    """`rect` in physical screen pixels; `scale` is null if none is set."""
    return {"name": screen.name, "rect": [*screen.rect.to_list()], "primary": screen.primary, "scale": screen.scale}
