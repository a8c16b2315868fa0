"""docs/limits.md is about the errors that there are."""

import re

import pytest

from deskhand.commands.dispatcher import REFUSALS
from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    ClearanceMissing,
    DeskhandError,
)
from support import ROOT


@pytest.mark.requires("act.limits")
def test_each_reason_for_a_refusal_is_listed_with_what_to_do() -> None:
    page = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", page, re.MULTILINE)
    reasons: set[type[DeskhandError]] = {*REFUSALS, *ActionRefused.__subclasses__(), *ApplicationGone.__subclasses__()}
    names = {reason.__name__ for reason in reasons | {ApplicationUnresponsive, ClearanceMissing}}
    others = {"PersonActs", "PersonStays", "ReplyDefect"}  # of the person's and the model's own doing
    assert set(listed) == names - others
