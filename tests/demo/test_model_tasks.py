"""Tasks by a good and by a careless model that read nothing but prompts; `make bench-wheel` runs all of them."""

from pathlib import Path

import pytest

from demo.wheel import BY_NAME, CARELESS, GOOD, WHOLE, intent, run

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("model.careless")]

SAMPLE = ("form_qt", "gedit_save_as")


@pytest.mark.full("test_language_model has a form that is filled in by prompts alone")
@pytest.mark.parametrize("model", [GOOD, CARELESS, WHOLE])
@pytest.mark.parametrize("name", SAMPLE)
def test_a_task_is_finished_and_reported_by_a_model_that_reads_only_prompts(
    name: str, model: str, tmp_path: Path
) -> None:
    trial = run(BY_NAME[name], model, tmp_path)
    assert (trial.finished, trial.reported) == (True, True), trial


def test_a_careless_model_does_not_report_a_task_with_a_failed_step_as_a_success(tmp_path: Path) -> None:
    task = BY_NAME["form_qt"]
    missing = intent("select_item", ("combobox", "Size"), ("combobox", "A4"), item="B52")
    trial = run(task.with_intents([missing, *task.intents[:2]]), CARELESS, tmp_path)
    assert (trial.finished, trial.reported) == (False, False), trial
