"""The conversation of one subtask with a vendor's model, and the turn that is being carried out."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from deskhand.operator.actions import (
    Action,
    ActionOutcome,
    Answer,
    Call,
    Conversation,
    Exchange,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Picture,
    Turn,
    pictures_of,
)
from deskhand.operator.coordinates import ShownScreen

_MOST_PICTURES: Final = 20
"""Pictures in a request; with more than these a vendor has smaller limits for each."""
_LEFT: Final = 3
"""Pictures left when older ones are removed, all at once: each removal costs the vendor's cache of the beginning."""
_REPEATED: Final = "You did the same {} times and nothing changed. Do something else: one more time fails the task."
MOST_ACTIONS: Final = 50
"""Actions of one turn; the rest of a longer one is answered and not carried out."""


@dataclass(frozen=True, slots=True)
class Due:
    """The action that is to be carried out next, and its call. `unchecked`: its call has safety checks that nobody
    acknowledged.
    """

    call: Call
    action: Action
    unchecked: bool


@dataclass(slots=True)
class Loop:
    """`turn` is the one that is being carried out, or that was: it becomes an exchange with the next screenshot.

    `note`: words for the model with the next request. `failure`: that of the last turn with actions; empty if it had
    none. `repeats`: how many times in a row the last turn was the same, and so was the screen after it.
    """

    instructions: str = ""
    task: str = ""
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    screenshot: Picture | None = None
    shown: ShownScreen | None = None
    turn: Turn | None = None
    note: str = ""
    failure: str = ""
    repeats: int = 0
    _last: tuple[tuple[Action, ...], tuple[str, ...], int] | None = None
    _outcomes: list[list[ActionOutcome]] = field(default_factory=list[list[ActionOutcome]])
    _acknowledged: set[int] = field(default_factory=set[int])
    _down: dict[type[Action], Action] = field(default_factory=dict[type[Action], Action])

    def begin(self, turn: Turn) -> None:
        """Take a turn. Actions beyond `MOST_ACTIONS` are answered at once."""
        self.turn = turn
        self._outcomes = [[] for _ in turn.calls]
        self._acknowledged = set()
        self.failure = "" if turn.calls else self.failure

    @property
    def due(self) -> Due | None:
        """The next action of the turn; None where all of them have an outcome."""
        for position, (call, outcomes) in enumerate(self._parts()):
            if len(outcomes) < len(call.actions):
                unchecked = bool(call.checks) and position not in self._acknowledged
                return Due(call, call.actions[len(outcomes)], unchecked)
        return None

    def _parts(self) -> Iterator[tuple[Call, list[ActionOutcome]]]:
        return zip(self.turn.calls if self.turn else (), self._outcomes, strict=True)

    def acknowledge(self) -> None:
        """Record that a person acknowledged the safety checks of the call that is due."""
        for position, (call, outcomes) in enumerate(self._parts()):
            if len(outcomes) < len(call.actions):
                self._acknowledged.add(position)
                return

    def record(self, outcome: ActionOutcome) -> None:
        """Record the outcome of the action that is due. After a failure the rest of the turn is skipped."""
        for call, outcomes in self._parts():
            if len(outcomes) < len(call.actions):
                self._note_down(call.actions[len(outcomes)], outcome)
                outcomes.append(outcome)
                break
        done = sum(map(len, self._outcomes))
        if outcome.failed:
            self.failure = outcome.text
            self.skip_rest()
        elif done >= MOST_ACTIONS and self.due is not None:
            self.record(ActionOutcome(f"Not executed: one turn has at most {MOST_ACTIONS} actions.", failed=True))

    def _note_down(self, action: Action, outcome: ActionOutcome) -> None:
        match action:
            case MouseDown():
                self._down[MouseDown] = MouseUp()
            case KeyDown(keys):
                self._down[KeyDown] = KeyUp(keys)
            case MouseUp() if not outcome.failed:
                self._down.pop(MouseDown, None)
            case KeyUp() if not outcome.failed:
                self._down.pop(KeyDown, None)
            case _:
                pass

    def release(self) -> tuple[Action, ...]:
        """The actions that release the button and the keys that the model left down, once."""
        left, self._down = tuple(self._down.values()), {}
        return left

    def skip_rest(self) -> None:
        """Answer all actions that are left as skipped."""
        for call, outcomes in self._parts():
            outcomes.extend([ActionOutcome("", skipped=True)] * (len(call.actions) - len(outcomes)))

    def close_turn(self, screenshot: Picture, max_repeats: int = 0) -> None:
        """Make an exchange of the turn, or begin the conversation with this screenshot.

        `max_repeats`: the model is warned when the same turn was done so many times and nothing changed; 0: never.
        """
        if self.turn is None:
            self.screenshot = screenshot
            return
        now = (self._actions, tuple(each.text for part in self._outcomes for each in part), hash(screenshot.data))
        self.repeats = self.repeats + 1 if now == self._last else 1
        self._last = now
        if self.turn.calls and self.repeats == max_repeats:
            self.note = "\n".join(filter(None, (self.note, _REPEATED.format(self.repeats))))
        answers = tuple(
            Answer(tuple(outcomes), call.checks if position in self._acknowledged else ())
            for position, (call, outcomes) in enumerate(self._parts())
        )
        self.exchanges.append(Exchange(self.turn, answers, screenshot, self.note))
        self.turn, self.note = None, ""

    def conversation(self, max_output_tokens: int) -> Conversation:
        """The content of the next request, with at most `_MOST_PICTURES` pictures."""
        if len(pictures_of(self._conversation(max_output_tokens))) > _MOST_PICTURES:
            self.remove_pictures()
        return self._conversation(max_output_tokens)

    def _conversation(self, max_output_tokens: int) -> Conversation:
        if self.screenshot is None or self.shown is None:
            raise ValueError("a conversation begins with a screenshot")
        return Conversation(
            self.instructions, self.task, self.screenshot, tuple(self.exchanges), self.shown.size, max_output_tokens
        )

    @property
    def _actions(self) -> tuple[Action, ...]:
        return tuple(action for call in (self.turn.calls if self.turn else ()) for action in call.actions)

    @property
    def repeats_again(self) -> bool:
        """True if the turn has the actions of the last one."""
        return self._last is not None and bool(self._actions) and self._actions == self._last[0]

    def remove_pictures(self, left: int = _LEFT) -> None:
        """Remove all pictures but the latest ones."""
        for index in reversed(range(len(self.exchanges))):
            self.exchanges[index], left = _with_latest(self.exchanges[index], left)
        if left <= 0 and self.screenshot is not None:
            self.screenshot = replace(self.screenshot, data=b"")


def _with_latest(exchange: Exchange, left: int) -> tuple[Exchange, int]:
    """An exchange with its latest pictures, and how many of the earlier ones may stay."""

    def shown(picture: Picture | None) -> Picture | None:
        nonlocal left
        if picture is None or picture.removed:
            return picture
        left -= 1
        return picture if left >= 0 else replace(picture, data=b"")

    screenshot = shown(exchange.screenshot)
    answers: list[Answer] = []
    for answer in reversed(exchange.answers):
        outcomes = [replace(outcome, picture=shown(outcome.picture)) for outcome in reversed(answer.outcomes)]
        answers.append(replace(answer, outcomes=tuple(reversed(outcomes))))
    return replace(exchange, answers=tuple(reversed(answers)), screenshot=screenshot), max(0, left)
