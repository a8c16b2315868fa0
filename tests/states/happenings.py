"""What a step can come to, for the small world that is explored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from deskhand.core.context import RunMode
from deskhand.core.errors import ApplicationGone, CaptureFailed, DesktopGone


@dataclass(frozen=True, slots=True)
class Happening:
    """What one step comes to: the reply, or the error of looking; and what acting and the checks come to.

    `window`: whose agent the host assigns. `spends`: which of the session's budgets the step uses up. `announces`:
    something that is to happen outside has been announced, and `arrives` or `never arrives`.
    """

    name: str
    status: str = ""
    function: str = ""
    error: Exception | None = None
    acting: str = "works"
    checks: bool = True
    reannotate: bool = False
    window: str = ""
    spends: str = ""
    announces: str = ""


def _common(other: str) -> tuple[Happening, ...]:
    """What can happen to either agent; `other` is a status that only the other one knows."""
    return (
        Happening("goes on", "CONTINUE"),
        Happening("finishes", "FINISH"),
        Happening("finishes on something unproven", "FINISH", "press", acting="shows nothing"),
        Happening("gives up", "FAIL"),
        Happening("asks", "PENDING"),
        Happening("asks when something has happened", "PENDING", announces="arrives"),
        Happening("asks while something is to happen", "PENDING", announces="never arrives"),
        Happening("wants a confirmation", "CONFIRM", "press"),
        Happening("breaks down", "ERROR"),
        Happening("proposes what the policy holds", "CONTINUE", "delete"),
        Happening("cannot look", error=CaptureFailed("no picture")),
        Happening("finds the application gone", error=ApplicationGone("gone")),
        Happening("loses the desktop", error=DesktopGone("lost")),
        Happening("acts and finds the application gone", "CONTINUE", "press", acting="is gone"),
        Happening("claims what is not its own", other),
    )


CHECKS_FAIL = Happening("finishes and a check fails", "FINISH", checks=False)
AFRESH = (
    Happening("looks afresh for some controls", "SCREENSHOT", reannotate=True),
    Happening("goes on with some controls anew", "CONTINUE", reannotate=True),
)
APP_STEPS = (*_common("ASSIGN"), Happening("acts", "CONTINUE", "press"), Happening("looks afresh", "SCREENSHOT"))
HOST_STEPS = (*_common("SCREENSHOT"), CHECKS_FAIL)
PLAN_STEPS = tuple(h for h in HOST_STEPS if h.error is not None or h.function == "delete")
"""What the host can meet while a plan takes the place of its model, besides handing over."""
SPENDING = tuple(Happening(f"uses up its {what}", "CONTINUE", spends=what) for what in ("tokens", "dollars", "seconds"))


@dataclass(frozen=True, slots=True)
class Setting:
    """One configuration that is explored.

    `windows`: one application each. `steps`: only those, where given, else all but those that announce something.
    `repeats`: what is asked and what the policy holds is always the same, else always something new.
    """

    name: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    with_host: bool = True
    windows: tuple[str, ...] = ("Notes",)
    steps: tuple[str, ...] = ()
    repeats: bool = False

    @property
    def follows_plan(self) -> bool:
        return self.settings.get("mode") == RunMode.FOLLOWER

    @property
    def spending(self) -> tuple[Happening, ...]:
        return SPENDING if "max_tokens" in self.settings else ()

    def host_steps(self) -> tuple[Happening, ...]:
        assigning = tuple(Happening(f"assigns {title}", "ASSIGN", window=title) for title in self.windows)
        return assigning + self._some(PLAN_STEPS if self.follows_plan else HOST_STEPS)

    def app_steps(self, state: str) -> tuple[Happening, ...]:
        """What can happen in a state of the AppAgent. Only an agent without a host answers the request itself."""
        steps = APP_STEPS + (AFRESH if state == "SCREENSHOT" else ()) + (() if self.with_host else (CHECKS_FAIL,))
        return self._some(steps)

    def _some(self, steps: tuple[Happening, ...]) -> tuple[Happening, ...]:
        wanted = (step for step in steps if (step.name in self.steps if self.steps else not step.announces))
        return (*wanted, *self.spending)
