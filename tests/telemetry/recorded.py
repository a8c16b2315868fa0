"""Sessions on a desktop in memory that are recorded, and a model whose replies cost something."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from deskhand.config.sections import Configuration, SystemSection, TelemetrySection
from deskhand.core.model import ModelReply, ModelRequest, PictureLimits
from deskhand.core.ports import Interactor, Model
from deskhand.core.usage import Usage
from deskhand.desktop.fake import FakeDesktop
from deskhand.models.scripted import ScriptedReply
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.interactors import AutoInteractor
from deskhand.session.round import Ending
from stage import Answer, scripted


class Priced:
    """A language model by its name, which answers from lists; each reply takes 100 and 20 tokens, and costs a cent."""

    name = "openai:gpt-6"
    pictures: PictureLimits | None = None

    def __init__(self, replies: Mapping[str, Sequence[Answer | ScriptedReply]]) -> None:
        self._script = scripted(replies)

    async def respond(self, request: ModelRequest) -> ModelReply:
        reply = await self._script.respond(request)
        return replace(reply, model="gpt-6-2026", usage=Usage(100, 20, 0.01, 60))


def telemetry(endpoint: str = "", **more: object) -> Configuration:
    return Configuration(
        system=SystemSection(save_ui_tree=False, effect_hold_s=0.0, action_sequence=True),
        telemetry=TelemetrySection.model_validate({"endpoint": endpoint, **more}),
    )


def planned(
    desktop: FakeDesktop,
    folder: Path,
    model: Model,
    configuration: Configuration,
    *,
    requests: Sequence[str] = ("Save it",),
    interactor: Interactor | None = None,
) -> SessionPlan:
    return SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=tuple(requests),
        model=model,
        configuration=configuration,
        opens=desktop.opened,
        interactor=interactor or AutoInteractor(),
        version="1.2",
    )


async def run(plan: SessionPlan) -> Ending:
    with anyio.fail_after(30):
        return await run_session(plan)
