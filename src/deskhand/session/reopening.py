"""The windows of an interrupted session: found again on a desktop that lives, opened again on a new one (ADR 0119)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from deskhand.core.errors import LaunchFailed, StoreError, UsageError
from deskhand.core.events import ActionFinished, DocumentOpened
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


_NOT_DONE: Final = frozenset({"skipped", "failure"})


class Fate(StrEnum):
    """The fate of a window. KEPT: it is still there. LOST: nothing took its place."""

    KEPT = "kept"
    REOPENED = "reopened"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Found:
    """The window of an agent now, None where there is none, and its fate."""

    window: TargetInfo | None
    fate: Fate


@dataclass(frozen=True, slots=True)
class Reopened:
    """The windows by the number of their agent, and the changes by the interruption.

    `begun_anew`: agents whose subtask begins again, as nothing of it was saved. `work_lost` and `changes` are
    sentences. `did_save`: the interrupted action saved a document, which was written since.
    """

    desktop: str
    applications: Applications
    windows: Mapping[int, Found] = field(default_factory=dict[int, Found])
    changes: tuple[str, ...] = ()
    begun_anew: frozenset[int] = frozenset()
    work_lost: tuple[str, ...] = ()
    shown: tuple[TargetInfo, ...] = ()
    did_save: bool = False

    def present(self, window: TargetInfo) -> TargetInfo | None:
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
        kept = {
            number: Found(now, Fate.KEPT)
            for number, window in of_agents.items()
            if window is not None and (now := next((each for each in shown if same_window(each, window)), None))
        }
        if not kept:
            await self._open_again(shown)
        if kept or not of_agents:
            lost = {number: Found(None, Fate.LOST) for number in of_agents if number not in kept}
            saved = any(self._was_saved(number, found.window) for number, found in kept.items())
            return Reopened(desktop.name, self.applications, {**kept, **lost}, shown=shown, did_save=saved)
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
        saved_as = {number: path for number in lost if (path := self._saved_as(number))}
        problems = {number: await self._open_file(path, lost[number]) for number, path in saved_as.items()}
        found = {number: await self._replacement(window, saved_as.get(number, "")) for number, window in lost.items()}
        shown = await desktop.windows()
        documents.update(shown)
        now = {number: each.window for number, each in found.items()}
        anew = frozenset(n for n, window in now.items() if n not in saved_as and self._begins_anew(n, window))
        saved = frozenset(n for n, window in now.items() if self._was_saved(n, window))
        not_opened = [
            f'The desktop was lost; its "{lost[number].name}" was saved as {path}, which is not opened again'
            f"{f': {problem}' if (problem := problems[number]) else ''}. "
            "Look at that file, and do the rest with it in another run"
            for number, path in saved_as.items()
            if not self._shows(now[number], path)
        ]
        return Reopened(
            desktop.name,
            self.applications,
            found,
            _changes(lost, now, is_begun_anew=bool(anew)),
            anew,
            (*(self._lost_work(n, window) for n, window in now.items() if self._loses(n, anew | saved)), *not_opened),
            shown,
            did_save=bool(saved),
        )

    def _actions(self, number: int) -> list[Mapping[str, JsonValue]]:
        """Return what an agent did on the lost desktop, in the fields of its memory."""
        return [*_remembered(self.known.agents[number]), *self._actions_of_broken_step(number)]

    def _actions_of_broken_step(self, number: int) -> list[Mapping[str, JsonValue]]:
        broken = self.known.broken
        if broken is None or broken.agent != number:
            return []
        return [_fields(event) for event in broken.finished if event.status not in _NOT_DONE]

    def _loses(self, number: int, safe: frozenset[int]) -> bool:
        """Return whether unsaved work of an agent was lost that is not done again."""
        return number not in safe and bool(_unsaved(self._actions(number)))

    async def _open_file(self, path: str, window: TargetInfo) -> str:
        """Open the file that a lost window's document was saved as. Returns why it cannot be, "" if it is open."""
        try:
            application = self.applications.launched(window.application)
            if application is None:
                [(_, application)] = Opening.of([Path(path)], (), "", self.applications).files
            await self.opener.open_again(DocumentOpened(path=path, copy_path=path), application)
        except (StoreError, UsageError, LaunchFailed) as error:
            return error.message.rstrip(".")
        return ""

    async def _replacement(self, window: TargetInfo, saved_as: str) -> Found:
        """Return the window that takes the place of a lost one, opened where there is none."""
        desktop = self.opener.desktop
        shown = await desktop.windows()
        self.opener.documents.update(shown)
        files = (each.window for each in self.opener.documents.shown if each.copy == saved_as)
        if saved_as and (now := next(files, None)) is not None:
            return Found(now, Fate.REOPENED)
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
        return Found(now, Fate.REOPENED if now else Fate.LOST)

    def _begins_anew(self, number: int, window: TargetInfo | None) -> bool:
        """Return whether a subtask can begin again: all that it did was in a document, and none of it was saved."""
        known, agent = self.known, self.known.agents[number]
        current = known.round
        if current is None or not current.subtask or number != known.place.agent or window is None or agent.was_asked:
            return False
        is_unsaved = self._was_written(window, agent.files) is False
        of_subtask = sum(len(step.actions) for step in agent.steps) + len(self._actions_of_broken_step(number))
        return is_unsaved and len(_unsaved(self._actions(number))) <= of_subtask

    def _saved_as(self, number: int) -> str:
        """Return the file that the document of an open subtask was saved as, "" where it was not."""
        current = self.known.round
        if current is None or not current.subtask or number != self.known.place.agent:
            return ""
        path = _saved_as(self._actions(number))
        return (
            "" if path in {opened.copy_path for opened in self.known.documents} else path and str(Path(path).absolute())
        )

    def _shows(self, window: TargetInfo | None, path: str) -> bool:
        document = self._document(window)
        return document is not None and document.copy == path

    def _was_saved(self, number: int, window: TargetInfo | None) -> bool:
        """Return whether the interrupted action of an agent was to save its document, which was written since."""
        broken = self.known.broken
        if broken is None or broken.agent != number or broken.unfinished is None or window is None:
            return False
        is_save = _saves(broken.unfinished.tool, broken.unfinished.arguments)
        return is_save and self._was_written(window, broken.unfinished.files) is True

    def _was_written(self, window: TargetInfo, before: Stamps) -> bool | None:
        """Return whether the file of the document in a window was written since; None if not known."""
        document = self._document(window)
        return was_written(document.copy, before) if document else None

    def _document(self, window: TargetInfo | None) -> Document | None:
        if window is None:
            return None
        shown = self.opener.documents.shown
        return next((each for each in shown if each.window and same_window(each.window, window)), None)

    def _lost_work(self, number: int, window: TargetInfo | None) -> str:
        agent, document = self.known.agents[number], self._document(window)
        unsaved = _unsaved(self._actions(number))
        more = len(unsaved) - _MOST
        done = ", ".join([*unsaved[:_MOST], *([f"and {more} more"] if more > 0 else [])])
        return (
            f'The desktop was lost, and with it unsaved work in "{agent.window.name if agent.window else agent.name}": '
            f"{done} (step{'s' if len(unsaved) > 1 else ''} of {agent.name}). "
            f"Look at {document.copy if document else 'what it changed elsewhere'}, and run the request again"
        )


