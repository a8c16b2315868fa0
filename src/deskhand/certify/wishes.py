"""All windows and dialogs of a simulation, made from the wishes of the steps."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deskhand.certify.dialogs import dialog_around
from deskhand.certify.example_texts import NoExample, example_of
from deskhand.certify.made_up_values import table_of
from deskhand.certify.plan import Plan, PlannedDialog, PlannedStep
from deskhand.certify.simulated_tools import CHOOSE_FILE, LAUNCH, SELECT_WINDOW
from deskhand.certify.surface import Surface, Wish
from deskhand.commands.techniques.cells import parse_range
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonObject
from deskhand.core.patterns import matches_title
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeWindow
from deskhand.models.steps import HOST

_SAVE_DIALOG = "save as"


class Surfaces:
    """The windows by number, and the dialogs by window and key."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.windows: list[Surface] = []
        self.dialogs: dict[tuple[int, str], Surface] = {}
        for planned in plan.windows:
            mine = [step for step in plan.steps if step.window == planned.number and step.key[0] != HOST]
            window = FakeWindow(planned.title, [], planned.application, dialog=planned.is_dialog)
            if any(step.tool == "save_document" for step in mine):
                window.controls.append(FakeControl(Role.DOCUMENT, "Document"))
            self.windows.append(Surface(window, _wishes(plan, [step for step in mine if step.dialog is None], mine)))
            for dialog in dict.fromkeys(step.dialog for step in mine if step.dialog is not None):
                within = [step for step in mine if step.dialog == dialog]
                self._add_dialog(planned.number, window, dialog, _wishes(plan, within, within))
            if any(step.tool == "save_document" and step.args.get("path") for step in mine):
                self._add_dialog(planned.number, window, PlannedDialog(_SAVE_DIALOG, "Save As", saves=True), [])
        self._waited = {step.key: self._window_for(step) for step in plan.steps if step.tool == "wait_for"}

    def all(self) -> Iterator[Surface]:
        yield from self.windows
        yield from self.dialogs.values()

    def of(self, step: PlannedStep) -> Surface | None:
        """The window or dialog that a step acts in; None for a step of the host."""
        if step.window is None or step.key[0] == HOST:
            return None
        if step.dialog is not None:
            return self.dialogs[step.window, step.dialog.key]
        return self.windows[step.window]

    def targets_of(self, step: PlannedStep) -> list[FakeControl]:
        """The controls that a step acts on; of a menu's item the item alone."""
        surface = self.of(step)
        found: list[FakeControl] = []
        for selector in step.targets if surface is not None else ():
            matches = surface.find_all(selector) if surface is not None else []
            found += (
                matches[-1:]
                if selector.nth == "last"
                else matches[selector.nth - 1 : selector.nth]
                if isinstance(selector.nth, int)
                else matches[:1]
            )
        return found

    def around(self, step: PlannedStep) -> list[Surface]:
        """The window of a step and all its dialogs."""
        if step.window is None:
            return []
        return [self.windows[step.window], *(s for (number, _), s in self.dialogs.items() if number == step.window)]

    def save_dialog(self, window: FakeWindow) -> Surface | None:
        number = next((at for at, surface in enumerate(self.windows) if surface.window is window), None)
        return self.dialogs.get((number, _SAVE_DIALOG)) if number is not None else None

    def waited_for(self, step: PlannedStep) -> Surface | None:
        """The window whose title a step waits for."""
        return self._waited.get(step.key)

    def files_written_by(self, step: PlannedStep) -> list[Path]:
        names = [step.expect.file if step.expect is not None and step.tool else ""]
        writes = step.tool == CHOOSE_FILE and (step.args.get("create") is True or step.args.get("overwrite") is True)
        if writes or step.tool == "save_document":
            names.append(str(step.args.get("path") or ""))
        return [Path(name) for name in dict.fromkeys(names) if name]

    def files_to_read(self) -> set[Path]:
        """The files that steps open, and none writes before."""
        written = {path for step in self._plan.steps for path in self.files_written_by(step)}
        texts = {value for step in self._plan.steps for value in step.args.values() if isinstance(value, str)}
        paths = {Path(text) for text in texts if text.startswith(f"{self._plan.folder}/")}
        return paths - written

    def _add_dialog(self, number: int, owner: FakeWindow, dialog: PlannedDialog, wishes: list[Wish]) -> None:
        window = FakeWindow(dialog.title, [], owner.application, dialog=True, owner=owner)
        if dialog.saves is not None:
            field = Selector(role=Role.TEXTBOX.value, name="File name")
            button = Selector(role=Role.BUTTON.value, name="Save" if dialog.saves else "Open")
            wishes = [*wishes, Wish(field, "set_edit_text"), Wish(button, "invoke")]
        self.dialogs[number, dialog.key] = Surface(window, wishes)

    def _window_for(self, step: PlannedStep) -> Surface | None:
        title = step.args.get("title")
        if not isinstance(title, str) or not title or step.args.get("gone") is True:
            return None
        for surface in self.all():
            if matches_title(title, surface.window.title):
                return surface
        try:
            window = FakeWindow(example_of(title), [], "another", dialog=step.args.get("role") == Role.DIALOG)
        except NoExample:
            return None
        return Surface(window, [])


