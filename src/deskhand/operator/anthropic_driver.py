"""A desktop as the toolset of Anthropic's own loop (`anthropic.tools.computer`).

toolset = AnthropicComputer(desktop, "claude-opus-5-5")
runner = client.beta.messages.tool_runner(model="claude-opus-5-5", tools=[toolset], messages=[…], max_tokens=4096)
"""

from typing import cast

from deskhand import Desktop
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonValue
from deskhand.operator.actions import Action, ActionOutcome, Codec, CursorPosition
from deskhand.operator.anthropic import AnthropicToolset, anthropic_codec
from deskhand.operator.computer import BlockingDesktop, Computer
from deskhand.operator.transports import missing
from deskhand.operator.vendor_json import base64_of

try:
    from anthropic.tools import ToolError
    from anthropic.tools.computer import (
        BetaAbstractComputerToolset20260801,
        BetaAsyncAbstractComputerToolset20260801,
        BetaAsyncComputerConfirmCallable,
        BetaComputerConfirmCallable,
        BetaComputerConfirmContext,
        BetaComputerCursorPositionResult,
        BetaComputerMemberResult,
        BetaScreenshotResult,
        BetaToolsetCallContext,
    )
    from anthropic.types.beta import BetaComputerMemberInput, BetaComputerMemberName, BetaComputerToolsetConfigsParam
except ImportError as error:
    raise missing("AnthropicComputer", "operator-anthropic", error) from error


def _by_the_rules(context: BetaComputerConfirmContext) -> bool:  # noqa: ARG001 - the form of the SDK
    """Leave each action to the rules of the desktop, and to its interactor."""
    return True


class AnthropicComputer(BetaAsyncAbstractComputerToolset20260801):
    """The computer toolset of a desktop. Each action is judged by the rules, and its effect is read back.

    `model`: by it the size of the pictures is chosen. `confirm`: asked before each action besides the rules. A
    refusal or failure is an error result with its reason. Raises: UsageError for a model that does not take a toolset.
    """

    def __init__(
        self,
        desktop: Desktop,
        model: str,
        *,
        confirm: BetaAsyncComputerConfirmCallable = _by_the_rules,
        configs: BetaComputerToolsetConfigsParam | None = None,
    ) -> None:
        super().__init__(configs=configs, confirm=confirm)
        self._codec = _codec(model)
        self._computer = Computer(desktop, self._codec)

    async def execute(
        self,
        context: BetaToolsetCallContext,  # noqa: ARG002 - the form of the SDK
        name: BetaComputerMemberName,
        input: BetaComputerMemberInput,  # noqa: A002
    ) -> BetaComputerMemberResult:
        action = _neutral(self._codec, name, input)
        return _result(action, await self._computer.carry_out(action))


class BlockingAnthropicComputer(BetaAbstractComputerToolset20260801):
    """The same of a desktop of `deskhand.sync`, for the client without `await`."""

    def __init__(
        self,
        desktop: BlockingDesktop,
        model: str,
        *,
        confirm: BetaComputerConfirmCallable = _by_the_rules,
        configs: BetaComputerToolsetConfigsParam | None = None,
    ) -> None:
        super().__init__(configs=configs, confirm=confirm)
        self._desktop = desktop
        self._codec = _codec(model)
        self._computer = Computer(desktop.asynchronous, self._codec)

    def execute(
        self,
        context: BetaToolsetCallContext,  # noqa: ARG002 - the form of the SDK
        name: BetaComputerMemberName,
        input: BetaComputerMemberInput,  # noqa: A002
    ) -> BetaComputerMemberResult:
        action = _neutral(self._codec, name, input)
        return _result(action, self._desktop.run(lambda: self._computer.carry_out(action)))


def _codec(model: str) -> Codec:
    """Raises: UsageError for a model that does not take the toolset."""
    codec = anthropic_codec(model)
    if not isinstance(codec, AnthropicToolset):
        raise UsageError(f"{model} does not take {AnthropicComputer.__name__}", fix="name a newer model")
    return codec


def _neutral(codec: Codec, name: str, given: BetaComputerMemberInput) -> Action:
    """The action of a call, read from the form that it had in a reply."""
    arguments = cast("JsonValue", given.to_dict(mode="json"))
    block: JsonValue = {"type": "tool_use", "id": "1", "toolset_name": "computer", "name": name, "input": arguments}
    (call,) = codec.reply({"type": "message", "content": [block], "stop_reason": "tool_use"}).calls
    return call.actions[0]


def _result(action: Action, outcome: ActionOutcome) -> BetaComputerMemberResult:
    """Raises: ToolError for an action that failed; its words become the error result."""
    if outcome.failed:
        raise ToolError(outcome.text)
    if (picture := outcome.picture) is not None:
        is_jpeg = picture.media_type == "image/jpeg"
        return BetaScreenshotResult(data=base64_of(picture), media_type="image/jpeg" if is_jpeg else "image/png")
    if isinstance(action, CursorPosition):
        x, _, y = outcome.text.removeprefix("X=").partition(",Y=")
        return BetaComputerCursorPositionResult(x=int(x), y=int(y))
    return outcome.text
