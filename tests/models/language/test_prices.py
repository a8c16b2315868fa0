"""What calls cost, and budgets that cannot be kept without a price (contract 2.3, 4.7)."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import ConfigurationError, UsageError
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.usage import Usage
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.prices import Price
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.models import language_models
from models.language.asked import FINISH, model_at, request
from notes import Notes
from stage import say, stage
from wire.server import Say, wire

PRICES = "models: {prices: {our-own-model: {input_per_mtok: 2.0, output_per_mtok: 10.0}}}"


def sources(folder: Path, text: str, **environment: str) -> Sources:
    (folder / "deskhand").mkdir()
    (folder / "deskhand/config.yaml").write_text(text)
    return Sources({"XDG_CONFIG_HOME": str(folder), **environment}, folder)


def test_cached_tokens_have_their_own_price_where_one_is_given() -> None:
    assert Price(2.0, 10.0).of(1000, 100, 400) == pytest.approx(0.003)
    assert Price(2.0, 10.0, 0.5).of(1000, 100, 400) == pytest.approx(0.0024)


@pytest.mark.requires("model.own-prices")
@pytest.mark.parametrize("name", ["our-own-model", "openai:our-own-model"])
async def test_a_price_of_the_users_own_configuration_is_what_a_call_costs(tmp_path: Path, name: str) -> None:
    with wire(FINISH) as server:
        of = sources(
            tmp_path,
            PRICES.replace("our-own-model", f'"{name}"'),
            OPENAI_BASE_URL=server.openai,
            DESKHAND_MODELS__MODEL="openai:our-own-model",
        )
        models = language_models(of, load(of).models)
        assert models is not None
        async with models.language_model("openai:our-own-model") as model:
            assert model.has_price()
            reply = await model.respond(request())
    assert reply.usage.cost_usd == pytest.approx(0.0004)


@pytest.mark.requires("model.own-prices")
def test_wrong_prices_are_told_and_a_project_sets_none(tmp_path: Path) -> None:
    of = sources(tmp_path, "models: {prices: {x: {input_per_mtok: -1.0, output_per_mtok: 1.0, each: 2}}}")
    (tmp_path / "deskhand.yaml").write_text(PRICES)
    with pytest.raises(ConfigurationError) as raised:
        load(of)
    assert "models.prices" in raised.value.message
    assert "deskhand.yaml:1: models.prices: it would send pictures" in raised.value.message


@pytest.mark.requires("model.max-usd-kept")
async def test_a_budget_in_dollars_is_refused_before_anything_begins_where_a_price_is_unknown(tmp_path: Path) -> None:
    name = ModelName.parse("openai:our-own-model")
    plan = SessionPlan(
        session_id="s",
        session_dir=tmp_path / "log",
        requests=("Do it",),
        model=LanguageModel(name, {"OPENAI_API_KEY": "k"}),
        configuration=Configuration(system=SystemSection(max_usd=1.0)),
    )
    with pytest.raises(UsageError, match="the price of openai:our-own-model is unknown") as raised:
        await run_session(plan)
    assert "models.prices" in raised.value.fix
    assert "our-own-model: {input_per_mtok: 0.5, output_per_mtok: 1.5}" in raised.value.fix
    assert not (tmp_path / "log").exists()
    assert LanguageModel(ModelName.parse("openai:gpt-4o"), {"OPENAI_API_KEY": "k"}).has_price()


@pytest.mark.requires("model.max-usd-kept")
async def test_an_answer_whose_price_turns_out_to_be_unknown_ends_a_session_that_has_a_budget(tmp_path: Path) -> None:
    def unpriced(_: ModelRequest) -> ModelReply:
        return ModelReply({"status": "CONTINUE"}, "", Usage(10, 10, None))

    it = stage(Notes().desktop, {"HostAgent": [unpriced, say("FINISH")]}, log_path=tmp_path, settings={"max_usd": 5.0})
    ending = await it.run()
    assert (ending.outcome, len(it.model.requests)) == (Outcome.BUDGET, 1)
    assert "max_usd cannot be enforced" in ending.reason


@pytest.mark.requires("model.tokens-uncounted")
@pytest.mark.filterwarnings("ignore:Failed to extract usage")
@pytest.mark.parametrize(
    "answer", [replace(FINISH, counted=False), replace(FINISH, input_tokens=0), replace(FINISH, input_tokens=-900)]
)
async def test_tokens_that_a_server_does_not_count_are_estimated_and_that_is_said(answer: Say) -> None:
    with wire(answer) as server:
        async with model_at(server, "openai") as model:
            reply = await model.respond(request())
    text = "You work with windows.Press Save.1 button Save"
    assert len(text) / 4 <= reply.usage.input_tokens - 1500 <= len(text) / 4 + 3, "the picture counts as 1500"
    assert reply.usage.output_tokens > 0
    assert reply.usage.cost_usd is None
    assert "they are estimated" in reply.note


@pytest.mark.requires("model.tokens-uncounted")
async def test_a_budget_of_tokens_holds_with_a_server_that_counts_none(tmp_path: Path) -> None:
    again = Say('{"status": "CONTINUE"}', counted=False)
    with wire(again) as server:
        async with model_at(server, "openai") as model:
            it = stage(Notes().desktop, model, log_path=tmp_path, settings={"max_tokens": 5000})
            ending = await it.run()
    assert ending.outcome is Outcome.BUDGET
    assert "5000 tokens are used up" in ending.reason
