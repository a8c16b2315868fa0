"""An action over accessibility ends by one deadline, however many calls it takes, and says what it sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

import anyio
import pytest

from deskhand.core.errors import ActionDeadline, ActionRefused, ApplicationUnresponsive, DesktopError, ElementStale
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Post, Reply, Signal

BUTTON = Ref(":1.1", "/go")
LOOK = calls.get_state(BUTTON)
PRESS = BUTTON.call(calls.ACTION, "DoAction", "i", 0)
FOCUS = BUTTON.call(calls.COMPONENT, "GrabFocus")


@dataclass
class Slow:
    """A transport to an application that takes `takes_s` for each answer."""

    takes_s: float
    asked: list[str] = field(default_factory=list[str])

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        (reply,) = await self.batch([call], deadline_s=deadline_s)
        if isinstance(reply, DesktopError):
            raise reply
        return reply

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        assert deadline_s > 0
        self.asked += [call.member for call in asked]
        await anyio.sleep(min(self.takes_s, deadline_s))
        late = self.takes_s > deadline_s
        return [ApplicationUnresponsive("no answer") if late else [True] for _ in asked]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        raise NotImplementedError

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """It is near."""

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """No signals."""

    async def close(self) -> None:
        """Nothing to close."""


async def until_late(deed: Deed, call: Call) -> ActionDeadline:
    with pytest.raises(ActionDeadline) as raised:  # noqa: PT012 - which of the calls is late is not for the test to say
        while True:
            await deed.ask(call)
    return raised.value


@pytest.mark.requires("desktop.action-deadline")
async def test_many_slow_answers_together_take_no_longer_than_one() -> None:
    slow, began = Slow(0.04), monotonic()
    error = await until_late(Deed(slow, "the button", deadline_s=0.1), LOOK)
    assert len(slow.asked) in {1, 2, 3}
    assert monotonic() - began >= 0.1
    assert (error.sent, error.retry_safe) == ((), True)
    assert "nothing" in error.message


@pytest.mark.requires("desktop.action-deadline")
@pytest.mark.parametrize(("call", "safe"), [(PRESS, False), (FOCUS, True)])
async def test_what_was_sent_is_told_and_whether_the_same_again_does_harm(call: Call, safe: bool) -> None:
    deed = Deed(Slow(0.04), "the button", deadline_s=0.1)
    await deed.send(call)
    error = await until_late(deed, LOOK)
    assert (error.sent, error.retry_safe) == ((call.member,), safe)
    assert call.member in error.message


@pytest.mark.requires("desktop.action-deadline")
async def test_what_answers_too_late_was_sent_all_the_same() -> None:
    with pytest.raises(ActionDeadline) as raised:
        await Deed(Slow(60), "the button", deadline_s=0.02).send(PRESS)
    assert raised.value.sent == ("DoAction",)


@pytest.mark.requires("desktop.action-deadline")
async def test_nothing_is_sent_any_more_once_it_is_too_late() -> None:
    slow = Slow(60)
    deed = Deed(slow, "the button", deadline_s=0.02)
    await until_late(deed, LOOK)
    with pytest.raises(ActionDeadline) as raised:
        await deed.send(PRESS)
    assert (slow.asked, raised.value.sent) == (["GetState"], ())


@pytest.mark.requires("desktop.action-deadline")
async def test_what_is_asked_at_once_and_not_answered_is_too_late() -> None:
    with pytest.raises(ActionDeadline):
        await Deed(Slow(60), "the button", deadline_s=0.02).ask_all([LOOK, LOOK])


async def test_an_action_that_does_not_answer_soon_is_left_to_itself() -> None:
    assert await Deed(Slow(60), "the button").send_briefly(PRESS, 0.02) is None


@dataclass
class Refusing(Slow):
    """What it is asked or told is refused, or concerns what is gone."""

    refusal: DesktopError = field(default_factory=lambda: DesktopError(""))

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        assert deadline_s > 0
        return [self.refusal for _ in asked]


@pytest.mark.requires("act.names-controls")
@pytest.mark.parametrize("kind", [ActionRefused, ElementStale])
async def test_what_is_refused_or_gone_is_called_what_it_is_and_not_by_its_path(kind: type[DesktopError]) -> None:
    refusal = kind("/go of :1.1 said no", fix="Observe the window again.")
    with pytest.raises(kind) as raised:
        await Deed(Refusing(0, refusal=refusal), 'button "Go" [1]').ask(LOOK)
    assert (raised.value.message, raised.value.fix) == ('button "Go" [1] said no', "Observe the window again.")
