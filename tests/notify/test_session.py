"""Messages of whole sessions and batches, on a desktop in memory."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

import deskhand
from cli.driver import Console
from cli.test_modes import World, world, write_json
from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration, NotifySection
from deskhand.core.errors import ConfigurationError
from deskhand.core.events import Event, ProblemMet, SessionFinished
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.notify import notifications
from stage import Answer, assign, say, scripted
from wire.receiver import receiving

__all__ = ["world"]

TAKE = ["sh", "-c", "cat >> messages"]
ASKS = [say("PENDING", questions=["Which door?"]), say("FINISH", result="a secret of the document")]


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str]) -> Console:
    return Console(capsys)


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    return "asyncio"


def messages() -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in written().splitlines()]
    except FileNotFoundError:
        return []


def written() -> str:
    return Path("messages").read_text()


def kinds() -> list[str]:
    return [message["type"].removeprefix("deskhand.") for message in messages()]


def to_command(monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
    for name, value in {"command": TAKE, **settings}.items():
        monkeypatch.setenv(f"DESKHAND_NOTIFY__{name.upper()}", json.dumps(value))


def air(console: Console, *more: object) -> Any:
    return console("run", "Air the room", "--playbook", "door.yaml", "--file", "a.odt", "--json", *more)


@pytest.mark.requires("notify.messages")
def test_the_end_of_a_session_is_sent_without_its_request_and_result(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_command(monkeypatch)
    done = air(console)
    assert done.code == 0, done.err
    (message,) = messages()
    assert (message["type"], message["data"]["outcome"]) == ("deskhand.end", "success")
    assert message["data"]["session"] == done.item("session_id")
    assert [word for word in ("Air the room", "aired", "a.odt", "Door") if word in written()] == []


@pytest.mark.requires("notify.off")
def test_by_default_there_is_no_way_for_messages(tmp_path: Path) -> None:
    section = load(Sources({"HOME": str(tmp_path)}, tmp_path)).notify
    assert notifications(section, {}, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"}).channels() == ()


@pytest.mark.requires("notify.off")
@pytest.mark.parametrize("name", sorted(NotifySection.model_fields))
def test_a_projects_file_can_set_none_of_the_settings(name: str, tmp_path: Path) -> None:
    value = json.dumps(NotifySection().model_dump(mode="json")[name])
    (tmp_path / "deskhand.yaml").write_text(f"notify: {{{name}: {value}}}\n")
    with pytest.raises(ConfigurationError, match=f"notify.{name}: it would start programs and send messages"):
        load(Sources({"HOME": str(tmp_path)}, tmp_path))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "HOOK is set neither in the environment nor in the secrets file"),
        ({"HOOK": "hunter2"}, "HOOK: the secret does not begin with whsec_"),
        ({"HOOK": "whsec_hunter2!"}, "HOOK: the secret is not base64"),
        ({"HOOK": "whsec_aHVudGVyMg=="}, "HOOK: the secret has 7 bytes, less than 24"),
    ],
)
@pytest.mark.requires("notify.webhook")
def test_a_missing_or_weak_secret_is_a_wrong_setting_and_not_repeated(given: dict[str, str], words: str) -> None:
    section = NotifySection(webhook="https://there.example/hook", secret_env="HOOK")  # noqa: S106 - the name of a variable
    with pytest.raises(ConfigurationError, match=words) as raised:
        notifications(section, given, {})
    assert "hunter2" not in str(raised.value)


@pytest.mark.requires("notify.webhook")
def test_a_session_signs_with_the_secret_of_the_environment(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving() as receiver:
        to_command(monkeypatch, command=[], webhook=receiver.address, secret_env="MY_HOOK")  # noqa: S106 - as above
        assert "MY_HOOK is set neither" in air(console).err
        monkeypatch.setenv("MY_HOOK", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        assert air(console).code == 0
    assert [json.loads(d.body)["type"] for d in receiver.came] == ["deskhand.end"]
    assert receiver.came[0].headers["webhook-signature"].startswith("v1,")


@pytest.mark.requires("notify.harmless")
def test_a_command_that_fails_is_reported_once_and_changes_nothing_else(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_command(monkeypatch, command=["sh", "-c", "exit 7"])
    done = air(console)
    assert (done.code, done.item("outcome")) == (0, "success")
    assert done.err.count("notifying by the command sh: the command sh ended with exit code 7") == 1


def batch(console: Console, *more: object) -> Any:
    tasks = [{"id": name, "task": f"Air {name}", "object": f"{name}.odt"} for name in "ab"]
    path = write_json("tasks.jsonl", *tasks)
    arguments = ("--playbook", "door.yaml", "--mode", "batch", "--tasks", path, "--out", "out", "--json")
    return console("run", *arguments, *more)


@pytest.mark.requires("notify.messages")
def test_a_batch_sends_one_end(console: Console, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    to_command(monkeypatch)
    assert batch(console).code == 0
    (message,) = messages()
    data = message["data"]
    assert (data["outcome"], data["succeeded"], data["tasks"]) == ("success", 2, 2)


@pytest.mark.requires("notify.messages")
def test_a_batch_sends_the_end_of_each_task_if_that_is_wanted(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_command(monkeypatch, on=["task"])
    assert batch(console).code == 0
    assert [(m["data"]["task"], m["data"]["outcome"]) for m in messages()] == [("a", "success"), ("b", "success")]


class Waits:
    """A user who answers when the message has come."""

    reaches_person = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        await self._come()
        return Answers(dict.fromkeys(questions, "The left one"))

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        await self._come()
        return True

    async def _come(self) -> None:
        with anyio.fail_after(10):
            while self._kind not in kinds():
                await anyio.lowlevel.checkpoint()


async def run(
    world: World, kind: str, *host: Answer, app: Sequence[Answer] = (), **settings: object
) -> tuple[Outcome, list[Event]]:
    section = NotifySection.model_validate({"command": TAKE, "wait_s": 0.0, **settings})
    events: list[Event] = []
    ending = await deskhand.run(
        "Air",
        model=scripted({"HostAgent": host, "AppAgent/writer": app}),
        files=["a.odt"],
        opens=world.open,
        out="out",
        configuration=Configuration(notify=section),
        interactor=Waits(kind),
        listeners=[events.append],
    )
    return ending.outcome, events


@pytest.mark.requires("notify.messages")
async def test_a_question_that_waits_is_sent_with_its_words(world: World) -> None:
    outcome, _ = await run(world, "question", *ASKS)
    assert (outcome, kinds()) == (Outcome.SUCCESS, ["question", "end"])
    data = messages()[0]["data"]
    assert data["questions"] == ["Which door?"]
    assert data["text"].startswith("Which door?\nHostAgent of ")
    assert data["text"].endswith(f"or in a browser: deskhand view {data['session']}.")
    assert "secret" not in written()


@pytest.mark.requires("notify.messages")
async def test_an_action_to_approve_is_sent_without_what_it_is(world: World) -> None:
    presses = say("CONFIRM", "click_input", "Door")
    host = (assign("a.odt Writer", "Open"), say("FINISH"))
    outcome, _ = await run(world, "confirmation", *host, app=[presses, say("FINISH")])
    assert (outcome, kinds()) == (Outcome.SUCCESS, ["confirmation", "end"])
    assert "Door" not in written()


@pytest.mark.requires("notify.harmless")
async def test_a_failure_is_an_event_of_the_session(world: World) -> None:
    _, events = await run(world, "end", say("FINISH"), command=["no-such-program"])
    problems = [event for event in events if isinstance(event, ProblemMet)]
    assert [(p.where, p.error.type) for p in problems] == [
        ("notifying by the command no-such-program", "NotificationFailed")
    ]
    assert any(isinstance(event, SessionFinished) and event.outcome == "success" for event in events)
