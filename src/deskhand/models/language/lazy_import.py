"""Importing the providers' libraries where they are needed, each time in a thread."""

import threading
from typing import Final

IMPORTING: Final = threading.Lock()
"""Held while a client is made. These packages import one another in circles: two threads that begin at different ends
of one find it half made."""
