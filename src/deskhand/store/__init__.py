"""What a session leaves behind: its journal, its log folder and the pictures in it."""
