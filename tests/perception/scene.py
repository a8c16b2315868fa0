"""A picture of an office-like window, 1920 x 1080, with its controls: menus, a dense toolbar, a form, a table."""

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind

SCREEN = Rect(0, 0, 1920, 1080)
_GROUND = (239, 240, 241)
_INK = (30, 32, 34)
_EDGE = (175, 178, 181)


class Scene:
    """Draws controls as it collects them."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (SCREEN.width, SCREEN.height), _GROUND)
        self._draw = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(14)
        self.controls: list[TargetInfo] = []

    @property
    def picture(self) -> Picture:
        return Picture(self._image.tobytes(), SCREEN)

    def add(self, role: Role, name: str, rect: Rect, *, parent: str = "", text: str | None = None) -> str:
        """Draws a control and returns its handle."""
        handle = f"scene:{len(self.controls)}"
        fill = (255, 255, 255) if role in {Role.TEXTBOX, Role.CELL, Role.COMBOBOX} else _GROUND
        framed = role in {Role.TEXTBOX, Role.CELL, Role.COMBOBOX, Role.BUTTON, Role.LIST, Role.TABLE}
        box = (rect.left, rect.top, rect.right - 1, rect.bottom - 1)
        self._draw.rectangle(box, fill=fill, outline=_EDGE if framed else None)
        left = rect.left + 5
        if role is Role.CHECKBOX:
            self._draw.rectangle((left, rect.center.y - 6, left + 12, rect.center.y + 6), outline=_INK, fill="white")
            left += 18
        shown = name if text is None else text
        if shown:
            width = self._font.getlength(shown)
            at = rect.center.x - width / 2 if role is Role.BUTTON else left
            self._draw.text((at, rect.center.y), shown, fill=_INK, font=self._font, anchor="lm")
        self.controls.append(
            TargetInfo(
                TargetKind.CONTROL,
                name,
                role,
                rect,
                handle=handle,
                parent=parent,
                states=frozenset({"showing", "enabled"}),
            )
        )
        return handle

    def icon(self, rect: Rect) -> None:
        """Something drawn on a button of a toolbar."""
        middle = rect.center
        self._draw.ellipse((middle.x - 7, middle.y - 7, middle.x + 7, middle.y + 7), outline=(30, 90, 160), width=2)
        self._draw.line((middle.x - 7, middle.y + 7, middle.x + 7, middle.y - 7), fill=(180, 60, 30), width=2)


def office_scene() -> Scene:
    """About a hundred controls."""
    scene = Scene()
    bar = scene.add(Role.MENUBAR, "", Rect(0, 0, 1920, 26))
    for number, name in enumerate(["File", "Edit", "View", "Insert", "Format", "Sheet", "Data", "Tools", "Help"]):
        scene.add(Role.MENU, name, Rect(4 + number * 62, 2, 62 + number * 62, 24), parent=bar)
    tools = scene.add(Role.TOOLBAR, "Standard", Rect(0, 28, 1920, 60), parent="", text="")
    for number in range(26):
        rect = Rect(6 + number * 30, 31, 34 + number * 30, 57)
        scene.add(Role.BUTTON, f"Tool {number}", rect, parent=tools, text="")
        scene.icon(rect)
    form = scene.add(Role.GROUP, "Form", Rect(20, 80, 620, 460), text="")
    for number, name in enumerate(["Name", "Street", "Town", "Country", "Telephone"]):
        top = 100 + number * 40
        scene.add(Role.LABEL, name, Rect(40, top, 140, top + 26), parent=form)
        scene.add(Role.TEXTBOX, name, Rect(150, top, 600, top + 26), parent=form, text=f"{name} as it was entered")
    for number, name in enumerate(["Send me the newsletter", "I have read the terms", "Remember me"]):
        scene.add(Role.CHECKBOX, name, Rect(40, 310 + number * 28, 260, 334 + number * 28), parent=form)
    for number, name in enumerate(["Help", "Cancel", "OK"]):
        scene.add(Role.BUTTON, name, Rect(290 + number * 105, 410, 390 + number * 105, 440), parent=form)
    files = scene.add(Role.LIST, "Files", Rect(20, 480, 320, 700), text="")
    for number in range(9):
        top = 482 + number * 24
        scene.add(Role.LISTITEM, f"report-{2020 + number}.ods", Rect(22, top, 318, top + 24), parent=files)
    table = scene.add(Role.TABLE, "Sales", Rect(660, 80, 1300, 320), text="")
    for row in range(10):
        for column, text in enumerate(["North-East", "1,234.50", "12 %", "wholesale"]):
            rect = Rect(660 + column * 160, 80 + row * 24, 820 + column * 160, 104 + row * 24)
            scene.add(Role.CELL, f"{text} {row}", rect, parent=table)
    return scene
