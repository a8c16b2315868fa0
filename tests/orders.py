"""A small application on the in-memory desktop: a table of orders to read, and a form that takes them one by one."""

from collections.abc import Sequence

from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.fake.control import FakeTable

APP = "AppAgent/orders"
ORDERS = [["Region", "Amount"], ["North", "10"], ["South", "7"], ["East", "10"]]


class Orders:
    """`added` has what the button `Add` of the group `Order` took, `others` counts the one of the group `List`.

    `more` are further controls. `is_shown`: its window is open on a desktop of its own.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[str]] = tuple(ORDERS),
        title: str = "march.odt - Orders",
        *,
        more: Sequence[FakeControl] = (),
        is_shown: bool = True,
    ) -> None:
        self.added: list[tuple[str, str]] = []
        self.others = 0
        self.table = FakeControl(Role.TABLE, "Table1", table=FakeTable.of([[*row] for row in rows]))
        self.region = FakeControl(Role.TEXTBOX, "Region:", states={"editable"})
        self.amount = FakeControl(Role.TEXTBOX, "Sum", states={"editable"})
        self.count = FakeControl(Role.CHECKBOX, "Counter")
        add = FakeControl(Role.BUTTON, "Add", on_click=self._add)
        other = FakeControl(Role.BUTTON, "Add", on_click=self._add_other)
        self.groups = [
            FakeControl(Role.GROUP, "List", children=[other]),
            FakeControl(Role.GROUP, "Order", children=[self.region, self.amount, add]),
        ]
        self.window = FakeWindow(title, [self.table, *self.groups, self.count, *more], "orders")
        self.desktop = FakeDesktop()
        if is_shown:
            self.desktop.open(self.window)

    def _add(self) -> None:
        self.added.append((self.region.value, self.amount.value))
        self.count.value = str(len(self.added))

    def _add_other(self) -> None:
        self.others += 1
        self.count.value = f"other {self.others}"
