"""What is in a document of LibreOffice, asked of itself: `office_truth.py PIPE`. The system's Python runs it.

`PIPE` is what LibreOffice was told to accept (`--accept=pipe,name=PIPE;urp;`). Lines on the input are orders, each
answered by one line of JSON: `fill` puts something into the document, `look` says what is in it:
of Writer `paragraphs`, the texts of the body in order; of Calc `shown`, the first row and column in view and the last
ones from 0, `cells`, the texts in them by address, and `cursor`, the address of the cell with the cursor; of Impress
`slides`, how many there are, `slide`, the number of the one that is shown, `paper`, its width and height in hundredths
of a millimetre, and `shapes`: the name of each that stands on it, its left, top, right and bottom on the paper, its
paragraphs, whether it only asks for a text, and whether it is chosen: it may be in the middle of being written, and its
paragraphs are those of some time before then. `used` says of each cell of Calc that is not empty what it is (TEXT,
VALUE, FORMULA), its text and its number, by address. `facts` gives what an action of a user changes in the document and
its view: the content, the selection, the cursor, the format at the cursor, the part in view.
"""

import json
import re
import sys
import time

import uno
from com.sun.star.connection import NoConnectException
from com.sun.star.text.ControlCharacter import PARAGRAPH_BREAK

LINES = 120
SLIDES = 12
TITLE_ONLY = 19
COLUMNS = 6
PATIENCE_S = 60.0


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)


def weights(found):
    """The format of a text or a cell that buttons and keys change."""
    posture, weight = found.CharPosture, found.CharWeight
    return {"bold": weight and weight > 100, "italic": posture and posture.value != "NONE"}  # None: some of it is


def every(text):
    """What a text consists of, in order: paragraphs, and tables among them. (A paragraph may have lines.)"""
    found = text.createEnumeration()
    while found.hasMoreElements():
        yield found.nextElement()


class Writer:
    def __init__(self, document):
        self._document = document

    def fill(self):
        text = self._document.Text
        for number in range(LINES):
            text.insertString(text.getEnd(), f"Line {number} {'of many words ' * (number % 9)}end", False)
            text.insertControlCharacter(text.getEnd(), PARAGRAPH_BREAK, False)

    def look(self):
        parts = every(self._document.Text)
        return {"paragraphs": [part.String for part in parts if part.supportsService("com.sun.star.text.Paragraph")]}

    def facts(self):
        controller, text = self._document.CurrentController, self._document.Text
        place, tables = controller.getViewCursor(), self._document.TextTables
        before = place.Text.createTextCursorByRange(place.Start)
        before.gotoStart(True)
        parts = [part for part in every(text) if part.supportsService("com.sun.star.text.Paragraph")]
        cells = [tables.getByIndex(number) for number in range(tables.Count)]
        return {
            "paragraphs": [part.String for part in parts],
            "tables": [[table.getCellByName(name).String for name in table.CellNames] for table in cells],
            "selected": place.String,
            "cursor": len(before.String),
            "cell": self._cell(place),
            "aligned": place.ParaAdjust.value if hasattr(place.ParaAdjust, "value") else place.ParaAdjust,
            "listed": bool(place.NumberingIsNumber and place.NumberingStyleName),
            "style": place.ParaStyleName,
            "labels": [part.ListLabelString for part in parts],
            "found": controller.getSelection().ImplementationName if controller.getSelection() else "",
            "chosen": self._chosen(),
            "view": controller.ViewData,
            "modified": self._document.isModified(),
            **weights(place),
        }

    def _cell(self, place):
        return place.Cell.CellName if place.Cell else ""

    def _chosen(self):
        chosen = self._document.CurrentController.getSelection()
        if chosen is None or not hasattr(chosen, "Count"):
            return []
        return [chosen.getByIndex(number).String for number in range(chosen.Count)]


