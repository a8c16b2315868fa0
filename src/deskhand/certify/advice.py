"""Advice for a step that goes wrong in silence: the words to add to the file."""

from deskhand.certify.certificate import FaultKind
from deskhand.certify.plan import PlannedStep

_CONFIRMED = "expect: {effect: confirmed}"


def advice_for(fault: FaultKind, step: PlannedStep) -> str:
    """The change by which a fault at a step is noticed, as a sentence."""
    match fault:
        case FaultKind.DIALOG:
            return _about_dialogs(step)
        case FaultKind.RENAME:
            return "give it a name that only this control has"
        case FaultKind.AMBIGUITY:
            return "replace nth by a name, a value or within, so that two matches stop the step"
        case FaultKind.DELAY | FaultKind.DEAD:
            if step.expect is not None and step.expect.effect:
                return "add to expect a control that is there only then, as shows: {…}, or gone: {…}"
            return f"add {_CONFIRMED}, or a control that is there only then, as expect: {{shows: …}}"


def _about_dialogs(step: PlannedStep) -> str:
    on, when = step.step.on, step.step.when
    if when is not None and when.shows is not None:
        return "let the next step expect: {gone: …} of the control that is shown: under a dialog it is not seen"
    if on is None:
        return "name the control that it is for, as on: {role: …, name: …}: a dialog in front then stops the step"
    return "give it a name that no button of a message has, or within: {role: dialog, name: …}"
