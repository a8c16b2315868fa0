"""Tasks by a good and by a careless model that read nothing but prompts; `make bench-wheel` runs all of them."""

from pathlib import Path

import pytest

from demo.wheel import BY_NAME, CARELESS, GOOD, run

pytestmark = [pytest.mark.desktop, pytest.mark.long]

SAMPLE = ("form_gtk", "gedit_save_as")


@pytest.mark.requires("model.proof")
@pytest.mark.parametrize("model", [GOOD, CARELESS])
@pytest.mark.parametrize("name", SAMPLE)
def test_a_task_is_finished_and_reported_by_a_model_that_reads_only_prompts(
    name: str, model: str, tmp_path: Path
) -> None:
    trial = run(BY_NAME[name], model, tmp_path)
    assert (trial.finished, trial.reported) == (True, True), trial
