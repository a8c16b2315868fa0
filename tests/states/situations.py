"""For every row of the table the situation in which a machine takes it, made with the means of a user alone.

A situation says what the model answers, what the person does, what happens on the desktop and how the program is set;
it assigns no status and hands in no verdict. It is registered under the row as the table has it: machine, from, to,
cause, trigger.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import anyio

from deskhand.agents import AppAgent, BasicAgent, ThirdPartyAgent
from deskhand.agents.factory import MakeAgent
from deskhand.commands import Tool, ToolContext, ToolOutcome
from deskhand.commands.call import Call
from deskhand.commands.catalogue import Arguments, action
from deskhand.core.command import Effect, EffectClass
from deskhand.core.context import RunMode
from deskhand.core.errors import ActionDeadline
from deskhand.core.events import TransitionTaken
from deskhand.core.model import AgentKind, ModelRequest
from deskhand.core.ports import Answers, ConfirmationRequest, Model
from deskhand.core.statuses import Cause
from deskhand.core.target import TargetInfo
from deskhand.models.scripted import ScriptedReply
from deskhand.pipeline.services import Services
from deskhand.states import Edge
from notes import APP, Notes
from stage import Answer, Person, Stage, assign, rule, say, stage

WHICH = "Which name?"


class Row(NamedTuple):
    """A row by what names it, and its cause."""

    machine: str
    source: str
    to: str
    cause: str
    trigger: str

    @property
    def id(self) -> str:
        return f"{self.machine}-{self.source}-{self.to}-{self.trigger}"

    @property
    def edge(self) -> Edge:
        return Edge(self.machine, self.source, self.to, Cause(self.cause), self.trigger)

    @classmethod
    def of(cls, edge: Edge) -> "Row":
        return cls(edge.machine, edge.source, edge.to, edge.cause.value, edge.trigger)

    @classmethod
    def taken(cls, event: TransitionTaken) -> "Row":
        return cls(event.machine, event.source, event.to, event.cause, event.trigger)


@dataclass
class Place:
    """Where a situation for a row is made. `lacking`: rows that the program lacks and is given for this run."""

    row: Row
    log_path: Path
    lacking: Sequence[Edge] = ()
    notes: Notes = field(default_factory=Notes)

    @property
    def action(self) -> tuple[str, str]:
        """Something harmless that the row's agent can do, and what with."""
        return ("select_application_window", "Notes") if self.row.machine == "host" else ("invoke", "Save")

    def told(
        self,
        *replies: Answer,
        person: Person | None = None,
        rules: str = "",
        third_party: Sequence[ThirdPartyAgent] = (),
        settings: Mapping[str, object] | None = None,
    ) -> Stage:
        """A session whose model answers the row's agent with these replies, in the row's state, then says FINISH."""
        given: dict[str, list[Answer]] = {"HostAgent": [*replies, say("FINISH")]}
        if self.row.machine != "host":
            way = [say("SCREENSHOT")] if self.row.source == "SCREENSHOT" else []
            given = {"HostAgent": [assign("Notes", "Write"), say("FINISH")], APP: [*way, *replies, say("FINISH")]}
        return self.staged(given, person=person, rules=rules, third_party=third_party, settings=settings)

    def staged(
        self,
        replies: Mapping[str, Sequence[Answer]],
        *,
        make: MakeAgent = AppAgent,
        person: Person | None = None,
        rules: str = "",
        third_party: Sequence[ThirdPartyAgent] = (),
        settings: Mapping[str, object] | None = None,
    ) -> Stage:
        """A session on the notes, in which the agents know the rows that the program lacks."""
        it = stage(
            self.notes.desktop,
            replies,
            log_path=self.log_path,
            person=person,
            rules=rules,
            kinds={"app": _Knowing(make, self.lacking)},
            third_party=third_party,
            settings=settings,
        )
        know(it.agent, self.lacking)
        return it


def know(agent: BasicAgent, rows: Sequence[Edge]) -> None:
    """Gives an agent's machine those of the rows that are its own."""
    manager = agent.state_manager
    if own := [edge for edge in rows if edge.machine == manager.machine]:
        manager.add_edges(own)


