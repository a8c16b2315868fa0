"""A desktop as the driver of OpenAI's own loop (`openai.lib.computer`).

toolset = AsyncComputerToolset(OpenAIComputer(desktop))
response = await toolset.run(client, {"model": "gpt-6.2", "input": "Save the letter."})
"""

from typing import cast

from deskhand import Desktop
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonValue
from deskhand.operator import actions as neutral
from deskhand.operator.computer import BlockingDesktop, Computer
from deskhand.operator.openai import OpenAICodec, data_address
from deskhand.operator.openai_actions import action_of
from deskhand.operator.transports import missing

try:
    from openai.lib.computer import ComputerActionInput, Screenshot
except ImportError as error:
    raise missing("OpenAIComputer", "operator-openai", error) from error


class OpenAIComputer:
    """An `AsyncComputerDriver` of a desktop. Each action is judged by the rules, and its effect is read back.

    `model`: by it the size of the pictures is chosen. A refusal or failure raises ActionRefused, which ends the
    loop: the vendor's format has no place for its words. At safety checks the loop stops by itself.
    """

    def __init__(self, desktop: Desktop, model: str = "") -> None:
        self._computer = Computer(desktop, OpenAICodec(model))

    async def click(self, action: ComputerActionInput) -> None:
        _require_done(await self._computer.carry_out(_neutral(action)))

    double_click = drag = keypress = move = scroll = type = wait = click

    async def screenshot(self) -> Screenshot:
        return _shown(await self._computer.screenshot())


class BlockingOpenAIComputer:
    """A `ComputerDriver` of a desktop of `deskhand.sync`, otherwise the same."""

    def __init__(self, desktop: BlockingDesktop, model: str = "") -> None:
        self._desktop = desktop
        self._computer = Computer(desktop.asynchronous, OpenAICodec(model))

    def click(self, action: ComputerActionInput) -> None:
        _require_done(self._desktop.run(lambda: self._computer.carry_out(_neutral(action))))

    double_click = drag = keypress = move = scroll = type = wait = click

    def screenshot(self) -> Screenshot:
        return _shown(self._desktop.run(self._computer.screenshot))


def _require_done(outcome: neutral.ActionOutcome) -> None:
    if outcome.failed:
        raise ActionRefused(outcome.text)


def _neutral(action: ComputerActionInput) -> neutral.Action:
    return action_of(cast("JsonValue", action.to_dict(mode="json")))


def _shown(picture: neutral.Picture) -> Screenshot:
    return {"type": "computer_screenshot", "image_url": data_address(picture)}
