"""`deskhand learn`."""

import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_error, print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.long_work import LongWork
from deskhand.cli.signals import run_async
from deskhand.config.load import Sources
from deskhand.core.errors import EXIT_FAILED, DeskhandError, UsageError
from deskhand.knowledge.learning import Counts, learn_path, learn_session
from deskhand.knowledge.retrieval import EmbeddingRetriever
from deskhand.knowledge.store import KnowledgeStore, knowledge_file
from deskhand.models.language.embedding import ProviderEmbedder
from deskhand.session.models import configured_embedder
from deskhand.session.session_folders import find_session


def add_to(app: typer.Typer) -> None:
    app.command("learn")(learn)


def learn(
    path: Annotated[
        Path | None, typer.Argument(help="Document, playbook, or folder of them.", show_default=False)
    ] = None,
    app: Annotated[str, typer.Option(help="Application the documents are about.", show_default="all")] = "",
    session: Annotated[
        str | None, typer.Option(metavar="ID|DIR", help="A session that succeeded: its id or folder.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Learn from documents (Markdown, HTML, text, PDF), playbooks, or the steps of a successful session."""
    if (path is None) == (session is None):
        raise UsageError("no source is named", fix="deskhand learn PATH --app NAME, or deskhand learn --session DIR")
    if session is not None and app:
        raise UsageError("--session does not take --app: its journal names the applications", fix="leave out --app")
    embedder = configured_embedder(Sources(os.environ, Path.cwd()))
    with KnowledgeStore(knowledge_file()) as store:
        now = time.time()
        if session is not None:
            counts = learn_session(store, find_session(session), at=now)
        else:
            with LongWork("learning") as work:
                counts = learn_path(store, path or Path(), app, at=now, seen=work.seen)
        if embedder is not None and counts.passages:
            with LongWork(f"embedding by {embedder.name}"):
                run_async(partial(_embed, store, embedder))
    for problem in counts.problems:
        print_error(problem)
    failed = bool(counts.problems) and not counts.added + counts.changed + counts.unchanged
    if as_json:
        message = f"none of {len(counts.problems)} files can be read"
        error = {"type": "NothingLearned", "message": message, "fix": "see the list of problems"} if failed else None
        print_json({**asdict(counts), "problems": list(counts.problems), "error": error})
    else:
        print_line(_summary(counts))
    return EXIT_FAILED if failed else 0


async def _embed(store: KnowledgeStore, embedder: ProviderEmbedder) -> None:
    """Compute the vectors of new passages now. A failure is only reported: a later session tries again."""
    try:
        async with embedder:
            await EmbeddingRetriever(store, embedder).catch_up()
    except DeskhandError as error:
        print_error(f"learned for search by words, not yet by meaning: {error.message}", error.fix)


def _summary(counts: Counts) -> str:
    done = (("learned", counts.added), ("replaced", counts.changed), ("unchanged", counts.unchanged))
    words = [f"{number} {word}" for word, number in (*done, ("dropped", counts.dropped)) if number]
    if counts.problems:
        words.append(f"{len(counts.problems)} unreadable")
    return f"{', '.join(words) or 'nothing'}; {counts.passages} passages written"
