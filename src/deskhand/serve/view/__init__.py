"""Live view of a desktop in a browser: its picture as it changes, and its pointer and keyboard for a person."""
