"""`deskhand models`: list the providers, and test one model."""

import os
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.human_model import NAME as HUMAN
from deskhand.cli.signals import run_async
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.core.errors import EXIT_FAILED, ErrorInfo, UsageError
from deskhand.core.text import legible
from deskhand.models.language import ModelName
from deskhand.models.language.probe import Found, probe
from deskhand.models.language.providers import PROVIDERS
from deskhand.session.models import LanguageModels
from deskhand.session.plugins import OPERATOR

_MOST_ADDED = 3
_LONGEST = 40
_TRIED = "tested over the wire by the project"
_UNTRIED = "untested: requests are built by the project's tests, never sent"


def add_to(app: typer.Typer) -> None:
    verb = typer.Typer(help="List the providers of language models, and test one model.")
    verb.command("list")(list_providers)
    verb.command("test")(try_model)
    app.add_typer(verb, name="models", no_args_is_help=True)


def list_providers(as_json: JsonOption = False) -> int:
    """List the providers of language models, the keys each needs, and those that are set."""
    sources = Sources(os.environ, Path.cwd())
    configuration = load(sources)
    keys = model_keys(sources, configuration.models)
    rows = [
        {
            "provider": provider.name,
            "needs": list(provider.needs),
            "missing": [name for name in provider.needs if not keys.get(name)],
            "address": provider.address,
            "extra": provider.extra,
            "installed": not provider.lacks,
            "tested": provider.over_the_wire,
        }
        for provider in PROVIDERS.values()
    ]
    if as_json:
        print_json({"providers": rows, "secrets": str(configuration.models.secrets or sources.secrets_file)})
        return 0
    for provider in PROVIDERS.values():
        missing = [name for name in provider.needs if not keys.get(name)]
        needs = [f"needs {', '.join(missing)}"] if missing else []
        needs += [f"pip install 'deskhand[{provider.lacks}]'"] if provider.lacks else []
        print_line(f"{provider.name + ':NAME':<17} {'; '.join(needs) or 'ready'}")
        address = f"; set {provider.address} for another server" if provider.address else ""
        print_line(f"{'':<17} {_TRIED if provider.over_the_wire else _UNTRIED}{address}")
    print_line(f"{HUMAN:<17} you, at the terminal")
    print_line("operator:VENDOR/NAME  a computer-use model of anthropic, google or openai; keys and addresses as above")
    print_line(f"\nKeys are read from the environment and from {configuration.models.secrets or sources.secrets_file}")
    return 0


def try_model(
    model: Annotated[str, typer.Argument(help="The model, as provider:name.", show_default=False)],
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Send one tiny request with a picture and a tool; report the model's abilities, speed and price."""
    if model == HUMAN:
        raise UsageError(
            f"{HUMAN} is you, at the terminal: there is nothing to test", fix="deskhand run … --model human"
        )
    if model.partition(":")[0] == OPERATOR:
        raise UsageError(
            f"{model} answers with actions and not with replies, and cannot be tested so",
            fix=f'deskhand run "…" --model {model} --file FILE',
        )
    name = ModelName.parse(model)
    sources = Sources(os.environ, Path.cwd(), config, {"models": {"model": model, "host": "", "app": ""}})
    of = load(sources).models
    asked = LanguageModels(of, model_keys(sources, of)).language_model(model)

    async def ask() -> Found:
        async with asked:
            return await probe(asked, Random())  # noqa: S311 - the choice of colours is not secret

    found = run_async(ask)
    if as_json:
        print_json(_as_object(name, found))
    else:
        _print_report(name, found)
    return 0 if found.ok else EXIT_FAILED


def _as_object(name: ModelName, found: Found) -> dict[str, object]:
    info = ErrorInfo.of(found.error) if found.error else None
    return {
        "model": str(name),
        "ok": found.ok,
        "answers": found.answered,
        "sees_pictures": found.sees,
        "schema": "provider" if found.schema else "prompt",
        "reply_lacks": list(found.lacks),
        "reply_adds": list(found.adds),
        "passes_arguments": found.arguments,
        "seconds": round(found.seconds, 3),
        "tokens": {"input": found.usage.input_tokens, "output": found.usage.output_tokens} if found.usage else None,
        "cost_usd": found.usage.cost_usd if found.usage else None,
        "tested": name.provider.over_the_wire,
        "note": found.note,
        "fix": found.fix,
        "error": {"type": info.type, "message": info.message, "fix": info.fix} if info else None,
    }


def _schema(found: Found) -> str:
    """Where the schema was sent, and how the reply deviates from it."""
    if not found.schema:
        return "in the prompt only"
    broken = [f"lacks {', '.join(found.lacks)}"] if found.lacks else []
    added = ", ".join(legible(name, _LONGEST) for name in found.adds[:_MOST_ADDED])
    broken += [f"has also {added}"] if added else []
    if not broken:
        return "sent to the provider"
    return f"sent to the provider, which does not enforce it: this reply {' and '.join(broken)}"


def _unseen(found: Found) -> str:
    return "sent, and described wrongly" if found.described else "sent, and the reply does not describe them"


def _print_report(name: ModelName, found: Found) -> None:
    print_line(f"{name}  {'usable' if found.ok else 'not usable in this setup'}")
    lines = [("provider", _TRIED if name.provider.over_the_wire else _UNTRIED)]
    if found.error is not None:
        info = ErrorInfo.of(found.error)
        lines.append(("error", info.message))
        lines += [("fix", info.fix)] if info.fix else []
    else:
        arguments = {True: "received", False: "lost: the tool was called without them, or with others"}
        sees = {True: "seen", False: _unseen(found), None: "not accepted: requests have text alone"}
        lines += [
            ("answer", "the tool was called" if found.answered else "a JSON object without the requested call"),
            *([("arguments", arguments[found.arguments])] if found.arguments is not None else []),
            ("schema", _schema(found)),
            ("pictures", sees[found.sees]),
            *([("fix", found.fix)] if found.fix else []),
        ]
    lines.append(("took", f"{found.seconds:.2f} s"))
    if found.usage is not None:
        cost = found.usage.cost_usd
        lines.append(("tokens", f"{found.usage.input_tokens} in, {found.usage.output_tokens} out"))
        lines.append(
            ("price", "unknown: no price list has this model" if cost is None else f"${cost:.6f} for this call")
        )
    lines += [("note", found.note)] if found.note else []
    for label, text in lines:
        print_line(f"  {label:<9} {text}")
