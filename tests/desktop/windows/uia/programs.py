"""Windows of programs, as UI Automation exposes them."""

from deskhand.desktop.windows.uia.numbers import ControlType, Property
from desktop.windows.uia.fake_controls import Control, window

FILES = 120


def dialog() -> Control:
    """A dialog of WPF: fields with labels, choices, a slider, a list of which some items are made, a table."""
    sizes = [
        Control(ControlType.ListItem, name, selected=name == "A4", rect=(20, 200 + 20 * at, 180, 220 + 20 * at))
        for at, name in enumerate(("A3", "A4", "A5"))
    ]
    grid = Control(
        ControlType.DataGrid,
        "Costs",
        [_row(0, "Rent", "900"), _row(1, "Heating", "120")],
        (200, 200, 500, 300),
        grid=(2, 2),
    )
    found = window(
        Control(ControlType.Text, "Name"),
        Control(ControlType.Edit, "Name", value="Ada\r\nLovelace", rect=(120, 10, 300, 50)),
        Control(ControlType.Text, "Password"),
        Control(ControlType.Edit, "Password", value="correct horse", document="correct horse", password=True),
        Control(ControlType.CheckBox, "Colour", toggled=1),
        Control(ControlType.CheckBox, "Some pages", toggled=2),
        Control(ControlType.RadioButton, "Portrait", selected=True),
        Control(
            ControlType.Button,
            "Bold",
            toggled=1,
            properties={Property.HelpText: "Bold text", Property.AutomationId: "bold"},
        ),
        Control(ControlType.Slider, "Quality", number=(30.5, 0.0, 100.0, 0.5), properties={Property.Orientation: 1}),
        Control(ControlType.ComboBox, "Printer", expansion=0, value="Office", read_only=True),
        Control(ControlType.List, "Size", sizes, (20, 200, 180, 260)),
        grid,
        Control(ControlType.Document, document="Dear Ada,\rGreetings", selection=(5, 8), rect=(10, 320, 400, 400)),
        Control(ControlType.Button, "Print", on_invoke=lambda: None),
        Control(ControlType.Button, "Delete", on_invoke=lambda: None, enabled=False),
        name="Print the budget",
    )
    found.find("Size").properties[Property.SelectionCanSelectMultiple] = True
    return found


def _row(number: int, name: str, cost: str) -> Control:
    cells = [
        Control(ControlType.Custom, name, cell=(number, 0), value=name),
        Control(ControlType.Custom, "Cost", cell=(number, 1), value=cost),
    ]
    return Control(ControlType.DataItem, f"Row {number}", cells, selected=False)


def files() -> Control:
    """A folder: a list with an element for each file, of which those out of view have no content, and a tree."""
    items = [
        Control(
            ControlType.ListItem,
            f"file {number}",
            rect=(200, 100 + 20 * number, 700, 120 + 20 * number),
            selected=False,
            on_invoke=lambda: None,
            offscreen=number > 10,
            virtual=number > 10,
            scrolled_to=0,
        )
        for number in range(FILES)
    ]
    drives = [Control(ControlType.TreeItem, "C:", selected=True, expansion=0)]
    return window(
        Control(ControlType.Tree, "Folders", drives, (0, 100, 200, 310)),
        Control(
            ControlType.List,
            "Items View",
            items,
            (200, 100, 700, 310),
            properties={Property.IsScrollPatternAvailable: True},
        ),
        name="Documents",
    )


def page() -> Control:
    """A web page of Chromium."""
    return window(
        Control(
            ControlType.Document,
            "Orders",
            [
                Control(ControlType.Text, "Orders", properties={Property.AriaRole: "heading"}),
                Control(ControlType.Hyperlink, "Help", on_invoke=lambda: None, value="https://example.org/help"),
                Control(
                    ControlType.Group,
                    "Sent",
                    [Control(ControlType.Button, "Undo", on_invoke=lambda: None)],
                    properties={Property.AriaRole: "alert", Property.LocalizedControlType: "alert"},
                ),
                Control(ControlType.Edit, "Search", value="", document=""),
                Control(ControlType.Custom, "Map", default_action="press"),
            ],
            value="https://example.org",
            read_only=True,
            document="Orders Help Sent",
        ),
        name="Orders - Chromium",
    )
