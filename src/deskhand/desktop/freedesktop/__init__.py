"""The freedesktop.org specifications about installed applications and the files that they open."""
