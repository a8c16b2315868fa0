"""What a model may answer."""

import pytest
from pydantic import ValidationError

from deskhand.core.replies import AppAgentResponse


@pytest.mark.requires("pattern.bounded")
@pytest.mark.parametrize(
    "expect",
    [
        {"window": "/(a+)+$/"},
        {"gone": {"name": "/(/"}},
        {"shows": {"role": "menuitem", "within": ["File", "/(a*)*b/"]}},
    ],
)
def test_a_bad_pattern_in_a_reply_goes_back_to_the_model(expect: object) -> None:
    with pytest.raises(ValidationError, match="bad regular expression"):
        AppAgentResponse.model_validate({"status": "CONTINUE", "function": "invoke", "expect": expect})
    AppAgentResponse.model_validate({"status": "CONTINUE", "expect": {"window": "/Calc$/"}})
