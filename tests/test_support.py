"""The helpers of tests."""

import pytest

from support import is_in_ci


@pytest.mark.requires("build.requirements")
@pytest.mark.parametrize(
    ("name", "kept", "is_kept"),
    [
        ("test_it", [], False),
        ("test_it[GTK 3]", [], False),
        ("test_it[GTK 3]", ["GTK 4", "GTK 3"], True),
        ("test_it[GTK 3, twice]", ["GTK 3"], False),
        ("test_it[drag-on-GTK 3]", ["GTK 3"], True),
        ("test_it[drag-on-GTK 3]", ["drag-on"], True),
        ("test_it[drag-on-GTK 3]", ["begin-GTK 3"], False),
    ],
)
def test_of_what_is_left_to_full_trials_ci_has_the_parameters_that_are_named(
    name: str, kept: list[str], is_kept: bool
) -> None:
    assert is_in_ci(name, pytest.mark.full("rare", but=kept).mark) is is_kept
    assert is_in_ci(name, None)
