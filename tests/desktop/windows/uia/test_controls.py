"""Actions on the controls of a window that was read, without the pointer."""

import pytest

from deskhand.desktop.windows.uia.controls import UiaControls
from deskhand.desktop.windows.uia.failures import Disabled
from deskhand.desktop.windows.uia.numbers import ControlType, ExpandCollapseState, Result
from deskhand.desktop.windows.win32.failures import Failure, Gone, Hung, Refused
from desktop.windows.uia.fake_automation import FakeAutomation, FakeComError
from desktop.windows.uia.fake_controls import WINDOW, Control, window
from desktop.windows.uia.programs import dialog, files, page

pytestmark = pytest.mark.requires("windows.uia-act")


class Program:
    """A program, and the reader that found its controls."""

    def __init__(self, root: Control) -> None:
        self.root = root
        self.automation = FakeAutomation(root)
        self.controls = UiaControls(self.automation.connection)
        self.nodes = self.controls.read(WINDOW).tree.nodes

    def key(self, name: str) -> str:
        return next(each.key for each in self.nodes if each.name == name and each.role != "label")

    def act(self, name: str, action: str) -> None:
        self.controls.act(self.key(name), action)

    def control(self, name: str) -> Control:
        found = [each for each in self.automation.controls() if each.name == name]
        return next(each for each in found if each.kind != ControlType.Text)


def test_a_press_invokes_a_button() -> None:
    program = Program(dialog())
    pressed: list[str] = []
    program.control("Print").on_invoke = lambda: pressed.append("Print")
    program.act("Print", "press")
    assert pressed == ["Print"]


def test_a_press_toggles_a_box_and_makes_a_choice() -> None:
    program = Program(dialog())
    program.act("Colour", "press")
    assert program.control("Colour").toggled == 0
    portrait = program.control("Portrait")
    portrait.selected = False
    program.act("Portrait", "press")
    assert portrait.selected


def test_a_control_without_patterns_has_its_default_action() -> None:
    program = Program(page())
    program.act("Map", "press")
    assert program.control("Map").default_action == "done"


def test_an_item_is_selected_activated_and_toggled() -> None:
    program = Program(files())
    opened: list[str] = []
    program.control("file 3").on_invoke = lambda: opened.append("file 3")
    program.act("file 3", "select")
    program.act("file 3", "activate")
    assert (program.control("file 3").selected, opened) == (True, ["file 3"])
    item = Control(ControlType.ListItem, "Milk", selected=False, toggled=0)
    shopping = Program(window(Control(ControlType.List, "Shopping", [item])))
    shopping.act("Milk", "toggle")
    assert (item.toggled, item.selected) == (1, False)


def test_an_item_that_is_out_of_view_is_made_and_scrolled_to() -> None:
    program = Program(files())
    program.act("file 90", "select")
    item = program.control("file 90")
    assert (item.virtual, item.offscreen, item.selected) == (False, False, True)


def test_a_box_is_opened_and_closed_and_a_branch_expanded() -> None:
    program = Program(dialog())
    program.act("Printer", "open")
    assert program.control("Printer").expansion == ExpandCollapseState.Expanded
    program.act("Printer", "collapse")
    assert program.control("Printer").expansion == ExpandCollapseState.Collapsed
    explorer = Program(files())
    explorer.act("C:", "expand")
    assert explorer.control("C:").expansion == ExpandCollapseState.Expanded


def test_a_text_is_replaced_and_a_number_set() -> None:
    program = Program(dialog())
    program.controls.set_text(program.key("Name"), "Grace")
    program.controls.set_value(program.key("Quality"), 80)
    assert program.control("Name").value == "Grace"
    assert program.control("Quality").number == (80, 0.0, 100.0, 0.5)


def test_a_password_is_set_and_not_read() -> None:
    program = Program(dialog())
    key = program.key("Password")
    program.controls.set_text(key, "battery staple")
    assert program.control("Password").value == "battery staple"
    for read in (program.controls.whole_text, program.controls.caret):
        program.automation.calls.clear()
        with pytest.raises(Refused, match="a password is not read"):
            read(key)
        assert program.automation.calls == []


def test_the_keyboard_goes_to_a_control() -> None:
    program = Program(dialog())
    program.controls.focus(program.key("Name"))
    assert program.control("Name").focused


def test_a_text_is_read_whole() -> None:
    program = Program(dialog())
    program.control("").document = "x" * 9000 + "\r"
    assert program.controls.whole_text(program.key("")) == "x" * 9000 + "\n"
    assert program.controls.whole_text(program.key("Name")) == "Ada\nLovelace"
    assert program.controls.whole_text(program.key("Print")) is None


