"""Keys and buttons that an earlier action left down."""

from deskhand.core.errors import ActionRefused
from deskhand.desktop.protocols.desktop import Desktop


async def require_up(desktop: Desktop, *, button: bool = False, keys: bool = False) -> None:
    """Raises: ActionRefused where a button, or keys, are left down, with which this cannot be pressed."""
    down = await desktop.left_down()
    if name := (down.button if button else "") or (down.keys if keys else ""):
        raise ActionRefused(f"{name} was pressed before and is still down", fix="release it with let_go first")
