"""Hooks of Swing."""

from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Walk
from deskhand.desktop.linux.atspi.roles import (
    CHECK_BOX,
    LABEL,
    LIST,
    PUSH_BUTTON,
    RADIO_BUTTON,
    TABLE,
    TOGGLE_BUTTON,
    TREE,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.toolkits.swing.layout import put_items_into_menus, put_windows_around

_TIPPED: Final = frozenset({CHECK_BOX, PUSH_BUTTON, RADIO_BUTTON, TOGGLE_BUTTON})


class Swing(Toolkit):
    """Swing. A window reports no place, or one that counts the corner of the frame twice."""

    tells_own_pixels = True
    tells_windows_elsewhere = True
    hides_flat = True
    cuts_to_views = True
    cuts_to_all = True
    asks_labels = True
    garbles_wide_characters = True
    """upstream: not reported. seen in: java-atk-wrapper 0.40."""

    tells_menu_items_elsewhere = True
    counts_children = True
    renews_heads = True
    later_is_over = False

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "J2SE-access-bridge"

    def place(self, walk: Walk) -> frozenset[Ref]:
        if not walk.is_line:
            put_windows_around(walk.nodes)
            put_items_into_menus(walk.nodes)
        return frozenset()

    def may_have_tip(self, role: int, name: str) -> bool:
        return not name and role in _TIPPED

    def places_children(self, role: int) -> bool:
        return role == TABLE

    def hides_branches(self, role: int) -> bool:
        """A branch is scrolled away on its own; no object reports which row contains which."""
        return role == TREE

    def leaks_cells(self, role: int) -> bool:
        """See `table_rows`."""
        return role == TABLE

    def renews_items(self, role: int) -> bool:
        return role in {LIST, TABLE}

    def is_flat_head(self, role: int, rect: Rect) -> bool:
        """The header of a column is a label without a height, and a new object each time."""
        return role == LABEL and rect.width > 0 and rect.height == 0
