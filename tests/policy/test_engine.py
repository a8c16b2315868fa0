"""Verdicts of the shipped rules, clearances, and what a person is shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from deskhand.core.command import Clearance, Command, EffectClass, ToolSpec, ToolType
from deskhand.core.errors import ClearanceMissing
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation
from deskhand.core.ports import Decision, Policy
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.policy.engine import RulePolicy, describe
from deskhand.policy.facts import Secret, Surroundings
from deskhand.policy.rules import default_rules, parse_rules

EFFECTS = {
    "read_table": EffectClass.NONE,
    "write_table": EffectClass.EDIT,
    "set_edit_text": EffectClass.EDIT,
    "keyboard_input": EffectClass.EDIT,
    "hold_keys": EffectClass.EDIT,
    "hold_button": EffectClass.EDIT,
    "drag_on_coordinates": EffectClass.EDIT,
    "click_input": EffectClass.EDIT,
    "click_on_coordinates": EffectClass.EDIT,
    "invoke": EffectClass.EDIT,
    "select_item": EffectClass.EDIT,
    "choose_file": EffectClass.CREATE_FILE,
    "launch_application": EffectClass.LAUNCH,
    "select_application_window": EffectClass.NAVIGATE,
    "empty_trash": EffectClass.DELETE,
    "run_shell": EffectClass.SHELL,
}


def lookup(name: str) -> ToolSpec | None:
    if name not in EFFECTS:
        return None
    properties: JsonObject = {"create": {"type": "boolean", "default": False}} if name == "choose_file" else {}
    schema: JsonObject = {"type": "object", "properties": properties}
    return ToolSpec(name, name, schema, ToolType.ACTION, EFFECTS[name], frozenset({AgentKind.APP}))


def nothing_there(path: Path) -> bool:
    return path == Path("/there.ods")


KNOWN = Surroundings(
    lookup,
    named_applications=frozenset({"writer", "calc"}),
    secrets=(Secret("bank", "hunter2", frozenset({"Firefox"})),),
    exists=nothing_there,
)


def policy() -> RulePolicy:
    return RulePolicy(default_rules(), KNOWN)


def window(title: str = "report.odt", application: str = "calc") -> TargetInfo:
    return TargetInfo(TargetKind.WINDOW, title, Role.WINDOW, handle=f"w:{title}", application=application)


def on(role: Role, name: str) -> TargetInfo:
    print_ = Fingerprint(role, name, (f"{role}:{name}",), "report.odt")
    return TargetInfo(TargetKind.CONTROL, name, role, id="1", handle=f"h:{name}", fingerprint=print_)


def command(tool: str, in_window: TargetInfo | None = None, /, **parameters: JsonValue) -> Command:
    return Command(tool, parameters, window=in_window or window())


def judged(sent: Command, target: TargetInfo | None = None) -> tuple[Decision, str]:
    verdict = policy().judge(sent, target)
    return verdict.decision, verdict.rule


DEMO: list[tuple[Command, TargetInfo | None]] = [
    (command("select_application_window", id="1", name="x"), window()),
    (command("read_table"), on(Role.TABLE, "Sales")),
    (command("launch_application", application="calc"), None),
    (command("launch_application", application="Writer", file="/in/report.odt"), None),
    (command("write_table", start="A1", rows=[["Delete", "=1+1"]]), None),
    (command("set_edit_text", text="A1:C5"), on(Role.TEXTBOX, "Name Box")),
    (command("keyboard_input", keys="{ENTER}"), None),
    (command("keyboard_input", keys="{ESC}{ESC}"), None),
    (command("keyboard_input", keys="{VK_CONTROL}{VK_SHIFT}s"), None),
    (command("invoke"), on(Role.MENUITEM, "Chart...")),
    (command("invoke"), on(Role.MENU, "Format")),
    (command("invoke"), on(Role.MENUITEM, "Format Cells...")),
    (command("select_item"), on(Role.LISTITEM, "Bar")),
    (command("invoke"), on(Role.BUTTON, "Finish")),
    (command("choose_file", path="/out/sales.ods", create=True), None),
    (command("choose_file", path="/there.ods"), None),
]


@pytest.mark.parametrize(("sent", "target"), DEMO)
def test_what_the_demo_does_is_allowed(sent: Command, target: TargetInfo | None) -> None:
    assert judged(sent, target) == (Decision.ALLOW, "no rule")


@pytest.mark.requires("policy.shipped-defaults")
@pytest.mark.parametrize(
    ("sent", "target", "rule"),
    [
        (command("invoke"), on(Role.BUTTON, "_Delete"), "delete-by-name"),
        (command("click_input"), on(Role.MENUITEM, "Remove…"), "delete-by-name"),
        (command("click_on_coordinates", x=0.5, y=0.5), on(Role.BUTTON, "Delete"), "delete-by-name"),
        (command("hold_button", x=0.5, y=0.5), on(Role.BUTTON, "Send"), "send-by-name"),
        (command("drag_on_coordinates"), on(Role.BUTTON, "Buy"), "pay-by-name"),
        (command("click_input"), on(Role.BUTTON, "Send now"), "send-by-name"),
        (command("invoke"), on(Role.MENUITEM, "Send"), "send-by-menu"),
        (command("invoke"), on(Role.LINK, "Place your order"), "pay-by-name"),
        (command("invoke"), on(Role.BUTTON, "Uninstall"), "install-by-name"),
        (command("invoke"), on(Role.BUTTON, "Shut Down"), "system-by-name"),
        (command("invoke"), on(Role.BUTTON, "Format"), "format-by-name"),
        (command("invoke"), on(Role.BUTTON, "Don’t Save"), "discard-by-name"),
        (command("invoke"), on(Role.BUTTON, "Don't _Save"), "discard-by-name"),
        (command("invoke"), on(Role.BUTTON, "Replace"), "overwrite-by-name"),
        (command("keyboard_input", keys="{ENTER}"), on(Role.BUTTON, "Delete"), "delete-by-name"),
        (command("click_input", button="middle"), on(Role.LINK, "Delete"), "delete-by-name"),
        (command("click_input", button="right"), on(Role.MENUITEM, "Send"), "send-by-menu"),
        (command("invoke", window("*report.odt")), on(Role.MENUITEM, "Quit"), "close-by-name"),
        (command("keyboard_input", window("*report.odt"), keys="{VK_MENU}{F4}"), None, "close-by-key"),
        (command("keyboard_input", window("*report.odt"), keys="{VK_CONTROL}w"), None, "close-by-key"),
        (command("keyboard_input", window("Home", "nautilus"), keys="{VK_SHIFT}{DELETE}"), None, "delete-by-key"),
        (command("keyboard_input", window("Write", "thunderbird"), keys="{VK_CONTROL}{ENTER}"), None, "send-by-key"),
        (command("hold_keys", window("Write", "thunderbird"), keys="{VK_CONTROL}{KP_ENTER}"), None, "send-by-key"),
        (command("keyboard_input", window("~", "xterm"), keys="ls{ENTER}"), None, "terminal"),
        (command("hold_keys", window("*report.odt"), keys="{VK_CONTROL}w"), None, "close-by-key"),
        (command("hold_keys", window("Home", "nautilus"), keys="{DELETE}", seconds=1), None, "delete-by-key"),
        (command("hold_keys", window("~", "xterm"), keys="{ENTER}"), None, "terminal"),
        (command("hold_button", window("Power", "gnome-control-center"), x=0.5, y=0.5), None, "system-settings"),
        (command("drag_on_coordinates", window("Power", "gnome-control-center")), None, "system-settings"),
        (command("click_input", window("Power", "gnome-control-center")), None, "system-settings"),
        (command("choose_file", path="/there.ods", create=True), None, "overwrite"),
        (command("choose_file", path="sales.ods", create=True), None, "overwrite"),
        (command("launch_application", application="gimp"), None, "launch-unnamed"),
        (command("empty_trash"), None, "delete"),
        (command("run_shell"), None, "shell"),
        (command("teleport"), None, "unknown-tool"),
    ],
)
def test_what_cannot_be_taken_back_needs_a_persons_yes(sent: Command, target: TargetInfo | None, rule: str) -> None:
    assert judged(sent, target) == (Decision.CONFIRM, rule)


BINDING = {
    "pay-by-name": "Order; Book now; Submit order; Register; Confirm booking; Zahlungspflichtig bestellen; Jetzt "
    "kaufen; Verbindlich anmelden; Commander; Valider la commande; S’inscrire; Comprar; Realizar pedido; Acquista ora; "
    "Ordina; Finalizar compra; Encomendar; Bestelling plaatsen; Nu betalen; Kupuję i płacę; Złóż zamówienie; "
    "Slutför köpet; Boka; Оформить заказ; Оплатить; 提交订单; 立即购买; 注文を確定する; 購入する",
    "send-by-name": "Submit; Absenden; Senden; Envoyer; Enviar; Invia; Verzenden; Wyślij; Skicka; Отправить; "
    "发送; 送信",
    "delete-by-name": "Endgültig löschen; Supprimer; Eliminar; Elimina; Excluir; Verwijderen; Usuń; Ta bort; Удалить; "
    "删除; 完全に削除",
    "install-by-name": "Deinstallieren; Désinstaller; Desinstalar; Disinstalla; Odinstaluj; Avinstallera; 卸载",
    "discard-by-name": "Nicht speichern; Ne pas enregistrer; No guardar; Non salvare; Não guardar; Niet opslaan; "
    "Nie zapisuj; Spara inte; Не сохранять; 不保存; 保存しない",
}
HARMLESS = (
    "Order by; Bookmarks; Registers; Buchstaben; Bestellnummer; Speichern; Enregistrer; Guardar; Salva; Opslaan; "
    "Zapisz; Spara; Сохранить; 保存; 注文履歴; 予約一覧; Anmelden bei; Löschabfrage; Sendungsverfolgung; Pagamenti; "
    "Kupony"
)


@pytest.mark.requires("policy.shipped-defaults")
@pytest.mark.parametrize("rule", BINDING)
def test_names_of_binding_actions_are_known_in_twelve_languages(rule: str) -> None:
    found = {name: judged(command("invoke"), on(Role.BUTTON, name)) for name in BINDING[rule].split("; ")}
    assert found == dict.fromkeys(found, (Decision.CONFIRM, rule))


def test_names_that_only_begin_like_a_binding_action_are_allowed() -> None:
    found = {name: judged(command("invoke"), on(Role.BUTTON, name))[0] for name in HARMLESS.split("; ")}
    assert found == dict.fromkeys(found, Decision.ALLOW)


@pytest.mark.requires("policy.shipped-defaults")
@pytest.mark.parametrize(
    ("request_", "name", "ordered"),
    [
        ("Order two boxes of paper", "Place order", True),
        ("Fill in the order form. Do not order it yet.", "Place your order", True),
        ("Put two boxes into the basket, without ordering them", "Place order", False),
        ("Compare the prices of paper", "Place order", False),
        ("Lösche die alte Datei", "Endgültig löschen", True),
        ("Lösche nichts, räume nur auf, nicht löschen", "Löschen", False),
        ("Achète deux cahiers", "Acheter", False),
        ("購入してください", "購入する", True),
        ("", "Place order", None),
    ],
)
def test_the_reason_says_whether_the_request_orders_the_action(
    request_: str, name: str, *, ordered: bool | None
) -> None:
    told = {True: "; the request orders it", False: "; the request does not order it", None: ""}[ordered]
    known = replace(KNOWN, requests=lambda: request_)
    verdict = RulePolicy(default_rules(), known).judge(command("invoke"), on(Role.BUTTON, name))
    assert (verdict.decision, verdict.reason.partition("something")[2].partition(";")[2]) == (
        Decision.CONFIRM,
        told.removeprefix(";"),
    )


def test_a_rule_of_the_user_may_allow_what_the_request_orders() -> None:
    text = """policy: 1
