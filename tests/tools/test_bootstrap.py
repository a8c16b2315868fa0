"""What bootstrap asks of a machine: nothing where all is there, the least where it is not."""

import ast
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tools import bootstrap
from tools.bootstrap import (
    CLIENTS,
    Environment,
    Stopped,
    ensure_system_packages,
    is_x86_64,
    read_packages,
    wanted_packages,
)

ROOT = Path(__file__).resolve().parents[2]
WANTED = ("xvfb", "openbox")


class FakeMachine:
    """A computer that writes down what it is asked to run; every command works unless its first words say otherwise."""

    def __init__(
        self,
        *,
        root: bool = False,
        programs: Sequence[str] = ("dpkg-query", "apt-get", "sudo"),
        installed: Sequence[str] = (),
        failing: Sequence[str] = (),
    ) -> None:
        self.commands: list[str] = []
        self.environments: list[Mapping[str, str]] = []
        self._root = root
        self._programs = programs
        self._installed = frozenset(installed)
        self._failing = failing

    def is_root(self) -> bool:
        return self._root

    def has_program(self, name: str) -> bool:
        return name in self._programs

    def installed(self, packages: Sequence[str]) -> frozenset[str]:
        return self._installed & frozenset(packages)

    def run(self, argv: Sequence[str], environment: Mapping[str, str]) -> int:
        command = " ".join(argv)
        self.commands.append(command)
        self.environments.append(environment)
        return 1 if any(command.startswith(words) for words in self._failing) else 0


@pytest.mark.requires("build.nothing-missing")
def test_nothing_is_run_when_every_package_is_there() -> None:
    machine = FakeMachine(installed=WANTED)
    ensure_system_packages(WANTED, machine)
    assert machine.commands == []


@pytest.mark.requires("build.root-installs")
def test_root_installs_only_what_is_missing_and_is_asked_nothing() -> None:
    machine = FakeMachine(root=True, installed=("xvfb",))
    ensure_system_packages(WANTED, machine)
    update, install = machine.commands
    assert update.startswith("apt-get update")
    assert install.startswith("apt-get install -y --no-install-recommends ")
    assert install.endswith(" openbox")
    assert "xvfb" not in install
    assert all(environment["DEBIAN_FRONTEND"] == "noninteractive" for environment in machine.environments)


@pytest.mark.requires("build.sudo-installs")
def test_a_user_installs_through_a_sudo_that_asks_nothing() -> None:
    machine = FakeMachine()
    ensure_system_packages(WANTED, machine)
    ask, update, install = machine.commands
    assert ask == "sudo -n true"
    assert update.startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update")
    assert install.startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y")


@pytest.mark.requires("build.one-command")
@pytest.mark.parametrize(
    ("programs", "words"),
    [(("dpkg-query", "apt-get", "sudo"), "sudo sh -c"), (("dpkg-query", "apt-get"), "su -c")],
)
def test_a_user_who_may_not_install_gets_the_one_command(programs: Sequence[str], words: str) -> None:
    machine = FakeMachine(programs=programs, failing=("sudo -n true",))
    with pytest.raises(Stopped) as stopped:
        ensure_system_packages(WANTED, machine)
    assert stopped.value.code == 2
    assert str(stopped.value).splitlines()[-1] == (
        f"{words} 'apt-get update && apt-get install -y --no-install-recommends xvfb openbox'"
    )
    assert not [command for command in machine.commands if "apt-get" in command]


def test_an_apt_that_fails_is_reported_with_the_command_to_try() -> None:
    machine = FakeMachine(root=True, failing=("apt-get install",))
    with pytest.raises(Stopped, match="apt-get install -y --no-install-recommends xvfb openbox") as stopped:
        ensure_system_packages(WANTED, machine)
    assert stopped.value.code == 2


def test_without_apt_the_packages_are_named_and_nothing_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    machine = FakeMachine(programs=())
    ensure_system_packages(WANTED, machine)
    assert machine.commands == []
    assert "xvfb openbox" in capsys.readouterr().err