@dataclass(frozen=True)
class _Knowing:
    """Makes agents that know these rows."""

    make: MakeAgent
    rows: Sequence[Edge]

    def __call__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,
        process_name: str,
    ) -> BasicAgent:
        agent = self.make(name, services, models, mode=mode, target=target, process_name=process_name)
        know(agent, self.rows)
        return agent


Situation = Callable[[Place], Stage]
SITUATIONS: dict[Row, Situation] = {}


def shows(*rows: str) -> Callable[[Situation], Situation]:
    """Registers a situation for rows written as in the table, without their last column."""

    def register(situation: Situation) -> Situation:
        for text in rows:
            row = Row(*text.split(","))
            assert row not in SITUATIONS, f"{row.id} has two situations"
            SITUATIONS[row] = situation
        return situation

    return register


class Silent(Person):
    """Somebody who is there and never says a word."""

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        self.when_asked()
        await anyio.sleep_forever()
        return Answers()

    async def confirm(self, request: ConfirmationRequest) -> bool:
        await anyio.sleep_forever()
        return True


# What the model claims.


@shows("host,CONTINUE,CONTINUE,llm,reply", "app,CONTINUE,CONTINUE,llm,reply", "app,SCREENSHOT,CONTINUE,llm,reply")
def the_model_goes_on(place: Place) -> Stage:
    return place.told(say("CONTINUE"))


@shows("host,CONTINUE,FINISH,llm,reply", "app,CONTINUE,FINISH,llm,reply", "app,SCREENSHOT,FINISH,llm,reply")
def the_model_is_done(place: Place) -> Stage:
    return place.told()


@shows("host,CONTINUE,FAIL,llm,reply", "app,CONTINUE,FAIL,llm,reply", "app,SCREENSHOT,FAIL,llm,reply")
def the_model_cannot(place: Place) -> Stage:
    return place.told(say("FAIL"))


@shows("host,CONTINUE,PENDING,llm,reply", "app,CONTINUE,PENDING,llm,reply", "app,SCREENSHOT,PENDING,llm,reply")
def the_model_has_a_question(place: Place) -> Stage:
    return place.told(say("PENDING", questions=[WHICH]))


@shows("host,CONTINUE,CONFIRM,llm,reply", "app,CONTINUE,CONFIRM,llm,reply", "app,SCREENSHOT,CONFIRM,llm,reply")
def the_model_wants_a_confirmation(place: Place) -> Stage:
    return place.told(say("CONFIRM", *place.action))


@shows("host,CONTINUE,ERROR,llm,reply", "app,CONTINUE,ERROR,llm,reply", "app,SCREENSHOT,ERROR,llm,reply")
def the_model_gives_up(place: Place) -> Stage:
    return place.told(say("ERROR"))


@shows("host,CONTINUE,ASSIGN,llm,reply", "host,ASSIGN,app:CONTINUE,system,assigned")
def the_model_hands_over(place: Place) -> Stage:
    return place.staged({"HostAgent": [assign("Notes", "Write"), say("FINISH")], APP: [say("FINISH")]})


@shows("app,CONTINUE,SCREENSHOT,llm,reply")
def the_model_expects_another_interface(place: Place) -> Stage:
    return place.told(say("SCREENSHOT"))


@shows("app,SCREENSHOT,SCREENSHOT,llm,reply")
def the_model_looks_afresh_at_controls_it_names(place: Place) -> Stage:
    return place.told(say("SCREENSHOT", control_reannotate=["1"]))


@shows("app,SCREENSHOT,SCREENSHOT,system,reannotate")
def the_model_goes_on_but_names_controls_to_label_anew(place: Place) -> Stage:
    return place.told(say("CONTINUE", control_reannotate=["1"]))


@shows("app,SCREENSHOT,CONTINUE,system,fresh")
def the_model_wants_the_fresh_look_it_just_had(place: Place) -> Stage:
    return place.told(say("SCREENSHOT"))


