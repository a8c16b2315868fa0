"""The page of an inspection, which a developer of the application can use without anything else."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.accessibility.inspection import Inspection, View
from deskhand.accessibility.remedies import remedies
from deskhand.accessibility.rules import Finding, Rule
from deskhand.core.geometry import Rect, around
from deskhand.core.json import JsonObject
from deskhand.report.html import render_page
from deskhand.report.marked_pictures import marked
from deskhand.report.pictures import Embedded, budget_for, embed_image
from deskhand.snapshots.comparison import image_of
from deskhand.store.atomic_files import write_atomic

_CONTEXT_PX: Final = 70
"""Surroundings of a control in its picture."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding on the page."""

    number: int
    view: str
    finding: Finding
    picture: Embedded | None


@dataclass(frozen=True, slots=True)
class Section:
    """The findings of one rule, with the remedies by toolkit."""

    rule: Rule
    shown: tuple[Shown, ...]
    remedies: dict[str, str]


def write_accessibility_page(inspection: Inspection, path: Path) -> Path:
    """Write the page and return its path. Raises: StoreError."""
    text = render_page(
        "accessibility.html.j2",
        ("report.css", "accessibility.css"),
        inspection=inspection,
        sections=_sections(inspection),
        overview=_overview(inspection),
    )
    write_atomic(path, text.encode("utf-8", "replace"), doing="write the report")
    return path


def _sections(inspection: Inspection) -> list[Section]:
    shown = _shown(inspection)
    groups = {rule: tuple(each for each in shown if each.finding.rule is rule) for rule in Rule}
    return [Section(rule, each, remedies(rule, inspection.toolkit)) for rule, each in groups.items() if each]


def _numbered(inspection: Inspection) -> list[tuple[int, View, Finding]]:
    """The findings with their numbers, in the order of the rules."""
    pairs = [(view, found) for view in inspection.views for found in view.findings]
    order = [*Rule]
    pairs.sort(key=lambda pair: order.index(pair[1].rule))
    return [(number, view, found) for number, (view, found) in enumerate(pairs, start=1)]


def _shown(inspection: Inspection) -> list[Shown]:
    budget = budget_for(len(inspection.findings) + 1)
    return [
        Shown(number, view.title, found, _picture(view, found, number, budget))
        for number, view, found in _numbered(inspection)
    ]


def _picture(view: View, found: Finding, number: int, budget: int) -> Embedded | None:
    """The control in its surroundings, framed; None where no part of it is in the picture."""
    seen = view.seen.picture
    if seen is None:
        return None
    places = [place.intersection(seen.rect) for place in found.places]
    visible = [place for place in places if not place.empty]
    if not visible:
        return None
    part = around(visible).grown(_CONTEXT_PX).intersection(seen.rect)
    image = image_of(seen).crop(_box(part.moved(-seen.rect.left, -seen.rect.top)))
    frames = [(number, place.moved(-part.left, -part.top)) for place in visible]
    return embed_image(marked(image, frames), budget)


def _box(rect: Rect) -> tuple[int, int, int, int]:
    return (rect.left, rect.top, rect.right, rect.bottom)


def _overview(inspection: Inspection) -> Embedded | None:
    """The window with all its findings framed."""
    first = inspection.views[0] if inspection.views else None
    if first is None or first.seen.picture is None:
        return None
    corner = first.seen.picture.rect
    frames = [
        (number, place.moved(-corner.left, -corner.top))
        for number, view, found in _numbered(inspection)
        for place in found.places
        if view is first
    ]
    return embed_image(marked(image_of(first.seen.picture), frames), budget_for(2))


def as_object(inspection: Inspection) -> JsonObject:
    """The findings as one JSON object; places in physical screen pixels."""
    return {
        "window": inspection.window.name,
        "application": inspection.window.application,
        "toolkit": inspection.toolkit.value if inspection.toolkit else None,
        "controls": inspection.controls,
        "views": [view.title for view in inspection.views],
        "counts": {**inspection.counts()},
        "findings": [_finding(view, found) for view in inspection.views for found in view.findings],
        "notes": [*inspection.notes],
    }


def _finding(view: View, found: Finding) -> JsonObject:
    return {
        "rule": found.rule.name.lower(),
        "title": found.rule.title,
        "view": view.title,
        "control": found.control,
        "raw_role": found.raw_role,
        "path": [*found.path],
        "places": [[*place.to_list()] for place in found.places],
        "detail": found.detail,
    }
