"""References as files."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import ConfigurationError
from deskhand.core.geometry import Rect
from deskhand.core.patterns import is_pattern
from deskhand.core.roles import Role
from deskhand.snapshots.matching import with_patterns
from deskhand.snapshots.reference import Control, Reference
from deskhand.snapshots.reference_file import read_reference, write_reference

pytestmark = pytest.mark.requires("snapshot.reference")

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(lambda text: not is_pattern(text))
_LEAVES = st.builds(
    Control,
    role=st.sampled_from([role.value for role in Role]),
    name=_NAMES,
    place=st.builds(Rect.from_extents, *([st.integers(-50, 2000)] * 2), *([st.integers(0, 900)] * 2)),
    value=_NAMES,
    states=st.sets(st.sampled_from(["checked", "disabled", "selected"])).map(frozenset),
)
_TREES = st.recursive(
    _LEAVES, lambda inner: st.builds(replace, _LEAVES, children=st.lists(inner, max_size=3).map(tuple)), max_leaves=8
)


@given(st.lists(_TREES, max_size=4).map(tuple), _NAMES)
def test_a_written_reference_reads_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, controls: tuple[Control, ...], title: str
) -> None:
    path = tmp_path_factory.mktemp("reference") / "window.yaml"
    reference = Reference(title, (640, 480), controls)
    write_reference(path, reference)
    assert read_reference(path) == reference


SAVED = """\
# the clock of the status bar changes
window: /Orders/
size: [640, 480]
tolerance_px: 3   # of a fixed layout
ignore:
  - {role: label, name: /^Time/}
controls:
  - {role: label, name: "/^Order [0-9]+$/", place: [1, 2, 3, 4]}
"""


def test_an_update_leaves_settings_comments_and_patterns(tmp_path: Path) -> None:
    path = tmp_path / "orders.yaml"
    path.write_text(SAVED)
    earlier = read_reference(path)
    assert earlier
    assert (earlier.tolerance_px, earlier.ignore[0].name) == (3, "/^Time/")
    now = (Control("label", "Order 12", Rect(1, 2, 4, 6)), Control("button", "New", Rect(9, 9, 20, 20)))
    write_reference(path, replace(earlier, size=(700, 500), controls=with_patterns(now, earlier.controls)))
    lines = path.read_text().splitlines()
    assert lines[:7] == [*SAVED.splitlines()[:2], "size: [700, 500]", *SAVED.splitlines()[3:7]]
    assert lines[7:] == [
        '  - {role: label, name: "/^Order [0-9]+$/", place: [1, 2, 3, 4]}',
        '  - {role: button, name: "New", place: [9, 9, 11, 11]}',
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("  - {role: buton, place: [1, 2, 3, 4]}", "there is no role 'buton'"),
        ("  - {role: label, place: [1, 2]}", "place must be a list of 4 whole numbers"),
        ("  - {role: label, name: /(/, place: [1, 2, 3, 4]}", "bad regular expression"),
        ("  - {role: label}", "lacks 'place'"),
    ],
)
def test_a_wrong_reference_names_the_line(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "orders.yaml"
    path.write_text(SAVED + line)
    with pytest.raises(ConfigurationError, match=r"orders\.yaml:9: ") as caught:
        read_reference(path)
    assert problem in caught.value.message


def test_no_file_is_no_reference(tmp_path: Path) -> None:
    assert read_reference(tmp_path / "none.yaml") is None
