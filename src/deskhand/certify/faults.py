"""The five faults of a certificate, each at one step of a run."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from deskhand.certify.certificate import FaultKind
from deskhand.certify.plan import PlannedStep
from deskhand.certify.simulated_tools import ACTING, LAUNCH
from deskhand.certify.simulation import Simulation
from deskhand.certify.surface import Surface
from deskhand.certify.wishes import Surfaces
from deskhand.core.patterns import matches_name
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeTable, FakeWindow
from deskhand.models.steps import HOST

_NEW_NAMES: Final = ("Renamed", "Zzz", "12345")
_STRANGE: Final = "Unexpected"
_SEVERAL: Final = 2
Strike = Callable[[Simulation, PlannedStep], None]


def strikes_of(kind: FaultKind, step: PlannedStep) -> Sequence[Strike]:
    """The ways in which a fault can strike a step; none where it does not apply."""
    of_window = _is_of_window(step)
    match kind:
        case FaultKind.DIALOG:
            return [_open_dialog]
        case FaultKind.RENAME:
            return [_rename_window] if of_window else _each(step, _rename)
        case FaultKind.AMBIGUITY:
            return [_open_twin] if of_window else _each(step, _add_twin)
        case FaultKind.DELAY:
            appears = [_open_late] if of_window else _each(step, _show_late)
            return [*appears, _be_late] if step.tool in ACTING else appears
        case FaultKind.DEAD:
            alone = [_be_dead_all] if len(step.targets) < _SEVERAL else _each(step, _be_dead)
            return alone if step.tool in ACTING else []


def _is_of_window(step: PlannedStep) -> bool:
    return step.key[0] == HOST and _window_number(step) is not None


def _window_number(step: PlannedStep) -> int | None:
    return step.opens if step.tool == LAUNCH else step.window


def _each(step: PlannedStep, strike: Callable[[Simulation, PlannedStep, int], None]) -> list[Strike]:
    """The same fault for each control of a step."""
    if step.key[0] == HOST:
        return []
    return [partial(_at, strike=strike, number=number) for number in range(len(step.targets))]


def _at(
    simulation: Simulation, step: PlannedStep, *, strike: Callable[[Simulation, PlannedStep, int], None], number: int
) -> None:
    strike(simulation, step, number)


def _open_dialog(simulation: Simulation, step: PlannedStep) -> None:
    shown = simulation.desktop.shown_windows
    surface = simulation.surfaces.of(step)
    number = _window_number(step)
    own = (
        surface.window
        if surface is not None
        else simulation.surfaces.windows[number].window
        if number is not None
        else None
    )
    owner = own if own in shown else next(iter(shown), None)
    buttons = [FakeControl(Role.BUTTON, "OK", states={"default"}), FakeControl(Role.BUTTON, "Cancel")]
    controls = [FakeControl(Role.LABEL, "Do you want to be asked this again?"), *buttons]
    application = owner.application if owner is not None else "another"
    dialog = FakeWindow(_STRANGE, controls, application, dialog=True, owner=owner)
    simulation.open_foreign(dialog)
    for control in buttons:
        control.on_click = partial(_press_and_close, simulation, dialog, control.on_click)


def _press_and_close(simulation: Simulation, dialog: FakeWindow, press: Callable[[], None] | None) -> None:
    if press is not None:
        press()
    simulation.desktop.close_window(dialog)


def _rename_window(simulation: Simulation, step: PlannedStep) -> None:
    number = _window_number(step)
    if number is not None:
        window = simulation.surfaces.windows[number].window
        window.title = _other_name(step.targets[0] if step.targets else Selector(name=window.title))


def _rename(simulation: Simulation, step: PlannedStep, number: int) -> None:
    _target(simulation, step, number).name = _other_name(step.targets[number])


def _other_name(selector: Selector) -> str:
    """A name that the selector does not match, if there is one."""
    return next((name for name in _NEW_NAMES if not selector.name or not matches_name(selector.name, name)), "Renamed")


def _open_twin(simulation: Simulation, step: PlannedStep) -> None:
    number = _window_number(step)
    if number is not None:
        window = Surfaces(simulation.plan).windows[number].window
        window.application = "another"
        simulation.open_foreign(window)


def _add_twin(simulation: Simulation, step: PlannedStep, number: int) -> None:
    surface, target = simulation.surfaces.of(step), _target(simulation, step, number)
    if surface is None:
        return
    twin = _copy(target)
    siblings = _siblings(surface, target)
    siblings.insert(siblings.index(target) + (step.targets[number].nth == "last"), twin)
    for control in (twin, *twin.descendants()):
        simulation.watch_foreign(surface.window, control)


def _copy(control: FakeControl) -> FakeControl:
    """A control with the same appearance; a table has other cells."""
    twin = FakeControl(
        control.role, control.name, control.value, set(control.states) - {"focused"}, actions=control.actions
    )
    twin.children = [_copy(child) for child in control.children]
    if control.table is not None:
        rows = control.table.texts()[:20] or [["a"]]
        twin.table = FakeTable.of([[f"{text} of another" for text in row] for row in rows])
    return twin


def _siblings(surface: Surface, control: FakeControl) -> list[FakeControl]:
    """The list that has a control among its children."""
    around = (other.children for other in surface.window.all_controls() if control in other.children)
    return next(around, surface.window.controls)


def _show_late(simulation: Simulation, step: PlannedStep, number: int) -> None:
    target = _target(simulation, step, number)
    target.states.add("hidden")
    simulation.later(lambda: target.states.discard("hidden"))


def _open_late(simulation: Simulation, step: PlannedStep) -> None:
    if step.window is None:  # a launch, whose window opens late by itself
        return
    window = simulation.surfaces.windows[step.window].window
    if window in simulation.desktop.shown_windows:
        simulation.desktop.close_window(window)
        simulation.later(lambda: simulation.desktop.open(window) and None)


def _be_late(simulation: Simulation, step: PlannedStep) -> None:
    simulation.hit, simulation.is_late = step, True


def _be_dead(simulation: Simulation, step: PlannedStep, number: int) -> None:
    simulation.hit, simulation.dead = step, [_target(simulation, step, number)]


def _be_dead_all(simulation: Simulation, step: PlannedStep) -> None:
    simulation.hit, simulation.dead = step, None


def _target(simulation: Simulation, step: PlannedStep, number: int) -> FakeControl:
    return simulation.surfaces.targets_of(step)[number]
