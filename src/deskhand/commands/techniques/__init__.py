"""Ways to carry out a tool's request without a direct action: pointer, keys, clipboard, sandbox."""
