"""`deskhand view`."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import anyio
import typer

from deskhand.cli.console import print_json, print_line, print_note
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, desktop_name
from deskhand.cli.running_choice import RunningSessionArgument, running_session_dir, sessions_running
from deskhand.cli.signals import run_async
from deskhand.core.errors import UsageError
from deskhand.desktop.backends import open_live


def add_to(app: typer.Typer) -> None:
    app.command("view")(view)


def view(
    session: RunningSessionArgument = "",
    desktop: DesktopOption = "",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the page; 0: any free one.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a running session, or with --desktop a desktop, in a browser of this machine; take it over there."""
    if session and desktop:
        raise UsageError(
            "SESSION and --desktop exclude each other", fix="a session has its desktop: leave --desktop out"
        )
    folder = running_session_dir(session) if session or (not desktop and sessions_running()) else None
    run_async(lambda: _serve(folder, desktop, port, as_json=as_json))


async def _serve(session_dir: Path | None, choice: str, port: int, *, as_json: bool) -> None:
    from deskhand.serve.view.app import serve_view  # noqa: PLC0415 - brings a web server
    from deskhand.serve.view.hands import DesktopHands  # noqa: PLC0415 - as above
    from deskhand.serve.view.session import SessionPanel, user_of_view  # noqa: PLC0415 - as above
    from deskhand.serve.view.view import View  # noqa: PLC0415 - as above
    from deskhand.serve.web_server import new_token  # noqa: PLC0415 - as above
    from deskhand.session.control_client import running_session  # noqa: PLC0415 - as above

    async with AsyncExitStack() as stack:
        panel, title = None, ""
        if session_dir is not None:
            running = await stack.enter_async_context(running_session(session_dir, user_of_view()))
            state = await running.state()
            choice, title = state.display, state.session
            panel = SessionPanel(running)
            stack.callback(panel.close)
        live = await stack.enter_async_context(open_live(choice if panel else await desktop_name(choice)))
        shown = (
            View(live, panel, panel.command, title=title, farewell=panel.farewell)
            if panel
            else View(live, DesktopHands(live))
        )

        def ready(address: str) -> None:
            if as_json:
                print_json({"desktop": live.name, "url": address})
            else:
                print_line(address)

        async with anyio.create_task_group() as group:
            if panel is not None:
                group.start_soon(panel.follow, shown)
            await serve_view(shown, port, new_token(), ready=ready)
            group.cancel_scope.cancel()
    print_note("deskhand: " + ("the session has ended" if panel else f"the desktop {live.name} has ended"))
