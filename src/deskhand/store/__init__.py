"""Files of a session: its journal, its log folder and the pictures in it."""
