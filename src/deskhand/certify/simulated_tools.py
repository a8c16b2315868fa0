"""The tools that a simulation answers to."""

from typing import Final

LAUNCH: Final = "launch_application"
SELECT_WINDOW: Final = "select_application_window"
CHOOSE_FILE: Final = "choose_file"
WRITING: Final = frozenset({CHOOSE_FILE, "save_document"})
READING: Final = frozenset({"read_table", "texts", "wait_for", "find_controls", "summary", SELECT_WINDOW})
ACTING: Final = (
    frozenset({"invoke", "click_input", "set_edit_text", "set_value", "select_item", "fill", "keyboard_input"})
    | {"write_table", LAUNCH}
    | WRITING
)
