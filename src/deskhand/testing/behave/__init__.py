"""Features of behave: `steps` for `features/steps`, `hooks` for `features/environment.py`."""
