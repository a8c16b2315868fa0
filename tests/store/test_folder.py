"""The log folder's names are the documented ones (contract 3.2)."""

from pathlib import Path

import pytest

from deskhand.core.errors import StoreError
from deskhand.store.log_folder import LogFolder


def test_the_files_have_their_documented_names(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path / "out" / "log")
    assert folder.path.stat().st_mode & 0o777 == 0o700
    paths = [
        folder.clean(3),
        folder.annotated(3),
        folder.selected_controls(3),
        folder.concat(3),
        folder.confirm(3),
        folder.desktop(3),
        folder.ui_tree(3),
        folder.subtask_final(1, 2),
        folder.round_final(1),
    ]
    assert [folder.relative(path) for path in paths] == [
        "action_step3.png",
        "action_step3_annotated.png",
        "action_step3_selected_controls.png",
        "action_step3_concat.png",
        "action_step3_confirm.png",
        "desktop_step3.png",
        "ui_trees/ui_tree_step3.json",
        "action_round_1_sub_round_2_final.png",
        "action_round_1_final.png",
    ]


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    with pytest.raises(StoreError, match="Could not create the folder"):
        LogFolder(tmp_path / "log")
