"""The report: one page that needs no network, no script and no other file."""

import base64
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.events import Event, PictureSaved
from deskhand.report import formatting
from deskhand.report.costs import spending
from deskhand.report.pictures import Embedded, budget_for, embed
from deskhand.report.summary import SessionSummary, summarise_events
from deskhand.report.time_lanes import draw_lanes
from deskhand.report.timeline import Step, Timeline, build_timeline, visits
from deskhand.store.atomic_files import write_atomic

_VIEWS: Final = ("annotated", "selected", "clean", "desktop", "concat")  # of one moment, the most telling first
_CAPTIONS: Final = {
    "annotated": "Observation of the agent, with its labels",
    "selected": "Target of the action",
    "clean": "Observation of the agent",
    "desktop": "The desktop",
    "concat": "Observation of the agent, without and with its labels",
    "confirm": "Picture shown to the user for the decision",
    "final": "State at the end",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture on the page; `image` is None if the file cannot be read."""

    id: str
    path: str
    caption: str
    alt: str
    image: Embedded | None


def write_report(session_dir: Path, path: Path) -> Path:
    """Write the page about the session in `session_dir` to `path` and return `path`. Raises: StoreError."""
    write_atomic(path, render_report(session_dir, path).encode("utf-8", "replace"), doing="write the report")
    return path


def render_report(session_dir: Path, path: Path | None = None) -> str:
    """The page as text. Reads the journal and the pictures it names, nothing else. Raises: StoreError."""
    events = redacted_events(session_dir)
    timeline = build_timeline(events)
    return _render(events, timeline, summarise_events(events, session_dir, report=path), _shown(timeline, session_dir))


def _render(events: list[Event], timeline: Timeline, summary: SessionSummary, shown: dict[str, Shown]) -> str:
    start, end = (events[0].at, events[-1].at) if events else (0.0, 0.0)
    return render_page(
        "report.html.j2",
        ("report.css",),
        summary=summary,
        timeline=timeline,
        started_at=start,
        lanes=draw_lanes(timeline, start, end),
        visit_groups=[
            (number, agent, list(group))
            for (number, agent), group in groupby(visits(timeline), lambda visit: (visit.round, visit.agent))
        ],
        shown=shown,
        spending=spending(events),
        lane_of={agent: index % 6 for index, agent in enumerate(timeline.agents)},
    )


def render_page(template: str, styles: Sequence[str], **values: object) -> str:
    """A page without scripts and other files, of a template and style sheets of this room."""
    css = "\n".join(map(_css, styles))
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode("ascii")
    return (
        _environment()
        .get_template(template)
        .render(
            css=Markup(css),  # noqa: S704 - the program's own file
            style_digest=digest,
            **values,
        )
    )


@cache
def _environment() -> Environment:
    """Cached with its compiled template: compiling takes longer than rendering."""
    environment = Environment(
        loader=PackageLoader("deskhand.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = environment.filters  # jinja's stub narrows the values to its own functions
    filters.update(
        tone=formatting.tone,
        seconds=formatting.seconds,
        money=formatting.money,
        spent=formatting.spent,
        priced=formatting.priced,
        moment=formatting.moment,
        spoken=formatting.spoken,
        pause_end=formatting.pause_end,
        pretty=formatting.as_json,
        plain=formatting.plain_value,
        table=formatting.as_table,
        facts=formatting.as_facts,
        long=formatting.is_long,
    )
    return environment


def _css(name: str) -> str:
    return (resources.files("deskhand.report") / "templates" / name).read_text(encoding="utf-8")


def _shown(timeline: Timeline, session_dir: Path) -> dict[str, Shown]:
    """Pictures of the page by path: the most informative one of each step, and all that belong to no choice."""
    chosen = [pair for step in timeline.steps for pair in _chosen(step)]
    budget = budget_for(len(chosen))
    paths = [picture.path for _, picture in chosen]
    with ThreadPoolExecutor() as workers:  # most of their work leaves the interpreter free
        images = [*workers.map(partial(_embed, session_dir, budget), paths)]
    return {
        picture.path: Shown(
            id=f"picture-{number}",
            path=picture.path,
            caption=_CAPTIONS[picture.what],
            alt=_alt(step, picture),
            image=image,
        )
        for number, ((step, picture), image) in enumerate(zip(chosen, images, strict=True), start=1)
    }


def _chosen(step: Step) -> list[tuple[Step, PictureSaved]]:
    views = [picture for picture in step.pictures if picture.what in _VIEWS]
    best = sorted(views, key=lambda picture: _VIEWS.index(picture.what))[:1]
    return [(step, picture) for picture in step.pictures if picture in best or picture.what not in _VIEWS]


def _alt(step: Step, picture: PictureSaved) -> str:
    window = f" of {step.observation.window}" if step.observation and step.observation.window else ""
    return f"Step {step.number}, {step.started.agent}: screenshot{window} ({picture.what})"


def _embed(session_dir: Path, budget: int, relative: str) -> Embedded | None:
    path = (session_dir / relative).resolve()
    # The journal names files of its own folder; any other path is not shown.
    return embed(path, budget) if path.is_relative_to(session_dir.resolve()) else None
