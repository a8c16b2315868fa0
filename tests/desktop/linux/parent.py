"""Run as a program: boots a private desktop, starts programs on it, says what there is, and stays until killed.

python parent.py ROOT [--office]
"""

import json
import signal
import sys
from pathlib import Path

import anyio

from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.virtual_desktop import boot

DETACHED = Path(__file__).with_name("detached.sh")


async def main(root: Path, programs: list[list[str]]) -> None:
    facts, keeper = await boot("test", root, (800, 600))
    for argv in [["sh", str(DETACHED), str(facts.places.directory / "detached")], *programs]:
        await keeper.control.spawn(argv, log=facts.places.logs / "program.log")
    assert keeper.watcher
    assert keeper.guardian
    print(  # noqa: T201  its reader is a test
        json.dumps(
            {
                "mark": keeper.mark,
                "watcher": keeper.watcher.pid,
                "guardian": keeper.guardian.pid,
                "display": facts.display,
                "directory": str(facts.places.directory),
                "runtime": str(facts.places.runtime),
                "programs": sorted(descendants(keeper.guardian.pid)),
            }
        ),
        flush=True,
    )
    await anyio.sleep_forever()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell starts us in the background
    anyio.run(main, Path(sys.argv[1]), [["soffice", "--writer"]] if "--office" in sys.argv else [])
