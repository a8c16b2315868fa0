"""All steps for features, for a file in `features/steps`: `from deskhand.testing.behave.steps import *`.

Their words are those that testers know from qecore.
"""

from deskhand.testing.behave import application_steps, command_steps, control_steps

__all__ = ["application_steps", "command_steps", "control_steps"]
