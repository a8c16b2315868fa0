"""The freedesktop.org specifications by which a Linux machine says what is installed and what opens what."""
