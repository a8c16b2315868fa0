"""Roles as testers write them in features: AT-SPI's names, such as `push button`, and ours."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.core.roles import Role

WINDOWS: Final = frozenset({Role.DIALOG, Role.WINDOW})
"""Roles of objects with a title bar of their own."""

_BUTTONS: Final = ("push button", "toggle button", "push button menu", "arrow")
_DIALOGS: Final = ("alert", "color chooser", "file chooser", "font chooser", "option pane")
_DOCUMENTS: Final = ("frame", "web", "text", "email", "spreadsheet", "presentation")
_FIELDS: Final = ("entry", "edit bar", "editbar", "date editor", "autocomplete", "terminal")
_GROUPS: Final = ("panel", "grouping", "calendar", "directory pane", "internal frame")
_SECTIONS: Final = ("header", "footer", "page", "comment", "block quote", "landmark", "log", "footnote")
_TEXTS: Final = (
    *("static", "caption", "definition", "description term", "description value", "marquee", "math", "math fraction"),
    *("math root", "subscript", "superscript", "content deletion", "content insertion", "mark", "suggestion"),
)
_ENTRIES_OF_MENUS: Final = frozenset({Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
"""Toolkits differ in which of them is a menu that contains others."""

_ARRANGING: Final = frozenset(
    {
        *("audio", "desktop frame", "filler", "focus traversable", "glass pane", "layered pane", "redundant object"),
        *("root pane", "ruler", "scroll pane", "split pane", "video", "viewport", "application", "extended", "invalid"),
    }
)
"""Roles that observations leave out, as they only arrange controls."""

_ROLES: Final[dict[str, frozenset[Role]]] = {
    **{role.value: frozenset({role}) for role in Role},
    **dict.fromkeys(_BUTTONS, frozenset({Role.BUTTON})),
    **dict.fromkeys(_DIALOGS, frozenset({Role.DIALOG})),
    **dict.fromkeys((f"document {kind}" for kind in _DOCUMENTS), frozenset({Role.DOCUMENT})),
    **dict.fromkeys(_FIELDS, frozenset({Role.TEXTBOX})),
    **dict.fromkeys(_GROUPS, frozenset({Role.GROUP})),
    **dict.fromkeys(_SECTIONS, frozenset({Role.SECTION})),
    **dict.fromkeys(_TEXTS, frozenset({Role.TEXT})),
    **dict.fromkeys(("menu", "menu item", "popup menu", "tear off menu item"), _ENTRIES_OF_MENUS),
    **dict.fromkeys(("frame", "input method window"), frozenset({Role.WINDOW})),
    **dict.fromkeys(("notification", "info bar"), frozenset({Role.ALERT})),
    **dict.fromkeys(("icon", "desktop icon"), frozenset({Role.LISTITEM, Role.IMAGE})),
    **dict.fromkeys(("animation", "image map"), frozenset({Role.IMAGE})),
    **dict.fromkeys(("dial", "rating"), frozenset({Role.SLIDER})),
    **dict.fromkeys(("list box", "description list"), frozenset({Role.LIST})),
    **dict.fromkeys(("label", "accelerator label"), frozenset({Role.LABEL, Role.TEXT})),
    **dict.fromkeys(("chart", "embedded"), frozenset({Role.FIGURE})),
    **dict.fromkeys(("status bar", "timer"), frozenset({Role.STATUS})),
    "check menu item": frozenset({Role.MENUITEMCHECKBOX}),
    "drawing area": frozenset({Role.CANVAS}),
    "html container": frozenset({Role.DOCUMENT}),
    "level bar": frozenset({Role.PROGRESSBAR}),
    "page tab": frozenset({Role.TAB}),
    "page tab list": frozenset({Role.TABLIST}),
    "password text": frozenset({Role.PASSWORD}),
    "radio button": frozenset({Role.RADIO}),
    "radio menu item": frozenset({Role.MENUITEMRADIO}),
    "table cell": frozenset({Role.CELL}),
    "table column header": frozenset({Role.COLUMNHEADER}),
    "table row": frozenset({Role.ROW}),
    "table row header": frozenset({Role.ROWHEADER}),
    "text": frozenset({Role.TEXTBOX, Role.TEXT}),
    "tree table": frozenset({Role.TREE, Role.TABLE}),
}
"""`check box` is `checkbox`, and so on: spaces are left out where there is no entry with them."""


def roles_of(name: str) -> Collection[Role]:
    """Return the roles that a tester's name stands for; none for any role.

    `None` and `r:` with a regular expression, which is compared with the program's own name, are any role.
    Raises: UsageError for a name that no control has, with similar ones.
    """
    if name == "None" or name.startswith("r:"):
        return frozenset()
    wanted = " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
    found = _ROLES.get(wanted) or _ROLES.get(wanted.replace(" ", ""))
    if found is not None and wanted not in _ARRANGING:
        return found
    if wanted in _ARRANGING:
        raise UsageError(
            f'controls of the role "{name}" are not listed: they only arrange others',
            fix="name a control inside of it, or the window: frame",
        )
    near = get_close_matches(wanted, [*_ROLES, "check box", "combo box"], n=3)
    raise UsageError(f'there is no role "{name}"', fix=f"did you mean: {', '.join(near)}" if near else _EXAMPLES)


_EXAMPLES: Final = "roles are push button, check box, text, menu item, label, frame and so on"


def expression(pattern: str) -> re.Pattern[str]:
    """Return the pattern after `r:` as an expression for the whole of a name, over several lines if it has them.

    Raises: UsageError for one that is not valid.
    """
    try:
        return re.compile(rf"\A(?:{pattern})\Z", re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise UsageError(f'"r:{pattern}" is no regular expression: {error}', fix="correct it in the feature") from error
