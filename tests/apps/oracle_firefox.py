"""The page of `oracle_chromium.py` in Firefox: `oracle_firefox.py STATE_FILE`. Any Python runs it."""

import sys
from pathlib import Path

from oracle_chromium import Fixture
from web import firefox

if __name__ == "__main__":
    Fixture(Path(sys.argv[1]), "firefox-esr").show(firefox)