def test_each_purpose_asks_for_its_sections_and_venv_only_where_python_lacks_it() -> None:
    sections = read_packages(
        "# all\n[fetch]\nca-certificates\n[venv]\npython3-venv # apart\n[demo]\nxvfb\n\n[test]\npython3-gi\n"
    )
    assert wanted_packages("check", sections, can_make_venv=True) == ["ca-certificates"]
    assert wanted_packages("check", sections, can_make_venv=False) == ["python3-venv", "ca-certificates"]
    assert wanted_packages("demo", sections, can_make_venv=True) == ["ca-certificates", "xvfb"]
    assert wanted_packages("test", sections, can_make_venv=True) == ["ca-certificates", "xvfb", "python3-gi"]


def test_the_shipped_list_has_every_section() -> None:
    sections = read_packages((ROOT / "tools" / "apt-packages.txt").read_text(encoding="utf-8"))
    assert all(sections[name] for name in ("fetch", "venv", "demo", "test", "bench", "conformance"))
    packages = [package for names in sections.values() for package in names]
    assert len(packages) == len(set(packages))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A project as bootstrap sees one, its `.venv` made by hand since the fake machine makes none."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "uv.txt").write_text("uv==1 --hash=sha256:00\n")
    (tmp_path / "requirements.lock").write_text("anyio==1 --hash=sha256:00\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "tools" / "qt6.txt").write_text("PySide6-Essentials==6 --hash=sha256:00\n")
    for folder in (".venv", ".venv-qt6", ".tools/uv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


@pytest.mark.requires("build.locked")
def test_uv_and_every_package_are_installed_by_hash_and_our_own_without_network(checkout: Path) -> None:
    machine = FakeMachine()
    Environment(checkout, "/usr/bin/python3.11", machine).ensure()
    make_uv_home, get_uv, make_venv, sync, ourselves = machine.commands
    assert make_uv_home == f"/usr/bin/python3.11 -m venv --clear {checkout}/.tools/uv"
    assert "--require-hashes" in get_uv
    assert get_uv.endswith(f"-r {checkout}/tools/uv.txt")
    assert "--python /usr/bin/python3.11" in make_venv
    assert "--require-hashes" in sync
    assert sync.endswith("requirements.lock")
    assert "--offline --no-deps --no-build-isolation --editable" in ourselves
    assert all(environment["UV_PYTHON_DOWNLOADS"] == "never" for environment in machine.environments)


@pytest.mark.requires("build.nothing-missing")
def test_a_second_time_nothing_is_run(checkout: Path) -> None:
    Environment(checkout, sys.executable, FakeMachine()).ensure()
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure()
    assert machine.commands == []


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_what_decides_the_packages_brings_them_anew_when_it_changes(checkout: Path, name: str) -> None:
    Environment(checkout, sys.executable, FakeMachine()).ensure()
    (checkout / name).write_text("# changed\n")
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure()
    assert [command for command in machine.commands if " pip sync " in command]


def test_an_installation_that_failed_is_tried_again_the_next_time(checkout: Path) -> None:
    uv = f"{checkout}/.tools/uv/bin/uv pip sync"
    with pytest.raises(Stopped, match="could not be installed") as stopped:
        Environment(checkout, sys.executable, FakeMachine(failing=(uv,))).ensure()
    assert stopped.value.code == 1
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure()
    assert [command for command in machine.commands if command.startswith(uv)]


def test_an_environment_that_is_a_link_is_left_alone(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (checkout / ".venv").rmdir()
    (checkout / ".venv").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure()
    assert machine.commands == []


@pytest.mark.requires("build.locked", "build.skips")
def test_qt_6_is_installed_by_hash_on_the_systems_python_once_and_anew_when_its_pin_changes(checkout: Path) -> None:
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure_qt6()
    *_, make_venv, install = machine.commands
    assert make_venv.endswith(f"--python /usr/bin/python3 {checkout}/.venv-qt6")
    assert install.endswith(f"--no-deps --require-hashes -r {checkout}/tools/qt6.txt")
    for version, times in ((6, 0), (7, 1)):
        (checkout / "tools" / "qt6.txt").write_text(f"PySide6-Essentials=={version} --hash=sha256:00\n")
        machine = FakeMachine()
        Environment(checkout, sys.executable, machine).ensure_qt6()
        assert machine.commands.count(install) == times


@pytest.mark.requires("build.skips")
def test_a_qt_6_that_could_not_be_installed_stops_and_is_tried_again(checkout: Path) -> None:
    install = f"{checkout}/.tools/uv/bin/uv pip install"
    with pytest.raises(Stopped, match="Qt 6 could not be installed"):
        Environment(checkout, sys.executable, FakeMachine(failing=(install,))).ensure_qt6()
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure_qt6()
    assert [command for command in machine.commands if command.startswith(install)]


@pytest.mark.requires("build.locked")
def test_clients_are_installed_by_hash_on_our_python_once(checkout: Path) -> None:
    for name in CLIENTS:
        (checkout / "tools" / f"{name}.txt").write_text("mcp==1 --hash=sha256:00\n")
        (checkout / f".venv-{name}").mkdir()
    machine = FakeMachine()
    Environment(checkout, "/usr/bin/python3.11", machine).ensure_clients()
    made = [command for command in machine.commands if " venv " in command and ".venv-" in command]
    assert [command.split()[-1] for command in made] == [f"{checkout}/.venv-{name}" for name in CLIENTS]
    assert all("--python /usr/bin/python3.11" in command for command in made)
    machine = FakeMachine()
    Environment(checkout, "/usr/bin/python3.11", machine).ensure_clients()
    assert machine.commands == []


@pytest.mark.requires("wine.install")
def test_what_programs_of_windows_need_is_downloaded_by_the_pip_beside_uv(checkout: Path) -> None:
    machine = FakeMachine()
    Environment(checkout, sys.executable, machine).ensure_windows_python()
    python = f"{checkout}/.venv/bin/python -m tools.windows_python"
    assert machine.commands[-2:] == [f"{checkout}/.venv/bin/deskhand wine install", python]
    assert all(each["PATH"].startswith(f"{checkout}/.tools/uv/bin:") for each in machine.environments[-2:])
    assert machine.environments[-1]["PYTHONPATH"] == f"{checkout}:{checkout}/src"
    for failing, message in ((f"{checkout}/.venv/bin/deskhand", "programs of Windows"), (python, "for the tests")):
        with pytest.raises(Stopped, match=message):
            Environment(checkout, sys.executable, FakeMachine(failing=(failing,))).ensure_windows_python()


def test_qt_6_is_there_for_machines_that_its_pin_has_a_package_for() -> None:
    assert is_x86_64("x86_64")
    assert not is_x86_64("aarch64")


@pytest.mark.requires("build.locked")
@pytest.mark.parametrize(
    "name", ["requirements.lock", "tools/uv.txt", "tools/qt6.txt", "tools/mcp1.txt", "tools/mcp2.txt", "tools/site.txt"]
)
def test_every_pin_is_exact_and_carries_a_hash(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    assert lines
    assert [line for line in lines if "==" not in line.split()[0] or "--hash=sha256:" not in line] == []


@pytest.mark.requires("build.python-version")
def test_an_older_python_can_read_the_file_and_is_told_what_is_needed() -> None:
    source = Path(bootstrap.__file__).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))
    older = f"import sys; sys.version_info = (3, 9, 2); exec(compile(open({bootstrap.__file__!r}).read(), 'b', 'exec'))"
    done = subprocess.run((sys.executable, "-c", older), capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert "needs Python 3.11 to 3.14" in done.stderr
    assert "is 3.9" in done.stderr
    assert done.stdout == ""


def test_commands_write_to_stderr_and_cannot_ask(capfd: pytest.CaptureFixture[str]) -> None:
    ask = "import os, sys; print(os.environ['WORD'], repr(sys.stdin.read()))"
    code = bootstrap.ThisMachine().run((sys.executable, "-c", ask), {"WORD": "told"})
    out, err = capfd.readouterr()
    assert (code, out, err) == (0, "", "told ''\n")


def test_a_purpose_nobody_knows_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["everything"]) == 2
    assert "check | demo | test | bench" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/usr/bin/dpkg-query").exists(), reason="not run: no dpkg here")
def test_an_installed_package_is_known_and_an_invented_one_is_not() -> None:
    assert bootstrap.ThisMachine().installed(("dpkg", "no-such-package-anywhere")) == {"dpkg"}
