"""The user at the terminal: text is shown on stderr, answers are read from stdin.

Facts from Deskhand are in one frame, words of a model in another that is marked so. Neither text can draw a frame, set
a colour or move the cursor: text from outside is printed as harmless characters.
"""

import json
import os
from collections.abc import Sequence
from typing import Final

import anyio
from rich.box import ROUNDED, SQUARE
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from deskhand.cli.console import at_terminal, printable
from deskhand.cli.invocation import invocation
from deskhand.cli.streams import discard_typed_input, printed, read_piece, wait_for_foreground
from deskhand.core.errors import UsageError
from deskhand.core.ports import Answers, ConfirmationRequest, Decision, Verdict

_NEW_LINE_S: Final = 1.0
_WHOLE: Final = 3000
"""Characters of one value that are shown; of a longer one its beginning, its end and the number left out."""
_UNCHECKED: Final = "in the model's own words, not checked"


class TerminalInteractor:
    """Implements `core.ports.Interactor`, and `Terminal` for a user in place of the model.

    Nothing is read ahead, so a cancelled wait consumes no later line.

    Input typed before a question was shown does not answer it.
    """

    def __init__(self) -> None:
        """Raises: UsageError if stdin or stderr is not a terminal."""
        if not at_terminal():
            raise UsageError(
                "there is no terminal to ask the user at",
                fix="run it in a terminal, or give a file of answers with --ask FILE and --confirm FILE",
            )

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        """Ask one after the other; an empty line and the end of input are no answer."""
        answers: dict[str, str] = {}
        await _discard_typed_input()
        for question in questions:
            await printed(_show, question_view(agent, question))
            line = await _line("answer: ")
            if line is None:
                break
            if line:
                answers[question] = line
        return Answers(answers)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        """Only `y` and `yes` approve; None at the end of input."""
        await _discard_typed_input()
        await printed(_show, confirmation_view(request))
        line = await _line("approve? [y/N] ")
        return None if line is None else line.lower() in {"y", "yes"}

    async def reply(self, shown: str) -> str | None:
        """Show the text a model would get and return the line that was typed; None at the end of input."""
        await _discard_typed_input()
        await printed(_write, f"\n{_lines(shown)}\n")
        return await _line("> ")

    async def next_request(self) -> str:
        """Next request; empty ends the session (an empty line, the end of input)."""
        await _discard_typed_input()
        return await _line("next request (an empty line ends the session): ") or ""


def question_view(agent: str, question: str) -> RenderableType:
    """View of a question, which is a model's words."""
    return _words_of_model(question, f"{printable(agent)} asks, {_UNCHECKED}")


def confirmation_view(request: ConfirmationRequest) -> RenderableType:
    """Facts of every action held for confirmation, then the model's words in a frame of their own."""
    count = len(request.facts)
    frames = [
        Panel(
            _facts_of(verdict, request.picture if number == count else ""),
            box=ROUNDED,
            title=Text(f"{printable(request.agent)} wants to do this{f', {number} of {count}' if count > 1 else ''}"),
            title_align="left",
            subtitle=Text("facts, determined by Deskhand"),
            subtitle_align="right",
            border_style="bold yellow",
        )
        for number, verdict in enumerate(request.facts, start=1)
    ]
    if request.model_says:
        frames.append(_words_of_model(request.model_says, f"why, {_UNCHECKED}"))
    return Group(*frames)


def _words_of_model(words: str, title: str) -> Panel:
    return Panel(
        Text(_lines(_shortened(words)), overflow="fold", style="italic"),
        box=SQUARE,
        title=Text(title),
        title_align="left",
        border_style="dim",
    )


def _facts_of(verdict: Verdict, picture: str) -> Table:
    facts = verdict.facts
    rows: list[tuple[str, str]] = [
        ("action", printable(facts.tool)),
        ("application", printable(facts.application)),
        ("window", _quoted(facts.window)),
        ("control", f"{facts.control_role} {_quoted(facts.control_name)}".rstrip() if facts.control_role else ""),
        *(("argument", _argument(name, value)) for name, value in facts.arguments.items()),
        *(("file", printable(path)) for path in facts.paths),
        *(("host", printable(host)) for host in facts.hosts),
        ("picture", printable(picture)),
        ("why asked", _why(verdict)),
    ]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value:
            table.add_row(Text(name), Text(value))
    return table


def _argument(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f"{printable(name)} = {printable(_shortened(text))}"


def _why(verdict: Verdict) -> str:
    if verdict.decision is Decision.CONFIRM:
        return printable(f"{verdict.reason} (rule {verdict.rule})")
    return "the model asks for your approval; no rule demands it"


def _quoted(text: str) -> str:
    return f'"{printable(text)}"' if text else ""


def _shortened(text: str) -> str:
    left_out = len(text) - _WHOLE
    if left_out <= 0:
        return text
    half = _WHOLE // 2
    return f"{text[:half]} … {left_out} characters are left out here; the journal has them … {text[-half:]}"


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.splitlines())


def _show(view: RenderableType) -> None:
    stream = invocation().stderr
    width = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else None
    console = Console(file=stream, width=width or None, highlight=False, markup=False, emoji=False)
    console.print()
    console.print(view)


async def _discard_typed_input() -> None:
    await wait_for_foreground()
    discard_typed_input()


async def _line(prompt: str) -> str | None:
    """Next line from the terminal, which returns one line at a time; None at the end of input."""
    await printed(_write, prompt)
    try:
        line = await read_piece()
    except anyio.get_cancelled_exc_class():
        with anyio.move_on_after(_NEW_LINE_S, shield=True):
            await printed(_write, "\n")  # the wait was cancelled: the next output needs a line of its own
        raise
    if not line:
        await printed(_write, "\n")
    return line.decode(errors="replace").strip() if line else None


def _write(text: str) -> None:
    stream = invocation().stderr
    stream.write(text)
    stream.flush()
