"""All errors that Deskhand raises deliberately.

DeskhandError
├── UsageError                  the request cannot be carried out as given
│   ├── ConfigurationError      a configuration file, variable or option is wrong
│   ├── PlaybookInvalid         a playbook file does not parse
│   ├── StepsInvalid            steps that were given in one call cannot be carried out
│   ├── ApplicationUnknown      no application has a name
│   ├── ApplicationAmbiguous    several applications have a name
│   ├── ApplicationUnusable     the named application cannot be opened on this machine
│   └── NothingOpens            no application opens a file of that type
├── MissingRequirement          a program or package this machine lacks
├── DesktopError
│   ├── DesktopGone             the display server or a bus died
│   ├── DesktopBusy             another session holds this desktop
│   ├── DesktopStartFailed      a private desktop did not come up
│   ├── ResetFailed             a private desktop did not become clean again
│   ├── LaunchFailed            an application did not show a window
│   ├── BacktraceMissing        there is no core file of a program
│   ├── ApplicationGone         the application or its window is gone
│   │   └── NotAccessible       its window is there, without accessible content
│   ├── ApplicationUnresponsive the application does not answer within its deadline
│   ├── CaptureFailed           no picture or no tree could be taken
│   ├── ElementNotFound         no control matches the description
│   ├── WaitTimedOut            an awaited state did not come in time
│   ├── ElementStale            the control no longer exists
│   ├── AmbiguousTarget         several controls match the description
│   ├── ActionDeadline          the action did not finish in time while the application answers
│   ├── PersonActs              the user is active, so that an action was not sent, or only in part
│   ├── PersonStays             the user was active for longer than the timeout
│   ├── StoppedByPerson         the user stopped the work at the desktop
│   └── ActionRefused           the target cannot take the action now (a different name, a place off the screen)
│       ├── ChangeRefused       its own interface refused it
│       ├── TargetHidden        no part of it is visible
│       ├── TargetDisabled      its application has disabled it
│       ├── TargetCovered       another object covers it, or its window is minimized
│       ├── TargetMoving        it does not stay in one place
│       ├── InterfaceAbsent     its application has no interface of its own to its document
│       ├── NotInFront          its window does not have the keyboard that the step needs
│       └── NotOffered          it offers no such action through accessibility
├── FleetError                  work on a cluster failed
│   ├── ClusterUnavailable      there is no cluster, or this machine cannot use it
│   ├── NodeLost                a node, or the process there that had a task, is gone
│   │   └── NodeSilent          it could not be reached now; it may be again
│   └── NodesMissing            no node of the cluster can take a task
├── FileOutOfBounds             a file outside the folders the caller may read
├── PipelineError               a processor was wired wrongly
├── ProcessingError             a strategy failed with fail_fast
├── GroundingError              detection of controls in a picture failed; the accessibility tree remains
│   ├── GroundingUnavailable    the server could not be reached, failed, or did not answer in time
│   ├── GroundingInvalid        its answer cannot be used
│   └── TextsUnread             the texts of a picture were not read in time
├── ToolServerError             a tool server failed; its tools fail, everything else continues
│   ├── ToolServerUnavailable   it could not be reached, ended, or did not answer in time
│   ├── ToolServerInvalid       its answer cannot be used
│   └── ToolServerRefused       it reports that the call failed
├── NotificationFailed          a message to the user was not delivered; everything else continues
├── PluginError                 code of a plug-in or of the caller failed; everything else continues
│   ├── PluginBroken            it cannot be loaded, or is not of the wanted kind
│   └── ToolFailed              a tool raised an error
├── ModelError
│   ├── ModelUnavailable        the model could not be asked, or did not answer
│   │   ├── ModelBusy           it asks for a later retry: too many requests, or overloaded
│   │   ├── ModelBroken         its server or the connection failed, or the answer was broken
│   │   ├── ModelSilent         it did not answer in time
│   │   ├── ModelDenied         key, account, quota or name: a retry does not help
│   │   ├── RequestRejected     the server does not accept requests of this form
│   │   ├── RequestTooLong      the request is longer than the model can read
│   │   └── ModelRefused        it, or a filter before it, declined to answer
│   ├── BudgetSpent             the session's budget leaves no room for another call
│   ├── ReplyInvalid            no valid reply after repair
│   └── ReplyDefect             one reply cannot be used; the model gets it back
├── StateError
│   ├── DuplicateState          two classes registered under one name
│   └── IllegalTransition       an edge outside the table
├── CommandFailed               a command this step needs came back as a failure
├── DispatchError               the dispatcher itself is broken or was misused
│   └── ClearanceMissing        an action came without a matching clearance
├── StoreError                  the journal, the log folder or another file of Deskhand cannot be written
│   ├── StoreBusy               another session writes in this log folder
│   ├── KnowledgeUnusable       the knowledge store cannot be read or written
│   └── RegistryUnusable        the registry of named desktops cannot be read or written
└── TableNotFound               no table, or several and none chosen

`recoverable` errors let a session continue; `host_only` ones only the HostAgent can recover from: FAIL at once.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from deskhand.core.usage import Usage

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_ERROR: Final = 4
EXIT_CANCELLED: Final = 6


class DeskhandError(Exception):
    """An error with a message that names the object and the problem, and in `fix` the next step."""

    recoverable: ClassVar[bool] = False
    host_only: ClassVar[bool] = False
    exit_code: ClassVar[int] = EXIT_ERROR

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        if fix:
            self.add_note(fix)  # a traceback shows it


class UsageError(DeskhandError):
    """The request cannot be carried out as given."""

    exit_code = EXIT_USAGE


class ConfigurationError(UsageError):
    """A configuration file, variable or option is wrong."""


class PlaybookInvalid(UsageError):
    """A playbook file does not parse; the message carries file and line."""


class StepsInvalid(UsageError):
    """Steps that were given in one call cannot be carried out; the message has the number of each faulty one."""


class ApplicationUnknown(UsageError):
    """No application has this name."""


class ApplicationAmbiguous(UsageError):
    """Several applications have this name; `candidates` describes them."""

    def __init__(self, message: str, candidates: tuple[str, ...] = (), *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.candidates = candidates


class ApplicationUnusable(UsageError):
    """The named application cannot be opened on this machine."""


class NothingOpens(UsageError):
    """No application of this machine opens a file of that type."""


class MissingRequirement(DeskhandError):
    """A program or package this machine lacks; `fix` is the command that brings it."""

    exit_code = EXIT_USAGE


class FleetError(DeskhandError):
    """Work on a cluster failed."""


class ClusterUnavailable(FleetError):
    """There is no cluster at the address, or this machine cannot use it."""

    exit_code = EXIT_USAGE


class NodeLost(FleetError):
    """A node, or the process there that had a task, is gone."""


class NodeSilent(NodeLost):
    """A node could not be reached now; it may be again."""


class NodesMissing(FleetError):
    """No node of the cluster can take a task; the message has the reason of each."""

    exit_code = EXIT_USAGE


class DesktopError(DeskhandError):
    """Communication with a desktop failed."""


class DesktopGone(DesktopError):
    """The display server or a bus of the desktop died."""


class DesktopBusy(DesktopError):
    """Another session holds this desktop."""

    exit_code = EXIT_USAGE


class DesktopStartFailed(DesktopError):
    """A private desktop did not come up."""


class ResetFailed(DesktopError):
    """A program or window of a private desktop was still there after its reset."""


class LaunchFailed(DesktopError):
    """An application was started and showed no window in time."""

    recoverable = True


class BacktraceMissing(DesktopError):
    """There is no core file of a program, or it cannot be read; the message has the reason."""

    recoverable = True
    exit_code = EXIT_FAILED


class ApplicationGone(DesktopError):
    """The application or its window is gone."""

    recoverable = True
    host_only = True
    exit_code = EXIT_FAILED


class NotAccessible(ApplicationGone):
    """The window is there, but its application exposes no accessible content."""


class ApplicationUnresponsive(DesktopError):
    """The application does not answer within its deadline."""

    recoverable = True
    host_only = True
    exit_code = EXIT_FAILED


class CaptureFailed(DesktopError):
    """No picture or no tree could be taken."""

    recoverable = True


class ElementNotFound(DesktopError):
    """No control matches the description."""

    recoverable = True


class WaitTimedOut(DesktopError):
    """An awaited text, control, window or picture did not come in time."""

    recoverable = True


class ElementStale(DesktopError):
    """The control no longer exists."""

    recoverable = True


class AmbiguousTarget(DesktopError):
    """Several controls match the description; `candidates` describes them."""

    recoverable = True

    def __init__(self, message: str, candidates: tuple[str, ...], *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.candidates = candidates


class ActionDeadline(DesktopError):
    """The action did not finish in time while the application still answers.

    `sent`: the parts that were sent, if known. `retry_safe`: True if a repetition certainly does no harm.
    """

    recoverable = True

    def __init__(self, message: str, *, fix: str = "", sent: tuple[str, ...] = (), retry_safe: bool = False) -> None:
        super().__init__(message, fix=fix)
        self.sent = sent
        self.retry_safe = retry_safe


class PersonActs(DesktopError):
    """The user is active. `sent`: the parts of the action sent before; everything pressed was released."""

    recoverable = True
    exit_code = EXIT_FAILED

    def __init__(self, message: str, *, fix: str = "", sent: tuple[str, ...] = ()) -> None:
        super().__init__(message, fix=fix)
        self.sent = sent


class PersonStays(DesktopError):
    """The user was active for longer than the timeout."""

    recoverable = True
    exit_code = EXIT_CANCELLED


class StoppedByPerson(DesktopError):
    """The user stopped the work at the desktop."""

    exit_code = EXIT_CANCELLED


class ActionRefused(DesktopError):
    """The target cannot take the action now; nothing was sent unless the message says so."""

    recoverable = True


class ChangeRefused(ActionRefused):
    """The application's own interface refused a change before anything happened."""


