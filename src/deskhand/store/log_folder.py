"""Log folder of a session and the names of the files in it."""

from pathlib import Path

from deskhand.store.atomic_files import make_folder


class LogFolder:
    """Paths of log files; `step` is the session step, counted over all agents from 1."""

    def __init__(self, path: Path) -> None:
        """Create the folder, for its owner alone. Raises: StoreError."""
        make_folder(path, private=True)
        self.path = path

    def __repr__(self) -> str:
        return f"LogFolder({str(self.path)!r})"

    def clean(self, step: int) -> Path:
        """Window as observed."""
        return self.path / f"action_step{step}.png"

    def annotated(self, step: int) -> Path:
        """Window with its labels."""
        return self.path / f"action_step{step}_annotated.png"

    def selected_controls(self, step: int) -> Path:
        """Window with the target of the action framed."""
        return self.path / f"action_step{step}_selected_controls.png"

    def failure(self, step: int) -> Path:
        """Window at a failure of a script, with the control framed."""
        return self.path / f"action_step{step}_failure.png"

    def controls(self, step: int) -> Path:
        """Controls of the window at a failure of a script, as lines."""
        return self.path / f"controls_step{step}.txt"

    def concat(self, step: int) -> Path:
        """Clean and annotated side by side."""
        return self.path / f"action_step{step}_concat.png"

    def confirm(self, step: int) -> Path:
        """Picture shown to the user for a decision."""
        return self.path / f"action_step{step}_confirm.png"

    def desktop(self, step: int) -> Path:
        """The whole desktop."""
        return self.path / f"desktop_step{step}.png"

    def ui_tree(self, step: int) -> Path:
        return self.path / "ui_trees" / f"ui_tree_step{step}.json"

    def subtask_final(self, round_number: int, sub_round: int) -> Path:
        """Application at the end of a subtask of a round."""
        return self.path / f"action_round_{round_number}_sub_round_{sub_round}_final.png"

    def round_final(self, round_number: int) -> Path:
        return self.path / f"action_round_{round_number}_final.png"

    def relative(self, path: Path) -> str:
        """A path in this folder in its form for events. Raises: ValueError for a path outside it."""
        return path.relative_to(self.path).as_posix()
