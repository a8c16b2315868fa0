"""Everything the machines can do, explored: that it always ends, and ends as the specification says (contract 2).

`pytest -s` prints how much was explored. What a play left behind is judged here from the specification's own words,
without the product's.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from deskhand.config.sections import SystemSection
from deskhand.core.events import SubtaskArchived, SubtaskAssigned, TransitionTaken
from states.explorer import Graph, described, explore
from states.happenings import Happening, Setting
from states.small_world import Handled, Play, SmallWorld
from support import FULL

pytestmark = pytest.mark.long

Row = tuple[str, str, str, str, str]
"""Machine, from, to, cause, trigger."""

ACTIVE: Final = ("CONTINUE", "SCREENSHOT")
TERMINAL: Final = ("FINISH", "FAIL", "ERROR")
GOOD: Final = ("CONTINUE", "SCREENSHOT", "FINISH", "ASSIGN")
FEW: Final = ("goes on", "finishes", "gives up", "cannot look", "asks")
FAILING: Final = FEW[:-1]
HOSTED: Final = (*FEW, "wants a confirmation", "breaks down")
CLAIMS: Final = ("finishes", "asks", "proposes what the policy holds")
CIRCLES: Final = ("acts", "finishes", "cannot look")
ANNOUNCED: Final = ("finishes", "asks when something has happened", "asks while something is to happen")
NOTHING_ASKED: Final = {"ask_question": False, "safe_guard": False}


def budgets(failed_steps: int, of_subtask: int, of_round: int, **others: object) -> dict[str, object]:
    return {
        "max_failed_steps": failed_steps,
        "max_fail_per_subtask": of_subtask,
        "max_fail_per_round": of_round,
        **others,
    }


EVERYTHING: Final = (
    Setting("with a host", budgets(1, 1, 1), steps=() if FULL else HOSTED),
    Setting("every event, without a host", budgets(1, 1, 1), with_host=False),
    Setting("no failed step, without a host", budgets(0, 0, 0), with_host=False),
    Setting("every event, following a plan", budgets(1, 1, 1, mode="follower")),
    Setting("every event, nothing asked, without a host", budgets(1, 1, 1, **NOTHING_ASKED), with_host=False),
    Setting("nothing asked", budgets(1, 1, 1, **NOTHING_ASKED), steps=(*FEW, "wants a confirmation")),
    Setting("events from outside", budgets(1, 1, 1), steps=ANNOUNCED),
    Setting("events from outside, nothing asked", budgets(1, 1, 1, **NOTHING_ASKED), steps=ANNOUNCED),
)
"""Together they go through every state and every row."""

SETTINGS: Final = (
    *(
        Setting(
            f"budgets of {numbers}", budgets(*numbers), steps=() if FULL else FEW if len({*numbers}) == 1 else FAILING
        )
        for numbers in product((1, 2), repeat=3)
        if FULL or sum(numbers) <= 4  # one of them at 2; two take twice as long, and three as long as all others
    ),
    *(
        Setting(f"{failed_steps} failed steps {name}", budgets(failed_steps, 2, 2, **others), with_host=with_host)
        for failed_steps in ((1, 2) if FULL else (2,))  # EVERYTHING has them at 1
        for name, others, with_host in (("without a host", {}, False), ("following a plan", {"mode": "follower"}, True))
    ),
    *(Setting(f"{most} steps", budgets(2, 2, 2, max_step=most)) for most in (1, 2)),
    Setting("3 steps", budgets(1, 1, 1, max_step=3, max_tokens=500, max_usd=5.0, max_seconds=60.0), steps=FEW),
    *(
        Setting(f"the same again: {', '.join(steps)}", budgets(1, 1, 1), steps=steps, repeats=True)
        for steps in ((CLAIMS,) if FULL else (CLAIMS[:2], CLAIMS[::2]))
    ),
    Setting("the same again, nothing asked", budgets(1, 1, 1, **NOTHING_ASKED), steps=CLAIMS, repeats=True),
    *(
        Setting(
            f"in circles {most}",
            budgets(1, 1, 2, max_repeats=most),
            steps=("acts", "finishes", "cannot look"),
            repeats=True,
        )
        for most in (1, 2)
    ),
    Setting("two applications", budgets(1, 1, 2), steps=(*CLAIMS[::2], "gives up"), windows=("A", "B")),
)


class Found:
    """What all plays of some settings came through."""

    def __init__(self) -> None:
        self.rows: Counter[Row] = Counter()
        self.handled: set[tuple[str, str]] = set()
        self.outcomes: Counter[str] = Counter()

    def add(self, play: Play) -> None:
        check(play)
        self.outcomes[play.outcome if not play.open else "open"] += 1
        for item in play.trace:
            if isinstance(item, TransitionTaken):
                self.rows[item.machine, item.source, item.to, item.cause, item.trigger] += 1
            elif isinstance(item, Handled):
                self.handled.add((item.machine, item.state))


async def explored(setting: Setting, log_path: Path, found: Found) -> Graph:
    """The whole graph of a setting, which always ends."""
    graph = await explore(SmallWorld(setting, log_path, found.add).play)
    print(  # noqa: T201 - how much was explored
        f"{setting.name}: {len(graph.paths)} states, {graph.transitions} transitions, {graph.plays} plays"
    )
    assert not graph.stuck(), f"no end can be reached from\n{described(graph.stuck())}"
    counted = "max_step" in setting.settings
    circle = graph.circle(without=lambda state: state[0] == "a step" and not counted)
    assert not circle, f"no step counts down on the way around\n{described(circle)}"
    return graph


@pytest.mark.requires("state.model-check", "round.outcome")
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
async def test_every_path_ends_within_the_budgets_and_as_the_specification_says(
    setting: Setting, tmp_path: Path
) -> None:
    found = Found()
    await explored(setting, tmp_path, found)
    assert {"cancelled", "error"} <= found.outcomes.keys()


@pytest.mark.requires("state.model-check", "state.reachable")
async def test_every_state_and_every_row_is_reached(tmp_path: Path) -> None:
    found, states, transitions = Found(), 0, 0
    for setting in EVERYTHING:
        graph = await explored(setting, tmp_path, found)
        states, transitions = states + len(graph.paths), transitions + graph.transitions
    print(  # noqa: T201 - as above
        f"together {states} states, {transitions} transitions; rounds by outcome: {dict(found.outcomes)}"
    )
    assert found.handled == {(row["machine"], row["state"]) for row in packaged("states.csv") if row["state"]}
    rows = {(r["machine"], r["from"], r["to"], r["cause"], r["trigger"]) for r in packaged("transitions.csv")}
    assert set(found.rows) == rows


def packaged(name: str) -> list[dict[str, str]]:
    text = resources.files("deskhand.states").joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


# What every play is held to.


def check(play: Play) -> None:
    """Raises AssertionError, with the trace as a note, where the specification is not met."""
    try:
        assert_handled_once(play)
        assert_archived_once(play)
        assert_step_allowances(play)
        assert_fail_allowances(play)
        assert_claims_stand(play)
        assert subtask_outcomes(play) == [e.outcome for e in play.trace if isinstance(e, SubtaskArchived)]
        if not play.open:
            assert play.outcome == round_outcome(play)
            assert play.ending is None or play.ending.outcome == play.outcome
    except AssertionError as error:
        error.add_note("\n".join(map(str, play.trace)))
        raise


def transitions(play: Play) -> list[TransitionTaken]:
    return [item for item in play.trace if isinstance(item, TransitionTaken)]


def entered(play: Play) -> list[tuple[str, str]]:
    """Machine and state, the start included."""
    states = [("host" if play.setting.with_host else "app", "CONTINUE")]
    for taken in transitions(play):
        machine, _, state = taken.to.rpartition(":")
        states.append((machine or taken.machine, state))
    return states


def handled(play: Play) -> list[tuple[str, str]]:
    return [(item.machine, item.state) for item in play.trace if isinstance(item, Handled)]


def stopped_by(play: Play) -> str:
    """The outcome of what stopped the round from outside; empty where its states ended it."""
    if play.cancelled:
        return "cancelled"
    left_out = len(handled(play)) < len(entered(play))
    if play.open or not left_out or entered(play)[-1][1] not in ACTIVE:
        return ""
    if play.steps == play.setting.settings.get("max_step"):
        return "step_limit"
    return {"seconds": "timeout", "tokens": "budget", "dollars": "budget"}[play.spent]


def assert_handled_once(play: Play) -> None:
    """Every state that was entered did its work once, in order; only the one after the end does none."""
    path = entered(play)
    closed = len(path) > 1 and (path[-2][1] == "ERROR" or path[-2] == ("host", "FAIL"))
    assert handled(play) == (path[:-1] if closed or stopped_by(play) not in {"", "cancelled"} else path)
    if not play.open and not stopped_by(play):
        last = path[-1] == ("host", "FINISH") if play.setting.with_host else path[-1][1] in TERMINAL
        assert closed or last


def assert_archived_once(play: Play) -> None:
    """Assigned and archived take turns, whoever stopped the round."""
    turns = [item for item in play.trace if isinstance(item, SubtaskAssigned | SubtaskArchived)]
    if not play.setting.with_host:
        assert [type(item) for item in turns] == [SubtaskArchived]
        return
    assert len(turns) % 2 == 0
    for assigned, archived in zip(turns[::2], turns[1::2], strict=True):
        assert isinstance(assigned, SubtaskAssigned)
        assert isinstance(archived, SubtaskArchived)
        assert (assigned.agent, assigned.subtask) == (archived.agent, archived.subtask)


def assert_step_allowances(play: Play) -> None:
    """As many failed steps in a row return as may, and not one more; nobody goes in circles (contract 2.2, 3.1)."""
    most = SystemSection.model_validate({"max_repeats": 0, **play.setting.settings})
    failed: Counter[str] = Counter()
    acts: defaultdict[str, list[str]] = defaultdict(list)
    agent = ""
    for item in play.trace:
        if isinstance(item, SubtaskAssigned):
            failed[item.agent], acts[item.agent] = 0, []
        elif isinstance(item, Handled):
            agent = item.agent
        elif isinstance(item, Happening):
            acts[agent] += [item.function] if item.function else []
        elif isinstance(item, TransitionTaken) and item.source in ACTIVE and item.trigger in {"corrected", "spent"}:
            circled = item.trigger == "spent" and in_circles(acts[agent], most.max_repeats)
            failed[agent] += not circled
            assert circled or (item.trigger == "spent") == (failed[agent] > most.max_failed_steps)
        elif isinstance(item, TransitionTaken) and item.source in ACTIVE and item.to in GOOD:
            failed[agent] = 0


def assert_fail_allowances(play: Play) -> None:
    """As many FAILs of a subtask and of the round return as may, and not one more (contract 2.2)."""
    most = SystemSection.model_validate(play.setting.settings)
    fails: Counter[str] = Counter()
    in_round = 0
    for item in transitions(play):
        if item.machine == "app" and item.to == "FINISH" and item.cause == "llm":
            fails[item.agent] = 0
        elif item.source == "ASSIGN" and item.trigger in {"vanished", "spent"}:
            in_round += 1
            assert (item.trigger == "spent") == (in_round > most.max_fail_per_round)
        elif item.machine == "app" and item.source == "FAIL" and not play.setting.follows_plan:
            fails[item.agent] += 1
            in_round += 1
            spent = fails[item.agent] > most.max_fail_per_subtask or in_round > most.max_fail_per_round
            assert (item.to == "host:FAIL") == spent


def in_circles(acts: Sequence[str], most: int) -> bool:
    """Whether the same action stands at the end once more than it may in a row."""
    return 0 < most < len(acts) and len(set(acts[-most - 1 :])) == 1


def assert_claims_stand(play: Play) -> None:
    """A FINISH by the model's claim follows a step in which nothing failed; a person is the cause only if asked."""
    last: Happening | None = None
    for item in play.trace:
        if isinstance(item, Happening):
            last = item
        elif isinstance(item, TransitionTaken) and item.to == "FINISH" and item.cause == "llm":
            assert last is not None
            assert last.name == "finishes"
        elif isinstance(item, TransitionTaken) and item.cause == "user":
            setting = "ask_question" if item.source == "PENDING" else "safe_guard"
            assert play.setting.settings.get(setting, True)


