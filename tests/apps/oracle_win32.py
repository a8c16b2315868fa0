"""The controls of `oracle.py` in Win32: `oracle_win32.py STATE_FILE`. Run it with Python of Windows, under Wine."""

from oracle import CELL, CELLS, FRUIT, LOOK_MS, MARK, SECRET, TITLE, WORDS, Oracle
from win32_gui import (
    BORDER,
    CHECK_BOX,
    DISABLED,
    GETCHECK,
    LB_ADD,
    LB_AT,
    LB_CHOSEN,
    NOTIFIES,
    ONE_LINE,
    PASSWORD,
    REPORT,
    SLIDER_GET,
    SLIDER_SET,
    TAB_STOP,
    Program,
    add_columns,
    add_row,
    argument,
    cell_at,
    cell_rect,
    item_rect,
    rect_of,
    send,
    show,
    text_of,
    user32,
    version,
)

LINE = 26
GRID_TOP = 230


class Fixture:
    def __init__(self, path):
        self.program = Program()
        self.window = self.program.window(TITLE, (60, 40, 360, 440))
        self.handles, self.top = {}, 6
        self.oracle = Oracle(path, version(), self.look)
        self.add_plain_controls()
        self.add_lists()
        self.program.on_press[self.handles["button"]] = self.oracle.pressed
        self.program.on_pointer = self.pointed
        self.program.on_timer = self.oracle.write
        user32.ShowWindow(self.handles["hidden"], 0)
        show(self.window)
        self.program.run(LOOK_MS)

    def add(self, key, kind, style=TAB_STOP, *, text="", label="", height=22):
        if label:
            self.program.control(self.window, "Static", label, place=(8, self.top + 3, 60, 18))
        place = (72 if label else 8, self.top, 220, height)
        self.handles[key] = self.program.control(self.window, kind, text, style, place)
        self.top += height + 4
        return self.handles[key]

    def add_plain_controls(self):
        named = {key: name for key, (_, name) in WORDS.items()}
        self.add("button", "Button", text=named["button"])
        self.add("check", "Button", TAB_STOP | CHECK_BOX, text=named["check"])
        self.add("name", "Edit", TAB_STOP | BORDER | ONE_LINE, text="Ada", label="Name")
        secret = self.add("secret", "Edit", TAB_STOP | BORDER | PASSWORD, text=SECRET, label="Secret")
        self.program.colours[secret] = int.from_bytes(bytes.fromhex(MARK[1:]), "little")
        self.add("words", "Static", 0, text=named["words"])
        volume = self.add("volume", "msctls_trackbar32", label="Volume", height=28)
        send(volume, SLIDER_SET, 1, 30)
        self.add("hidden", "Button", text=named["hidden"])
        self.add("off", "Button", TAB_STOP | DISABLED, text=named["off"])

    def add_lists(self):
        fruit = self.add("fruit", "ListBox", TAB_STOP | BORDER | NOTIFIES, label="Fruit", height=62)
        for name in FRUIT:
            user32.SendMessageW(fruit, LB_ADD, 0, name)
        grid = self.add("grid", "SysListView32", TAB_STOP | BORDER | REPORT, label="Grid", height=90)
        add_columns(grid, [f"Column {number}" for number in range(len(CELLS[0]))], 66)
        for number, cells in enumerate(CELLS):
            add_row(grid, number, cells)

    def pointed(self, window, place):
        key = next((key for key, handle in self.handles.items() if handle == window), "")
        if key == "fruit":
            key = FRUIT[send(window, LB_AT, 0, place[0] | place[1] << 16) & 0xFFFF].lower()
        if key == "grid":
            key = "cell" if cell_at(window, place) == CELL else ""
        if key:
            self.oracle.clicked(key)

    def look(self):
        found = {key: self.facts(key, handle) for key, handle in self.handles.items()}
        fruit, chosen = self.handles["fruit"], send(self.handles["fruit"], LB_CHOSEN)
        for index, name in enumerate(FRUIT):
            of_item = {"rect": item_rect(fruit, index), "selected": index == chosen}
            found[name.lower()] = {**found["fruit"], **of_item}
        found["cell"] = {**found["grid"], "rect": cell_rect(self.handles["grid"], *CELL)}
        return found

    def facts(self, key, handle):
        showing = bool(user32.IsWindowVisible(handle))
        return {
            "rect": rect_of(handle) if showing else [0, 0, 0, 0],
            "showing": showing,
            "enabled": bool(user32.IsWindowEnabled(handle)),
            "checked": key == "check" and bool(send(handle, GETCHECK)),
            "selected": False,
            "value": float(send(handle, SLIDER_GET)) if key == "volume" else None,
            "text": text_of(handle) if key in {"name", "secret", "words"} else None,
        }


if __name__ == "__main__":
    Fixture(argument(1))
