"""Steps of behave for the published features of GNOME Calculator, beside those of `deskhand.testing.behave`."""

from behave import step  # pyright: ignore[reportUnknownVariableType] - behave is untyped
from behave.runner import Context

from deskhand.testing import expect
from deskhand.testing.behave.steps import *  # noqa: F403 - behave registers what it imports

_KEYS = {"Basic": "b", "Advanced": "a", "Financial": "f", "Programming": "p"}
"""With Alt: the keys that choose a mode."""


@step("Make sure that gnome-calculator is running")
def start(context: Context) -> None:
    context.execute_steps('* Start application "gnome-calculator" via "command"')


@step("Switch to {mode:w} mode")
def switch(context: Context, mode: str) -> None:
    context.execute_steps(f'* Key combo: "<Alt><{_KEYS[mode]}>"')


@step('Calculate "{expression}"')
def calculate(context: Context, expression: str) -> None:
    context.execute_steps(f'* Press key: "Escape"\n* Type text: "{expression}"\n* Press key: "Enter"')


@step('result is "{result}"')
def expect_result(context: Context, result: str) -> None:
    expect(context.desktop.window("Calculator").textbox().nth(0)).to_have_value(result.replace("-", "\N{MINUS SIGN}"))


@step('"{message}" error is displayed')
def expect_error(context: Context, message: str) -> None:
    shown = message.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
    expect(context.desktop.window("Calculator").textbox().nth(1)).to_have_value(shown)
