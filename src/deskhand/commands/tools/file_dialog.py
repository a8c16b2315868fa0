"""The file dialog (contract 4.2)."""

from pathlib import Path
from typing import Final

from pydantic import Field

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.techniques.file_dialog import FileChoice, choose
from deskhand.core.command import EffectClass, Needed


class ChooseFile(Arguments):
    """`path` is absolute. To save, `create`: the file must not exist yet; `overwrite`: it may. Saving over the open
    file needs neither.
    """

    path: str = Field(description="absolute path of the file")
    create: bool = Field(default=False, description="the file is to be written and must not exist yet")
    overwrite: bool = Field(default=False, description="the file is to be written, and replaced where it exists")


async def choose_file(tools: ToolContext, call: Call, arguments: ChooseFile) -> ToolOutcome:
    """Gives the open file dialog a path and confirms it."""
    choice = FileChoice(Path(arguments.path), create=arguments.create, overwrite=arguments.overwrite)
    return await choose(tools, call, choice)


_FILE: Final = Expects((Rule("", "the file"),))
TOOLS = (
    action(
        ChooseFile,
        choose_file,
        effect_class=EffectClass.CREATE_FILE,
        expects=_FILE,
        deadline_s=30.0,
        needs=Needed.DIALOG,
    ),
)
