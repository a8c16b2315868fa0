"""Advice for a step that goes wrong in silence: the words to add to the file."""

from deskhand.certify.certificate import FaultKind
from deskhand.certify.plan import PlannedStep

_CONFIRMED = "expect: {effect: confirmed}"


def advice_for(fault: FaultKind, step: PlannedStep) -> str:
    """The change by which a fault at a step is noticed, as a sentence."""
    on = step.step.on
    match fault:
        case FaultKind.DIALOG if on is None:
            return "name the control that it is for, as on: {role: …, name: …}: a dialog in front then stops the step"
        case FaultKind.DIALOG:
            return "give it a name that no button of a message has, or within: {role: dialog, name: …}"
        case FaultKind.RENAME:
            return "give it a name that only this control has"
        case FaultKind.AMBIGUITY:
            return "replace nth by a name, a value or within, so that two matches stop the step"
        case FaultKind.DELAY | FaultKind.DEAD:
            if step.expect is not None and step.expect.effect:
                return "add to expect a control that is there only then, as shows: {…}, or gone: {…}"
            return f"add {_CONFIRMED}, or a control that is there only then, as expect: {{shows: …}}"
