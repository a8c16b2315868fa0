"""LibreOffice, as it says itself over UNO: `oracle_office.py KIND STATE_FILE`. Needs the system's Python with `uno`.

KIND `dialog` shows the controls of `oracle.py` in a dialog of the office's own toolkit; `writer`, `calc` and `impress`
show a document. What is told comes from the models of dialog and document, never from accessibility.
"""

import os
import queue
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import uno
import unohelper
from com.sun.star.awt import XActionListener, XCallback, XItemListener, XMouseListener
from com.sun.star.connection import NoConnectException
from oracle import CELL, CELLS, FRUIT, LOOK_MS, SECRET, TITLE, WORDS, Oracle
from screen import Screen

NOWHERE = [0, 0, 0, 0]
FACTS = {
    "rect": None,
    "showing": True,
    "enabled": True,
    "checked": False,
    "selected": False,
    "value": None,
    "text": None,
}
PROGRAM = {"dialog": "writer"}


class Office:
    """The office, started and connected to; everything asked is asked from one thread."""

    def __init__(self, program):
        pipe = f"oracle{os.getpid()}"
        self.process = subprocess.Popen(["soffice", f"--{program}", f"--accept=pipe,name={pipe};urp;"])
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        address = f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext"
        self.context = self.wait_for(lambda: self.connected(resolver, address))
        self.desktop = self.create("com.sun.star.frame.Desktop")
        self.document = self.wait_for(self.desktop.getCurrentComponent)
        self.controller = self.wait_for(self.document.getCurrentController)

    def create(self, service):
        return self.context.ServiceManager.createInstanceWithContext(service, self.context)

    def connected(self, resolver, address):
        try:
            return resolver.resolve(address)
        except NoConnectException:
            return None

    def wait_for(self, look):
        while not (found := look()):
            self.tick()
        return found

    def tick(self):
        """A moment later; ends with the office."""
        try:
            sys.exit(self.process.wait(LOOK_MS / 1000))
        except subprocess.TimeoutExpired:
            return

    def in_main_thread(self, act):
        """What it gives. Windows made in another thread now and then never show: the office waits for itself. And
        what is asked in one go there is of one moment: between two questions nobody moves the caret.
        """
        call = Call(act)
        self.create("com.sun.star.awt.AsyncCallback").addCallback(call, None)
        self.wait_for(call.done.done)
        return call.done.result()

    def version(self):
        provider = self.create("com.sun.star.configuration.ConfigurationProvider")
        where = uno.createUnoStruct("com.sun.star.beans.NamedValue", "nodepath", "/org.openoffice.Setup/Product")
        view = provider.createInstanceWithArguments("com.sun.star.configuration.ConfigurationAccess", (where,))
        return view.getByName("ooSetupVersionAboutBox")


class Call(unohelper.Base, XCallback):
    def __init__(self, act):
        self.act = act
        self.done = Future()

    def notify(self, _):
        try:
            self.done.set_result(self.act())
        except Exception as error:  # noqa: BLE001 - the office would swallow it; it is raised where it is waited for
            self.done.set_exception(error)


