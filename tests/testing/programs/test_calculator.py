"""GNOME Calculator, a program of GTK 4, as a tester would test it."""

import re

import pytest

from deskhand.sync import Desktop, Window
from deskhand.testing import expect

pytestmark = [pytest.mark.desktop, pytest.mark.app("gnome-calculator")]


def test_buttons_add_two_numbers(app: Window) -> None:
    for button in ("7", "+", "5", "="):
        app.button(button).press()
    expect(app.textbox().nth(0)).to_have_value("12")


def test_a_typed_product_is_worked_out(app: Window) -> None:
    app.press_keys("6*7{ENTER}")
    expect(app.textbox().nth(0)).to_have_value("42")


def test_the_display_is_cleared(app: Window) -> None:
    app.textbox().nth(0).type("123")
    app.button("Clear Display [Escape]").press()
    expect(app.textbox().nth(0)).to_have_value("")


def test_undo_brings_the_sum_back(app: Window) -> None:
    app.press_keys("8+1{ENTER}")
    expect(app.textbox().nth(0)).to_have_value("9")
    app.button("Undo").press()
    expect(app.textbox().nth(0)).to_have_value("8+1")


def test_a_number_is_squared(app: Window) -> None:
    for button in ("9", "x2", "="):
        app.button(button).press()
    expect(app.textbox().nth(0)).to_have_value("81")


def test_a_division_by_zero_is_named(app: Window) -> None:
    app.press_keys("5/0{ENTER}")
    expect(app.textbox().nth(1)).to_have_value(re.compile("Division by zero"))


def test_the_advanced_mode_has_functions(app: Window) -> None:
    expect(app.button("sin")).to_be_gone()
    app.button("Basic").press()
    app.menuitem("Advanced").press()
    expect(app.button("sin")).to_be_visible()


def test_the_mode_in_use_is_marked(app: Window) -> None:
    app.button("Basic").press()
    expect(app.menuitem("Basic")).to_be_checked()
    expect(app.menuitem("Financial")).to_be_unchecked()


def test_an_angle_is_in_degrees(app: Window) -> None:
    app.button("Basic").press()
    app.menuitem("Advanced").press()
    app.press_keys("sin(30){ENTER}")
    expect(app.textbox().nth(0)).to_have_value("0.5")


def test_the_dialog_about_the_program_is_closed_again(app: Window, desktop: Desktop) -> None:
    app.button("Primary menu").press()
    app.menuitem("About Calculator").press()
    about = desktop.window("About")
    about.press_keys("{ESC}")
    expect(about).to_be_closed()
