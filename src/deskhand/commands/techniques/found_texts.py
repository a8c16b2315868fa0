"""Found texts: on all pages of a document, and in all of a long field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.commands.call import ToolContext
from deskhand.commands.techniques.document_search import Searched, paged_document, search_document
from deskhand.commands.techniques.long_texts import with_whole_text
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.perception.control_search import OUT_OF_VIEW, UNSEARCHED, Sought

_LONGEST: Final = 98
"""Characters of a found paragraph."""
_BESIDE: Final = f"{UNSEARCHED}: role=paragraph does"
_MOST_FIELDS: Final = 5
_MOST_LINES: Final = 10


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """Places of found texts. `lines`: of long fields, by handle. `message`: extent and result of the search."""

    seen: Observation
    sought: Sought
    searched: Searched | None = None
    lines: Mapping[str, str] = field(default_factory=dict[str, str])
    message: str = ""

    def rows(self, found: Sequence[TargetInfo], ids: Mapping[str, str], places: Mapping[str, str]) -> list[JsonObject]:
        """Return the found controls of a view as data, and after them the hits of the document, in its order.

        `ids` and `places`, the words that distinguish controls of one name, are by handle.
        """
        hits = self.searched.hits if self.searched else []
        shown = self.searched.shown if self.searched else {}
        here = {number: handle for handle, number in shown.items()}
        listed = [control for control in found if control.handle not in shown]
        longer = [c for c in self.seen.controls if c.handle in self.lines and c not in listed]
        rows = [
            self._row(each, ids.get(each.handle, ""), self.lines.get(each.handle) or places.get(each.handle, ""))
            for each in (*listed, *longer)
        ]
        for number, hit in enumerate(hits, 1):
            place = f"paragraph {hit.paragraph}" if hit.paragraph else "before the first paragraph"
            place += "" if number in here else OUT_OF_VIEW
            rows.append({**self._row(hit.control, ids.get(here.get(number, ""), ""), place), "hit": number})
        return rows

    def _row(self, control: TargetInfo, label: str, place: str) -> JsonObject:
        is_long = TEXT_CUT not in control.states and self.searched is not None and self.sought.means_text
        value = self.sought.around(control.value, _LONGEST) if is_long else control.value
        row: JsonObject = {"id": label, "role": control.type.value, "name": control.name, "value": value}
        row |= {TEXT_CUT: True} if TEXT_CUT in control.states else {}
        return row | ({"place": place} if place else {})


async def found_texts(tools: ToolContext, seen: Observation, sought: Sought, *, show: int) -> FoundTexts:
    """Search the document in a window, and the long fields of which an observation has the beginning.

    Without a role, the document is searched only if nothing else in the window has the text, such as a button.
    Raises: DesktopGone, StoppedByPerson.
    """
    if not sought.means_text:
        return FoundTexts(seen, sought)
    lines = await _lines_in_fields(tools, seen, sought)
    document = paged_document(seen)
    if document is None:
        is_part = any(control.type is Role.DOCUMENT for control in seen.controls)
        return FoundTexts(seen, sought, lines=lines, message="only the part in view was searched" if is_part else "")
    if not (sought.role or show) and _is_found_beside(seen, document, sought):
        return FoundTexts(seen, sought, lines=lines, message=_BESIDE)
    searched = await search_document(tools, seen, document, sought, show=show)
    message = "; ".join(filter(None, (_extent(searched, show), searched.reservation)))
    return FoundTexts(searched.seen, sought, searched, lines, message)


def _is_found_beside(seen: Observation, document: TargetInfo, sought: Sought) -> bool:
    inside = {document.handle, *(each.handle for each in seen.inside_of(document))}
    return any(sought.finds(each, seen.window.rect) for each in seen.controls if each.handle not in inside)


async def _lines_in_fields(tools: ToolContext, seen: Observation, sought: Sought) -> dict[str, str]:
    """Return the lines with the sought text, by the handles of fields."""
    found: dict[str, str] = {}
    for control in [each for each in seen.controls if TEXT_CUT in each.states][:_MOST_FIELDS]:
        whole = await with_whole_text(tools.desktop, control)
        lines = whole.value.split("\n") if TEXT_CUT not in whole.states else []
        numbers = [str(number) for number, line in enumerate(lines, 1) if sought.is_in(line)]
        more = f" and {len(numbers) - _MOST_LINES} more" if len(numbers) > _MOST_LINES else ""
        if numbers:
            noun = "line" if len(numbers) == 1 else "lines"
            found[control.handle] = f"{noun} {', '.join(numbers[:_MOST_LINES])}{more} of {len(lines)}"
    return found


def _extent(searched: Searched, show: int) -> str:
    count, paragraphs = len(searched.hits), searched.paragraphs
    hits = f"{count or 'no'} hit{'' if count == 1 else 's'}"
    extent = f"the {paragraphs} paragraphs of the document" if paragraphs != 1 else "the paragraph of the document"
    if searched.lacking and not paragraphs:
        return f"only the part in view was searched: {searched.lacking}"
    if searched.lacking:
        return f"{hits}; only the first {paragraphs} paragraphs were searched: {searched.lacking}"
    if 0 < show <= count:
        return f"hit {show} is in view" if show in searched.shown.values() else f"hit {show} did not come into view"
    if show:
        return f"there is no hit {show}: {hits} in {extent}"
    told = f"{hits} in {extent}"
    away = next((number for number in range(1, count + 1) if number not in searched.shown.values()), 0)
    return f"{told}; show={away} scrolls to hit {away}" if away else told
