"""What is in a document of LibreOffice, asked of itself: `office_truth.py PIPE`. The system's Python runs it.

`PIPE` is what LibreOffice was told to accept (`--accept=pipe,name=PIPE;urp;`). Lines on the input are orders, each
answered by one line of JSON: `fill` puts something into the document, `look` says what is in it:
of Writer `paragraphs`, the texts of the body in order; of Calc `shown`, the first row and column in view and the last
ones from 0, and `cells`, the texts in them by address. `used` says of each cell of Calc that is not empty what it is
(TEXT, VALUE, FORMULA), its text and its number, by address.
"""

import json
import sys
import time

import uno
from com.sun.star.connection import NoConnectException
from com.sun.star.text.ControlCharacter import PARAGRAPH_BREAK

LINES = 120
COLUMNS = 6
PATIENCE_S = 30.0


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


class Writer:
    def __init__(self, document):
        self._document = document

    def fill(self):
        text = self._document.Text
        for number in range(LINES):
            text.insertString(text.getEnd(), f"Line {number} {'of many words ' * (number % 9)}end", False)
            text.insertControlCharacter(text.getEnd(), PARAGRAPH_BREAK, False)

    def look(self):
        found = self._document.Text.createEnumeration()
        paragraphs = []
        while found.hasMoreElements():
            part = found.nextElement()
            if part.supportsService("com.sun.star.text.Paragraph"):
                paragraphs.append(part.getString())
        return {"paragraphs": paragraphs}


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
        return {"shown": [area.StartRow, area.StartColumn, area.EndRow, area.EndColumn], "cells": cells}

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


if __name__ == "__main__":
    desktop = connect(sys.argv[1])
    component = desktop.CurrentComponent
    teller = (Calc if component.supportsService("com.sun.star.sheet.SpreadsheetDocument") else Writer)(component)
    for line in sys.stdin:
        told = getattr(teller, line.strip())()
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
