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


@pytest.mark.requires("verify.three")
@pytest.mark.parametrize(
    "expect",
    [
        {"gone": {"role": "buton", "name": "Save"}},
        {"shows": {"role": "buton"}},
        {"gone": {"name": "Save", "within": {"role": "buton"}}},
    ],
)
def test_a_role_that_there_is_not_goes_back_to_the_model_so_that_it_is_not_gone_for_ever(expect: object) -> None:
    with pytest.raises(ValidationError, match="there is no role 'buton'; roles are alert, "):
        AppAgentResponse.model_validate({"status": "CONTINUE", "function": "invoke", "expect": expect})
    AppAgentResponse.model_validate({"status": "CONTINUE", "expect": {"gone": {"role": "/^butt/"}}})
