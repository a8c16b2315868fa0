"""Normalise saved observations and compare them. Pure functions on JSON; nothing here starts a program."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias, TypeGuard

Record: TypeAlias = dict[str, Any]  # an object of the command line's JSON; a newer version may add fields of any shape

NORMALISED: Final = (
    (r"x11:0x[0-9a-f]+", "<window>", "X hands out window ids anew"),
    (r"atspi::?[\d.]+:[\w/]+", "<control>", "D-Bus names and paths count connections and objects"),
    (r":1\.\d+", "<application>", "D-Bus counts connections"),
    (r"\[\d+\]", "[id]", "labels are numbered through all windows that a server has observed"),
    (r"\b(pid|process) \d+", r"\1 <pid>", "process ids"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:<port>", "fixtures listen on any free port"),
    (r"\b\d+(\.\d+)? ?(ms|s)\b", "<time>", "measured durations"),
    (r"\b\d+(\.\d+)? ?(KiB|MiB|MB)\b", "<size>", "measured sizes of memory"),
)
"""Pattern, replacement, and the reason why it varies by nature."""

DROPPED: Final = {
    "pid": "process ids",
    "timing_s": "measured durations",
    "unsettled": "a busy machine makes applications work longer",
    "id": "labels are numbered through all windows; `was` carries the identity that they express",
    "handle": "D-Bus names and paths count connections and objects",
    "owner": "X hands out window ids anew",
}
"""Field and the reason why it is not saved."""

UNSTABLE: Sequence[tuple[str, str, str]] = (
    (
        "gtk4-oracle",
        'steps/invoke on button "Press me"/verdict/*',
        "GTK 4 repaints the rows of an earlier step late, now and then within the wait for an effect",
    ),
    ("gtk3-rows-branches", "steps/read_table on */list", "the keyboard focus after the start is exposed late"),
    ("qt6-menus", 'steps/click_input on menuitem "File"/list', "Qt 6 exposes the focus below a menu now and then"),
    ("qt6-rows", "steps/keyboard_input */verdict/*", "the focus on the tree lasts for a moment, seen or not"),
)
"""Window and path (shell patterns) of what differs between runs of the same source, and the reason."""

_NOTES: Final = ("(not quiet within", "(what is enabled or checked may still change")
"""The beginnings of notes that depend on the speed of the machine."""
_LABEL: Final = re.compile(r"(^ *|\| )\d+ ")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: the window, the path inside its record, and a line that shows it."""

    window: str
    path: str
    line: str

    @property
    def unstable(self) -> str:
        """The reason for leaving it out; empty where it counts."""
        return next(
            (
                why
                for window, path, why in UNSTABLE
                if fnmatchcase(self.window, window) and fnmatchcase(self.path, path)
            ),
            "",
        )


def is_object(value: object) -> TypeGuard[Record]:
    """True if the value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True if the value is a JSON list."""
    return isinstance(value, list)


def normalised(value: Any, folder: str) -> Any:
    """A JSON value without what varies between two runs; `folder` is the temporary folder of the run."""
    if isinstance(value, str):
        return _normalised_text(value, folder)
    if is_list(value):
        return [normalised(item, folder) for item in value]
    if is_object(value):
        return {key: normalised(item, folder) for key, item in value.items() if key not in DROPPED}
    return value


def _normalised_text(text: str, folder: str) -> str:
    text = text.replace(folder, "<folder>")
    for pattern, replacement, _ in NORMALISED:
        text = re.sub(pattern, replacement, text)
    return text


def without_labels(text: str) -> list[str]:
    """The lines of a compact list without the labels in front of its controls and without the notes that depend on the
    speed of the machine.
    """
    return [_LABEL.sub(r"\1", line) for line in text.splitlines() if not line.startswith(_NOTES)]


def control_records(shown: Sequence[Record], stored: Sequence[Record], first: Mapping[str, str]) -> list[Record]:
    """One record for each control: its printed fields and those that only the stored observation has.

    `shown` comes from `observe --json`, `stored` from the file that keeps its ids for `act`; it may be empty.
    `first`: description by id of the first observation of the window. `was` is the description of the control that had
    this id then, empty for a control that is new.
    """
    described = {str(control["id"]): describe(control) for control in shown}
    more = {str(control.get("id")): control for control in stored}
    records: list[Record] = []
    for control in shown:
        own = more.get(str(control["id"]), {})
        record = {**own, **control}
        record["states"] = sorted(record.get("states", ()))
        record["traits"] = sorted(record.get("traits", ()))
        record["parent"] = described.get(str(control.get("parent")), "")
        if first:
            record["was"] = first.get(str(control["id"]), "")
        records.append({key: record[key] for key in sorted(record)})
    return records


