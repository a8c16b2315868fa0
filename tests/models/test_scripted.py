"""The scripted model."""

import pytest

from deskhand.core.errors import ModelUnavailable, ReplyInvalid
from deskhand.core.model import AgentKind, ModelReply
from deskhand.core.replies import AppAgentResponse
from deskhand.models.scripted import ScriptedModel
from models.requests import ask


async def test_replies_come_in_order_and_requests_are_kept() -> None:
    model = ScriptedModel([{"status": "CONTINUE"}, AppAgentResponse(status="DONE"), ReplyInvalid("no")])
    requests = [ask(subtask=str(number)) for number in range(3)]
    assert (await model.respond(requests[0])).content == {"status": "CONTINUE"}
    assert (await model.respond(requests[1])).content["status"] == "FINISH"
    with pytest.raises(ReplyInvalid, match="no"):
        await model.respond(requests[2])
    assert model.requests == requests


async def test_a_script_that_is_spent_is_no_model() -> None:
    with pytest.raises(ModelUnavailable, match="no reply number 1 for app"):
        await ScriptedModel([]).respond(ask())


async def test_each_agent_has_its_own_list() -> None:
    model = ScriptedModel({"host": [{"status": "ASSIGN"}], "app": [{"status": "A"}, {"status": "B"}]})
    told = [await model.respond(ask(kind)) for kind in (AgentKind.APP, AgentKind.HOST, AgentKind.APP)]
    assert [reply.content["status"] for reply in told] == ["A", "ASSIGN", "B"]


async def test_a_function_answers_from_the_request() -> None:
    model = ScriptedModel(lambda request: ModelReply({"status": "FINISH"}, request.subtask), name="echo")
    assert (await model.respond(ask(subtask="x"))).text == "x"
    assert model.name == "echo"