rules:
  - {name: mine, match: {mark: ordered, role: button, name: /^(delete|order)/i}, decision: allow, reason: asked}
"""
    known = replace(KNOWN, requests=lambda: "Delete the old draft.")
    rules = RulePolicy((*parse_rules(text, "mine.yaml"), *default_rules()), known)
    assert [rules.judge(command("invoke"), on(Role.BUTTON, name)).rule for name in ("Delete", "Order now")] == [
        "mine",
        "pay-by-name",
    ]


@pytest.mark.requires("policy.shipped-defaults")
@pytest.mark.parametrize("others", ["", "{VK_SHIFT}", "{VK_MENU}{VK_SHIFT}", "{VK_LWIN}"])
def test_a_key_that_closes_or_sends_needs_a_persons_yes_whatever_else_is_held(others: str) -> None:
    for key in ("w", "q", "{F4}"):
        closing = command("keyboard_input", window("*report.odt"), keys=f"{{VK_CONTROL}}{others}{key}")
        assert judged(closing) == (Decision.CONFIRM, "close-by-key")
    alt = f"{{VK_MENU}}{others.removeprefix('{VK_MENU}')}"
    by_alt = command("keyboard_input", window("*report.odt"), keys=f"{alt}{{F4}}")
    sending = command("keyboard_input", window("Write", "thunderbird"), keys=f"{{VK_CONTROL}}{others}{{ENTER}}")
    assert judged(by_alt) == (Decision.CONFIRM, "close-by-key")
    assert judged(sending) == (Decision.CONFIRM, "send-by-key")


@pytest.mark.requires("policy.shipped-defaults")
@pytest.mark.parametrize("name", ["gnome-console", "org.gnome.Console", "kgx", "Ptyxis", "st", "st-256color"])
def test_what_is_typed_into_a_terminal_needs_a_persons_yes(name: str) -> None:
    assert judged(command("keyboard_input", window("~", name), keys="ls{ENTER}")) == (Decision.CONFIRM, "terminal")
    assert judged(command("keyboard_input", window("~", "inkscape-st"), keys="x"))[0] is Decision.ALLOW


@pytest.mark.parametrize(
    ("sent", "target"),
    [
        (command("invoke"), on(Role.MENUITEM, "Quit")),
        (command("keyboard_input", keys="{VK_MENU}{F4}"), None),
        (command("keyboard_input", keys="{DELETE}"), None),
        (command("read_table"), on(Role.BUTTON, "Delete")),
        (command("invoke", window("Find & Replace")), on(Role.BUTTON, "Replace All")),
        (command("invoke"), on(Role.BUTTON, "Deleted items")),
        (command("click_input", button="right"), on(Role.BUTTON, "Send")),
        (command("click_input", button="right", double=False), on(Role.LINK, "Delete")),
    ],
)
def test_what_is_harmless_is_allowed(sent: Command, target: TargetInfo | None) -> None:
    assert judged(sent, target)[0] is Decision.ALLOW


def seen_with(*controls: TargetInfo, title: str = "Inbox") -> Observation:
    """A window of 100 x 100 pixels."""
    return Observation(replace(window(title), rect=Rect(0, 0, 100, 100)), controls, None, 0.0)


def shown(role: Role, name: str, *states: str, rect: Rect | None = None) -> TargetInfo:
    return replace(on(role, name), rect=rect or Rect(10, 10, 40, 40), states=frozenset({"showing", *states}))


def at_point(tool: str, *controls: TargetInfo, **more: JsonValue) -> Command:
    given: JsonObject = {"start_x": 0.2, "start_y": 0.2} if tool == "drag_on_coordinates" else {"x": 0.2, "y": 0.2}
    return replace(command(tool, **given, **more), seen=seen_with(*controls))


DELETE = shown(Role.BUTTON, "Delete")
LABEL = shown(Role.LABEL, "Keep", rect=Rect(15, 15, 25, 25))


@pytest.mark.requires("policy.overlaps")
@pytest.mark.parametrize("tool", ["click_on_coordinates", "drag_on_coordinates", "hold_button"])
@pytest.mark.parametrize("target", [LABEL, shown(Role.BUTTON, "OK", rect=Rect(18, 18, 23, 23)), None])
def test_at_a_point_all_controls_are_judged_and_the_strictest_verdict_holds(
    tool: str, target: TargetInfo | None
) -> None:
    sent = at_point(tool, DELETE, *([target] if target else []))
    assert judged(sent, target) == (Decision.CONFIRM, "delete-by-name")
    assert 'Control: button "Delete"' in describe(policy().judge(sent, target))
    hidden = at_point(tool, replace(DELETE, states=frozenset()), shown(Role.BUTTON, "Send", rect=Rect(50, 50, 90, 90)))
    assert judged(hidden, target)[0] is Decision.ALLOW


@pytest.mark.requires("policy.overlaps")
def test_an_open_menu_is_in_front_of_what_it_lies_over() -> None:
    item = shown(Role.MENUITEMCHECKBOX, "Bold", rect=Rect(5, 15, 60, 25))
    assert judged(at_point("click_on_coordinates", DELETE, item), item)[0] is Decision.ALLOW
    item = replace(item, type=Role.MENUITEM, name="Delete")
    sent = at_point("click_on_coordinates", shown(Role.BUTTON, "Bold"), item)
    assert judged(sent) == (Decision.CONFIRM, "delete-by-name")


FIELD = shown(Role.TEXTBOX, "To", "focused", "single_line", rect=Rect(50, 0, 90, 20))
SEND = shown(Role.BUTTON, "Send", "default", rect=Rect(50, 50, 90, 90))


@pytest.mark.requires("policy.default-button")
@pytest.mark.parametrize(
    ("tool", "keys", "target"),
    [
        ("keyboard_input", "{ENTER}", None),
        ("keyboard_input", "Ada{ENTER}", FIELD),
        ("keyboard_input", "Ada{KP_ENTER}", None),
        ("hold_keys", "{ENTER}", None),
    ],
)
def test_enter_in_a_field_is_judged_as_the_press_of_the_default_button(
    tool: str, keys: str, target: TargetInfo | None
) -> None:
    sent = replace(command(tool, keys=keys), seen=seen_with(FIELD, SEND))
    assert judged(sent, target) == (Decision.CONFIRM, "send-by-name")


@pytest.mark.requires("policy.default-button")
@pytest.mark.parametrize(
    ("keys", "controls"),
    [
        ("Ada ", (FIELD, SEND)),
        ("{ENTER}", (FIELD, replace(SEND, name="OK"))),
        ("{ENTER}", (FIELD, replace(SEND, states=frozenset({"showing"})))),
        ("a{ENTER}b", (replace(FIELD, states=FIELD.states | {"multi_line"}), SEND)),
        ("{ENTER}", (shown(Role.BUTTON, "Cancel", "focused"), SEND)),
    ],
)
def test_keys_that_press_no_default_button_are_not_judged_as_its_press(
    keys: str, controls: tuple[TargetInfo, ...]
) -> None:
    assert judged(replace(command("keyboard_input", keys=keys), seen=seen_with(*controls)))[0] is Decision.ALLOW


@pytest.mark.requires("policy.default-button")
def test_in_a_page_the_default_button_of_the_form_around_the_field_is_judged() -> None:
    def of(form: str, control: TargetInfo) -> TargetInfo:
        path = ("document:Shop", *([form] if form else []), f"{control.type}:{control.name}")
        return replace(control, fingerprint=Fingerprint(control.type, control.name, path))

    def decision(form: str, keys: str) -> Decision:
        field, other = of(form, FIELD), of("form#0", replace(SEND, name="Search"))
        seen = seen_with(field, other, of("form#1", replace(SEND, name="Subscribe", handle="h2")))
        return judged(replace(command("keyboard_input", keys=keys), seen=seen))[0]

    found = [decision(form, "x{ENTER}") for form in ("form#0", "form#1", "")]
    assert found == [Decision.ALLOW, Decision.CONFIRM, Decision.ALLOW]
    assert decision("form#0", "x{TAB}y{ENTER}") is Decision.CONFIRM, "the keyboard may be in another form then"


@pytest.mark.requires("policy.activated")
@pytest.mark.parametrize("role", [Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL, Role.GENERIC])
def test_an_item_or_a_tab_that_is_activated_is_judged_as_a_button(role: Role) -> None:
    item = shown(role, "Delete account")
    for sent in (
        command("invoke"),
        command("click_input", double=True),
        command("click_input", count=2),
        command("keyboard_input", keys="{ENTER}"),
    ):
        assert judged(sent, item) == (Decision.CONFIRM, "delete-by-name")
        assert f'Control: {role} "Delete account"' in describe(policy().judge(sent, item))
    focused = replace(item, states=item.states | {"focused"})
    by_key = replace(command("keyboard_input", keys="{ENTER}"), seen=seen_with(focused))
    assert judged(by_key) == (Decision.CONFIRM, "delete-by-name")
    assert judged(at_point("click_on_coordinates", item, double=True)) == (Decision.CONFIRM, "delete-by-name")


@pytest.mark.requires("policy.activated")
@pytest.mark.parametrize(
    "sent", [command("select_item"), command("click_input"), command("keyboard_input", keys="{DOWN}")]
)
def test_an_item_that_is_only_selected_needs_no_approval_for_its_name(sent: Command) -> None:
    assert judged(sent, shown(Role.LISTITEM, "Delete old drafts.txt"))[0] is Decision.ALLOW
    cell = replace(shown(Role.CELL, "Delete"), traits=frozenset({Trait.OF_SHEET}))
    assert judged(command("keyboard_input", keys="{ENTER}"), cell)[0] is Decision.ALLOW


def test_a_rule_that_allows_a_button_allows_no_item_that_another_rule_is_for() -> None:
    text = """policy: 1
