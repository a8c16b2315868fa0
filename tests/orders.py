"""A small application on the in-memory desktop: a table of orders to read, and a form that takes them one by one."""

from collections.abc import Sequence

from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.fake.control import FakeTable

APP = "AppAgent/orders"
ORDERS = [["Region", "Amount"], ["North", "10"], ["South", "7"], ["East", "10"]]


class Orders:
    """`added` has what the button `Add` of the group `Order` took; `removed` counts that of the group `List`."""

    def __init__(self, rows: Sequence[Sequence[str]] = tuple(ORDERS), title: str = "march.odt - Orders") -> None:
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
        self.desktop = FakeDesktop()
        self.window = self.desktop.open(FakeWindow(title, [self.table, *self.groups, self.count], "orders"))

    def _add(self) -> None:
        self.added.append((self.region.value, self.amount.value))
        self.count.value = str(len(self.added))

    def _add_other(self) -> None:
        self.others += 1
        self.count.value = f"other {self.others}"
