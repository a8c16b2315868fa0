"""The model that hands out the steps of a plan."""

from dataclasses import replace

import pytest

from deskhand.core.model import AgentKind, Document, ModelRequest
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.plan import PlanModel
from models.requests import ask


def window(handle: str, application: str = "writer", **facts: object) -> TargetInfo:
    given = {"name": f"window {handle}", "type": Role.WINDOW, "pid": 7, **facts}
    return TargetInfo(TargetKind.WINDOW, handle=handle, id=handle, application=application, **given)  # pyright: ignore[reportArgumentType] - fields of the target


ONE, TWO, OTHER = window("1"), window("2"), window("3", "calc")
ASKS = window("4", type=Role.DIALOG, states=frozenset({"modal"}))
FINDS = window("5", type=Role.DIALOG)


def request(*shown: TargetInfo) -> ModelRequest:
    return replace(ask(AgentKind.HOST), controls=shown, request="Make it bold")


@pytest.mark.requires("session.follows-window")
async def test_where_the_window_of_the_plan_closed_the_one_that_shows_its_file_is_meant() -> None:
    first, last = Document("/a.csv", "/log/a.csv", ONE), Document("/b.csv", "/log/b.csv", TWO)
    asked = replace(request(ONE, TWO), documents=(first, last))
    reply = await PlanModel("Polish it", (ASKS,)).respond(asked)
    assert reply.content["control_label"] == "2"


async def chosen(model: PlanModel, *shown: TargetInfo) -> str:
    reply = await model.respond(request(*shown))
    return str(reply.content.get("control_label", reply.content["status"]))


async def test_the_step_goes_to_the_window_with_the_whole_task_as_a_message() -> None:
    reply = await PlanModel("Polish it", (ONE,)).respond(request(OTHER, ONE))
    assert reply.content["status"] == "ASSIGN"
    assert (reply.content["control_label"], reply.content["current_subtask"]) == ("1", "Make it bold")
    assert reply.content["message"] == ["This is one step of a plan. The whole task: Polish it"]


@pytest.mark.requires("round.follower")
@pytest.mark.parametrize(
    ("opened", "shown", "wanted"),
    [
        ((ONE,), (OTHER, TWO, ONE), "1"),
        ((ONE, TWO), (OTHER, TWO, ONE), "2"),
        ((ONE,), (OTHER, TWO), "2"),
        ((ONE,), (OTHER,), "FAIL"),
        ((ONE,), (FINDS, ONE), "1"),
        ((ONE,), (ASKS, ONE), "4"),
        ((ONE,), (ASKS,), "4"),
        ((), (OTHER, ONE), "3"),
        ((), (FINDS, ONE), "1"),
        ((), (), "FAIL"),
    ],
)
async def test_the_window_is_the_plans_own_then_one_like_it_and_where_none_was_opened_the_front_one(
    opened: tuple[TargetInfo, ...], shown: tuple[TargetInfo, ...], wanted: str
) -> None:
    assert await chosen(PlanModel("", opened), *shown) == wanted


async def test_without_a_window_it_says_what_is_wanted_and_what_is_there() -> None:
    reply = await PlanModel("", (ONE,)).respond(request(OTHER))
    assert "no window of writer" in str(reply.content["comment"])
    assert '"window 3"' in str(reply.content["comment"])