class TargetHidden(ActionRefused):
    """No part of the target is visible, so that there is nothing to point at."""


class TargetDisabled(ActionRefused):
    """The application has disabled the target."""


class TargetCovered(ActionRefused):
    """Another object would take the click: it covers the target, or the target's window is minimized."""


class TargetMoving(ActionRefused):
    """The target, or its window, does not stay in one place long enough to be pointed at."""


class InterfaceAbsent(ActionRefused):
    """The application offers no interface of its own to the document of its window, or it cannot be reached."""


class NotInFront(ActionRefused):
    """The step needs the keyboard, and its window does not have it; nothing was sent."""


class NotOffered(ActionRefused):
    """The control offers no such action through accessibility; nothing was sent."""


class TableNotFound(DesktopError):
    """The document has no table, or several and none was chosen."""

    recoverable = True
    exit_code = EXIT_FAILED


class FileOutOfBounds(DeskhandError):
    """A file outside the folders the caller may read; the message reveals nothing about it."""


class PipelineError(DeskhandError):
    """A processor was wired wrongly; the message names the strategy and the field."""


class ProcessingError(DeskhandError):
    """A strategy with `fail_fast` failed; `cause` is its error."""

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class GroundingError(DeskhandError):
    """Detection of controls in a picture failed; the accessibility tree remains."""

    recoverable = True


