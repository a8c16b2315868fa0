"""Which application opens a file."""

from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.session.applications import application_for, application_registry


@pytest.mark.parametrize(
    ("file", "program"),
    [("letter.odt", "--writer"), ("SALES.XLSX", "--calc"), ("talk.odp", "--impress"), ("talk.pptx", "--impress")],
)
def test_a_file_is_opened_by_what_its_suffix_says(file: str, program: str) -> None:
    application = application_for(Path(file), application_registry({}))
    assert application.argv_with_file == ("soffice", program, "{file}")


def test_what_nobody_opens_is_refused_with_what_is_opened() -> None:
    with pytest.raises(UsageError) as refused:
        application_for(Path("talk.key"), application_registry({}))
    assert ".odp" in str(refused.value.fix)