rules:
  - {name: lax, match: {role: button, name: Delete}, decision: allow, reason: ours}
  - {name: items, match: {role: listitem}, decision: deny, reason: theirs}
"""
    rules = RulePolicy(parse_rules(text, "mine.yaml"), KNOWN)
    assert rules.judge(command("invoke"), on(Role.LISTITEM, "Delete")).rule == "items"


@pytest.mark.requires("command.overwrite", "policy.shipped-defaults")
def test_a_file_is_replaced_only_with_a_persons_yes_unless_it_is_the_one_that_the_window_shows() -> None:
    properties: JsonObject = {key: {"type": "boolean", "default": False} for key in ("create", "overwrite")}
    schema: JsonObject = {"type": "object", "properties": properties}
    spec = ToolSpec("choose_file", "", schema, ToolType.ACTION, EffectClass.CREATE_FILE, frozenset({AgentKind.APP}))

    def file_of(window: TargetInfo) -> Path | None:
        return Path("/there.ods") if window.name == "there.ods - Calc" else None

    def found(name: str) -> ToolSpec:
        return spec

    rules = RulePolicy(default_rules(), replace(KNOWN, tool=found, file_of=file_of))

    def asked(title: str, **arguments: JsonValue) -> bool:
        sent = command("choose_file", window(title, "calc"), path="/there.ods", **arguments)
        verdict = rules.judge(sent, None)
        assert verdict.rule in {"overwrite", "no rule"}
        return verdict.decision is Decision.CONFIRM

    assert asked("Untitled 1", overwrite=True)
    assert asked("Untitled 1", create=True, overwrite=True)
    assert not asked("there.ods - Calc", overwrite=True)
    assert not asked("Untitled 1", create=True), "the tool refuses it"
    assert not asked("Untitled 1"), "it is opened"


@pytest.mark.requires("policy.secrets")
def test_a_secret_is_typed_only_where_it_is_bound() -> None:
    at_home = command("set_edit_text", window("Bank", "firefox"), text="hunter2")
    elsewhere = command("set_edit_text", window("Chat", "slack"), text="my pin is hunter2")
    nested = command("write_table", window("x", "calc"), rows=[["a", "hunter2"]])
    assert judged(at_home)[0] is Decision.ALLOW
    assert judged(elsewhere) == (Decision.DENY, "secret-elsewhere")
    assert judged(nested) == (Decision.DENY, "secret-elsewhere")
    assert not any("hunter2" in line for line in describe(policy().judge(elsewhere, None)))
    assert "hunter2" not in repr(KNOWN)


def test_no_approval_passes_a_denial() -> None:
    elsewhere = command("set_edit_text", text="hunter2")
    with pytest.raises(ClearanceMissing, match="set_edit_text is denied: this secret is not bound"):
        policy().clear(policy().judge(elsewhere, None), approved=True)


def test_a_confirmation_that_was_not_given_gives_no_clearance() -> None:
    rules = policy()
    button = on(Role.BUTTON, "Delete")
    with pytest.raises(ClearanceMissing, match="needs the user's approval"):
        rules.clear(rules.judge(command("invoke"), button))
    sent = command("invoke")
    rules.redeem(rules.clear(rules.judge(sent, button), approved=True), sent, button)


def test_the_same_action_proposed_again_has_an_equal_verdict() -> None:
    rules, button = policy(), on(Role.BUTTON, "Delete")
    assert rules.judge(command("invoke"), button) == rules.judge(replace(command("invoke"), call_id="other"), button)


def test_a_clearance_is_used_once() -> None:
    rules, sent = policy(), command("read_table")
    clearance = rules.clear(rules.judge(sent, None))
    rules.redeem(clearance, sent, None)
    with pytest.raises(ClearanceMissing, match="not ours or was used before"):
        rules.redeem(clearance, sent, None)


def test_a_clearance_of_another_policy_or_made_up_is_refused() -> None:
    sent = command("read_table")
    for foreign in (policy().clear(policy().judge(sent, None)), Clearance(sent.call_id, "digest", "token")):
        with pytest.raises(ClearanceMissing):
            policy().redeem(foreign, sent, None)


TARGET = on(Role.BUTTON, "OK")
SENT = command("invoke", action="press")


@pytest.mark.parametrize(
    ("sent", "target"),
    [
        (replace(SENT, call_id="other"), TARGET),
        (replace(SENT, tool_name="click_input"), TARGET),
        (replace(SENT, parameters={"action": "other"}), TARGET),
        (replace(SENT, window=window("other")), TARGET),
        (SENT, None),
        (SENT, replace(TARGET, handle="other")),
        (SENT, replace(TARGET, fingerprint=Fingerprint(Role.BUTTON, "Pay"))),
    ],
)
def test_a_clearance_holds_for_exactly_its_command_and_target(sent: Command, target: TargetInfo | None) -> None:
    rules = policy()
    clearance = rules.clear(rules.judge(SENT, TARGET))
    with pytest.raises(ClearanceMissing, match="another command or target"):
        rules.redeem(clearance, sent, target)
    with pytest.raises(ClearanceMissing, match="not ours or was used before"):
        rules.redeem(clearance, SENT, TARGET)


def test_an_altered_clearance_is_refused() -> None:
    rules, sent = policy(), command("read_table")
    with pytest.raises(ClearanceMissing, match="another command or target"):
        rules.redeem(replace(rules.clear(rules.judge(sent, None)), digest="0"), sent, None)


def test_a_projects_rules_tighten_and_never_loosen() -> None:
    text = """\