def describe(control: Record) -> str:
    """Role and name of a control."""
    return f'{control.get("role")} "{control.get("name")}"'


def compared(a: Mapping[str, Record], b: Mapping[str, Record], ignored: Iterable[str] = ()) -> list[Difference]:
    """The differences of two sets of windows, window by window. `ignored`: names of fields to leave out."""
    found: list[Difference] = []
    for window in sorted(a.keys() | b.keys()):
        if window not in b or window not in a:
            found.append(Difference(window, "", f"only in {'A' if window in a else 'B'}"))
            continue
        found += [Difference(window, path, line) for path, line in _differences("", a[window], b[window], {*ignored})]
    return found


def _differences(path: str, a: Any, b: Any, ignored: set[str]) -> Iterator[tuple[str, str]]:
    if a == b:
        return
    if is_object(a) and is_object(b):
        yield from _of_objects(path, a, b, ignored)
    elif is_list(a) and is_list(b) and _is_alignable((*a, *b)):
        yield from _of_lists(path, a, b, ignored)
    else:
        yield path, f"{path}: {a!r} → {b!r}"


def _is_alignable(items: Sequence[Any]) -> bool:
    """True if all are objects or texts; a list of numbers, such as a rectangle, is one value."""
    return all(isinstance(item, dict | str) for item in items)


def _of_objects(path: str, a: Record, b: Record, ignored: set[str]) -> Iterator[tuple[str, str]]:
    for key in dict.fromkeys((*a, *b)):
        if key in ignored:
            continue
        below = f"{path}/{key}".lstrip("/")
        if key not in a:
            yield below, f"{below}: only in B: {b[key]!r}"
        elif key not in b:
            yield below, f"{below}: only in A: {a[key]!r}"
        else:
            yield from _differences(below, a[key], b[key], ignored)


def _of_lists(path: str, a: list[Any], b: list[Any], ignored: set[str]) -> Iterator[tuple[str, str]]:
    """Items are aligned by their titles; those that correspond are compared, the others listed."""
    titles_a, titles_b = [_title(item) for item in a], [_title(item) for item in b]
    for kind, from_a, to_a, from_b, to_b in SequenceMatcher(None, titles_a, titles_b, autojunk=False).get_opcodes():
        own, other = a[from_a:to_a], b[from_b:to_b]
        if kind == "equal" or (len(own) == len(other) and all(map(is_object, (*own, *other)))):
            for title, one, another in zip(titles_a[from_a:to_a], own, other, strict=True):
                yield from _differences(f"{path}/{title}", one, another, ignored)
        else:
            yield from ((path, f"{path}: - {title}") for title in titles_a[from_a:to_a])
            yield from ((path, f"{path}: + {title}") for title in titles_b[from_b:to_b])


def _title(item: Any) -> str:
    if is_object(item):
        return str(item.get("do") or describe(item))
    return str(item)


def report(found: Sequence[Difference], *, lines: int) -> Iterator[str]:
    """A readable report, window by window, at most `lines` differences of each; then the totals."""
    counted = [difference for difference in found if not difference.unstable]
    left_out = [difference for difference in found if difference.unstable]
    for window in dict.fromkeys(difference.window for difference in counted):
        own = [difference.line for difference in counted if difference.window == window]
        yield f"{window}: {len(own)} differences"
        yield from (f"  {line}" for line in own[:lines])
        if len(own) > lines:
            yield f"  … {len(own) - lines} more"
    for why in dict.fromkeys(difference.unstable for difference in left_out):
        own = [difference.window for difference in left_out if difference.unstable == why]
        yield f"left out, {len(own)} differences in {', '.join(dict.fromkeys(own))}: {why}"
    windows = len({difference.window for difference in counted})
    yield f"{len(counted)} differences in {windows} windows" if counted else "no differences"
