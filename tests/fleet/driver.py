"""A batch on a cluster in a process of its own: `python -m fleet.driver ADDRESS TASKS OUT [NAME=VALUE …]`.

The tasks work in the applications in memory of `cli.batch_world`. Values: `workers`, `join_s`, `silence_s`, and those
of `remote`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from cli.batch_world import remote
from deskhand.cli.batch import BatchOptions, carry_out_batch
from deskhand.cli.console import print_error
from deskhand.core.errors import DeskhandError
from deskhand.fleet.task_run import Patience


def main(address: str, tasks: str, out: str, *named: str) -> int:
    values: dict[str, Any] = {name: json.loads(value) for name, _, value in (each.partition("=") for each in named)}
    patience = Patience(silence_s=values.pop("silence_s", 30), join_s=values.pop("join_s", 30), conclude_s=60)
    stalls = values.pop("stalls", None)
    options = BatchOptions(values.pop("workers", None), address, again=False, as_json=True, patience=patience)
    try:
        return carry_out_batch(Path(tasks), remote(stalls=stalls and Path(stalls), **values), Path(out), options)
    except DeskhandError as error:
        print_error(error.message, error.fix)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
