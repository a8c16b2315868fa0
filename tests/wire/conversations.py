"""Random conversations with a vendor: turns that its codec read, and outcomes of any kind for their actions."""

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from deskhand.core.json import JsonValue
from deskhand.operator.actions import (
    Action,
    ActionOutcome,
    Answer,
    Call,
    Codec,
    Conversation,
    Exchange,
    Picture,
    Screenshot,
    Size,
    Turn,
)

Body = Mapping[str, JsonValue]
SCREEN = Size(1280, 720)


def picture(words: str = "a screen") -> Picture:
    return Picture(words.encode(), SCREEN)


def talk(*exchanges: Exchange, screenshot: Picture | None = None) -> Conversation:
    return Conversation(
        "Use the desktop.", "Save the file.", screenshot or picture("the first"), exchanges, SCREEN, 500
    )


def done(turn: Turn, *texts: str, after: Picture | None = None, note: str = "") -> Exchange:
    """All actions of the turn done, with these texts in order; screenshots have pictures of their moment."""
    left = list(texts)

    def outcome(action: Action) -> ActionOutcome:
        is_picture = isinstance(action, Screenshot)
        return ActionOutcome(left.pop(0) if left else "Done.", picture(f"number {len(left)}") if is_picture else None)

    answers = tuple(Answer(tuple(map(outcome, call.actions))) for call in turn.calls)
    return Exchange(turn, answers, after, note)


def conversations(codec: Codec, body: st.SearchStrategy[Body]) -> st.SearchStrategy[Conversation]:
    """Conversations of up to four turns, of which earlier ones may have lost their pictures."""
    exchange = body.flatmap(lambda each: _exchanges(codec.reply(each)))
    return st.lists(exchange, max_size=4).map(lambda found: talk(*found))


def _exchanges(turn: Turn) -> st.SearchStrategy[Exchange]:
    answers = st.tuples(*map(_answers, turn.calls))
    return st.builds(Exchange, st.just(turn), answers, _pictures(turn), st.text(min_size=1, max_size=9))


def _answers(call: Call) -> st.SearchStrategy[Answer]:
    outcomes = st.tuples(*map(_outcomes, call.actions))
    return st.builds(Answer, outcomes, st.sampled_from([(), call.checks]))


def _outcomes(action: Action) -> st.SearchStrategy[ActionOutcome]:
    made: Callable[..., ActionOutcome] = ActionOutcome
    if isinstance(action, Screenshot):
        return st.builds(made, st.text(max_size=9), st.sampled_from([picture(), Picture(b"", SCREEN)]))
    return st.builds(made, st.text(max_size=9), st.none(), st.booleans(), st.booleans())


def _pictures(turn: Turn) -> st.SearchStrategy[Picture | None]:
    return st.sampled_from([picture("after"), Picture(b"", SCREEN)]) if turn.calls else st.none()
