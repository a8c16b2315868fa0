"""What the web pages among the fixtures share: a small server on the loopback, and a browser that shows its page."""

import json
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import ThreadingMixIn

QUIET = """
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("termsofuse.bypassNotification", true);
"""
"""Settings of Firefox: nothing beside the page comes by itself."""


def chromium(address):
    return ["chromium", f"--app={address}"]


def firefox(address):
    profile = Path(tempfile.mkdtemp(prefix="profile", dir=Path.home()))
    (profile / "user.js").write_text(QUIET, encoding="utf-8")
    return ["firefox-esr", "--no-remote", "--profile", str(profile), address]


class Pages(HTTPServer):
    """`say` gives the text at a path; `hear` takes what the page tells, JSON objects in their order."""

    def __init__(self, say, hear):
        super().__init__(("127.0.0.1", 0), Handler)
        self.say, self.hear = say, hear

    def show(self, command=chromium):
        """Serves and shows the page at `/`, until its window is closed; `command` starts the browser."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{self.server_port}/"
        sys.exit(subprocess.run(command(address), check=False).returncode)


class WaitingPages(ThreadingMixIn, Pages):
    """Those whose `say` may wait, which nobody else has to."""

    daemon_threads = True


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(self.server.say(self.path))

    def do_POST(self):
        self.server.hear(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("")

    def answer(self, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def version(browser="chromium"):
    """As in `Chromium 156.0.8078.79 built on Debian`."""
    said = subprocess.run([browser, "--version"], capture_output=True, text=True, check=True).stdout
    return next(word for word in said.split() if word[0].isdigit())
