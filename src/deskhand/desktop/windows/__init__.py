"""Windows, read and driven through its own programming interface."""
