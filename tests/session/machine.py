"""A machine of a test: folders with entries, associations and the programs that they start."""

from dataclasses import dataclass
from pathlib import Path

from deskhand.config.sections import ApplicationEntry
from deskhand.desktop.applications import Applications
from deskhand.session.applications import applications

MIME = """50:text/plain:*.txt
50:text/x-ini:*.ini
50:text/html:*.html
50:text/csv:*.csv
50:image/png:*.png
50:application/vnd.oasis.opendocument.text:*.odt
50:application/vnd.oasis.opendocument.presentation:*.odp
50:application/vnd.openxmlformats-officedocument.spreadsheetml.sheet:*.xlsx
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """`user` and `system` are its data folders; programs that entries start have to be installed in it first."""

    root: Path

    @property
    def user(self) -> Path:
        return self.root / "user"

    @property
    def system(self) -> Path:
        return self.root / "system"

    def install(self, *programs: str) -> None:
        for program in programs:
            path = self.root / "bin" / program
            path.parent.mkdir(exist_ok=True)
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)

    def entry(self, name: str, text: str, *, user: bool = False) -> Path:
        """An application called `name` in the folder, with more keys as `Key=value` lines."""
        path = (self.user if user else self.system) / "applications" / f"{name}.desktop"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"[Desktop Entry]\nType=Application\n{text}\n\n[Desktop Action x]\nName=Other\nExec=other\n")
        return path

    def chosen(self, text: str) -> None:
        """What the user's own `mimeapps.list` says."""
        path = self.root / "config/mimeapps.list"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def types(self, globs: str = MIME) -> None:
        """The machine has a MIME database."""
        folder = self.system / "mime"
        folder.mkdir(parents=True)
        (folder / "globs2").write_text(globs)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "HOME": str(self.root),
            "PATH": str(self.root / "bin"),
            "XDG_DATA_HOME": str(self.user),
            "XDG_DATA_DIRS": str(self.system),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_CONFIG_DIRS": str(self.root / "etc"),
            **more,
        }

    def applications(self, configured: dict[str, ApplicationEntry] | None = None, **environment: str) -> Applications:
        return applications(configured or {}, self.environment(**environment))

    def with_editors(self) -> "Machine":
        """Two editors, a browser, LibreOffice, and one program for a terminal."""
        self.install("gedit", "mousepad", "vim", "chromium", "soffice", "libreoffice")
        self.entry(
            "org.gnome.gedit",
            "Name=gedit\nName[de]=Schreiber\nExec=gedit %U\nMimeType=text/plain;\nCategories=TextEditor;\n"
            "Keywords=Text;Editor;Plaintext;",
        )
        self.entry(
            "org.xfce.mousepad",
            "Name=Mousepad\nGenericName=Text Editor\nExec=mousepad %U\nMimeType=text/plain;text/x-notes;\n"
            "Categories=TextEditor;",
        )
        self.entry("org.xfce.mousepad-settings", "Name=Text Editor Settings\nExec=mousepad --preferences")
        self.entry("vim", "Name=Vim\nGenericName=Text Editor\nExec=vim %F\nTerminal=true\nMimeType=text/plain;")
        self.entry("chromium", f"Name=Web Browser\nExec={self.root}/bin/chromium %U\nMimeType=text/html;")
        self.entry(
            "libreoffice-writer",
            "Name=LibreOffice Writer\nGenericName=Word Processor\nExec=libreoffice --writer %U\n"
            "MimeType=text/plain;application/vnd.oasis.opendocument.text;",
        )
        for name, generic in (("calc", "Sheets"), ("impress", "Slides")):
            self.entry(
                f"libreoffice-{name}",
                f"Name=LibreOffice {name.title()}\nGenericName={generic}\nExec=libreoffice --{name} %U",
            )
        self.entry("python3.11", "Name=Python\nExec=gedit %F")
        return self
