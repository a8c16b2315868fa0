"""A simulation of the applications of a playbook: windows in memory that answer to the right action of each step."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from deskhand.certify.effects import KEYS, AppEffect, Effects
from deskhand.certify.file_content import content_of
from deskhand.certify.plan import Plan, PlannedStep
from deskhand.certify.simulated_tools import CHOOSE_FILE, LAUNCH
from deskhand.certify.surface import Surface
from deskhand.certify.wishes import Surfaces
from deskhand.commands.key_syntax import in_braces, literal, parse_keys
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonObject
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.desktop.fake import Call, FakeControl, FakeWindow
from deskhand.desktop.fake.control import CHECKABLE_ROLES, CHOICE_ROLES, NUMBER_ROLES, TEXT_ROLES
from deskhand.desktop.fake.stage import Stage
from deskhand.desktop.protocols.input import Chord

LATE_S: Final = 1.0
"""The time by which an application is late in a trial of that: longer than a quick look, shorter than a patient one."""
_UNSAVED: Final = "*"
_SAVE: Final = Chord("s", ("ctrl",))
_SAVE_AS: Final = Chord("s", ("ctrl", "shift"))
_WITHOUT_PRESS: Final = CHECKABLE_ROLES | CHOICE_ROLES | TEXT_ROLES | {Role.MENU}
"""Roles whose own states and values show an effect."""
_HARMLESS: Final = frozenset({"activate", "hover", "focus", "put_caret", "offer_clipboard"})
"""Actions that a dead control does not have to take."""

Later = Callable[[float, Callable[[], None]], None]
State = tuple[str, bool, bool]


@dataclass(slots=True)
class _Turn:
    """A step that is being carried out, as the run's `number`-th."""

    number: int
    step: PlannedStep
    args: JsonObject
    answered: bool = False
    ignored: bool = False


