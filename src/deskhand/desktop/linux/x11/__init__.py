"""X11: windows, synthetic input, clipboard, damage and pictures."""
