"""Every error Deskhand raises on purpose.

DeskhandError
├── UsageError                  the caller asked for something that cannot be done as asked
│   ├── ConfigurationError      a configuration file, variable or option is wrong
│   ├── PlaybookInvalid         a playbook file does not parse
│   ├── ApplicationUnknown      no application answers to a name
│   ├── ApplicationAmbiguous    several applications answer to a name
│   ├── ApplicationUnusable     the application that is meant cannot be opened on this machine
│   └── NothingOpens            no application opens a file of that type
├── MissingRequirement          a program or package this machine lacks
├── DesktopError
│   ├── DesktopGone             the display server or a bus died
│   ├── DesktopBusy             another session holds this desktop
│   ├── DesktopStartFailed      a private desktop did not come up
│   ├── LaunchFailed            an application did not show a window
│   ├── ApplicationGone         the application or its window is gone
│   │   └── NotAccessible       its window is there, and it tells nothing of what it shows
│   ├── ApplicationUnresponsive the application does not answer within its deadline
│   ├── CaptureFailed           no picture or no tree could be taken
│   ├── ElementNotFound         no control answers to that description
│   ├── ElementStale            the control that was meant no longer exists
│   ├── AmbiguousTarget         several controls answer to that description
│   ├── ActionDeadline          the action did not finish in time while the application answers
│   ├── PersonActs              a person uses the desktop, so that an action was not sent, or not all of it
│   ├── PersonStays             a person went on using the desktop for longer than is waited for
│   ├── StoppedByPerson         a person at the desktop stopped the work
│   └── ActionRefused           the target cannot take the action now (a mismatched name, a place off the screen)
│       ├── TargetHidden        nothing of it shows
│       ├── TargetDisabled      its application does not let it be used
│       ├── TargetCovered       something else lies over it, or its window is put away
│       ├── TargetMoving        it does not stay in one place
│       └── NotOffered          it offers nothing of that kind through accessibility
├── FileOutOfBounds             a file outside of the folders that whoever asks may look into
├── PipelineError               a processor was wired wrongly
├── ProcessingError             a strategy failed with fail_fast
├── GroundingError              controls could not be looked for in a picture; the accessibility tree is still there
│   ├── GroundingUnavailable    the server could not be reached, failed, or did not answer in time
│   └── GroundingInvalid        its answer cannot be used
├── ToolServerError             a server of tools could not be used; its tools fail, everything else goes on
│   ├── ToolServerUnavailable   it could not be reached, ended, or did not answer in time
│   ├── ToolServerInvalid       what it said cannot be used
│   └── ToolServerRefused       it says itself that the call failed
├── ModelError
│   ├── ModelUnavailable        the model could not be asked, or did not answer
│   │   ├── ModelBusy           it wants to be asked later: too many requests, or overloaded
│   │   ├── ModelBroken         its server failed, the connection did, or the answer came in pieces
│   │   ├── ModelSilent         it did not answer in time
│   │   ├── ModelDenied         key, account, quota or name: asking again does not help
│   │   ├── RequestRejected     the server does not take a request of this form
│   │   ├── RequestTooLong      the request is longer than the model can read
│   │   └── ModelRefused        it, or a filter before it, declined to answer
│   ├── BudgetSpent             the session's budget leaves no room for another call
│   ├── ReplyInvalid            no valid reply after repair
│   └── ReplyDefect             one reply cannot be used; it goes back to the model
├── StateError
│   ├── DuplicateState          two classes registered under one name
│   └── IllegalTransition       an edge outside the table
├── CommandFailed               a command this step needs came back as a failure
├── DispatchError               the dispatcher itself is broken or was misused
│   └── ClearanceMissing        an action came without a matching clearance
├── StoreError                  the journal, the log folder or another file of ours cannot be written
│   ├── StoreBusy               another session writes in this log folder
│   ├── KnowledgeUnusable       what was learned cannot be read or added to
│   └── RegistryUnusable        what is kept of the named desktops cannot be read or written
└── TableNotFound               no table, or several and none chosen

`recoverable` splits CONTINUE from ERROR; `host_only`: only the HostAgent can recover, FAIL at once (SPEC 3.1).
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from deskhand.core.usage import Usage

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_ERROR: Final = 4
EXIT_CANCELLED: Final = 6


class DeskhandError(Exception):
    """Something Deskhand names: what happened to what, and in `fix` what to do next."""

    recoverable: ClassVar[bool] = False
    host_only: ClassVar[bool] = False
    exit_code: ClassVar[int] = EXIT_ERROR

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class UsageError(DeskhandError):
    """The caller asked for something that cannot be done as asked."""

    exit_code = EXIT_USAGE


class ConfigurationError(UsageError):
    """A configuration file, variable or option is wrong."""


class PlaybookInvalid(UsageError):
    """A playbook file does not parse; the message carries file and line."""


class ApplicationUnknown(UsageError):
    """No application answers to a name."""


class ApplicationAmbiguous(UsageError):
    """Several applications answer to a name; `candidates` describes them."""

    def __init__(self, message: str, candidates: tuple[str, ...] = (), *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.candidates = candidates


class ApplicationUnusable(UsageError):
    """The application that is meant cannot be opened on this machine."""


class NothingOpens(UsageError):
    """No application of this machine opens a file of that type."""


class MissingRequirement(DeskhandError):
    """A program or package this machine lacks; `fix` is the command that brings it."""

    exit_code = EXIT_USAGE


class DesktopError(DeskhandError):
    """Something went wrong between us and a desktop."""


class DesktopGone(DesktopError):
    """The display server or a bus of the desktop died."""


class DesktopBusy(DesktopError):
    """Another session holds this desktop."""

    exit_code = EXIT_USAGE


class DesktopStartFailed(DesktopError):
    """A private desktop did not come up."""


class LaunchFailed(DesktopError):
    """An application was started and showed no window in time."""

    recoverable = True


class ApplicationGone(DesktopError):
    """The application or its window is gone."""

    recoverable = True
    host_only = True
    exit_code = EXIT_FAILED


class NotAccessible(ApplicationGone):
    """The window is there, and its application tells nothing of what it shows."""


class ApplicationUnresponsive(DesktopError):
    """The application does not answer within its deadline."""

    recoverable = True
    host_only = True
    exit_code = EXIT_FAILED


class CaptureFailed(DesktopError):
    """No picture or no tree could be taken."""

    recoverable = True


class ElementNotFound(DesktopError):
    """No control answers to that description."""

    recoverable = True


class ElementStale(DesktopError):
    """The control that was meant no longer exists."""

    recoverable = True


class AmbiguousTarget(DesktopError):
    """Several controls answer to that description; `candidates` describes them."""

    recoverable = True

    def __init__(self, message: str, candidates: tuple[str, ...], *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.candidates = candidates


class ActionDeadline(DesktopError):
    """The action did not finish in time while the application still answers.

    `sent`: what of it was, where that is known. `retry_safe`: whether it is sure that the same again does no harm.
    """

    recoverable = True

    def __init__(self, message: str, *, fix: str = "", sent: tuple[str, ...] = (), retry_safe: bool = False) -> None:
        super().__init__(message, fix=fix)
        self.sent = sent
        self.retry_safe = retry_safe


class PersonActs(DesktopError):
    """A person uses the desktop. `sent`: what of the action was sent before; all of it was released again."""

    recoverable = True
    exit_code = EXIT_FAILED

    def __init__(self, message: str, *, fix: str = "", sent: tuple[str, ...] = ()) -> None:
        super().__init__(message, fix=fix)
        self.sent = sent


class PersonStays(DesktopError):
    """A person went on using the desktop for longer than is waited for."""

    recoverable = True
    exit_code = EXIT_CANCELLED


class StoppedByPerson(DesktopError):
    """A person at the desktop stopped the work."""

    exit_code = EXIT_CANCELLED


class ActionRefused(DesktopError):
    """The target cannot take the action now; nothing was sent unless the message says so."""

    recoverable = True


class TargetHidden(ActionRefused):
    """Nothing of the target shows, so that there is nothing to point at."""


class TargetDisabled(ActionRefused):
    """The application does not let the target be used now."""


class TargetCovered(ActionRefused):
    """Something else would take the click: what lies over the target, or what is there while its window is put away."""


class TargetMoving(ActionRefused):
    """The target, or its window, does not stay in one place long enough to be pointed at."""


class NotOffered(ActionRefused):
    """The control offers no such thing through accessibility; nothing was sent."""


class TableNotFound(DesktopError):
    """The document has no table, or several and none was chosen."""

    recoverable = True
    exit_code = EXIT_FAILED


class FileOutOfBounds(DeskhandError):
    """A file outside of the folders that whoever asks may look into; nothing is told of it."""


class PipelineError(DeskhandError):
    """A processor was wired wrongly; the message names the strategy and the field."""


class ProcessingError(DeskhandError):
    """A strategy with `fail_fast` failed; `cause` is what it raised."""

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class GroundingError(DeskhandError):
    """Controls could not be looked for in a picture; the accessibility tree is still there."""

    recoverable = True


class GroundingUnavailable(GroundingError):
    """The server could not be reached, failed, or did not answer in time."""


class GroundingInvalid(GroundingError):
    """The server's answer cannot be used."""


