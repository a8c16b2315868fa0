"""`python -m deskhand`: the program `deskhand`."""

import os
import sys

if __name__ == "__main__":
    # The folder that the user is in is not for our imports: its `mcp.py` is not the protocol's library.
    if not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109 - as Python spells it
        del sys.path[0]
    from deskhand.cli import main

    main()
