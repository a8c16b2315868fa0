"""Names of classes that toolkits give to standard controls which they extend."""

import re
from functools import lru_cache
from typing import Final

_WINDOWS_FORMS: Final = re.compile(r"windowsforms[0-9]+\.(.+)\.app\..+")
_VISUAL_BASIC: Final = re.compile(r"thunder(?:rt[0-9])?([a-z]+)")
_BORLAND: Final = re.compile(r"t(?:new|tnt)?([a-z]+)(?:\.unicodeclass)?")
"""Of Delphi and C++Builder, and of libraries of theirs."""

_OF_VISUAL_BASIC: Final = {
    "checkbox": "button",
    "combobox": "combobox",
    "commandbutton": "button",
    "frame": "button",
    "hscrollbar": "scrollbar",
    "listbox": "listbox",
    "optionbutton": "button",
    "textbox": "edit",
    "vscrollbar": "scrollbar",
}
_OF_BORLAND: Final = {
    "bitbtn": "button",
    "button": "button",
    "checkbox": "button",
    "combobox": "combobox",
    "datetimepicker": "sysdatetimepick32",
    "edit": "edit",
    "groupbutton": "button",
    "headercontrol": "sysheader32",
    "hotkey": "msctls_hotkey32",
    "labelededit": "edit",
    "listbox": "listbox",
    "listview": "syslistview32",
    "maskedit": "edit",
    "memo": "edit",
    "monthcalendar": "sysmonthcal32",
    "pagecontrol": "systabcontrol32",
    "progressbar": "msctls_progress32",
    "radiobutton": "button",
    "richedit": "richedit",
    "scrollbar": "scrollbar",
    "statictext": "static",
    "statusbar": "msctls_statusbar32",
    "tabcontrol": "systabcontrol32",
    "toolbar": "toolbarwindow32",
    "trackbar": "msctls_trackbar32",
    "treeview": "systreeview32",
    "updown": "msctls_updown32",
}


_OF_WX: Final = {"_wx_systabctl32": "systabcontrol32"}
"""Of wxWidgets, which has the other controls under their own names."""


@lru_cache(maxsize=1024)
def standard_class(name: str) -> str:
    """The class whose messages a control answers, in small letters: `edit` for `WindowsForms10.EDIT.app.0.2bf8098_r6`,
    for `TMemo` and for `ThunderRT6TextBox`, `richedit` for all its versions. The name itself where no toolkit gave it.
    """
    name = name.lower()
    if found := _WINDOWS_FORMS.fullmatch(name):
        name = found[1]
    if name.startswith("richedit"):
        return "richedit"
    for pattern, names in ((_VISUAL_BASIC, _OF_VISUAL_BASIC), (_BORLAND, _OF_BORLAND)):
        if (found := pattern.fullmatch(name)) and found[1] in names:
            return names[found[1]]
    return _OF_WX.get(name, name)
