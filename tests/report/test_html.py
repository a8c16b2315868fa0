"""The page tells the session, stands alone, and lets nothing of a screen become part of it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from deskhand.commands.secret_texts import without_passwords
from deskhand.core.errors import StoreError
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    DataSaved,
    ErrorData,
    Event,
    ImageKept,
    ModelAnswered,
    ObservationTaken,
    PictureSaved,
    ProblemMet,
    QuestionsAnswered,
    ReplyAccepted,
    SessionStarted,
    StepStarted,
    SubtaskAssigned,
    TargetData,
    TransitionTaken,
)
from deskhand.core.json import JsonObject
from deskhand.report.html import render_report, write_report
from deskhand.report.markdown import render_markdown
from deskhand.store.journal import Journal
from report.demo_session import CALC, REQUEST, write_demo_session
from store.clocks import StillClock

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> \u202e{{ 7*7 }}'
STEP = StepStarted(step=1, agent="HostAgent", round=1, state="CONTINUE", at=1.0)
VOID = {"meta", "img", "rect", "line", "br"}


class Page(HTMLParser):
    """What is on a page: tags, attributes, text; and whether every tag is closed where it must be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def session(folder: Path, *events: Event) -> Path:
    with Journal(folder, StillClock()) as journal:
        for event in events:
            journal.emit(event)
    return folder


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_session(folder)
    return folder


@pytest.fixture(scope="module")
def page(demo: Path) -> Page:
    return Page(render_report(demo))


@pytest.mark.requires("demo.report")
def test_the_demo_s_page_tells_what_happened(page: Page) -> None:
    for told in (
        REQUEST,
        "success",
        "8.46 s",
        "There is one table in the document.",
        "read_table",
        "5 rows and 4 columns, read twice",
        "North-East",
        "synthetic input",
        "unverifiable",
        "ElementStale",
        "Observe the window again and use the new label.",
        "It is only an old copy, safe to replace.",
        "approved",
        "Shall the Calc window stay open?",
        "horizontal bars over Sheet1.A1:D5",
        "The final picture of the application was not taken.",
        "the step failed recoverably (1 of 3)",
        "action_step2_annotated.png",
        "data collection",
        "/home/ada/out/sales.ods",
    ):
        assert told in page.words
    assert {f"step-{number}" for number in range(1, 15)} <= {tag.get("id") for tag in page.all("article")}


@pytest.mark.requires("demo.report")
def test_the_page_needs_nothing_from_outside_and_runs_nothing(page: Page) -> None:
    assert not page.all("script")
    assert not page.all("link")
    addresses = [value for _, attributes in page.tags for name, value in attributes.items() if name in {"src", "href"}]
    assert addresses
    assert all(address.startswith(("#", "data:image/")) for address in addresses)
    assert not [attributes for _, attributes in page.tags for name in attributes if name.startswith("on")]
    (policy,) = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "url(" not in "".join(page.text)


def test_the_policy_allows_exactly_the_style_on_the_page_and_no_style_attribute_needs_it(demo: Path) -> None:
    text = render_report(demo)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src &#39;sha256-{digest}&#39;" in text or f"style-src 'sha256-{digest}'" in text
    assert not [attributes for _, attributes in Page(text).tags if "style" in attributes]


def test_every_link_leads_somewhere_and_every_id_is_there_once(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in page.all("a")} <= set(ids)


def test_every_picture_says_what_it_shows(page: Page) -> None:
    pictures = page.all("img")
    assert len(pictures) == 14 + 3  # one a step, one shown for confirming, two final ones
    assert all("screenshot" in picture["alt"] and picture["width"] == "1280" for picture in pictures)


