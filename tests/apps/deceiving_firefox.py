"""The page of `deceiving_chromium.py` in Firefox, with the same arguments. Any Python runs it."""

from deceiving_chromium import show
from web import firefox

if __name__ == "__main__":
    show(firefox)
