"""Requests as the pipeline makes them, and the messages that are sent for them."""

from dataclasses import replace

from deskhand.commands import standard_catalogue
from deskhand.core.command import ResultStatus
from deskhand.core.model import (
    ActionRecord,
    AgentKind,
    ImagePart,
    ModelRequest,
    Passage,
    StepRecord,
    SubtaskRecord,
    TextPart,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.replies import AgentReply, AppAgentResponse, HostAgentResponse
from deskhand.core.roles import Role
from deskhand.prompts import MessageConstructor
from deskhand.states.table import packaged_table
from models.requests import ask, control, labelled, window


def constructor(kind: str) -> MessageConstructor:
    replies = {str(AgentKind.HOST): HostAgentResponse, str(AgentKind.APP): AppAgentResponse}
    return MessageConstructor(kind, replies.get(str(kind), AgentReply))


def pressed(target: str, message: str = "") -> StepRecord:
    action = ActionRecord("invoke", {}, target, ResultStatus.SUCCESS, None, ran=True, message=message)
    return StepRecord(1, "CONTINUE", (action,))


def told(request: ModelRequest, blackboard: str = "", pictures: tuple[ImagePart, ...] = ()) -> str:
    """The messages exactly, each part below a line of its own."""
    parts: list[str] = []
    for message in constructor(request.agent).messages(request, blackboard, pictures):
        for part in message.parts:
            text = part.text if isinstance(part, TextPart) else f"[{part.media_type}] {part.caption}"
            parts.append(f"----- {message.role}\n{text.rstrip()}")
    return "\n".join(parts)


def with_words(request: ModelRequest, machine: str) -> ModelRequest:
    """With the statuses of the table, and tools of the catalogue."""
    table = packaged_table()
    specs = standard_catalogue().specs(request.agent)
    wanted = ("invoke", "set_edit_text", "select_application_window")
    return replace(
        request,
        tools=tuple(spec for name, spec in specs.items() if name in wanted),
        allowed_statuses=table.claimable(machine, "CONTINUE"),
        status_meanings=table.meanings(machine, "CONTINUE"),
    )


def app_request() -> ModelRequest:
    looked = ActionRecord(
        "texts", {}, 'label "Total" [7]', ResultStatus.SUCCESS, None, ran=True, output='{"text": "9"}'
    )
    request = ask(
        subtask="Save it",
        done=[
            pressed('button "Open" [3]'),
            StepRecord(
                2, "CONTINUE", (looked,), problem="no picture", reply_status="FINISH", warning="Again the same."
            ),
        ],
        before=[SubtaskRecord("Read", "FINISH", Outcome.SUCCESS, application="writer", result="3 rows")],
        window=window("Notes"),
        controls=[control(Role.BUTTON, "Save"), control(Role.TEXTBOX, "Name", value="Ada")],
    )
    return replace(
        request,
        host_message=("keep the name",),
        plan=("press Save",),
        answers={"Which name?": "Ada"},
        reservations=("not everything could be read: it took longer than 5 s",),
        warnings=("Four fifths of the tokens are used.",),
        references=(Passage("document", "Saving", "Press Save.", "/help/saving.md"),),
        seen_before=labelled([control(Role.BUTTON, "Save"), control(Role.TEXTBOX, "Name")]),
    )