def test_what_comes_from_a_screen_stays_text(tmp_path: Path) -> None:
    target = TargetData(id=HOSTILE, role="button", name=HOSTILE)
    error = ErrorData(type="X", message=HOSTILE, fix=HOSTILE, candidates=[HOSTILE])
    step: dict[str, Any] = {"step": 1, "agent": "HostAgent"}  # spread over many signatures
    folder = session(
        tmp_path,
        SessionStarted(session_id=HOSTILE, version="1", request=HOSTILE, model=HOSTILE, desktop=HOSTILE, at=0.5),
        STEP.model_copy(update={"subtask": HOSTILE}),
        ObservationTaken(**step, window=HOSTILE, controls=1, seconds=0.1, truncated=HOSTILE),
        PictureSaved(**step, what="clean", path=HOSTILE),
        ReplyAccepted(**step, thought=HOSTILE, observation=HOSTILE, plan=[HOSTILE], status=HOSTILE, raw=HOSTILE * 9),
        ActionIntended(
            **step, call_id="1", tool=HOSTILE, arguments={HOSTILE: HOSTILE, "b": [[HOSTILE]]}, target=target
        ),
        ActionFinished(
            **step,
            call_id="1",
            tool="t",
            target=target,
            status="failure",
            effect=HOSTILE,
            evidence=HOSTILE,
            error=error,
        ),
        DataSaved(**step, name=HOSTILE, data={"cells": [[HOSTILE, HOSTILE], [HOSTILE]]}),
        DataSaved(**step, name="b", data={HOSTILE: {HOSTILE: [HOSTILE]}}),
        DataSaved(**step, name="c", data={HOSTILE: HOSTILE}),
        QuestionsAnswered(**step, answers={HOSTILE: HOSTILE}, how="person"),
        SubtaskAssigned(agent=HOSTILE, subtask=HOSTILE, application=HOSTILE, window=HOSTILE, reused=False),
        TransitionTaken(
            agent=HOSTILE, machine="host", source=HOSTILE, to=HOSTILE, cause=HOSTILE, trigger="", reason=HOSTILE
        ),
        ProblemMet(where=HOSTILE, error=error),
    )
    page = Page(render_report(folder))
    assert not page.all("script")
    assert not page.all("img")
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert page.words.count("<script>alert(1)</script>") > 20
    assert "{{ 7*7 }}" in page.words


def test_a_killed_session_has_a_page_that_says_what_is_unknown(tmp_path: Path) -> None:
    intent = ActionIntended(step=1, agent="HostAgent", call_id="1", tool="click_input", arguments={}, at=2.0)
    words = Page(render_report(session(tmp_path, STEP, intent))).words
    assert "never recorded its end" in words
    assert "It was about to be sent and has no result." in words
    assert "this step did not end" in words


def test_an_empty_journal_has_a_page(tmp_path: Path) -> None:
    assert "No step was recorded." in Page(render_report(session(tmp_path))).words


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"\x89PNG but not really")
    events = [PictureSaved(step=1, agent="HostAgent", what="final", path=name) for name in ("broken.png", "gone.png")]
    words = Page(render_report(session(tmp_path, STEP, *events))).words
    assert "The picture broken.png could not be read." in words
    assert "The picture gone.png could not be read." in words


def test_pictures_outside_the_session_s_folder_are_not_shown(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "private.png")
    picture = PictureSaved(step=1, agent="HostAgent", what="clean", path="../private.png")
    page = Page(render_report(session(tmp_path / "log", STEP, picture)))
    assert not page.all("img")
    assert "could not be read" in page.words


@pytest.mark.long
def test_fifteen_photographs_still_make_a_page_under_five_megabytes(tmp_path: Path) -> None:
    noise = Image.effect_noise((1920, 1080), 90).convert("RGB")
    noise.save(tmp_path / "noise.png", compress_level=1)
    events: list[Event] = []
    for number in range(1, 16):
        (tmp_path / f"{number}.png").hardlink_to(tmp_path / "noise.png")
        events += [
            StepStarted(step=number, agent=CALC, round=1, state="CONTINUE"),
            PictureSaved(step=number, agent=CALC, what="annotated", path=f"{number}.png"),
        ]
    path = write_report(session(tmp_path, *events), tmp_path / "report.html")
    assert path.stat().st_size < 5_000_000
    assert len(Page(path.read_text(encoding="utf-8")).all("img")) == 15


def test_long_data_is_folded_and_bounded(tmp_path: Path) -> None:
    rows = [[f"r{number}", number] for number in range(500)]
    data = DataSaved.model_validate({"step": 1, "agent": "HostAgent", "name": "big", "data": {"cells": rows}})
    page = Page(render_report(session(tmp_path, STEP, data)))
    assert "500 rows, 2 columns" in page.words
    assert "300 more rows stand in the journal." in page.words
    assert "r199" in page.words
    assert "r200" not in page.words
    assert all("open" not in attributes for attributes in page.all("details"))


