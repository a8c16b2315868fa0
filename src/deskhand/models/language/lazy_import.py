"""Lock for importing the providers' libraries, which happens when needed and in threads."""

import threading
from typing import Final

IMPORTING: Final = threading.Lock()
"""Held while a client is made. These packages import one another in circles: a second thread could get a module that
is only partly initialised."""
