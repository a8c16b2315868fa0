"""The pictures that `tests/perception/golden` keeps: small windows, drawn on in every way there is."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from PIL import Image

from deskhand.core.geometry import Rect
from deskhand.core.model import PictureLimits
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.perception.annotation import PhotographerFacade, image_of
from deskhand.perception.canvas import Annotated, Drawing
from perception.scene import Scene

FOLDER = Path(__file__).parent / "golden"
SIZE = Rect(0, 0, 420, 240)


def _numbered(scene: Scene) -> list[TargetInfo]:
    return [replace(control, id=str(number)) for number, control in enumerate(scene.controls, 1)]


def _picture(scene: Scene) -> Picture:
    corner = image_of(scene.picture).crop((0, 0, SIZE.width, SIZE.height))
    return Picture(corner.tobytes(), SIZE)


def _window() -> Scene:
    """A menu bar, a dense toolbar, a form."""
    scene = Scene()
    bar = scene.add(Role.MENUBAR, "", Rect(0, 0, 420, 24))
    for number, name in enumerate(["File", "Edit", "View", "Insert", "Help"]):
        scene.add(Role.MENU, name, Rect(2 + number * 50, 1, 52 + number * 50, 23), parent=bar)
    tools = scene.add(Role.TOOLBAR, "Standard", Rect(0, 26, 420, 58), text="")
    for number in range(13):
        rect = Rect(4 + number * 30, 29, 32 + number * 30, 55)
        scene.add(Role.BUTTON, f"Tool {number}", rect, parent=tools, text="")
        scene.icon(rect)
    form = scene.add(Role.GROUP, "Form", Rect(10, 66, 410, 230), text="")
    for number, name in enumerate(["Name", "Street", "Town"]):
        scene.add(Role.LABEL, name, Rect(20, 76 + number * 32, 90, 100 + number * 32), parent=form)
        scene.add(Role.TEXTBOX, name, Rect(96, 76 + number * 32, 300, 100 + number * 32), parent=form, text=f"a {name}")
    scene.add(Role.CHECKBOX, "Remember me", Rect(20, 176, 180, 200), parent=form)
    for number, name in enumerate(["Help", "Cancel", "OK"]):
        scene.add(Role.BUTTON, name, Rect(100 + number * 105, 202, 196 + number * 105, 226), parent=form)
    return scene


def _menu() -> Scene:
    scene = _window()
    menu = scene.controls[2].handle
    for number, name in enumerate(["Undo", "Redo", "Cut", "Copy", "Paste"]):
        scene.add(Role.MENUITEM, name, Rect(52, 24 + number * 24, 200, 48 + number * 24), parent=menu)
    return scene


def _dense() -> Scene:
    """More cells than there is room for labels."""
    scene = Scene()
    table = scene.add(Role.TABLE, "Sales", Rect(0, 0, 420, 240), text="")
    for row in range(20):
        for column in range(14):
            rect = Rect.from_extents(column * 30, row * 12, 30, 12)
            scene.add(Role.CELL, f"{row * 14 + column}", rect, parent=table, text="")
    return scene


def _annotated(make: Callable[[], Scene]) -> Image.Image:
    scene = make()
    return PhotographerFacade().capture_with_target_list(_picture(scene), _numbered(scene))


def _as_a_model_takes_it() -> Image.Image:
    scene = _window()
    picture, limits = _picture(scene), PictureLimits(300, 1_000_000)
    small, _ = Annotated(Drawing(lambda: picture), picture, _numbered(scene), limits).scaled(limits)
    return image_of(small)


def _highlighted() -> Image.Image:
    scene = _window()
    return PhotographerFacade().highlight(_picture(scene), scene.controls[-1])


def _side_by_side() -> Image.Image:
    return PhotographerFacade().concat(_picture(_window()), _annotated(_window))


PICTURES: Mapping[str, Callable[[], Image.Image]] = {
    "window": lambda: _annotated(_window),
    "menu": lambda: _annotated(_menu),
    "dense": lambda: _annotated(_dense),
    "scaled": _as_a_model_takes_it,
    "highlighted": _highlighted,
    "side_by_side": _side_by_side,
}
