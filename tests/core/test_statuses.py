"""Which spellings mean a status, and that no others do (contract 2.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply
from deskhand.core.replies import AppAgentResponse, HostAgentResponse
from deskhand.core.statuses import AppAgentStatus, HostAgentStatus, normalise_status
from deskhand.pipeline.parsing import parse_reply
from deskhand.states import packaged_table

STATUSES = {*AppAgentStatus, *HostAgentStatus}
SYNONYMS = {
    "DONE": "FINISH",
    "COMPLETE": "FINISH",
    "COMPLETED": "FINISH",
    "FAILED": "FAIL",
    "DELEGATE": "ASSIGN",
    "DELEGATE_TO_APP": "ASSIGN",
}
NEARLY = st.sampled_from(
    [
        *(word + end for word in sorted(STATUSES | SYNONYMS.keys()) for end in ("ED", "S", ".", "!", "_", "-APP")),
        *("ﬁnish", "fınısh", "ſcreenshot", "finiſh", "ＦＩＮＩＳＨ", "FINISH\u200b", "\u202eFINISH", "FI NISH", "FAİL"),
        *("DELEGATE TO APP", "DELEGATE-TO-APP", "AgentStatus.FINISH", "'FINISH'", "FINISH CONTINUE", "null", "0"),
    ]
)


def cased(word: str) -> st.SearchStrategy[str]:
    """The word in any case, with spaces around it."""
    letters = st.tuples(*(st.sampled_from([letter.lower(), letter.upper()]) for letter in word)).map("".join)
    return st.tuples(st.text(" \t\n", max_size=2), letters, st.text(" \t\n", max_size=2)).map("".join)


@pytest.mark.requires("round.status-normalised")
@given(
    st.sampled_from(sorted({(w, str(w)) for w in STATUSES} | set(SYNONYMS.items()))).flatmap(
        lambda pair: st.tuples(cased(pair[0]), st.just(pair[1]))
    )
)
def test_case_and_spaces_do_not_matter_and_the_synonyms_mean_their_status(pair: tuple[str, str]) -> None:
    written, meant = pair
    assert normalise_status(written) == meant


@pytest.mark.requires("round.status-normalised")
@given(st.one_of(st.text(), NEARLY))
def test_no_other_spelling_means_a_status(text: str) -> None:
    plain = text.strip()
    known = plain.isascii() and plain.upper() in STATUSES | SYNONYMS.keys()
    assert (normalise_status(text) in STATUSES) is known


@pytest.mark.requires("round.status-normalised", "pipeline.reply-repair")
@given(st.one_of(st.text(), NEARLY, st.sampled_from(sorted(STATUSES))))
def test_a_claim_outside_the_states_rows_goes_back_with_the_allowed_list(text: str) -> None:
    for machine, reply_type in (("app", AppAgentResponse), ("host", HostAgentResponse)):
        allowed = packaged_table().claimable(machine, "CONTINUE")
        content: JsonObject = {"status": text, "questions": ["Which?"], "function": "invoke"}
        meant = normalise_status(text)
        if meant in allowed:
            assert parse_reply(reply_type, ModelReply(content, ""), allowed).status == meant
        else:
            with pytest.raises(ReplyDefect, match=r"cannot be claimed here; allowed: CONTINUE, "):
                parse_reply(reply_type, ModelReply(content, ""), allowed)


@pytest.mark.requires("pipeline.reply-repair")
@pytest.mark.parametrize("status", [None, 1, 1.5, True, [], ["FINISH"], {"status": "FINISH"}])
def test_a_status_that_is_no_text_breaks_the_schema(status: object) -> None:
    reply = ModelReply({"status": status}, "")  # pyright: ignore[reportArgumentType] - whatever a model writes
    with pytest.raises(ReplyDefect, match=r"^status: "):
        parse_reply(AppAgentResponse, reply, ("FINISH",))
