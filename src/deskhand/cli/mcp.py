"""`deskhand mcp`."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from stat import S_IRWXG, S_IRWXO
from typing import TYPE_CHECKING, Annotated, Final

import typer

from deskhand.cli.console import print_error, print_note
from deskhand.cli.desktop_choice import DesktopOption, held_desktop, settings_here
from deskhand.cli.id_cache import CachedIds
from deskhand.cli.invocation import invocation
from deskhand.cli.plugin_tools import plugin_tools
from deskhand.cli.signals import run_async
from deskhand.commands import Tool
from deskhand.config.sections import Configuration
from deskhand.core.errors import DeskhandError, UsageError
from deskhand.desktop.protocols.desktop import Desktop

if TYPE_CHECKING:
    from deskhand.serve.mcp import Sharing
    from deskhand.serve.web_server import Place

TOKEN_VARIABLE: Final = "DESKHAND_MCP_TOKEN"  # noqa: S105 - a name, not a token


@dataclass(frozen=True, slots=True)
class _Served:
    """Desktop to serve, its settings, the folders whose files `verify` may read, and the tools of plug-ins."""

    desktop: str
    configuration: Configuration
    folders: tuple[Path, ...]
    tools: tuple[Tool, ...]

    def opening(self) -> AbstractAsyncContextManager[Desktop]:
        if server := invocation().server:
            return server.kept_desktop("deskhand mcp")
        return held_desktop(self.desktop, self.configuration, "deskhand mcp")

    def sharing(self) -> "Sharing":
        """The ids are those of the command line; a resident server's clients act one at a time."""
        from deskhand.serve.mcp import Sharing  # noqa: PLC0415 - brings the protocol's library

        if server := invocation().server:
            return Sharing(CachedIds, server.turn, lambda: server.is_alone)
        return Sharing(CachedIds)


def add_to(app: typer.Typer) -> None:
    app.command("mcp")(mcp)


def mcp(
    desktop: DesktopOption = "",
    http: Annotated[
        str,
        typer.Option("--http", metavar="HOST:PORT", help="Serve over HTTP at this address; :0 takes any free port."),
    ] = "",
    host_name: Annotated[
        list[str] | None, typer.Option("--host-name", metavar="NAME", help="Name callers may use for this machine.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help=f"File with the bearer token; default: ${TOKEN_VARIABLE}.")
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--files", metavar="FOLDER", help="verify may read files in it; repeatable; default: here."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
) -> None:
    """Serve a desktop's tools to another program over the Model Context Protocol, under the policy of `act`."""
    by = invocation()
    folders = folders_of([by.path(folder) for folder in files or []], by.folder, Path.home())
    served = _Served(desktop, settings_here(config), folders, plugin_tools())
    if not http:
        run_async(lambda: _over_stdio(served))
        return
    from deskhand.serve.http import check_token  # noqa: PLC0415 - brings a web server
    from deskhand.serve.web_server import Place, new_token  # noqa: PLC0415 - as above

    place = Place(*_address(http), tuple(host_name or ()))
    given = _token(token_file, os.environ)
    token = check_token(given) if given else new_token()
    if not place.is_loopback:
        print_note(f"deskhand: {place.host} is reachable from other machines, without encryption")
    run_async(lambda: _over_http(served, place, token, made=not given))


async def _over_stdio(served: _Served) -> None:
    from deskhand.serve.mcp import make_server  # noqa: PLC0415 - brings the protocol's library
    from deskhand.serve.served_desktop import serving  # noqa: PLC0415 - as above
    from deskhand.serve.stdio import serve_stdio  # noqa: PLC0415 - as above

    async with serving(served.desktop, served.opening) as desktop:
        try:
            await desktop.get()
        except DeskhandError as error:  # a client that finds no server learns nothing; each call tries again
            print_error(error.message, error.fix)
        by = invocation()
        made = make_server(desktop, served.configuration, served.folders, tools=served.tools, sharing=served.sharing())
        await serve_stdio(made, (by.stdin.fileno(), by.stdout.fileno()) if by.server else None)


async def _over_http(served: _Served, place: "Place", token: str, *, made: bool) -> None:
    from deskhand.serve.http import serve_http  # noqa: PLC0415 - as above
    from deskhand.serve.mcp import make_server  # noqa: PLC0415 - as above
    from deskhand.serve.served_desktop import serving  # noqa: PLC0415 - as above

    def ready(address: str) -> None:
        print_note(f"deskhand: serving {served.desktop or 'the desktop'} at {address}")
        if made:
            print_note(f"deskhand: Authorization: Bearer {token}")

    async with serving(served.desktop, served.opening) as desktop:
        await desktop.get()
        server = make_server(
            desktop, served.configuration, served.folders, tools=served.tools, sharing=served.sharing()
        )
        await serve_http(server, place, token, ready=ready)


def folders_of(files: Sequence[Path], here: Path, home: Path) -> tuple[Path, ...]:
    """Folders whose files `verify` may read; `here` if none is named, unless it contains the home folder.

    A client that starts its servers in the home folder does not mean to share it. Raises: UsageError.
    """
    missing = next((folder for folder in files if not folder.is_dir()), None)
    if missing is not None:
        raise UsageError(f"--files {missing} is not a folder", fix="name an existing folder")
    if files:
        return tuple(folder.resolve() for folder in files)
    return () if home.resolve().is_relative_to(here.resolve()) else (here.resolve(),)


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT, :PORT or [HOST]:PORT. Raises: UsageError."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--http {text!r} is not HOST:PORT", fix="--http 127.0.0.1:0 takes any free port")
    return host.strip("[]") or "127.0.0.1", int(port)


def _token(file: Path | None, environment: Mapping[str, str]) -> str:
    """The given token; empty if none was given. Raises: UsageError."""
    if file is None:
        return environment.get(TOKEN_VARIABLE, "")
    try:
        mode, text = file.stat().st_mode, file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the token file {file}: {error}", fix="name a readable file") from error
    if mode & (S_IRWXG | S_IRWXO):
        raise UsageError(f"other users can read the token file {file}", fix=f"chmod 600 {file}")
    if not text:
        raise UsageError(f"the token file {file} is empty", fix="write the token into it")
    return text
