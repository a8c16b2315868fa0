"""The windows whose observations are saved, and the actions that are tried in each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
APPS: Final = ROOT / "tests" / "apps"
PYTHON: Final = "/usr/bin/python3"
QT6: Final = ROOT / ".venv-qt6/bin/python"
JAVA: Final = (
    "/usr/bin/java",
    *("-cp", "/usr/share/java/java-atk-wrapper.jar"),
    "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
)
TEXT: Final = "Zoë 日本"
STATE: Final = "{state}"
COMMANDS: Final = "{commands}"


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool on a control of this role and name; without a role, on the window.

    `index` counts the enabled controls of the role. `then`: keys that are pressed afterwards, to close what was opened.
    """

    tool: str
    role: str = ""
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    index: int = 0
    then: str = ""

    @property
    def title(self) -> str:
        return self.tool + "".join(f" {key}={value}" for key, value in self.arguments.items())


BY_ROLE: Final = (
    Step("texts", "textbox"),
    Step("texts", "paragraph"),
    Step("read_table", "table"),
    Step("click_input", "checkbox"),
    Step("invoke", "checkbox"),
    Step("click_input", "radio", index=1),
    Step("select_item", "radio"),
    Step("set_edit_text", "textbox", arguments={"text": TEXT}),
    Step("click_input", "textbox"),
    Step("set_edit_text", "password", arguments={"text": TEXT}),
    Step("set_value", "slider", arguments={"value": 40}),
    Step("set_value", "spinbutton", arguments={"value": 4}),
    Step("select_item", "listitem", index=1),
    Step("click_input", "cell"),
    Step("select_item", "treeitem"),
    Step("select_item", "tab"),
    Step("click_input", "combobox", then="{ESC}"),
    Step("invoke", "menuitem", then="{ESC}{ESC}"),
    Step("click_input", "menu", then="{ESC}{ESC}"),
    Step("click_input", "menuitem", then="{ESC}{ESC}"),
    Step("keyboard_input", arguments={"keys": "{TAB}"}),
)
"""Tried in each window that has a control of the role; the enabled one at `index` is the target."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window: the command that opens it and a part of its title.

    In `command`, {state} is a file that the application writes, {commands} a pipe that it reads. `steps` follow those
    of BY_ROLE. `changes`: change and section of `mutating.py`; the window is observed after each.
    """

    name: str
    command: tuple[str, ...]
    title: str
    steps: tuple[Step, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def needs(self) -> str:
        """The program without which it is left out."""
        return self.command[0]


@dataclass(frozen=True, slots=True)
class Group:
    """Windows that share a private desktop, one after the other. `ends`: each application is ended before the next."""

    name: str
    windows: tuple[Window, ...]
    ends: bool = True


def _python(program: str, *arguments: str, python: str = PYTHON) -> tuple[str, ...]:
    return (python, str(APPS / program), *arguments)


def _swing(name: str, *arguments: str) -> tuple[str, ...]:
    return (*JAVA, str(APPS / f"{name}.java"), *arguments)


_PRESS: Final = (Step("invoke", "button", "Press me"),)
_OPEN: Final = tuple(Step("click_input", "button", index=index, then="{ESC}") for index in range(2))
_SCROLL: Final = (Step("wheel_mouse_input", arguments={"wheel_dist": -3}),)
_CHANGES: Final = (
    ("reorder", "plain"),
    ("rename", "plain"),
    ("swap_groups", "group"),
    ("rotate", "rows"),
    ("replace_row", "lines"),
    ("sort", "table"),
)


def groups(folder: Path) -> list[Group]:
    """All windows. `folder` takes the documents and pages."""
    pages = _pages(folder)
    sheet, text, slides = _documents(folder)
    return [
        Group("gtk3", (*_GTK3,)),
        Group("gtk4", (*_GTK4,)),
        Group("qt5", tuple(_qt("qt5", PYTHON, "PyQt5"))),
        Group("qt6", tuple(_qt("qt6", str(QT6), "PySide6"))),
        Group("swing", (*_SWING,)),
        Group("chromium", tuple(pages), ends=False),
        Group("chromium-oracle", (Window("chromium-oracle", _python("oracle_chromium.py", STATE), "Fixture", _PRESS),)),
        Group(
            "documents",
            (
                Window("writer-report", ("soffice", str(folder / "report.odt")), "report", _WRITER),
                Window("writer-text", ("soffice", str(text)), "text", _WRITER),
                Window("calc-sheet", ("soffice", str(sheet)), "sheet", _CALC),
                Window("impress-slides", ("soffice", str(slides)), "slides"),
            ),
            ends=False,
        ),
        *(
            Group(f"office-{kind}", (Window(f"office-{kind}", _python("oracle_office.py", kind, STATE), title, steps),))
            for kind, title, steps in (
                ("dialog", "Fixture", _PRESS),
                ("writer", "Writer", _WRITER),
                ("calc", "Calc", _CALC),
                ("impress", "Impress", ()),
            )
        ),
    ]


_WRITER: Final = (Step("click_input", "checkbox", "Bold"),)
_CALC: Final = (
    Step("write_table", arguments={"start": "F20", "rows": [["1", "x"], ["2", "y"]]}),
    Step("keyboard_input", arguments={"keys": "{DOWN}"}),
)

_GTK3: Final = (
    Window("gtk3-oracle", _python("oracle_gtk3.py", STATE), "Fixture", _PRESS),
    Window("gtk3-fixture", _python("gtk3_fixture.py", STATE), "Fixture"),
    Window("gtk3-many", _python("gtk3_many.py", "200"), "", _SCROLL),
    Window("gtk3-typing", _python("typing_gtk3.py", STATE), ""),
    Window("gtk3-rows-flat", _python("rows_gtk3.py", "flat", STATE), ""),
    Window("gtk3-rows-branches", _python("rows_gtk3.py", "branches", STATE), ""),
    Window("gtk3-popover", _python("popover_gtk3.py", STATE), "", _OPEN),
    Window("gtk3-drawn", _python("gtk3_drawn.py", STATE), ""),
    Window("gtk3-mutating", _python("mutating_gtk3.py", STATE, COMMANDS), "Mutating", changes=_CHANGES),
    Window("gtk3-numbers", _python("numbers_gtk.py", "3.0"), ""),
    *(
        Window(f"gtk3-{name}", _python(f"{name}_gtk3.py"), "")
        for name in ("choices", "long_menu", "dragging", "checked_table", "flow", "single", "tipped", "paper")
    ),
)
_GTK4: Final = (
    Window("gtk4-oracle", _python("oracle_gtk4.py", STATE), "Fixture", _PRESS),
    Window("gtk4-typing", _python("typing_gtk4.py", STATE), ""),
    Window("gtk4-rows", _python("rows_gtk4.py", "flat", STATE), ""),
    Window("gtk4-mutating", _python("mutating_gtk4.py", STATE, COMMANDS), "Mutating", changes=_CHANGES),
    Window("gtk4-popups", _python("popups_gtk4.py"), "", _OPEN),
    Window("gtk4-popover_secret", _python("popover_secret_gtk4.py"), "", _OPEN),
    Window("gtk4-pages", _python("pages_gtk4.py"), "Turned"),
    Window("gtk4-numbers", _python("numbers_gtk.py", "4.0"), ""),
    *(Window(f"gtk4-{name}", _python(f"{name}_gtk4.py"), "") for name in ("choices", "named", "starred")),
)
_SWING: Final = (
    Window("swing-oracle", _swing("OracleSwing", STATE), "Fixture", _PRESS),
    Window("swing-choices", _swing("ChoicesSwing"), ""),
    Window("swing-menus", _swing("MenusSwing"), ""),
    Window("swing-tabs", _swing("TabsSwing"), ""),
    Window("swing-checks", _swing("ChecksSwing"), ""),
)


def _qt(name: str, python: str, binding: str) -> list[Window]:
    return [
        Window(f"{name}-oracle", _python("oracle_qt.py", binding, STATE, python=python), "Fixture", _PRESS),
        *([Window("qt6-many", _python("qt_many.py", "100", python=python), "", _SCROLL)] if name == "qt6" else []),
        Window(f"{name}-typing", _python("typing_qt.py", binding, STATE, python=python), ""),
        Window(f"{name}-rows", _python("rows_qt.py", binding, "flat", STATE, python=python), ""),
        Window(f"{name}-rows-branches", _python("rows_qt.py", binding, "branches", STATE, python=python), ""),
        Window(f"{name}-checks", _python("checks_qt.py", STATE, python=python), ""),
        Window(f"{name}-menus", _python("menus_qt.py", STATE, python=python), ""),
        Window(
            f"{name}-mutating",
            _python("mutating_qt.py", binding, STATE, COMMANDS, python=python),
            "Mutating",
            changes=_CHANGES,
        ),
        *(
            Window(f"{name}-{program}", _python(f"{program}_qt.py", python=python), "")
            for program in ("choices", "tabs", "docks", "inner_windows", "branches", "numbers", "splitter")
        ),
    ]


def _pages(folder: Path) -> list[Window]:
    windows: list[Window] = []
    for name, body in PAGES.items():
        file = folder / f"{name}.html"
        file.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><title>{name}</title>{body}", "utf-8")
        windows.append(Window(f"chromium-{name}", ("chromium", f"--app={file.as_uri()}"), name, _SCROLL))
    return windows


PAGES: Final = {
    "form": """
<h1>Order</h1><form onsubmit="return false">
<p><label>Name <input value="Ada" required></label> <label>Secret <input type=password value=x></label></p>
<p><label>Notes <textarea>One
two</textarea></label> <label>Number <input type=number value=3></label> <label>Day <input type=date></label></p>
<fieldset><legend>Size</legend><label><input type=radio name=s checked> Small</label>
<label><input type=radio name=s> Large</label></fieldset>
<label><input type=checkbox> Gift</label> <button type=button aria-pressed=false
onclick="this.ariaPressed = this.ariaPressed !== 'true'">Star</button> <button disabled>Off</button>
<button>Send</button>
<p role=switch aria-checked=false tabindex=0 onclick="this.ariaChecked = this.ariaChecked !== 'true'">Alarm</p>
<p><label>Volume <input type=range value=30></label> <progress value=3 max=10>3</progress>
<meter value=0.4>40 %</meter></p></form>""",
    "table": "<table><caption>People</caption><tr><th>Name<th>Link<th>Value</tr>"
    + "".join(
        f"<tr><td>Row {n}<td><a href='about:blank#{n}'>Link {n}</a><td><input aria-label='Value {n}' value={n}></tr>"
        for n in range(120)
    )
    + "</table>",
    "frames": """<p>Outside</p><iframe title=First width=400 height=120 srcdoc="<button>Inside</button><input
aria-label=A value=1>"></iframe><iframe title=Second width=400 height=200
srcdoc="<p>Deep</p><iframe
title=Third width=300 height=90 srcdoc='<label><input type=checkbox> Innermost</label>'></iframe>"></iframe>""",
    "dropdowns": """<label>Fruit <select><option>Apple<option>Pear<option>Plum</select></label>
<label>Several <select multiple size=3><option>One<option selected>Two<option>Three</select></label>
<label>Town <input list=towns></label><datalist id=towns><option>Bonn<option>Ulm</datalist>
<div role=combobox aria-expanded=false aria-controls=own tabindex=0 aria-label=Own>Red</div>
<ul role=listbox id=own aria-label=Colours><li role=option aria-selected=true>Red<li role=option>Blue</ul>
<details><summary>More</summary><p>Hidden words</p></details>
<div role=tablist aria-label=Pages><button role=tab aria-selected=true>One</button><button role=tab>Two</button></div>
<ul role=tree aria-label=Files><li role=treeitem aria-expanded=true tabindex=0>Folder<ul role=group>
<li role=treeitem>File</ul></ul>
<div role=menubar><span role=menuitem tabindex=0>File</span><span role=menuitem>Edit</span></div>""",
    "scrolled": "<h1>Top</h1>"
    + "".join(f"<h2>Part {n}</h2><p>Words of part {n}. <button>Go {n}</button></p>" for n in range(80))
    + "<script>addEventListener('load', () => scrollTo(0, 2000))</script>",
}


def _documents(folder: Path) -> tuple[Path, Path, Path]:
    """A sheet, a text and slides; the sample report beside them."""
    sample = ROOT / "src/deskhand/samples/report.odt"
    (folder / "report.odt").write_bytes(sample.read_bytes())
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{row * column}"><text:p>{row * column}</text:p>'
            "</table:table-cell>"
            if column
            else f'<table:table-cell office:value-type="string"><text:p>Row {row}</text:p></table:table-cell>'
            for column in range(12)
        )
        + "</table:table-row>"
        for row in range(200)
    )
    sheet = _flat(
        folder / "sheet.fods",
        "spreadsheet",
        f'<table:table table:name="Cells">{cells}</table:table><table:table table:name="Empty"/>',
    )
    words = "".join(
        f'<text:h text:outline-level="1">Part {n}</text:h>' + f"<text:p>Words of part {n}. {'More. ' * 60}</text:p>" * 3
        for n in range(12)
    )
    row = "<table:table-row>" + "<table:table-cell><text:p>Cell</text:p></table:table-cell>" * 3 + "</table:table-row>"
    table = f'<table:table table:name="Table1"><table:table-column table:number-columns-repeated="3"/>{row * 4}'
    text = _flat(folder / "text.fodt", "text", f"<text:p>Begin</text:p>{table}</table:table>{words}")
    frame = '<draw:frame svg:x="2cm" svg:y="{top}cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>{words}'
    page = '<draw:page draw:name="Slide {n}">' + "".join(
        f"{frame.format(top=top, words=words)}</text:p></draw:text-box></draw:frame>"
        for top, words in ((2, "Title {n}"), (8, "Points {n}"))
    )
    slides = _flat(
        folder / "slides.fodp", "presentation", "".join(f"{page.format(n=n)}</draw:page>" for n in range(1, 4))
    )
    return sheet, text, slides


def _flat(file: Path, kind: str, body: str) -> Path:
    """A flat document of LibreOffice."""
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    names = "".join(
        f' xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "table", "text", "draw", "presentation")
    )
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{names} xmlns:svg="{oasis}:svg-compatible:1.0" '
        f'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:body>'
        f"<office:{kind}>{body}</office:{kind}></office:body></office:document>",
        "utf-8",
    )
    return file
