"""Requests to a running LibreOffice through its own interface, UNO.

`python3 -m uno_helper PIPE PID WINDOW`, run by the system's Python, which alone has the module `uno`: nothing but that
and the standard library is imported. Each line on the input is a request as JSON, answered by one line: first, without
a request, what the document in the window is; then `{"request", …}` → `{"result": {…}}` or `{"error": {"type",
"message", "fix"}}`, with the types `absent`, `refused`, `gone`, and `unresponsive`. It ends with its input.

Modules import each other relatively, since the package has another name there.
"""