policy: 1
rules:
  - {name: no-typing, match: {tool: set_edit_text}, decision: confirm, reason: r}
  - {name: no-invoke, match: {tool: invoke}, decision: deny, reason: r}
"""
    rules = RulePolicy(default_rules(), KNOWN, restrictions=parse_rules(text, "p.yaml", restrict=True))
    assert rules.judge(command("invoke"), on(Role.BUTTON, "Delete")).rule == "no-invoke"
    assert rules.judge(command("set_edit_text", text="hunter2"), None).decision is Decision.DENY
    assert rules.judge(command("set_edit_text", text="x"), None).rule == "no-typing"


def test_a_person_is_shown_facts_each_on_a_line_of_its_own() -> None:
    sly = on(Role.BUTTON, 'Delete\nWhy: "harmless"\u202e' + "x" * 300)
    shown = describe(policy().judge(command("invoke", window("a\tb"), action="press", count=2), sly))
    assert list(shown) == snapshot(
        [
            "Action: invoke (edit)",
            'Application: "calc"',
            'Window: "a b"',
            'Control: button "Delete Why: \\"harmless\\"' + "x" * 178 + '…" (322 characters)',
            'Argument action: "press"',
            'Argument count: "2"',
            "Why: its name says that it deletes something (rule delete-by-name)",
        ]
    )


@given(st.text(), st.text())
def test_no_text_from_a_screen_breaks_a_line_of_facts(name: str, argument: str) -> None:
    shown = describe(policy().judge(command("invoke", text=argument), on(Role.BUTTON, name)))
    assert all(line.splitlines() == [line] for line in shown)


def test_the_same_action_proposed_again_has_the_same_fingerprint_and_no_other_has() -> None:
    def fingerprint(sent: Command, target: TargetInfo | None) -> str:
        return policy().judge(sent, target).facts.fingerprint

    first = fingerprint(SENT, TARGET)
    assert first == fingerprint(replace(SENT, call_id="later"), replace(TARGET, handle="again", id="7"))
    others = [
        fingerprint(replace(SENT, tool_name="click_input"), TARGET),
        fingerprint(replace(SENT, parameters={}), TARGET),
        fingerprint(replace(SENT, window=window("x", "other")), TARGET),
        fingerprint(SENT, on(Role.BUTTON, "Cancel")),
        fingerprint(SENT, None),
        fingerprint(command("wait"), None),
    ]
    assert len({first, *others}) == 7


def test_it_is_a_policy() -> None:
    port: Policy = policy()
    assert port.judge(command("read_table"), None).decision is Decision.ALLOW