def _changes(
    lost: Mapping[int, TargetInfo], now: Mapping[int, TargetInfo | None], *, is_begun_anew: bool
) -> tuple[str, ...]:
    opened = [f'The desktop was lost; "{lost[n].name}" was opened again.' for n, window in now.items() if window]
    gone = [f'The desktop was lost, and "{lost[n].name}" with it.' for n, window in now.items() if not window]
    return (*opened, *gone, *(["Nothing of the subtask was saved, so that it begins again."] if is_begun_anew else []))


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


def _unsaved(actions: Iterable[Mapping[str, JsonValue]]) -> list[str]:
    """Return the actions since the last confirmed save, each as `invoke(button "Bold" [12])`."""
    done: list[str] = []
    for action in actions:
        if _is_save(action):
            done.clear()
        elif action.get("function") not in _READS:
            done.append(f"{action.get('function')} {action.get('target')}".strip())
    return done


def _saved_as(actions: Iterable[Mapping[str, JsonValue]]) -> str:
    """Return the file of the last confirmed save under another name, "" where there is none."""
    path = ""
    for action in actions:
        arguments = _arguments(action)
        names_new = action.get("function") == "save_document" or arguments.get("create") or arguments.get("overwrite")
        if _is_save(action) and action.get("function") != "export_pdf" and names_new and arguments.get("path"):
            path = str(arguments["path"])
    return path


def _remembered(agent: AgentRecord) -> Iterator[Mapping[str, JsonValue]]:
    """Iterate over the actions that an agent carried out on the present desktop."""
    for item in agent.memory.items:
        step, actions = item.get("session_step"), item.get("action")
        if isinstance(step, int) and step <= agent.lost_until:
            continue
        for action in actions if isinstance(actions, list) else []:
            if isinstance(action, dict) and action.get("status") not in _NOT_DONE:
                yield action


def _fields(event: ActionFinished) -> Mapping[str, JsonValue]:
    target = f'{event.target.role} "{event.target.name}"' if event.target else ""
    return {"function": event.tool, "target": target, "arguments": event.arguments, "effect": event.effect}


def _is_save(action: Mapping[str, JsonValue]) -> bool:
    return _saves(str(action.get("function")), _arguments(action)) and action.get("effect") == "confirmed"


def _arguments(action: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    arguments = action.get("arguments")
    return arguments if isinstance(arguments, dict) else {}


def _saves(tool: str, arguments: Mapping[str, JsonValue]) -> bool:
    return tool in _SAVES or arguments.get("keys") == _SAVE_KEYS