class GroundingUnavailable(GroundingError):
    """The server could not be reached, failed, or did not answer in time."""


class GroundingInvalid(GroundingError):
    """The server's answer cannot be used."""


class TextsUnread(GroundingError):
    """The texts of a picture were not read in time."""


class ToolServerError(DeskhandError):
    """A tool server failed; its tools fail, everything else continues."""

    recoverable = True


class ToolServerUnavailable(ToolServerError):
    """The server could not be reached, ended, or did not answer in time."""


class ToolServerInvalid(ToolServerError):
    """The server's answer cannot be used."""


class ToolServerRefused(ToolServerError):
    """The server reports that the call failed; the wording is its own."""


class NotificationFailed(DeskhandError):
    """A message to the user was not delivered."""

    recoverable = True


class PluginError(DeskhandError):
    """Code of a plug-in, or of the caller, failed."""

    recoverable = True


class PluginBroken(PluginError):
    """An installed package offers an object that cannot be loaded, or is not of the wanted kind."""


class ToolFailed(PluginError):
    """A tool of a plug-in, or of the caller, raised an error."""


class ModelError(DeskhandError):
    """The model side failed."""


class ModelUnavailable(ModelError):
    """The model could not be asked, or did not answer.

    `retryable`: the same request may succeed later. `usage`: usage of the failed call; None: no request was made.
    `retry_after_s`: delay the server asked for; None if it gave none.
    """

    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, fix: str = "", retry_after_s: float | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(message, fix=fix)
        self.retry_after_s = retry_after_s
        self.usage = usage


