"""The tests in `inside` run in Python of Windows, which does not read this file (`--noconftest`)."""

collect_ignore = ["inside"]
