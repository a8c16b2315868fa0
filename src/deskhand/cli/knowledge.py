"""`deskhand knowledge search|list|forget`."""

import os
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_error, print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.config.load import Sources
from deskhand.core.errors import ErrorInfo, UsageError
from deskhand.core.model import Passage
from deskhand.knowledge.learning import forget
from deskhand.knowledge.retrieval import EmbeddingRetriever, FusedRetriever, StoreRetriever
from deskhand.knowledge.store import KnowledgeStore, knowledge_file
from deskhand.models.language.embedding import ProviderEmbedder
from deskhand.session.models import configured_embedder

_SHOWN = 240


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Search, list and forget learned passages.", rich_markup_mode=None)
    group.command("search")(search)
    group.command("list")(list_all)
    group.command("forget")(forget_some)
    app.add_typer(group, name="knowledge")


def search(
    query: Annotated[str, typer.Argument(help="Words to search for, in plain language.")],
    app: Annotated[str, typer.Option(help="Only passages about this application.", show_default="any")] = "",
    limit: Annotated[int, typer.Option(help="Largest number of passages.", min=1, max=100)] = 5,
    as_json: JsonOption = False,
) -> None:
    """Show the passages that a model would be given, best first."""
    embedder = configured_embedder(Sources(os.environ, Path.cwd()))
    with KnowledgeStore(knowledge_file()) as store:
        found = run_async(partial(_retrieve, store, embedder, (query, app, limit)))
    if as_json:
        passages = [
            {"kind": one.kind, "title": one.title, "text": one.text, "source": one.source, "score": one.score}
            for one in found
        ]
        print_json({"query": query, "passages": passages, "error": None})
        return
    if not found:
        print_error("no learned passage fits the query")
    for one in found:
        print_line(f"{one.score:.2f} {printable(one.title)} ({one.kind}: {printable(one.source)})")
        text = printable(one.text)
        print_line(f"     {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}")


async def _retrieve(
    store: KnowledgeStore, embedder: ProviderEmbedder | None, wanted: tuple[str, str, int]
) -> tuple[Passage, ...]:
    if embedder is None:
        return await StoreRetriever(store).retrieve(*wanted)
    async with embedder:
        by_meaning = EmbeddingRetriever(store, embedder)
        return await FusedRetriever((StoreRetriever(store), by_meaning), _report_failure).retrieve(*wanted)


def _report_failure(problem: ErrorInfo) -> None:
    print_error(f"the search by meaning failed: {problem.message}", problem.fix)


def list_all(as_json: JsonOption = False) -> None:
    """List the sources that were learned."""
    with KnowledgeStore(knowledge_file()) as store:
        learned = store.sources()
    if as_json:
        sources = [
            {
                "source": one.source.location,
                "kind": one.source.kind,
                "application": one.source.application,
                "passages": one.passages,
                "learned_at": _moment(one.learned_at),
            }
            for one in learned
        ]
        print_json({"sources": sources, "error": None})
        return
    if not learned:
        print_error("nothing was learned yet", "deskhand learn PATH --app NAME")
    for one in learned:
        about = one.source.application or "all applications"
        print_line(f"{printable(one.source.location)} ({one.source.kind} about {about}, {one.passages} passages)")


def forget_some(
    source: Annotated[str, typer.Argument(help="A learned file or folder, or session:ID.")] = "",
    app: Annotated[str, typer.Option(help="Only passages about this application.", show_default="any")] = "",
    all_: Annotated[bool, typer.Option("--all", help="Forget everything.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Forget the passages of a file, a folder or a session."""
    if bool(source) == all_:
        raise UsageError(
            "no source is named", fix="deskhand knowledge forget SOURCE, or deskhand knowledge forget --all"
        )
    with KnowledgeStore(knowledge_file()) as store:
        if all_:
            meant = [one.source for one in store.sources() if app in {"", one.source.application}]
            store.change((), meant, at=time.time())
            forgotten = len(meant)
        else:
            forgotten = forget(store, source, app, at=time.time())
    if as_json:
        print_json({"forgotten": forgotten, "error": None})
    else:
        print_line(f"{forgotten} forgotten")


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