class ModelBusy(ModelUnavailable):
    """The model asks for a later retry: too many requests, or overloaded."""

    retryable = True


class ModelBroken(ModelUnavailable):
    """Its server or the connection failed, or the answer was broken."""

    retryable = True


class ModelSilent(ModelUnavailable):
    """The model did not answer in time."""

    retryable = True


class ModelDenied(ModelUnavailable):
    """Key, account, quota or name: a retry does not help."""


class RequestRejected(ModelUnavailable):
    """The server does not accept requests of this form."""


class RequestTooLong(ModelUnavailable):
    """The request is longer than the model can read."""


class ModelRefused(ModelUnavailable):
    """The model, or a filter before it, declined to answer."""


class BudgetSpent(ModelError):
    """The session's budget leaves no room for another call; the round ends with the budget's outcome."""

    recoverable = True


class ReplyInvalid(ModelError):
    """No valid reply after repair."""


class ReplyDefect(ModelError):
    """A reply that cannot be used, explained in one precise sentence for the model that wrote it.

    `text` is the reply and `usage` its usage, if it failed before it was parsed.
    """

    def __init__(self, message: str, *, text: str = "", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.text = text
        self.usage = usage


class StateError(DeskhandError):
    """A state machine was misused."""


class DuplicateState(StateError):
    """Two classes registered under one name with one manager."""


class IllegalTransition(StateError):
    """An edge outside the table."""


class CommandFailed(DeskhandError):
    """A command that a strategy needs failed; `error` is the tool's error."""

    def __init__(self, error: "ErrorInfo") -> None:
        super().__init__(error.message, fix=error.fix)
        self.error = error


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error as data, for results, events and JSON."""

    type: str
    message: str
    fix: str = ""
    candidates: tuple[str, ...] = ()
    recoverable: bool = False
    host_only: bool = False

    @staticmethod
    def of(error: BaseException) -> "ErrorInfo":
        """Data of any exception; foreign ones are not recoverable."""
        if isinstance(error, CommandFailed):
            return error.error
        if not isinstance(error, DeskhandError):
            return ErrorInfo(type(error).__name__, str(error) or type(error).__name__)
        candidates = error.candidates if isinstance(error, AmbiguousTarget | ApplicationAmbiguous) else ()
        return ErrorInfo(type(error).__name__, error.message, error.fix, candidates, error.recoverable, error.host_only)


class DispatchError(DeskhandError):
    """The dispatcher itself is broken or was misused."""


class ClearanceMissing(DispatchError):
    """An action came without a matching clearance from the policy."""


class StoreError(DeskhandError):
    """The journal, the log folder or another file of Deskhand cannot be written (full disk, permissions)."""


class StoreBusy(StoreError):
    """Another session writes in this log folder."""

    exit_code = EXIT_USAGE


class KnowledgeUnusable(StoreError):
    """The knowledge store cannot be read or written: damaged, newer than this program, or locked too long."""

    exit_code = EXIT_USAGE


class RegistryUnusable(StoreError):
    """The registry of named desktops cannot be read or written."""

    exit_code = EXIT_USAGE


UNREADABLE: Final = (
    ActionDeadline,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    ElementStale,
)
"""Errors that make a window or a control unreadable."""
