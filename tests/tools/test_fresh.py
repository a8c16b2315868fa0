"""How packages are reached on a bare Debian is taken over from this machine, and nothing else of it."""

from pathlib import Path

import pytest

from tools.fresh import Failed, passed_on, run, sources_of, temporary_folder

STANZAS = """\
Types: deb
# a remark
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: http://mirror.example/debian
Suites: bookworm
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
"""
LINES = """\
deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/security bookworm-security main contrib
# deb http://off.example/debian bookworm main
deb http://vendor.example/apt stable main
"""


def test_sources_in_both_forms_are_taken_over_for_the_wanted_suite() -> None:
    assert sources_of((STANZAS, LINES), "bookworm", "trixie") == [
        "deb http://mirror.example/debian trixie main",
        "deb http://mirror.example/debian trixie-updates main",
        "deb http://mirror.example/security trixie-security main contrib",
    ]


def test_only_what_says_how_packages_are_reached_is_passed_on() -> None:
    wanted = {"https_proxy": "p", "NO_PROXY": "n", "SSL_CERT_FILE": "c", "PIP_CERT": "c", "UV_INDEX_URL": "u"}
    others = {"HOME": "/h", "PIP_FIND_LINKS": "/w", "UV_CACHE_DIR": "/c", "UV_PYTHON": "3.9", "DISPLAY": ":0"}
    assert passed_on({**wanted, **others}) == wanted


def test_the_folder_goes_however_its_use_ends() -> None:
    folders: list[Path] = []

    def fail() -> None:
        with temporary_folder() as folder:
            folders.append(folder)
            (folder / "file").touch()
            run(("false",))

    with pytest.raises(Failed):
        fail()
    assert len(folders) == 1
    assert not folders[0].exists()
