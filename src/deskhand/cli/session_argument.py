"""The argument of commands that work on a recorded session."""

from typing import Annotated, TypeAlias

import typer

SessionArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID|DIR", help="Id of a session, part of it, or its folder.", show_default=False)
]