def _wishes(plan: Plan, steps: Iterable[PlannedStep], others: Iterable[PlannedStep]) -> list[Wish]:
    """The controls of a window or dialog for the steps in it; `others`: those whose window it is."""
    steps = list(steps)
    of_sheet = any(_needs_sheet(step) for step in steps)
    wishes: list[Wish] = []
    for step in steps:
        wishes += _targets(plan, step, of_sheet=of_sheet)
        wishes += [Wish(selector) for selector in step.shows if selector.role != Role.DIALOG]
        if step.tool == "wait_for" and (waited := _waited_for(step.args)) is not None:
            wishes.append(Wish(waited, "wait_for", step.args))
        if step.tool == "write_table" and not step.targets:
            wishes.append(Wish(Selector(role=Role.TABLE.value), step.tool, of_sheet=True))
    return wishes + [Wish(shown) for step in others for shown in _shown_by(step, within=step in steps)]


def _shown_by(step: PlannedStep, *, within: bool) -> list[Selector]:
    """The control that a step expects to be shown, here or in the window around; `within`: it acts here."""
    shown = step.expect.shows if step.expect is not None else None
    if shown is None or shown.role == Role.DIALOG:
        return []
    return [shown] if within or dialog_around(shown) is None else []


def _targets(plan: Plan, step: PlannedStep, *, of_sheet: bool) -> list[Wish]:
    if step.tool in {LAUNCH, SELECT_WINDOW}:
        return []
    rows = table_of(plan.playbook, step.step) if step.tool == "read_table" else ()
    values = step.args.get("values") if step.tool == "fill" else None
    fields = [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []
    wishes: list[Wish] = []
    for at, selector in enumerate(step.targets):
        args: JsonObject = {"value": fields[at].get("value")} if at < len(fields) else step.args
        sheet = of_sheet and (not selector.role or selector.role == Role.TABLE)
        wishes.append(Wish(selector, step.tool, args, rows, of_sheet=sheet))
    return wishes


def _needs_sheet(step: PlannedStep) -> bool:
    """True if a step works with cells by their addresses."""
    if step.tool == "write_table":
        return True
    on_table = any(selector.role == Role.TABLE for selector in step.targets)
    if not on_table:
        return False
    if step.tool == "read_table":
        return bool(step.args.get("range"))
    return step.tool == "select_item" and "item" in step.args and _is_range(step.args["item"])


def _is_range(item: object) -> bool:
    """True for a range of cells, and for an item that only the run knows."""
    if not isinstance(item, str):
        return True
    try:
        parse_range(item)
    except DeskhandError:
        return False
    return True


def _waited_for(args: JsonObject) -> Selector | None:
    if args.get("gone") is True or args.get("title") or args.get("picture"):
        return None
    if text := args.get("text"):
        return Selector(role=Role.LABEL.value, name=str(text))
    parts = {name: str(args[name]) for name in ("role", "name", "value") if args.get(name)}
    return Selector.model_validate(parts) if parts else None
