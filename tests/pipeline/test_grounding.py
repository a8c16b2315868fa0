"""What only the picture shows stands beside the accessibility tree, and can be clicked (contract 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import GroundingUnavailable
from deskhand.core.events import ActionFinished, ProblemMet
from deskhand.core.geometry import Point, Rect
from deskhand.core.model import ModelRequest
from deskhand.core.observation import Observation
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, Sighting, TargetInfo, TargetKind, Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.models.scripted import ScriptedReply
from deskhand.perception.grounding import MOST_BOXES, Parsed, SeenBox
from notes import APP, Notes, prompt_of
from stage import Answer, Person, Stage, assign, say, stage

BACKENDS = ("atspi", "omniparser")
HOW = "A picture_only control was found in the picture by a vision server"


class Sees:
    """A grounding that sees the same in every picture."""

    def __init__(self, *boxes: SeenBox, fails: Exception | None = None, omitted: int = 0) -> None:
        self.parsed = Parsed(boxes, omitted=omitted)
        self.fails = fails
        self.asked = 0

    async def parse(self, png: bytes) -> Parsed:
        self.asked += 1
        assert png.startswith(b"\x89PNG")
        if self.fails is not None:
            raise self.fails
        return self.parsed


def box(place: Rect, window: FakeWindow, name: str) -> SeenBox:
    """Something at a place on the screen."""
    shown = window.rect
    left, right = ((x - shown.left) / shown.width for x in (place.left, place.right))
    top, bottom = ((y - shown.top) / shown.height for y in (place.top, place.bottom))
    return SeenBox((left, top, right, bottom), name, "icon", interactive=True)


def corner(window: FakeWindow) -> Rect:
    """An empty place of a window."""
    return Rect.from_extents(window.rect.right - 90, window.rect.bottom - 50, 60, 20)


async def played(
    notes: Notes,
    sees: Sees | None,
    app: Sequence[Answer],
    folder: Path,
    *,
    backends: Sequence[str] = BACKENDS,
    person: Person | None = None,
) -> Stage:
    replies: Mapping[str, Sequence[Answer]] = {"HostAgent": [assign("Notes", "Draw"), say("FINISH")], APP: app}
    it = stage(
        notes.desktop,
        replies,
        log_path=folder,
        grounding=sees,
        settings={"control_backend": list(backends)},
        person=person,
    )
    await it.run()
    return it


def clicks(it: Stage) -> list[object]:
    return [call.arguments["point"] for call in it.desktop.calls if call.method == "click"]


def acted(it: Stage) -> list[ActionFinished]:
    return [event for event in it.events.of(ActionFinished) if event.agent == APP]


def app_requests(it: Stage) -> list[ModelRequest]:
    return [request for request in it.model.requests if request.agent == "app"]


@pytest.mark.requires("grounding.clicks")
async def test_what_only_the_picture_shows_is_listed_marked_and_clicked_in_its_middle(tmp_path: Path) -> None:
    notes = Notes()
    place = corner(notes.window)
    sees = Sees(box(place, notes.window, "Circle"))
    it = await played(notes, sees, [say("CONTINUE", "click_input", "Circle"), say("FINISH")], tmp_path)
    assert clicks(it) == [place.center]
    request = app_requests(it)[0]
    last = request.controls[-1]
    assert (last.name, last.id) == ("Circle", str(len(request.controls)))
    assert f'{last.id} button "Circle" (picture_only)' in prompt_of(request)
    assert HOW in prompt_of(request)
    (finished,) = acted(it)
    assert finished.effect == Effect.UNVERIFIABLE.value, "that a picture-only control did something is not known"
    assert it.outcomes == [Outcome.SUCCESS]


async def test_its_id_stays_while_it_looks_the_same_and_never_moves_to_another(tmp_path: Path) -> None:
    notes = Notes()
    notes.window.rect = Rect(0, 0, 400, 900)
    sees = Sees(box(corner(notes.window), notes.window, "Circle"))

    def more(request: ModelRequest) -> ScriptedReply:
        notes.window.controls.insert(0, FakeControl(Role.BUTTON, "New"))
        return say("CONTINUE", "invoke", "Save")(request)

    it = await played(notes, sees, [more, say("FINISH")], tmp_path)
    first, second = ({c.name: c.id for c in request.controls} for request in app_requests(it))
    assert first["Circle"] == second["Circle"]
    assert second["New"] not in first.values()


@pytest.mark.requires("grounding.fails")
async def test_where_the_server_fails_the_tree_alone_is_used_and_journal_and_prompt_say_so(tmp_path: Path) -> None:
    notes, sees = Notes(), Sees(fails=GroundingUnavailable("the grounding server at x did not answer within 20 s"))
    it = await played(
        notes, sees, [say("CONTINUE", "invoke", "Save"), say("FINISH")], tmp_path, backends=["omniparser"]
    )
    assert notes.log == ["Save"]
    (first, second) = it.events.of(ProblemMet)
    assert (first.where, first.error.type, second.where) == ("grounding", "GroundingUnavailable", "grounding")
    told = "Only the accessibility tree was read this time: the grounding server at x did not answer within 20 s."
    assert all(told in prompt_of(request) for request in app_requests(it))


async def test_without_the_accessibility_tree_only_what_is_seen_is_listed(tmp_path: Path) -> None:
    notes = Notes()
    sees = Sees(box(corner(notes.window), notes.window, "Circle"), omitted=7)
    it = await played(notes, sees, [say("FINISH")], tmp_path, backends=["omniparser"])
    (request,) = app_requests(it)
    assert [(c.id, c.name) for c in request.controls] == [("1", "Circle")]
    assert "The vision server found 7 more elements, which are left out." in prompt_of(request)
    assert MOST_BOXES == 1000


async def test_what_lies_over_the_window_is_not_taken_for_its_own(tmp_path: Path) -> None:
    notes = Notes()
    place = corner(notes.window)
    sees = Sees(box(place, notes.window, "Circle"))

    def cover(request: ModelRequest) -> ScriptedReply:
        notes.desktop.open(FakeWindow("Other", [], "other", Rect(place.left - 5, place.top - 5, 5000, 5000)))
        return say("CONTINUE", "invoke", "Save")(request)

    it = await played(notes, sees, [cover, say("FINISH")], tmp_path)
    first, second = ([c.name for c in request.controls] for request in app_requests(it))
    assert ("Circle" in first, "Circle" in second) == (True, False)


class ReadsTexts(FakeDesktop):
    """One that reads two texts from each picture: one where a server sees the circle, and one elsewhere."""

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        seen = await super().observe(
            window, picture=picture, texts=texts, other_pages=other_pages, deadline_s=deadline_s
        )
        place = Rect.from_extents(seen.window.rect.right - 90, seen.window.rect.bottom - 50, 60, 20)
        found = [self._text("Circular", place, seen), self._text("Total", place.moved(0, -30), seen)]
        return replace(seen, controls=(*seen.controls, *found), from_picture=True)

    def _text(self, name: str, place: Rect, seen: Observation) -> TargetInfo:
        return TargetInfo(
            TargetKind.CONTROL,
            name,
            Role.TEXT,
            place,
            states=frozenset({"showing", "visible", "enabled", "picture_only"}),
            handle=f"read:{name}",
            sighting=Sighting(seen.window.handle, seen.window.rect, b""),
            traits=frozenset({Trait.READ_FROM_PICTURE}),
        )


@pytest.mark.parametrize("backends", [BACKENDS, ("omniparser",)])
async def test_texts_read_from_the_picture_come_after_what_a_server_sees(
    backends: tuple[str, ...], tmp_path: Path
) -> None:
    notes = Notes(desktop=ReadsTexts())
    notes.window.rect = Rect(0, 0, 400, 400)
    sees = Sees(box(corner(notes.window), notes.window, "Circle"))
    it = await played(notes, sees, [say("FINISH")], tmp_path, backends=backends)
    (request,) = app_requests(it)
    assert [c.name for c in request.controls][-2:] == ["Circle", "Total"]
    assert "Circular" not in [c.name for c in request.controls]
    assert "A picture_only text was read from the picture" in prompt_of(request)


async def test_without_a_server_texts_are_listed_with_what_can_be_done_with_them(tmp_path: Path) -> None:
    notes = Notes(desktop=ReadsTexts())
    it = await played(notes, None, [say("FINISH")], tmp_path)
    (request,) = app_requests(it)
    assert f'{request.controls[-1].id} text "Total" (picture_only)' in prompt_of(request)
    assert "A picture_only text was read from the picture" in prompt_of(request)
    assert HOW not in prompt_of(request)


class PutsAway(FakeDesktop):
    """One on which windows of the application "other" are minimized."""

    async def windows(self) -> tuple[TargetInfo, ...]:
        listed = await super().windows()
        return tuple(replace(w, states=frozenset({MINIMIZED})) if w.application == "other" else w for w in listed)


async def test_a_minimized_window_lies_over_nothing(tmp_path: Path) -> None:
    notes = Notes(desktop=PutsAway())
    sees = Sees(box(corner(notes.window), notes.window, "Circle"))

    def cover(request: ModelRequest) -> ScriptedReply:
        notes.desktop.open(FakeWindow("Other", [], "other", notes.window.rect))
        return say("CONTINUE", "invoke", "Save")(request)

    it = await played(notes, sees, [cover, say("FINISH")], tmp_path)
    assert ["Circle" in [c.name for c in request.controls] for request in app_requests(it)] == [True, True]


@pytest.mark.requires("grounding.clicks")
async def test_in_a_window_that_moved_it_is_clicked_where_it_is_now(tmp_path: Path) -> None:
    notes = Notes()
    place = corner(notes.window)
    sees = Sees(box(place, notes.window, "Circle"))

    def move(request: ModelRequest) -> ScriptedReply:
        notes.window.rect = notes.window.rect.moved(15, 10)
        return say("CONTINUE", "click_input", "Circle")(request)

    it = await played(notes, sees, [move, say("FINISH")], tmp_path)
    assert clicks(it) == [Point(place.center.x + 15, place.center.y + 10)]


@pytest.mark.requires("grounding.clicks")
@pytest.mark.parametrize("moves", [0, 7])
async def test_where_something_else_is_now_nothing_is_clicked(moves: int, tmp_path: Path) -> None:
    notes = Notes()
    place = corner(notes.window)
    sees = Sees(box(place, notes.window, "Circle"))

    def cover(request: ModelRequest) -> ScriptedReply:
        notes.window.rect = notes.window.rect.moved(moves, 0)
        other = FakeWindow("Other", [FakeControl(Role.BUTTON, "X")], "other", place.moved(moves, 0))
        notes.desktop.open(other)
        return say("CONTINUE", "click_input", "Circle")(request)

    it = await played(notes, sees, [cover, say("FAIL")], tmp_path)
    assert clicks(it) == []
    (record,) = app_requests(it)[1].steps_done
    assert "was only seen in a picture; " in record.actions[0].message
    assert "there is something else now" in record.actions[0].message


@pytest.mark.parametrize("tool", ["invoke", "select_item"])
async def test_it_takes_nothing_but_being_pointed_at(tool: str, tmp_path: Path) -> None:
    notes = Notes()
    sees = Sees(box(corner(notes.window), notes.window, "Circle"))
    it = await played(notes, sees, [say("CONTINUE", tool, "Circle"), say("FAIL")], tmp_path)
    (finished,) = acted(it)
    assert finished.status != "success"


@pytest.mark.requires("grounding.clicks")
async def test_what_looks_like_a_word_is_judged_as_a_button(tmp_path: Path) -> None:
    """A rule against pressing Delete holds for a Delete that is only drawn, whatever it was taken for."""
    notes, person = Notes(), Person(decides=[False])
    seen = box(corner(notes.window), notes.window, "Delete all")
    sees = Sees(SeenBox(seen.place, "Delete all", "text"))
    it = await played(notes, sees, [say("CONTINUE", "click_input", "Delete all")], tmp_path, person=person)
    assert clicks(it) == []
    (shown,) = person.shown
    assert [(v.facts.control_role, v.facts.control_name) for v in shown.facts] == [("button", "Delete all")]