# What goes wrong in a step.

IN_A_STEP = ("host,CONTINUE", "app,CONTINUE", "app,SCREENSHOT")


def failing(place: Place) -> Answer:
    """A reply whose action fails in a way that another try may mend."""

    def answer(request: ModelRequest) -> ScriptedReply:
        place.notes.desktop.faults.fail("resolve", ActionDeadline("too slow"))
        return say("CONTINUE", *place.action)(request)

    return answer


@shows(*(f"{start},CONTINUE,system,corrected" for start in IN_A_STEP))
def an_action_fails(place: Place) -> Stage:
    return place.told(failing(place), say("CONTINUE", *place.action))


@shows(*(f"{start},FAIL,system,spent" for start in IN_A_STEP))
def an_action_fails_once_too_often(place: Place) -> Stage:
    return place.told(failing(place), settings={"max_failed_steps": 0})


@shows(*(f"{start},ERROR,system,raised" for start in IN_A_STEP))
def the_model_breaks_down(place: Place) -> Stage:
    def answer(_: ModelRequest) -> ScriptedReply:
        raise ZeroDivisionError("division by zero")

    return place.told(answer)


@shows(*(f"{start},CONFIRM,system,policy" for start in IN_A_STEP))
def the_policy_wants_a_confirmation(place: Place) -> Stage:
    tool, _ = place.action
    return place.told(say("CONTINUE", *place.action), rules=rule(f"{{tool: {tool}}}", "confirm"))


@shows("app,CONTINUE,FAIL,system,gone", "app,SCREENSHOT,FAIL,system,gone")
def the_window_closes_under_the_agent(place: Place) -> Stage:
    look = 2 if place.row.source == "SCREENSHOT" else 1
    notes = place.notes
    notes.desktop.faults.before("observe", lambda: notes.desktop.close_window(notes.window), on_call=look)
    return place.told()


# The hand-over.


def vanishing(place: Place, settings: Mapping[str, object] | None = None) -> Stage:
    def answer(_: ModelRequest) -> ScriptedReply:
        place.notes.desktop.close_window(place.notes.window)
        return {"status": "ASSIGN", "current_subtask": "Write"}

    return place.told(say("CONTINUE", *place.action), answer, settings=settings)


@shows("host,ASSIGN,CONTINUE,system,vanished")
def the_window_closes_before_the_hand_over(place: Place) -> Stage:
    return vanishing(place)


@shows("host,ASSIGN,FAIL,system,spent")
def the_window_closes_before_the_hand_over_once_too_often(place: Place) -> Stage:
    return vanishing(place, settings={"max_fail_per_round": 0})


@shows("host,ASSIGN,ERROR,system,raised")
def no_agent_can_be_made(place: Place) -> Stage:
    def refuse(*_: object, **__: object) -> AppAgent:
        raise ValueError("no")

    return place.staged({"HostAgent": [assign("Notes", "Write")]}, make=refuse)


# Questions.


def asking(place: Place, person: Person, settings: Mapping[str, object] | None = None) -> Stage:
    return place.told(say("PENDING", questions=[WHICH]), person=person, settings=settings)


@shows("host,PENDING,CONTINUE,user,answered", "app,PENDING,CONTINUE,user,answered")
def the_person_answers(place: Place) -> Stage:
    return asking(place, Person(says={WHICH: "Ada"}))


@shows("host,PENDING,CONTINUE,system,off", "app,PENDING,CONTINUE,system,off")
def asking_is_off(place: Place) -> Stage:
    return asking(place, Person(says={WHICH: "Ada"}), settings={"ask_question": False})


