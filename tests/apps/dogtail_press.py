"""Finds a button and presses it for each line of stdin, by dogtail: `dogtail_press.py PID NAME`.

Answers each line with the seconds that it took. Run it with the Python of `.venv-peers`, in a folder whose
`dogtail_config.ini` has the delays.
"""

import sys
import time

from dogtail import tree

application = next(each for each in tree.root.applications() if each.get_process_id() == int(sys.argv[1]))
for _ in sys.stdin:
    began = time.monotonic()
    application.child(sys.argv[2], role_name="push button").do_action_named("click")
    sys.stdout.write(f"{time.monotonic() - began}\n")
    sys.stdout.flush()
