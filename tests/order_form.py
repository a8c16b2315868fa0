"""A small form in memory whose release can be changed: a button renamed, a dialog in front, a twin, a dead button."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow

APP: Final = "AppAgent/orders"
BOOK: Final = """\
# Enters an order.
playbook: 1
name: order
params: {region: text}
host:
  - {on: {role: window, name: Orders}, status: ASSIGN, agent: form, subtask: Enter the order}
  - {status: FINISH, result: entered}
agents:
  form:
    - {tool: set_edit_text, on: {role: textbox, name: Region}, args: {text: "${region}"}}
    # The order counts once it is added.
    - {tool: invoke, on: {role: button, name: Add}, expect: {shows: {role: status, name: "/^1 order/"}}}
    - {status: FINISH}
"""
LOOP: Final = """\
playbook: 1
name: orders
host:
  - {on: {role: window, name: Orders}, status: ASSIGN, agent: form, subtask: Enter all}
  - {status: FINISH, result: entered}
agents:
  form:
    - {tool: read_table, on: {role: table, name: Sales}, save_as: sales}
    - for_each: order in ${sales.cells}
      header: true
      steps:
        - {tool: set_edit_text, on: {role: textbox, name: Region}, args: {text: "${order.Region}"}}
        - {tool: invoke, on: {role: button, name: Add}}
    - {status: FINISH}
"""
ROWS: Final = [["Region", "Amount"], ["North", "3"], ["South", "5"], ["West", "8"]]


class OrderForm:
    """`log` is what the application did. `add` is the name of its button, `field` that of its text."""

    def __init__(self, *, add: str = "Add", field: str = "Region", more: Sequence[FakeControl] = ()) -> None:
        self.desktop = FakeDesktop()
        self.log: list[str] = []
        self.orders = 0
        self.region = FakeControl(Role.TEXTBOX, field)
        self.add = FakeControl(Role.BUTTON, add, on_click=self.enter)
        self.status = FakeControl(Role.STATUS, "0 orders")
        table = FakeControl(Role.TABLE, "Sales", table=FakeTable.of(ROWS))
        controls = [self.region, self.add, self.status, table, *more]
        self.window = self.desktop.open(FakeWindow("Orders", controls, "orders", focused=self.region))

    def enter(self) -> None:
        """Take the order, as the button does."""
        self.log.append(self.region.value)
        self.orders += 1
        self.status.name = f"{self.orders} order{'' if self.orders == 1 else 's'}"

    def button(self, name: str) -> FakeControl:
        """Another button, which does something else."""
        shown = FakeControl(Role.BUTTON, name)

        def press() -> None:
            self.log.append(name)
            self.status.name = f"{name} was pressed"

        shown.on_click = press
        return shown

    def show_tip(self) -> None:
        """Open a dialog in front of the form."""
        tip = FakeWindow("Tip of the day", [FakeControl(Role.BUTTON, "Close tip")], "orders", dialog=True)

        def close() -> None:
            self.log.append("tip closed")
            self.desktop.close_window(tip)

        tip.controls[0].on_click = close
        self.desktop.open(tip)
