"""Ways to carry out what a tool asks for, when the direct way is not there: pointer, keys, clipboard, sandbox."""
