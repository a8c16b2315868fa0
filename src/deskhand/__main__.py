"""The program `deskhand`, and `python -m deskhand`: a desktop's server carries out its commands where there is one."""

import os
import sys

# The folder that the user is in is not for our imports: its `mcp.py` is not the protocol's library.
if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109 - as Python spells it
    del sys.path[0]


def main() -> None:
    """Run the command line, and exit with its code."""
    try:
        _main()
    except KeyboardInterrupt:  # while the program was loaded, or looked for a server
        from deskhand.cli.app import report_cancelled  # noqa: PLC0415 - brings the parser

        sys.exit(report_cancelled(sys.argv[1:]))


def _main() -> None:
    if sys.platform != "win32":  # servers of desktops are reached by sockets that Windows lacks
        _forward()
    from deskhand.cli import main as run  # noqa: PLC0415 - brings the parser, which most commands do without

    run()


def _forward() -> None:
    """Have a desktop's server carry the command line out, and exit with its code; return where there is none."""
    from deskhand.client.forward import ServerLost, forward  # noqa: PLC0415 - needs the sockets of POSIX

    try:
        code = forward(sys.argv[1:])
    except ServerLost:
        from deskhand.cli.app import report_lost  # noqa: PLC0415 - brings the parser

        code = report_lost(sys.argv[1:])
    if code is not None:
        sys.exit(code)


if __name__ == "__main__":
    main()