def subtask_outcomes(play: Play) -> list[str]:
    """FINISH by the model's own claim: success, after a rejection: rejected; FAIL: failed, or timeout when nobody
    answered in time; ERROR: error; stopped from outside: what stopped it."""
    outcomes: list[str] = []
    for taken in transitions(play):
        if taken.machine == "app" and taken.to in TERMINAL:
            finish = "rejected" if taken.cause == "user" else "success"
            fail = "timeout" if taken.cause == "timeout" else "failed"
            outcomes.append({"FINISH": finish, "FAIL": fail, "ERROR": "error"}[taken.to])
    begun = sum(isinstance(item, SubtaskAssigned) for item in play.trace) if play.setting.with_host else 1
    if len(outcomes) < begun:
        outcomes.append(stopped_by(play) or "error")
    return outcomes


def round_outcome(play: Play) -> str:
    """Host.FINISH is success only if the last archived subtask is success and every rejected one was followed by a
    success of the same AppAgent; otherwise rejected, or that last subtask's outcome. Host.FAIL: rejected or timeout
    when that led there, else failed. In follower mode and without a host: the subtask's outcome."""
    if stopped := stopped_by(play):
        return stopped
    subtasks, (_, state), how = subtask_outcomes(play), handled(play)[-1], arrival(play)
    if state == "ERROR":
        return "error"
    if subtasks and (play.setting.follows_plan or not play.setting.with_host):
        return subtasks[-1]
    if state == "FAIL":
        waited_in_vain = how.cause == "timeout" or (how.machine == "app" and subtasks[-1] == "timeout")
        return "rejected" if how.cause == "user" else "timeout" if waited_in_vain else "failed"
    if subtasks and subtasks[-1] != "success":
        return subtasks[-1]
    return "rejected" if never_made_good(play, subtasks) else "success"


def arrival(play: Play) -> TransitionTaken:
    """The transition into the state that ended the round."""
    path = transitions(play)
    return path[-1] if len(handled(play)) == len(entered(play)) else path[-2]


def never_made_good(play: Play, outcomes: Sequence[str]) -> bool:
    """Whether an agent has a rejected subtask and no success after it."""
    agents = [item.agent for item in play.trace if isinstance(item, SubtaskArchived)]
    last_word = {a: o for a, o in zip(agents, outcomes, strict=True) if o in {"rejected", "success"}}
    return "rejected" in last_word.values()
