"""Documents, through the interface that their application offers to other programs, without its windows."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from deskhand.core.command import Route
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.target import TargetInfo


class DocumentKind(StrEnum):
    TEXT = "text"
    SHEET = "sheet"
    SLIDES = "slides"
    DRAWING = "drawing"


@dataclass(frozen=True, slots=True)
class Document:
    """The document in a window; `path` None: it has no file yet, or one that is not on this machine.

    `windows`: the number of windows that show it.
    """

    kind: DocumentKind
    path: Path | None
    read_only: bool = False
    modified: bool = False
    windows: int = 1


class ApplicationInterface(Protocol):
    """The document of one window, while the interface is open; `document` as it was then.

    Requests are those of `toolkits/libreoffice/uno_helper/requests.py`. Raises: ActionRefused (nothing was changed, or
    the application reports an error), ApplicationGone, ApplicationUnresponsive (the deadline).
    """

    @property
    def document(self) -> Document: ...

    @property
    def route(self) -> Route:
        """The way in which changes reach the document."""
        ...

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        """Ask something; the document stays as it is."""
        ...

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        """Change the document, or write a file. Raises: DesktopBusy, PersonActs too, before anything is sent."""
        ...


class ApplicationInterfaces(Protocol):
    """Opens the interfaces of applications."""

    def application_interface(self, window: TargetInfo) -> AbstractAsyncContextManager[ApplicationInterface]:
        """Open the interface to the document of a window; leaving closes it, and leaves no process.

        Raises: InterfaceAbsent, ApplicationGone, ApplicationUnresponsive.
        """
        ...