class Simulation:
    """The applications of one run, and the list of their effects.

    The run reports the step that is carried out (`begin`, `finish`), the desktop the actions that reach it (`receive`).
    The right effect of a step is answered as by an application: the expectations of the step come true, and the
    controls of the next step are there. `dead` and `is_late`: the controls, or all for None, that ignore the actions of
    the step `hit`, or whether it is taken late.
    """

    def __init__(self, plan: Plan, desktop: Stage, later: Later) -> None:
        self.plan = plan
        self.desktop = desktop
        self.effects = Effects()
        self.surfaces = Surfaces(plan)
        self.finished: list[PlannedStep] = []
        self.on_finish: Callable[[], None] = lambda: None
        self.hit: PlannedStep | None = None
        self.dead: Sequence[FakeControl] | None = ()
        self.is_late = False
        self._later = later
        self._turn: _Turn | None = None
        self._acting: _Turn | None = None
        """The turn whose action is taken now: a late one is not that of the present step."""
        self._turns: list[PlannedStep | None] = []
        self._waiting: list[Callable[[], None]] = []
        self._labels: dict[FakeControl, str] = {}
        self._states: dict[FakeControl, State] = {}
        self._foreign: set[FakeControl] = set()
        self._ranges: dict[FakeControl, str] = {}
        for surface in self.surfaces.all():
            self._watch(surface)
        for path in self.surfaces.files_to_read():
            path.write_bytes(content_of(path))
        for window in reversed(plan.windows):
            if window.opened_by is None:
                self.desktop.open(self.surfaces.windows[window.number].window)
        self._hide_expected()
        self._prepare(next(self._from(0), None))

    # For faults.

    def watch_foreign(self, window: FakeWindow, control: FakeControl) -> None:
        """Count the effects on a control as foreign ones."""
        self._labels[control] = f'another {control.role} "{control.name}" ("{window.title}")'
        self._states[control] = _state(control)
        self._foreign.add(control)
        if control.role not in _WITHOUT_PRESS:
            control.on_click = partial(self._press, control)

    def open_foreign(self, window: FakeWindow) -> None:
        """Open a window in front that no step means; all its effects are foreign."""
        for control in window.all_controls():
            self.watch_foreign(window, control)
        window.on_key = partial(self._key, window, window.title, foreign=True)
        self.desktop.open(window)

    def later(self, do: Callable[[], None]) -> None:
        """Do something a little later."""

        def then() -> None:
            do()
            self.desktop.touch()

        self._later(LATE_S, then)

    # The run.

    def begin(self, step: PlannedStep | None, args: JsonObject) -> None:
        """A step is about to be carried out, with these arguments."""
        self._turns.append(step)
        self._turn = None if step is None else _Turn(len(self._turns), step, args)
        if step is not None and step.tool == "keyboard_input" and _keys_of(args).endswith(in_braces([_SAVE])):
            self._mark_unsaved(step)

    def _mark_unsaved(self, step: PlannedStep) -> None:
        """Mark a title as many programs do while there is something to save: their own report of having saved."""
        surface = self.surfaces.of(step)
        if surface is not None and not surface.window.dialog:
            surface.window.title = f"{_UNSAVED}{surface.window.title.removeprefix(_UNSAVED)}"

    def finish(self, *, ok: bool) -> None:
        """The step's action is over; `ok` False: it failed."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        strange = any(effect.foreign for effect in self.effects.of_step(turn.number))
        if ok and not (turn.answered or turn.ignored or self._waiting or strange):
            self._answer(turn)
        self.finished.append(turn.step)
        self.on_finish()

    def catch_up(self) -> None:
        """Take the actions that wait in a late application."""
        waiting, self._waiting = self._waiting, []
        for work in waiting:
            with suppress(DeskhandError):  # the application has no use for it any more
                work()

    def owners(self) -> list[PlannedStep | None]:
        """The step of each effect."""
        return [self._turns[number - 1] if number else None for number in self.effects.steps]

    def launch(self) -> FakeWindow | None:
        """The window that a launch opens, maybe later; None if it opens none."""
        turn = self._turn
        if turn is None or turn.step.tool != LAUNCH or turn.step.opens is None or self._is_dead(None):
            return None
        self._acting = turn
        self._note("launched", str(turn.step.args.get("application")))
        turn.answered = True
        answer = partial(self._answer, turn)
        if self._is_late():
            self.later(answer)
        else:
            answer()
        return self.surfaces.windows[turn.step.opens].window

    def receive(self, call: Call, work: Callable[[], None], aimed: FakeControl | None) -> None:
        """An action reached the desktop: do it, do it late, or ignore it. Raises: as `work`."""
        matters = call.method not in _HARMLESS
        if matters and self._is_dead(aimed):
            if self._turn is not None:
                self._turn.ignored = True
        elif self._waiting or (matters and self._is_late()):
            if not self._waiting:
                self.later(self.catch_up)
            self._waiting.append(partial(self._take, work, self._turn))
        else:
            self._take(work, self._turn)

    def _is_dead(self, aimed: FakeControl | None) -> bool:
        if self._turn is None or self._turn.step is not self.hit:
            return False
        return self.dead is None or (aimed is not None and aimed in self.dead)

    def _is_late(self) -> bool:
        return self.is_late and self._turn is not None and self._turn.step is self.hit

    def _take(self, work: Callable[[], None], turn: _Turn | None) -> None:
        before, self._acting = list(self.effects.all), turn
        work()
        self._note_changes()
        if self.effects.all != before:
            self._show_changes()
        if turn is not None and not turn.answered and self._is_done(turn):
            self._answer(turn)

    # Effects.

    def _watch(self, surface: Surface) -> None:
        window = surface.window
        for control, label in surface.label_of.items():
            self._labels[control] = f'{label} ("{window.title}")'
            self._states[control] = _state(control)
            if control.role not in _WITHOUT_PRESS:
                control.on_click = partial(self._press, control)
        if surface.sheet is not None:
            self._ranges[surface.sheet] = _range(surface.sheet)
        window.on_key = partial(self._key, window, window.title, foreign=False)

    def _note(self, verb: str, on: str, value: str = "", *, foreign: bool = False) -> None:
        number = self._acting.number if self._acting is not None else 0
        self.effects.add(number, AppEffect(verb, on, value, foreign))

    def _press(self, control: FakeControl) -> None:
        self._note("pressed", self._labels[control], foreign=control in self._foreign)

    def _key(self, window: FakeWindow, title: str, chord: Chord, *, foreign: bool) -> bool:
        """Take note of a key, and leave it to the window; `title`: the one it opened with."""
        tool = self._acting.step.tool if self._acting is not None else ""
        if foreign or tool == "keyboard_input":
            self._note(KEYS, f'"{title}"', in_braces([chord]), foreign=foreign)
            if chord == _SAVE:
                window.title = window.title.removeprefix(_UNSAVED)
        elif tool == "save_document" and chord in {_SAVE, _SAVE_AS}:
            self._note("saved", f'"{title}"')
            if chord == _SAVE_AS and (dialog := self.surfaces.save_dialog(window)) is not None:
                self._open(dialog)
        return False

    def _note_changes(self) -> None:
        for control, before in self._states.items():
            now = _state(control)
            if now != before:
                self._states[control] = now
                self._note_change(control, before, now)
        selects = self._acting is not None and self._acting.step.tool == "select_item"
        for sheet, before in self._ranges.items():
            now = _range(sheet)
            self._ranges[sheet] = now
            if selects and now != before:
                self._note("selected cells of", self._labels[sheet], now)

    def _note_change(self, control: FakeControl, before: State, now: State) -> None:
        label, foreign = self._labels[control], control in self._foreign
        if now[0] != before[0]:
            self._note("set", label, now[0].replace(f"{self.plan.folder}/", ""), foreign=foreign)
        if now[1] != before[1] and (now[1] or control.role in CHECKABLE_ROLES):
            self._note("checked" if now[1] else "unchecked", label, foreign=foreign)
        if now[2] and not before[2]:
            self._note("selected", label, foreign=foreign)

    def _show_changes(self) -> None:
        """Show in each window that something was done, as applications do."""
        for surface in self.surfaces.all():
            surface.status.value = f"{len(self.effects.all)} changes"

    # Answers.

    def _is_done(self, turn: _Turn) -> bool:
        """True if all effects of a step are there."""
        step, own = turn.step, [effect for effect in self.effects.of_step(turn.number) if not effect.foreign]
        if step.tool == CHOOSE_FILE or (step.tool == "save_document" and turn.args.get("path")):
            return any(effect.verb == "pressed" for effect in own)
        if step.tool == "keyboard_input":
            keys = "".join(effect.value for effect in own if effect.verb == KEYS)
            return keys.endswith(_keys_of(turn.args))
        targets = self.surfaces.targets_of(step)
        surface = self.surfaces.of(step)
        if targets and surface is not None and surface.sheet not in targets:
            return {self._labels[control] for control in targets} <= {effect.on for effect in own}
        return bool(own) and step.tool != LAUNCH

    def _answer(self, turn: _Turn) -> None:
        """The application's answer to the right action."""
        turn.answered = True
        step = turn.step
        for path in self.surfaces.files_written_by(step):
            path.write_bytes(content_of(path))
        if step.opens is not None:
            self._open(self.surfaces.windows[step.opens])
        expect = step.expect
        if expect is not None and expect.gone is not None:
            self._remove(step, expect.gone)
        if expect is not None and expect.shows is not None:
            self._reveal(step, expect.shows)
        self._prepare(next(self._from(self.plan.steps.index(step) + 1), None))
        self.desktop.touch()

    def _hide_expected(self) -> None:
        """Hide each control that a step expects to be shown then, and that none before acts on."""
        used = set[FakeControl]()
        for step in self.plan.steps:
            used |= set(self.surfaces.targets_of(step))
            shown = step.expect.shows if step.expect is not None else None
            for surface in self.surfaces.around(step) if shown is not None and shown.role != Role.DIALOG else ():
                for control in set(surface.find_all(shown)) - used if shown is not None else ():
                    control.states.add("hidden")

    def _from(self, start: int) -> Iterator[PlannedStep]:
        return (step for step in self.plan.steps[start:] if step.taken and step.tool)

    def _prepare(self, step: PlannedStep | None) -> None:
        """Show the controls of the next step, and close dialogs that it is not in."""
        wanted = self.surfaces.of(step) if step is not None else None
        for dialog in self.surfaces.dialogs.values():
            if dialog is not wanted:
                self.desktop.close_window(dialog.window)
        if step is None or wanted is None:
            return
        if step.dialog is not None:
            self._open(wanted)
        if (waited := self.surfaces.waited_for(step)) is not None:
            self._open(waited)
        for control in wanted.find_all(step.hides) if step.hides is not None else ():
            control.states.add("hidden")
        shown = [control for selector in step.shows for control in wanted.find_all(selector)]
        for control in (*self.surfaces.targets_of(step), *shown):
            control.states.discard("hidden")

    def _open(self, surface: Surface) -> None:
        if surface.window not in self.desktop.shown_windows:
            self.desktop.open(surface.window)

    def _remove(self, step: PlannedStep, gone: Selector) -> None:
        for surface in self.surfaces.around(step):
            if surface.is_called(gone):
                self.desktop.close_window(surface.window)
            for control in surface.find_all(gone):
                control.states.add("hidden")

    def _reveal(self, step: PlannedStep, shows: Selector) -> None:
        for surface in self.surfaces.around(step):
            if surface.is_called(shows):
                self._open(surface)
            for control in surface.find_all(shows):
                control.states.discard("hidden")


def _state(control: FakeControl) -> State:
    value = control.value if control.role in TEXT_ROLES | NUMBER_ROLES else ""
    if control.table is not None:
        value = "; ".join(", ".join(row) for row in control.table.texts())
    return value, "checked" in control.states, "selected" in control.states


def _range(sheet: FakeControl) -> str:
    return sheet.table.selected_range if sheet.table is not None else ""


def _keys_of(args: JsonObject) -> str:
    keys = str(args.get("keys", ""))
    return literal(keys) if args.get("literal") is True else "".join(in_braces([chord]) for chord in parse_keys(keys))
