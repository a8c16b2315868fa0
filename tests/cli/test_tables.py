"""Which table is meant, and what is told where that is not clear."""

from functools import partial

import pytest

from deskhand.cli.console import Failure
from deskhand.cli.session_run import empty_summary
from deskhand.cli.table_choice import explain, table_selector
from deskhand.core.errors import UsageError
from deskhand.core.observation import Truncation
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.selectors import Mismatch, find
from deskhand.report.summary import ErrorSummary

SALES = TargetInfo(TargetKind.CONTROL, "Sales", Role.TABLE)
COSTS = TargetInfo(TargetKind.CONTROL, 'Costs "gross"', Role.TABLE)
BUTTON = TargetInfo(TargetKind.CONTROL, "OK", Role.BUTTON)


def told(chosen: str, *controls: TargetInfo, partly: str = "") -> ErrorSummary:
    """What a session that read tables among these controls is explained with; `partly`: why there may be others."""
    selector = Selector.model_validate(table_selector(chosen) if chosen else {"role": "table"})
    mismatch = find(selector, controls)
    assert isinstance(mismatch, Mismatch)
    reason = f"book.yaml:9: host step 1: failed: book.yaml:15: writer step 1 (read_table): {mismatch.message}"
    reason += f"; {Truncation(partly).message}" if partly else ""
    return explain(chosen, empty_summary(Failure("Failed", reason, "", 1)))


def test_a_number_chooses_by_order_and_a_word_by_name() -> None:
    choose = partial(find, controls=(SALES, BUTTON, COSTS))
    assert choose(Selector.model_validate(table_selector("2"))) is COSTS
    assert choose(Selector.model_validate(table_selector("Sales"))) is SALES


def test_a_name_between_slashes_is_still_a_name() -> None:
    odd = TargetInfo(TargetKind.CONTROL, "/a.c/", Role.TABLE)
    other = TargetInfo(TargetKind.CONTROL, "abc", Role.TABLE)
    assert find(Selector.model_validate(table_selector("/a.c/")), (other, odd)) is odd


def test_tables_are_counted_from_one() -> None:
    with pytest.raises(UsageError, match="counted from 1"):
        table_selector("0")


@pytest.mark.requires("demo.choose-table")
def test_several_tables_are_listed_with_the_way_to_choose() -> None:
    error = told("", SALES, BUTTON, COSTS)
    assert error.type == "TableNotFound"
    assert error.message.startswith('the document has 2 tables: 1. "Sales", 2. "Costs')
    assert "--table" in error.message


def test_a_long_list_says_how_many_more_there_are() -> None:
    many = [TargetInfo(TargetKind.CONTROL, f"Sales {number}", Role.TABLE) for number in range(10)]
    assert told("", *many).message.endswith('8. "Sales 7", and 2 more; choose one with --table')


def test_no_table_is_told_in_so_many_words() -> None:
    assert told("", BUTTON).message == "the document has no table"


def test_a_table_that_is_not_there_is_told_with_those_that_are() -> None:
    assert told("3", SALES, COSTS).message.startswith("the document has no table '3'; it has: 1. \"Sales\"")


@pytest.mark.requires("observe.reservations")
def test_of_a_document_that_was_not_read_whole_nothing_is_said_that_it_has_not() -> None:
    error = told("", partly="the application is gone")
    assert error.type == "Failed"
    assert error.message.endswith("not everything could be read: the application is gone")


def test_any_other_failure_is_told_by_its_reason() -> None:
    error = explain("", empty_summary(Failure("Failed", "the window is gone", "", 1)))
    assert (error.type, error.message) == ("Failed", "the window is gone")
