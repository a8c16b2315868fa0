"""The windows of an interrupted session: found again on a desktop that lives, opened again on a new one (ADR 0119)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from deskhand.core.errors import LaunchFailed
from deskhand.core.events import DocumentOpened
from deskhand.core.file_stamp import Stamps, was_written
from deskhand.core.json import JsonValue
from deskhand.core.model import Document
from deskhand.core.patterns import in_title
from deskhand.core.target import UNSAVED_MARKS, TargetInfo, TargetKind, same_window
from deskhand.desktop.applications import Applications
from deskhand.session.applications import Opening, is_window_of
from deskhand.session.interrupted import AgentRecord, Interrupted
from deskhand.session.opened_files import DocumentOpener

_MOST: Final = 6
_SAVES: Final = frozenset({"save_document", "choose_file", "export_pdf"})
_SAVE_KEYS: Final = "{VK_CONTROL}s"
_READS: Final = frozenset(
    {"texts", "read_table", "find_controls", "wait_for", "verify", "wait", "summary", "annotation", "hover"}
    | {"select_application_window", "launch_application", "run_command"}
)
"""Tools that change nothing in a window."""


class Where(StrEnum):
    """The fate of a window."""

    THERE = "there"
    AGAIN = "again"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Found:
    """The window of an agent now, None where there is none, and its fate."""

    window: TargetInfo | None
    where: Where


@dataclass(frozen=True, slots=True)
class Reopened:
    """The windows by the number of their agent, and the changes by the interruption.

    `begun_anew`: agents whose subtask begins again, as nothing of it was saved. `work_lost` and `told` are sentences.
    `is_saved`: the interrupted action saved a document, which was written since.
    """

    desktop: str
    applications: Applications
    windows: Mapping[int, Found] = field(default_factory=dict[int, Found])
    told: tuple[str, ...] = ()
    begun_anew: frozenset[int] = frozenset()
    work_lost: tuple[str, ...] = ()
    shown: tuple[TargetInfo, ...] = ()
    is_saved: bool = False

    def again(self, window: TargetInfo) -> TargetInfo | None:
        """Return a window of the earlier process as it is now."""
        return next((each for each in self.shown if same_window(each, window)), None) or _alike(window, self.shown)


@dataclass(frozen=True, slots=True)
class Reopener:
    """Finds or opens the windows of an interrupted session."""

    known: Interrupted
    opener: DocumentOpener
    applications: Applications
    to_open: Opening

    async def reopen(self) -> Reopened:
        """Return the windows. Raises: StoreError (a document is gone), LaunchFailed, DesktopGone."""
        desktop, documents = self.opener.desktop, self.opener.documents
        for opened in self.known.documents:
            documents.add_again(opened)
        shown = await desktop.windows()
        documents.update(shown)
        of_agents = {number: agent.window for number, agent in enumerate(self.known.agents) if _has_window(agent)}
        there = {
            number: Found(now, Where.THERE)
            for number, window in of_agents.items()
            if window is not None and (now := next((each for each in shown if same_window(each, window)), None))
        }
        lives = bool(there)
        if not of_agents or not lives:
            await self._open_again(shown)
        if lives or not of_agents:
            gone = {number: Found(None, Where.GONE) for number in of_agents if number not in there}
            return Reopened(desktop.name, self.applications, {**there, **gone}, shown=shown)
        return await self._moved({number: window for number, window in of_agents.items() if window is not None})

    async def _open_again(self, shown: Sequence[TargetInfo]) -> None:
        """Open the documents and applications that have no window."""
        documents = self.opener.documents
        before = {Path(opened.path): opened for opened in self.known.documents}
        for file, application in self.to_open.files:
            opened = before.pop(file.absolute(), None)
            if opened is None:
                await self.opener.open(file, application)
            elif _window_of(opened, documents.shown) is None:
                await self.opener.open_again(opened, application)
        for opened in before.values():  # those that an agent opened
            if _window_of(opened, documents.shown) is None:
                [(_, application)] = Opening.of([Path(opened.copy_path)], (), "", self.applications).files
                await self.opener.open_again(opened, application)
        for each in self.to_open.applications:
            if not any(is_window_of(window, each, self.applications) for window in shown):
                await self.opener.desktop.launch(each.application)

    async def _moved(self, lost: Mapping[int, TargetInfo]) -> Reopened:
        """Return the windows on a new desktop, and the work that was lost with the old one."""
        desktop, documents = self.opener.desktop, self.opener.documents
        windows = {number: await self._again(window) for number, window in lost.items()}
        shown = await desktop.windows()
        documents.update(shown)
        elsewhere = {number: path for number in lost if (path := self._saved_elsewhere(number, windows[number].window))}
        anew = frozenset(
            number for number in lost if number not in elsewhere and self._begins_anew(number, windows[number].window)
        )
        saved = frozenset(number for number in lost if self._was_saved(number, windows[number].window))
        work = tuple(
            self._lost_work(self.known.agents[number], unsaved)
            for number in lost
            if number not in anew | saved and (unsaved := _unsaved(self.known.agents[number]))
        )
        work += tuple(
            f'The desktop was lost; its "{lost[number].name}" was saved as {path}, which is not opened again. '
            "Look at that file, and do the rest with it in another run"
            for number, path in elsewhere.items()
        )
        told = [
            f'The desktop was lost; "{lost[n].name}" was opened again.' for n, found in windows.items() if found.window
        ]
        told += [
            f'The desktop was lost, and "{lost[n].name}" with it.' for n, found in windows.items() if not found.window
        ]
        told += ["Nothing of the subtask was saved, so that it begins again."] if anew else []
        return Reopened(desktop.name, self.applications, windows, tuple(told), anew, work, shown, is_saved=bool(saved))

    async def _again(self, window: TargetInfo) -> Found:
        """Return the window that takes the place of a lost one, opened where there is none."""
        desktop = self.opener.desktop
        shown = await desktop.windows()
        named = (
            document.window
            for document in self.opener.documents.shown
            if document.window and in_title(Path(document.copy).name).search(window.name)
        )
        now = _alike(window, shown) or next(named, None)
        application = self.applications.launched(window.application) if now is None else None
        if application is not None:
            try:
                now = await desktop.launch(application.application)
            except LaunchFailed:
                now = None
        return Found(now, Where.AGAIN if now else Where.GONE)

    def _begins_anew(self, number: int, window: TargetInfo | None) -> bool:
        """Return whether a subtask can begin again: all that it did was in a document, and none of it was saved."""
        known, agent = self.known, self.known.agents[number]
        current = known.round
        if current is None or not current.subtask or number != known.place.agent or window is None or agent.was_asked:
            return False
        is_unsaved = self._was_written(window, agent.files) is False
        return is_unsaved and len(_unsaved(agent)) <= sum(len(step.actions) for step in agent.steps)

    def _saved_elsewhere(self, number: int, window: TargetInfo | None) -> str:
        """Return the file that the document of an open subtask was saved as, "" where the window shows that file."""
        current = self.known.round
        if current is None or not current.subtask or number != self.known.place.agent:
            return ""
        path = _saved_as(self.known.agents[number])
        document = self._document(window) if window is not None else None
        return path if document is None or Path(document.copy) != Path(path) else ""

    def _was_saved(self, number: int, window: TargetInfo | None) -> bool:
        """Return whether the interrupted action of an agent was to save its document, which was written since."""
        broken = self.known.broken
        if broken is None or broken.agent != number or broken.unknown is None or window is None:
            return False
        is_save = _saves(broken.unknown.tool, broken.unknown.arguments)
        return is_save and self._was_written(window, broken.unknown.files) is True

    def _was_written(self, window: TargetInfo, before: Stamps) -> bool | None:
        """Return whether the file of the document in a window was written since; None if not known."""
        document = self._document(window)
        return was_written(document.copy, before) if document else None

    def _document(self, window: TargetInfo) -> Document | None:
        shown = self.opener.documents.shown
        return next((each for each in shown if each.window and same_window(each.window, window)), None)

    @staticmethod
    def _lost_work(agent: AgentRecord, unsaved: Sequence[str]) -> str:
        more = len(unsaved) - _MOST
        done = ", ".join([*unsaved[:_MOST], *([f"and {more} more"] if more > 0 else [])])
        window = agent.window.name if agent.window else agent.name
        return (
            f'The desktop was lost, and with it unsaved work in "{window}": {done} (step'
            f"{'s' if len(unsaved) > 1 else ''} of {agent.name}). Look at the document, and run the request again"
        )


def _has_window(agent: AgentRecord) -> bool:
    return agent.window is not None and agent.window.kind is TargetKind.WINDOW


def _alike(window: TargetInfo, shown: Iterable[TargetInfo]) -> TargetInfo | None:
    """Return the window of the same application and title, without marks of unsaved changes; else its only one."""
    same = [each for each in shown if each.application == window.application]
    titled = [each for each in same if _title(each) == _title(window)]
    found = titled or same
    return found[0] if len(found) == 1 else None


def _title(window: TargetInfo) -> str:
    return window.name.strip(f" {UNSAVED_MARKS}")


def _window_of(opened: DocumentOpened, shown: Iterable[Document]) -> TargetInfo | None:
    return next((document.window for document in shown if document.copy == opened.copy_path), None)


def _unsaved(agent: AgentRecord) -> list[str]:
    """Return the actions of an agent since its last confirmed save, each as `invoke(button "Bold" [12])`."""
    done: list[str] = []
    for action in _done(agent):
        if _is_save(action):
            done.clear()
        elif action.get("function") not in _READS:
            done.append(f"{action.get('function')} {action.get('target')}".strip())
    return done


def _saved_as(agent: AgentRecord) -> str:
    """Return the file of an agent's last confirmed save under another name, "" where it did none."""
    path = ""
    for action in _done(agent):
        arguments = _arguments(action)
        names_new = action.get("function") == "save_document" or arguments.get("create") or arguments.get("overwrite")
        if _is_save(action) and action.get("function") != "export_pdf" and names_new and arguments.get("path"):
            path = str(arguments["path"])
    return path


def _done(agent: AgentRecord) -> Iterator[Mapping[str, JsonValue]]:
    """Iterate over the actions that an agent carried out on the present desktop."""
    for item in agent.memory.items:
        step, actions = item.get("session_step"), item.get("action")
        if isinstance(step, int) and step <= agent.lost_until:
            continue
        for action in actions if isinstance(actions, list) else []:
            if isinstance(action, dict) and action.get("status") not in {"skipped", "failure"}:
                yield action


def _is_save(action: Mapping[str, JsonValue]) -> bool:
    return _saves(str(action.get("function")), _arguments(action)) and action.get("effect") == "confirmed"


def _arguments(action: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    arguments = action.get("arguments")
    return arguments if isinstance(arguments, dict) else {}


def _saves(tool: str, arguments: Mapping[str, JsonValue]) -> bool:
    return tool in _SAVES or arguments.get("keys") == _SAVE_KEYS