def test_the_caret_is_read_and_put() -> None:
    program = Program(dialog())
    key = program.key("")
    assert program.controls.caret(key) == (19, 5, 8)
    program.controls.select_text(key, 10, 19)
    assert program.control("").selection == (10, 19)
    program.controls.select_text(key, 4, 4)
    assert program.controls.caret(key) == (19, 4, 4)
    with pytest.raises(Refused, match="no caret"):
        program.controls.caret(program.key("Name"))


@pytest.mark.parametrize(
    ("name", "action"),
    [("Name", "press"), ("Print", "select"), ("Print", "expand"), ("Print", "collapse"), ("Print", "toggle")],
)
def test_what_a_control_cannot_do_is_refused(name: str, action: str) -> None:
    program = Program(dialog())
    with pytest.raises(Refused, match=r"^it "):
        program.act(name, action)
    with pytest.raises(Refused, match="'fly'"):
        program.act(name, "fly")


def test_a_text_or_number_that_a_control_does_not_take_is_refused() -> None:
    program = Program(dialog())
    with pytest.raises(Refused, match="cannot do this now"):
        program.controls.set_text(program.key("Printer"), "Home")
    with pytest.raises(Refused, match="does not take this value"):
        program.controls.set_value(program.key("Quality"), 101)
    with pytest.raises(Refused, match="takes no text"):
        program.controls.set_text(program.key("Print"), "x")
    with pytest.raises(Refused, match="takes no number"):
        program.controls.set_value(program.key("Print"), 1)


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (Result.UIA_E_ELEMENTNOTAVAILABLE, Gone),
        (Result.RPC_S_SERVER_UNAVAILABLE, Gone),
        (Result.RPC_S_CALL_FAILED, Gone),
        (Result.RPC_E_DISCONNECTED, Gone),
        (Result.UIA_E_ELEMENTNOTENABLED, Disabled),
        (Result.UIA_E_TIMEOUT, Hung),
        (Result.RPC_E_CALL_REJECTED, Hung),
        (Result.RPC_E_SERVERCALL_RETRYLATER, Hung),
        (Result.E_NOTIMPL, Refused),
        (Result.UIA_E_NOTSUPPORTED, Refused),
        (Result.UIA_E_INVALIDOPERATION, Refused),
        (Result.E_ACCESSDENIED, Refused),
        (Result.E_INVALIDARG, Refused),
        (Result.REGDB_E_CLASSNOTREG, Refused),
    ],
)
def test_each_result_of_a_failed_call_is_its_failure(result: Result, kind: type[Failure]) -> None:
    program = Program(dialog())
    program.control("A5").failure = result
    with pytest.raises(Failure, match=f"{result:#010x}") as raised:
        program.act("A5", "select")
    assert type(raised.value) is kind


def test_a_control_that_was_removed_is_gone() -> None:
    program = Program(dialog())
    program.root.children.remove(program.control("Print"))
    with pytest.raises(Gone):
        program.act("Print", "press")
    key = program.key("Print")
    program.controls.read(WINDOW)
    with pytest.raises(Gone, match=key):
        program.controls.act(key, "press")


def test_a_disabled_button_is_not_pressed() -> None:
    with pytest.raises(Disabled):
        Program(dialog()).act("Delete", "press")


def test_a_press_that_comes_back_late_is_no_failure_while_its_program_answers() -> None:
    program = Program(dialog())

    def opens_a_dialog() -> None:
        raise FakeComError(Result.UIA_E_TIMEOUT)

    program.control("Print").on_invoke = opens_a_dialog
    program.act("Print", "press")
    assert program.automation.calls[-1] == "ElementFromHandle"


def test_a_press_in_a_program_that_hangs_is_reported() -> None:
    program = Program(dialog())

    def hangs() -> None:
        program.root.failure = Result.UIA_E_TIMEOUT
        raise FakeComError(Result.UIA_E_TIMEOUT)

    program.control("Print").on_invoke = hangs
    with pytest.raises(Hung):
        program.act("Print", "press")


def test_a_reading_is_dropped_with_its_window() -> None:
    program = Program(dialog())
    key = program.key("Print")
    assert program.controls.has(key)
    program.controls.keep({WINDOW, 9})
    assert program.controls.has(key)
    program.controls.keep({9})
    assert not program.controls.has(key)
    with pytest.raises(Gone):
        program.controls.focus(key)
