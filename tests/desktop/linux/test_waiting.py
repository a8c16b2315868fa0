"""`wait_for` in a real window; the program's own state decides whether it waited long enough."""

from pathlib import Path

import anyio
import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.everyday import APPS, OPENS_S, SYSTEM, state_file
from desktop.linux.fixture import linux_desktop


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("tool.wait-for")
async def test_it_waits_for_what_a_program_does_later_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    form = Application("lying", (SYSTEM, str(APPS / "lying_form_gtk3.py"), str(file)), window="^Lying form$")
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window, agent = await desktop.launch(form, deadline_s=OPENS_S), Agent(desktop)
        seen, late = await agent.see(window, "Takes back", Role.TEXTBOX)
        assert (await agent.act("set_edit_text", seen, late, text="Ulm")).effect is Effect.CONFIRMED
        assert (await agent.wait_for(seen, text="Ulm", gone=True)).ok
        assert (await state_file(file)())["Takes back"] == ""
        asks = (await agent.see(window, "Asks", Role.TEXTBOX))[1]
        waits: list[Result] = []
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                waits.append(await agent.wait_for(seen, title="Really?", role="dialog"))

            group.start_soon(wait)
            await agent.act("set_edit_text", seen, asks, text="now")
        assert waits[0].ok, waits
        assert not (await agent.wait_for(seen, title="Really?", gone=True, seconds=0.2)).ok
        assert (await agent.wait_for(seen, picture="quiet")).ok