class Downloads:
    """A tool that starts a download and announces its end; `finish` ends it."""

    def __init__(self) -> None:
        self._arrive: Callable[[str], None] | None = None

    async def download(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        """Starts a download."""
        self._arrive = tools.external.announce("the download")
        return ToolOutcome(effect=Effect.CONFIRMED)

    def finish(self) -> None:
        assert self._arrive is not None
        self._arrive("3 pages")

    def tools(self, folder: Path) -> Sequence[Tool]:
        everybody = frozenset({str(AgentKind.APP), str(AgentKind.HOST)})
        return (action(Arguments, self.download, effect_class=EffectClass.NAVIGATE, audience=everybody),)


@shows("host,PENDING,CONTINUE,system,event", "app,PENDING,CONTINUE,system,event")
def a_download_ends_before_the_person_answers(place: Place) -> Stage:
    downloads = Downloads()
    return place.told(
        say("CONTINUE", "download"),
        say("PENDING", questions=[WHICH]),
        person=Silent(when_asked=downloads.finish),
        third_party=[ThirdPartyAgent("downloads", "Downloads", "", AppAgent, downloads.tools)],
    )


@shows("host,PENDING,FAIL,timeout,timeout", "app,PENDING,FAIL,timeout,timeout")
def the_person_never_answers(place: Place) -> Stage:
    return asking(place, Silent(), settings={"ask_timeout": 300.0})


@shows("host,PENDING,ERROR,system,raised", "app,PENDING,ERROR,system,raised")
def the_line_to_the_person_is_dead(place: Place) -> Stage:
    return asking(place, Person(when_asked=hang_up))


def hang_up() -> None:
    raise ConnectionError("the line is dead")


# Confirmations.


def confirming(place: Place, person: Person, settings: Mapping[str, object] | None = None) -> Stage:
    return place.told(say("CONFIRM", *place.action), person=person, settings=settings)


@shows("host,CONFIRM,CONTINUE,user,approved", "app,CONFIRM,CONTINUE,user,approved")
def the_person_approves(place: Place) -> Stage:
    return confirming(place, Person(decides=[True]))


@shows("host,CONFIRM,CONTINUE,system,off", "app,CONFIRM,CONTINUE,system,off")
def the_safe_guard_is_off(place: Place) -> Stage:
    return confirming(place, Person(), settings={"safe_guard": False})


@shows("host,CONFIRM,FAIL,user,rejected", "app,CONFIRM,FINISH,user,rejected")
def the_person_rejects(place: Place) -> Stage:
    return confirming(place, Person(decides=[False]))


@shows("host,CONFIRM,FAIL,timeout,timeout", "app,CONFIRM,FAIL,timeout,timeout")
def the_person_never_decides(place: Place) -> Stage:
    return confirming(place, Silent(), settings={"ask_timeout": 300.0})


@shows("host,CONFIRM,ERROR,system,raised", "app,CONFIRM,ERROR,system,raised")
def the_line_is_dead_at_the_confirmation(place: Place) -> Stage:
    return confirming(place, Person(decides=[ConnectionError("the line is dead")]))


# The ends.


@shows("host,FAIL,FINISH,system,cleanup")
def the_host_failed(place: Place) -> Stage:
    return place.told(say("FAIL"))


@shows("host,ERROR,FINISH,system,cleanup")
def the_host_met_an_error(place: Place) -> Stage:
    return place.told(say("ERROR"))


@shows("app,FINISH,host:CONTINUE,system,archived")
def a_subtask_is_done(place: Place) -> Stage:
    return place.told()


@shows("app,FINISH,host:FINISH,system,follower")
def a_step_of_a_plan_is_done(place: Place) -> Stage:
    return place.told(settings={"mode": "follower"})


@shows("app,FAIL,host:CONTINUE,system,archived")
def a_subtask_failed(place: Place) -> Stage:
    return place.told(say("FAIL"))


@shows("app,FAIL,host:FAIL,system,spent")
def a_subtask_failed_once_too_often(place: Place) -> Stage:
    return place.told(say("FAIL"), settings={"max_fail_per_subtask": 0})


@shows("app,FAIL,host:FAIL,system,follower")
def a_step_of_a_plan_failed(place: Place) -> Stage:
    return place.told(say("FAIL"), settings={"mode": "follower"})


@shows("app,ERROR,host:FINISH,system,archived")
def a_subtask_met_an_error(place: Place) -> Stage:
    return place.told(say("ERROR"))
