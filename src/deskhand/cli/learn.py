"""`deskhand learn`."""

import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import complain, print_json, say
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.model_choice import configured_embedder
from deskhand.cli.signals import run_async
from deskhand.config.load import Sources
from deskhand.core.errors import EXIT_FAILED, DeskhandError, UsageError
from deskhand.knowledge.learning import Counts, learn_path, learn_session
from deskhand.knowledge.retrieval import EmbeddingRetriever
from deskhand.knowledge.store import KnowledgeStore, knowledge_file
from deskhand.models.language.embedding import ProviderEmbedder


def add_to(app: typer.Typer) -> None:
    app.command("learn")(learn)


def learn(
    path: Annotated[
        Path | None, typer.Argument(help="A document, a playbook, or a folder of them.", show_default=False)
    ] = None,
    app: Annotated[str, typer.Option(help="The application it is about.", show_default="all")] = "",
    session: Annotated[Path | None, typer.Option(help="The folder of a session that succeeded.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Learn documents (Markdown, HTML, text, PDF), playbooks, or what a successful session did."""
    if (path is None) == (session is None):
        raise UsageError("say what to learn", fix="deskhand learn PATH --app NAME, or deskhand learn --session DIR")
    if session is not None and app:
        raise UsageError("--session does not take --app: its journal says which applications", fix="leave out --app")
    embedder = configured_embedder(Sources(os.environ, Path.cwd()))
    with KnowledgeStore(knowledge_file()) as store:
        now = time.time()
        counts = learn_session(store, session, at=now) if session else learn_path(store, path or Path(), app, at=now)
        if embedder is not None and counts.passages:
            run_async(partial(_embed, store, embedder))
    for problem in counts.problems:
        complain(problem)
    failed = bool(counts.problems) and not counts.added + counts.changed + counts.unchanged
    if as_json:
        message = f"none of {len(counts.problems)} files can be read"
        error = {"type": "NothingLearned", "message": message, "fix": "the problems say why"} if failed else None
        print_json({**asdict(counts), "problems": list(counts.problems), "error": error})
    else:
        say(_told(counts))
    return EXIT_FAILED if failed else 0


async def _embed(store: KnowledgeStore, embedder: ProviderEmbedder) -> None:
    """Gives every passage its vector now. What fails is told: a session that looks something up tries again."""
    try:
        async with embedder:
            await EmbeddingRetriever(store, embedder).catch_up()
    except DeskhandError as error:
        complain(f"learned by its words, not yet by its meaning: {error.message}", error.fix)


def _told(counts: Counts) -> str:
    done = (("learned", counts.added), ("replaced", counts.changed), ("unchanged", counts.unchanged))
    words = [f"{number} {word}" for word, number in (*done, ("dropped", counts.dropped)) if number]
    if counts.problems:
        words.append(f"{len(counts.problems)} that cannot be read")
    return f"{', '.join(words) or 'nothing'}; {counts.passages} passages written"
