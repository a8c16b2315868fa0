"""Qt 5 and Qt 6."""