class Dialog(unohelper.Base, XActionListener, XItemListener, XMouseListener):
    """Controls one below the other, labels on the left."""

    def __init__(self, office):
        self.office = office
        self.screen = Screen()
        self.events = queue.SimpleQueue()
        self.top = 5
        office.in_main_thread(self.show)
        self.window = office.wait_for(lambda: self.screen.titled(TITLE))

    def show(self):
        office = self.office
        self.model = office.create("com.sun.star.awt.UnoControlDialogModel")
        self.set(self.model, Width=180, Height=230, PositionX=20, PositionY=20, Title=TITLE)
        self.add_controls()
        self.dialog = office.create("com.sun.star.awt.UnoControlDialog")
        self.dialog.setModel(self.model)
        parent = office.controller.Frame.ContainerWindow
        self.dialog.createPeer(office.create("com.sun.star.awt.Toolkit"), parent)
        self.listen()
        self.dialog.setVisible(True)

    def set(self, model, **properties):
        for name, value in properties.items():
            setattr(model, name, value)

    def add(self, key, kind, label="", height=14, **properties):
        if label:
            self.insert(f"label of {key}", "FixedText", 5, 40, 14, Label=label)
        self.insert(key, kind, 50, 120, height, **properties)
        self.top += height + 4

    def insert(self, key, kind, left, width, height, **properties):
        model = self.model.createInstance(f"com.sun.star.awt.{kind}Model" if "." in kind else f"{UNO}{kind}Model")
        self.set(model, Name=key, PositionX=left, PositionY=self.top, Width=width, Height=height, **properties)
        self.model.insertByName(key, model)
        return model

    def add_controls(self):
        self.add("button", "Button", Label=WORDS["button"][1])
        self.add("check", "CheckBox", Label=WORDS["check"][1])
        self.add("name", "Edit", "Name", Text="Ada")
        self.add("secret", "Edit", "Secret", Text=SECRET, EchoChar=ord("*"))
        self.add("words", "FixedText", Label=WORDS["words"][1])
        self.add("volume", "NumericField", "Volume", Spin=True, ValueMax=100.0, Value=30.0, DecimalAccuracy=0)
        self.add("bar", "ScrollBar", "", 8, Orientation=0, ScrollValueMax=110, VisibleSize=10, ScrollValue=70)
        self.add("hidden", "Button", Label=WORDS["hidden"][1], EnableVisible=False)
        self.add("off", "Button", Label=WORDS["off"][1], Enabled=False)
        self.add("fruit", "ListBox", "Fruit", 32, StringItemList=FRUIT)
        self.add("grid", "grid.UnoControlGrid", "Grid", 50)
        grid = self.model.getByName("grid")
        for number in range(len(CELLS[0])):
            column = grid.ColumnModel.createColumn()
            column.Title = f"Column {number}"
            column.ColumnWidth = 38
            grid.ColumnModel.addColumn(column)
        for row in CELLS:
            grid.GridDataModel.addRow(row[0], row)

    def listen(self):
        for control in self.dialog.getControls():
            control.addMouseListener(self)
        self.control("button").addActionListener(self)
        self.control("fruit").addItemListener(self)

    def control(self, key):
        return self.dialog.getControl(key)

    # Listeners are called while the office waits for them: what it is asked is asked later.

    def mousePressed(self, event):  # noqa: N802
        self.events.put(("mouse", event.Source, event.X, event.Y))

    def actionPerformed(self, event):  # noqa: N802
        self.events.put(("pressed", event.Source, 0, 0))

    def itemStateChanged(self, event):  # noqa: N802
        self.events.put(("chosen", event.Source, event.Selected, 0))

    def mouseReleased(self, event): ...  # noqa: N802
    def mouseEntered(self, event): ...  # noqa: N802
    def mouseExited(self, event): ...  # noqa: N802
    def disposing(self, event): ...

    def work_off(self, oracle):
        while not self.events.empty():
            what, control, x, y = self.events.get()
            key = control.Model.Name
            if what == "pressed":
                oracle.pressed()
            elif what == "chosen":
                oracle.clicked(FRUIT[x].lower())
            elif key == "grid":
                if (control.getRowAtPoint(x, y), control.getColumnAtPoint(x, y)) == CELL:
                    oracle.clicked("cell")
            elif key != "fruit":
                oracle.clicked(key)

    def look(self):
        self.corner = self.screen.origin(self.window)
        keys = [key for key in self.model.getElementNames() if not key.startswith("label of ")]
        found = {key: self.facts(key) for key in keys}
        chosen = self.control("fruit").getSelectedItems()
        for name in FRUIT:  # nobody says where the items of a list are
            found[name.lower()] = {**found["fruit"], "rect": None, "selected": name in chosen}
        top, cell = self.grid_places()
        left, _, right, bottom = found["grid"]["rect"]
        found["grid"]["rect"] = [left, top, right, bottom]
        found["cell"] = {**found["grid"], "rect": cell}
        found["volume"]["role"] = "spinbutton"
        found["bar"] |= {"role": "scrollbar", "name": "Horizontal scroll bar"}
        return found

    def facts(self, key):
        control = self.control(key)
        model = control.Model
        place = control.getPosSize()
        showing = control.isVisible()
        number = {"volume": "Value", "bar": "ScrollValue"}.get(key)
        text = {"name": "Text", "secret": "Text", "words": "Label"}.get(key)
        return {
            "rect": self.on_screen(place.X, place.Y, place.X + place.Width, place.Y + place.Height, showing),
            "showing": showing,
            "enabled": model.Enabled,
            "checked": key == "check" and model.State == 1,
            "selected": False,
            "value": getattr(model, number) if number else None,
            "text": getattr(model, text) if text else None,
        }

    def grid_places(self):
        """The top of the first row, and the cell: the points of which the grid says that they are in it."""
        grid = self.control("grid")
        size = grid.getPosSize()
        rows = [grid.getRowAtPoint(size.Width // 2, y) for y in range(size.Height)]
        down = [y for y, row in enumerate(rows) if row == CELL[0]]
        along = [x for x in range(size.Width) if grid.getColumnAtPoint(x, down[0]) == CELL[1]]
        left, top = size.X, size.Y
        cell = self.on_screen(left + along[0], top + down[0], left + along[-1] + 1, top + down[-1] + 1)
        return self.on_screen(0, top + rows.index(0), 0, 0)[1], cell

    def on_screen(self, left, top, right, bottom, showing=True):
        x, y = self.corner
        return [x + left, y + top, x + right, y + bottom] if showing else NOWHERE


class Document:
    """What is common to documents: what the pointer has led to is where it was pressed."""

    def __init__(self, office):
        self.office = office
        self.document, self.controller = office.document, office.controller
        office.in_main_thread(self.fill)
        self.was_at = office.in_main_thread(self.at)

    def work_off(self, oracle):
        now = self.office.in_main_thread(self.at)
        if now != self.was_at:
            self.was_at = now
            oracle.clicked(now)


class Writer(Document):
    """A heading, a line and a table."""

    def fill(self):
        text, cursor = self.document.Text, self.document.Text.createTextCursor()
        cursor.ParaStyleName = "Heading 1"
        text.insertString(cursor, "A heading", False)
        text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        cursor.ParaStyleName = "Standard"
        text.insertString(cursor, WORDS["words"][1], False)
        text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        self.table = self.document.createInstance("com.sun.star.text.TextTable")
        self.table.initialize(len(CELLS), len(CELLS[0]))
        self.table.Name = "Grid"
        text.insertTextContent(cursor, self.table, False)
        self.table.setDataArray(CELLS)
        self.controller.ViewCursor.gotoStart(False)

    def paragraphs(self):
        found = self.document.Text.createEnumeration()
        return dict(zip(("heading", "words"), (found.nextElement() for _ in range(2)), strict=True))

    def at(self):
        cursor = self.controller.ViewCursor
        if cursor.Cell:
            return "cell" if cursor.Cell.CellName == "B2" else "another cell"
        text, start = self.document.Text, cursor.Start
        there = text.createTextCursorByRange(start)
        there.gotoStartOfParagraph(False)
        same = (key for key, found in self.paragraphs().items() if text.compareRegionStarts(found, there) == 0)
        return next(same, "below")

    def look(self):
        found = {key: told("paragraph", text=it.String) for key, it in self.paragraphs().items()}
        found["heading"]["role"] = "heading"
        found["grid"] = told("table", self.table.Name)
        found["cell"] = told("paragraph", "B2", text=self.table.getCellByName("B2").String)
        found["bold"] = told("button", "Bold", checked=self.controller.ViewCursor.CharWeight == BOLD)
        found["menu"] = MENU
        return found


class Calc(Document):
    """Two sheets, the first with a block of cells."""

    def fill(self):
        sheets = self.document.Sheets
        sheets.insertNewByName("Second", 1)
        block = sheets.getByIndex(0).getCellRangeByPosition(0, 0, len(CELLS[0]) - 1, len(CELLS) - 1)
        block.setDataArray(CELLS)

    def at(self):
        return {"Sheet1": "first", "Second": "second"}[self.controller.ActiveSheet.Name]

    def look(self):
        selected = self.document.CurrentSelection
        name = self.controller.ActiveSheet.Name
        place = selected.AbsoluteName.rpartition(".")[2].replace("$", "").split(":")
        return {
            "grid": told("table", f"Sheet {name}"),
            "first": told("tab", "Sheet1", selected=name == "Sheet1"),
            "second": told("tab", "Second", selected=name == "Second"),
            "box": told("textbox", text=place[0]),
            "bold": told("button", "Bold", checked=selected.CharWeight == BOLD),
            "menu": MENU,
        }


class Impress(Document):
    """Two slides, the second with a title, a drawn box and a table.

    It is filled before it is shown: what accessibility made of an empty table stays empty.
    """

    def fill(self):
        page = self.document.DrawPages.insertNewByIndex(0)
        page.Layout = TITLE_ONLY
        page.getByIndex(0).String = "A title"
        self.draw(page, "RectangleShape", "Box", (9000, 12000), (1500, 800))
        cells = self.draw(page, "TableShape", "Rows", (2000, 4500), (12000, 3000)).Model
        cells.Rows.insertByIndex(0, len(CELLS) - cells.RowCount)
        cells.Columns.insertByIndex(0, len(CELLS[0]) - cells.ColumnCount)
        for row, texts in enumerate(CELLS):
            for column, text in enumerate(texts):
                cells.getCellByPosition(column, row).String = text
        self.controller.CurrentPage = page

    def draw(self, page, kind, name, place, size):
        """In hundredths of a millimetre."""
        shape = self.document.createInstance(f"com.sun.star.drawing.{kind}")
        shape.Name = name
        shape.Position = uno.createUnoStruct("com.sun.star.awt.Point", *place)
        shape.Size = uno.createUnoStruct("com.sun.star.awt.Size", *size)
        page.add(shape)
        return shape

    def at(self):
        chosen = self.document.CurrentSelection
        if hasattr(chosen, "getByIndex"):
            return {"Box": "box", "Rows": "rows"}.get(chosen.getByIndex(0).Name, "title")
        return {1: "slide1", 2: "slide2"}[self.controller.CurrentPage.Number]

    def look(self):
        page = self.document.DrawPages.getByIndex(1)
        number = self.controller.CurrentPage.Number
        return {
            "slide1": told("listitem", "Slide 1", selected=number == 1),
            "slide2": told("listitem", "Slide 2", selected=number == 2),
            "title": told("paragraph", text=page.getByIndex(0).String, showing=number == 2),
            "box": told("group", "Box", showing=number == 2),
            "grid": told("table", "Rows", showing=number == 2),
            "menu": MENU,
        }


def told(role, name="", **facts):
    return {**FACTS, "role": role, "name": name, **facts}


MENU = told("menu", "Insert")
UNO = "com.sun.star.awt.UnoControl"
PARAGRAPH_BREAK = 0
TITLE_ONLY = 19
BOLD = 150.0
KINDS = {"dialog": Dialog, "writer": Writer, "calc": Calc, "impress": Impress}


def main(kind, path):
    office = Office(PROGRAM.get(kind, kind))
    try:
        fixture = KINDS[kind](office)
        oracle = Oracle(path, office.version(), fixture.look)
        while True:
            fixture.work_off(oracle)
            oracle.write()
            office.tick()
    finally:  # an office that nobody tells the truth about would be judged by what was true last
        office.process.terminate()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