class Calc:
    def __init__(self, document):
        self._document = document

    def fill(self):
        sheet = self._document.Sheets.getByIndex(0)
        area = sheet.getCellRangeByPosition(0, 0, COLUMNS - 1, LINES - 1)
        area.setDataArray(tuple(tuple(f"r{row}c{column}" for column in range(COLUMNS)) for row in range(LINES)))

    def look(self):
        controller = self._document.CurrentController
        area = controller.getByIndex(0).getVisibleRange()
        sheet = controller.ActiveSheet
        cells = {}
        # a row and a column more: the last ones may be in view in part
        for row in range(area.StartRow, area.EndRow + 2):
            for column in range(area.StartColumn, area.EndColumn + 2):
                cell = sheet.getCellByPosition(column, row)
                cells[cell.AbsoluteName.rpartition(".")[2].replace("$", "")] = cell.getString()
        shown = [area.StartRow, area.StartColumn, area.EndRow, area.EndColumn]
        return {"shown": shown, "cells": cells, "cursor": self.cursor()}

    def cursor(self):
        """By its address. Only what is saved of a view says it: `…;number of the sheet;…;a part for each sheet`."""
        view = self._document.CurrentController.ViewData.split(";")
        column, row, *_ = map(int, re.split("[/+]", view[3 + int(view[1])])[:2])
        cell = self._document.CurrentController.ActiveSheet.getCellByPosition(column, row)
        return cell.AbsoluteName.rpartition(".")[2].replace("$", "")

    def used(self):
        sheet = self._document.CurrentController.ActiveSheet
        cursor = sheet.createCursor()
        cursor.gotoEndOfUsedArea(False)
        end = cursor.getRangeAddress()
        found = {}
        for row in range(end.EndRow + 1):
            for column in range(end.EndColumn + 1):
                cell = sheet.getCellByPosition(column, row)
                if cell.Type.value != "EMPTY":
                    name = cell.AbsoluteName.rpartition(".")[2].replace("$", "")
                    found[name] = [cell.Type.value, cell.getString(), cell.getValue()]
        return found

    def facts(self):
        controller, sheets = self._document.CurrentController, self._document.Sheets
        chosen, area = self._document.getCurrentSelection(), controller.getByIndex(0).getVisibleRange()
        return {
            "used": self.used(),
            "selected": chosen.AbsoluteName.replace("$", "") if hasattr(chosen, "AbsoluteName") else str(chosen.Count),
            "cursor": self.cursor(),
            "sheet": controller.ActiveSheet.Name,
            "sheets": list(sheets.ElementNames),
            "top": [area.StartRow, area.StartColumn],
            "format": self._document.NumberFormats.getByKey(chosen.NumberFormat).FormatString,
            "modified": self._document.isModified(),
            **weights(chosen),
        }


class Impress:
    def __init__(self, document):
        self._document = document

    def fill(self):
        pages = self._document.DrawPages
        for number in range(1, SLIDES + 1):
            page = pages.insertNewByIndex(number - 1)
            page.Layout = TITLE_ONLY
            page.getByIndex(0).String = f"Title {number}"
            for box in range(number % 4):
                shape = self._document.createInstance(f"com.sun.star.drawing.{SHAPES[box]}")
                shape.Name = f"s{number} box {box}"
                shape.Position = uno.createUnoStruct("com.sun.star.awt.Point", 2000 + 7000 * box, 5000 + 900 * number)
                shape.Size = uno.createUnoStruct("com.sun.star.awt.Size", 6000, 2000)
                page.add(shape)
                shape.String = f"Box {box} of {number}"
        self._document.CurrentController.CurrentPage = pages.getByIndex(0)

    def look(self):
        page = self._document.CurrentController.CurrentPage
        shapes = [page.getByIndex(index) for index in range(page.Count)]
        return {
            "slides": self._document.DrawPages.Count,
            "slide": page.Number,
            "paper": [page.Width, page.Height],
            "shapes": [self._told(shape) for shape in shapes],
        }

    def facts(self):
        controller, pages = self._document.CurrentController, self._document.DrawPages
        return {
            **self.look(),
            "selected": [shape.ShapeType for shape in self._chosen() if hasattr(shape, "ShapeType")],
            "texts": [
                [shape.getString() for shape in (page.getByIndex(index) for index in range(page.Count))]
                for page in (pages.getByIndex(number) for number in range(pages.Count))
            ],
            "writing": hasattr(controller.getSelection(), "getText"),
            "view": [controller.ViewOffset.X, controller.ViewOffset.Y],
            "modified": self._document.isModified(),
        }

    def _chosen(self):
        chosen = self._document.CurrentController.getSelection()
        if chosen is None:
            return []
        if hasattr(chosen, "getText"):
            return [chosen.getText()]
        return [chosen.getByIndex(index) for index in range(chosen.Count)]

    def _told(self, shape):
        at, size = shape.Position, shape.Size
        return {
            "name": shape.Name,
            "place": [at.X, at.Y, at.X + size.Width, at.Y + size.Height],
            "texts": shape.getString().split("\n"),  # its paragraphs one by one are told as they were before
            "asks": bool(getattr(shape, "IsEmptyPresentationObject", False)),
            "chosen": shape in self._chosen(),
        }


SHAPES = ("RectangleShape", "TextShape", "EllipseShape")
KINDS = {
    "com.sun.star.sheet.SpreadsheetDocument": Calc,
    "com.sun.star.presentation.PresentationDocument": Impress,
    "com.sun.star.text.TextDocument": Writer,
}

if __name__ == "__main__":
    desktop = connect(sys.argv[1])
    component = desktop.CurrentComponent
    teller = next(kind for service, kind in KINDS.items() if component.supportsService(service))(component)
    for line in sys.stdin:
        told = getattr(teller, line.strip())()
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
