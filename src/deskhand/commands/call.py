"""One call of a tool: the services it may use, the effect it expects, and its outcome (contract 4.1, 4.3).

Tools declare their rules for expected effects; docs/effects.md lists all of them.
"""

from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from deskhand.core.command import Command, Effect, Route
from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.outside_events import ExternalEvents
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.applications import Applications
from deskhand.desktop.protocols.desktop import Desktop


class Focus(StrEnum):
    """Whose keyboard focus counts as an effect."""

    NOBODY = "nobody"
    TARGET = "target"
    ANYBODY = "anybody"


class Opens(StrEnum):
    """Further effects that count if the target's own states have to change: something opened or closed."""

    NOTHING = "nothing"
    WINDOWS = "windows"
    """Also that a paragraph inside the target has the keyboard now."""
    CONTROLS = "controls"
    """Windows too."""


@dataclass(frozen=True, slots=True)
class ExpectedEffect:
    """The expected effect of one call.

    `own`: one of these states (or `VALUE`) of the target has to change; empty: any change of its window counts.
    `opens`: with `own`, the further changes that count; unless it is `NOTHING`, so does that the target is gone.
    `typed`: texts; each has to appear in a changed control, the first `aimed` of them at the target. `enters`: a key
    after the texts may open a dialog that refuses them. `caret`: the caret and the selection in the text with the
    keyboard count too. `hovers`: the pointer's arrival is the action. `saves`: the file open in the window has to be
    written; `saves_unknown`: also one that is not known.

    Side effects of the way do not count: those of the press of a drag (`dragged`: its start and end), those of the
    first click of several (`twice`), and a control reformatting its own value as it loses the keyboard (`leaves`).
    """

    own: frozenset[str] = frozenset()
    opens: Opens = Opens.NOTHING
    focus: Focus = Focus.NOBODY
    typed: tuple[str, ...] = ()
    aimed: int = 0
    enters: bool = False
    caret: bool = False
    hovers: bool = False
    dragged: tuple[WindowPoint, WindowPoint] | None = None
    twice: bool = False
    leaves: bool = False
    saves: bool = False
    saves_unknown: bool = False

    @property
    def is_in_window(self) -> bool:
        """True if changes of the window count, beside those of the target."""
        return not self.own or self.opens is not Opens.NOTHING

    @property
    def is_any_change(self) -> bool:
        """True if every change counts."""
        return not self.own and not self.typed


ANYTHING: Final = ExpectedEffect()


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of a call and its target; `target` is None for a window or a point."""

    arguments: Mapping[str, JsonValue]
    target: TargetInfo | None

    @classmethod
    def of(cls, arguments: Mapping[str, JsonValue], target: TargetInfo | None) -> Self:
        return cls(arguments, target if target and target.kind is TargetKind.CONTROL else None)

    def is_on(self, roles: Set[Role]) -> bool:
        """True if the target has one of these roles."""
        return self.target is not None and self.target.type in roles


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of docs/effects.md: `on` these targets, `changes` confirm the action, `also` counts.

    `applies`: the rule is for this call. `expect`: its expected effect. A rule after one for every call is
    documentation only: it describes an exception.
    """

    on: str
    changes: str
    also: str = ""
    applies: Callable[[Request], bool] = lambda _: True
    expect: Callable[[Request], ExpectedEffect] = lambda _: ANYTHING


@dataclass(frozen=True, slots=True)
class Expects:
    """The rules of a tool; the first that applies counts. Without rules any change of the window confirms.

    `adjust` completes the expected effect in a way common to all rules.
    """

    rules: tuple[Rule, ...] = ()
    adjust: Callable[[Request, ExpectedEffect], ExpectedEffect] = lambda _, expected: expected

    def of(self, request: Request) -> ExpectedEffect:
        """The expected effect of a call."""
        rule = next((rule for rule in self.rules if rule.applies(request)), None)
        return self.adjust(request, rule.expect(request) if rule else ANYTHING)


ANY_CHANGE: Final = Expects()


Label = Callable[[TargetInfo, Observation], Awaitable[tuple[TargetInfo, ...]]]
"""Gives the controls of an observation of the requested window their ids. Raises: StoreError."""


@dataclass(slots=True)
class ToolContext:
    """The services a tool may use.

    `delivered`: set by a tool right before it sends input to an application. `restored`: set once what was sent has no
    effect any more and the target reads as before, such as a list that was opened and closed. `notes`: added to the
    evidence of the call, also if it fails. `external`: where a tool announces later events. `effect_hold_s`: an effect
    that lasts less than this does not count; 0: it need not last. `application_interface`: applications' own interfaces
    may be used. `folders`: files below these may be read; None: all that the user may
    read. `label` gives new ids to the controls of an observation, valid from then on; None: the ids of the caller's
    latest observation stay valid.
    """

    desktop: Desktop
    applications: Applications = field(default_factory=Applications)
    delivered: bool = False
    restored: bool = False
    notes: list[str] = field(default_factory=list[str])
    effect_hold_s: float = 0.12
    external: ExternalEvents = field(default_factory=ExternalEvents)
    application_interface: bool = True
    folders: tuple[Path, ...] | None = None
    label: Label | None = None

    def fresh(self) -> "ToolContext":
        """A copy for one call."""
        return replace(self, delivered=False, restored=False, notes=[])


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The return value of a tool function; `effect` is None for tools without one."""

    data: object = None
    effect: Effect | None = None
    route: Route | None = None
    evidence: str = ""
    retry_safe: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: the command, its current target, the root window it is for, and the tool's rules."""

    command: Command
    target: TargetInfo | None
    window: TargetInfo | None
    expects: Expects = ANY_CHANGE

    def need_target(self) -> TargetInfo:
        """Raises: ReplyDefect if the command names no control."""
        if self.target is None:
            raise ReplyDefect(f"{self.command.tool_name} needs the id of a control")
        return self.target

    def need_window(self) -> TargetInfo:
        """Raises: ReplyDefect if the command is for no window."""
        if self.window is None:
            raise ReplyDefect(f"{self.command.tool_name} needs a window; none is selected")
        return self.window