def test_a_page_that_cannot_be_written_is_a_store_error(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Could not create the folder"):
        write_report(demo, tmp_path / "file" / "report.html")


def test_a_picture_that_was_kept_and_what_was_said_of_a_call_are_told(tmp_path: Path) -> None:
    kept = ImageKept(step=1, agent="HostAgent", path="action_step1.png", metadata={"reason": HOSTILE}, at=2.0)
    call = ModelAnswered(
        step=1,
        agent="HostAgent",
        model="openai:m",
        attempt=1,
        seconds=1.0,
        cost_usd=None,
        note="asked without a schema",
    )
    page = Page(render_report(session(tmp_path, STEP, call, kept)))
    text = " ".join(" ".join(page.text).split())
    assert f"The picture was kept for the steps that follow: {HOSTILE} action_step1.png" in text
    assert "price unknown (asked without a schema)" in text


def test_arguments_that_were_left_out_are_not_told_and_a_text_that_was_cleared_is(tmp_path: Path) -> None:
    arguments: JsonObject = {"id": "3", "name": "Box", "action": "", "item": None, "text": "", "keys": "x"}
    target = TargetData(id="3", role="textbox", name="Box")
    done = ActionFinished(
        step=1, agent="HostAgent", call_id="c", tool="t", arguments=arguments, target=target, status="success"
    )
    page = render_report(session(tmp_path, STEP, done))
    assert re.findall(r"<dt>(\w+)</dt>", page[page.index('class="action"') :]) == ["text", "keys"]


@pytest.mark.requires("policy.typed-passwords")
def test_a_password_that_was_typed_is_in_no_report(tmp_path: Path) -> None:
    events: list[Event] = []
    for number, password in enumerate(passwords := ["hunter2", 'a"b\\c', "success"]):
        arguments: JsonObject = {"id": "3", "text": password}
        of = {"step": 1, "agent": "HostAgent"}
        said = {**of, "status": "FINISH", "thought": f"I type {password} now", "raw": json.dumps({"args": arguments})}
        typed = {**of, "call_id": str(number), "tool": "set_edit_text", "arguments": arguments, "status": "success"}
        target = TargetData(id="3", role="password", name="Password")
        events += [ReplyAccepted.model_validate(said), ActionFinished.model_validate({**typed, "target": target})]
    folder = session(tmp_path, STEP, *events)
    page, brief = render_report(folder), render_markdown(folder)
    told = " ".join(Page(page).text)
    assert "I type ••• now" in told
    assert told.count("•••") >= len(passwords) + 2
    for password in passwords[:2]:
        assert password not in told
        assert password not in brief
    assert "success" in brief, "the word is the program's own there"


@pytest.mark.requires("policy.typed-passwords")
def test_a_password_that_was_typed_with_keys_around_it_is_in_no_report_by_itself_either(tmp_path: Path) -> None:
    of = {"step": 1, "agent": "HostAgent"}
    said = {**of, "status": "FINISH", "thought": "hunter2, then Enter", "raw": json.dumps({"keys": "hunter2\n"})}
    typed = {**of, "call_id": "1", "tool": "keyboard_input", "arguments": {"keys": "hunter2{ENTER}"}, "status": "none"}
    done = ActionFinished.model_validate({**typed, "target": TargetData(id="3", role="password", name="Password")})
    folder = session(tmp_path, STEP, ReplyAccepted.model_validate(said), done)
    assert "•••, then Enter" in " ".join(Page(render_report(folder)).text)
    assert "hunter2" not in render_report(folder) + render_markdown(folder)


@pytest.mark.requires("policy.typed-passwords")
@pytest.mark.parametrize(
    ("password", "written", "told"),
    [
        ("pässwort-geheim", r"p\u00e4sswort-geheim", "•••"),
        ("pässwort-geheim", r"p\u00E4sswort\u002dgeheim", "•••"),
        ("pässwort-geheim", r"{\"text\": \"p\\u00e4sswort-geheim\"}", r"{\"text\": \"•••\"}"),
        ("key🔑/word", r"key\ud83d\udd11\/word", "•••"),
        ("correct horse battery staple and a cow", "keys=correct horse battery sta…)", "keys=•••…)"),
        ('with "quotes" and more', r"with \"quo… and so on", "•••… and so on"),
        ("hun{ter2", "hun{{}ter2{ENTER}", "•••{ENTER}"),
        ("x" * 300, "x" * 300, "•••"),
        ("hunter2", "a hu… of the hunt, Chart…", "a hu… of the hunt, Chart…"),
    ],
)
def test_a_password_is_hidden_however_it_is_written(password: str, written: str, told: str) -> None:
    of = {"step": 1, "agent": "HostAgent"}
    said = ReplyAccepted.model_validate({**of, "status": "FINISH", "raw": f"before {written} behind"})
    typed = {**of, "call_id": "1", "tool": "set_edit_text", "arguments": {"text": password}, "status": "success"}
    done = ActionFinished.model_validate({**typed, "target": TargetData(id="3", role="password", name="Password")})
    assert without_passwords([said, done])[0] == said.model_copy(update={"raw": f"before {told} behind"})