class ToolServerError(DeskhandError):
    """A server of tools could not be used; its tools fail, everything else goes on."""

    recoverable = True


class ToolServerUnavailable(ToolServerError):
    """The server could not be reached, ended, or did not answer in time."""


class ToolServerInvalid(ToolServerError):
    """What the server said cannot be used."""


class ToolServerRefused(ToolServerError):
    """The server says itself that the call failed; in what words is its own affair."""


class ModelError(DeskhandError):
    """The model side failed."""


class ModelUnavailable(ModelError):
    """The model could not be asked, or did not answer.

    `retryable`: the same request may succeed later. `usage`: what the call took all the same; None: nothing was asked.
    `retry_after_s`: how long its server asked to be left alone; None where it did not say.
    """

    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, fix: str = "", retry_after_s: float | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(message, fix=fix)
        self.retry_after_s = retry_after_s
        self.usage = usage


class ModelBusy(ModelUnavailable):
    """It wants to be asked later: too many requests, or overloaded."""

    retryable = True


class ModelBroken(ModelUnavailable):
    """Its server failed, the connection did, or the answer was no answer."""

    retryable = True


class ModelSilent(ModelUnavailable):
    """It did not answer in time."""

    retryable = True


class ModelDenied(ModelUnavailable):
    """Key, account, quota or name: asking again does not help."""


class RequestRejected(ModelUnavailable):
    """The server does not take a request of this form."""


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
    """A reply that cannot be used, in one precise sentence for the model that wrote it.

    `text` is what it wrote and `usage` what that took, where the reply came to nothing before it was one.
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
    """A command that a strategy needs came back as a failure; `error` is what the tool said."""

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
        """The data of any exception; what is not ours is not recoverable."""
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
    """The journal, the log folder or another file of ours cannot be written (full disk, permissions)."""


class StoreBusy(StoreError):
    """Another session writes in this log folder."""

    exit_code = EXIT_USAGE


class KnowledgeUnusable(StoreError):
    """What was learned cannot be read or added to: damaged, newer than this program, or held too long."""

    exit_code = EXIT_USAGE


class RegistryUnusable(StoreError):
    """What is kept of the named desktops cannot be read or written."""

    exit_code = EXIT_USAGE
