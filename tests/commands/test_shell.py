"""Commands as argument vectors: in the sandbox of this machine, and without one (contract 2.2)."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from deskhand.commands import ToolContext, ToolOutcome
from deskhand.commands.call import Call
from deskhand.commands.catalogue import Catalogue
from deskhand.commands.techniques.sandbox import find_sandbox
from deskhand.commands.tools.shell import OUTPUT_LIMIT_BYTES, RunCommand, Shell, StreamExcerpt, shell_tools
from deskhand.core.command import Command, Effect, EffectClass, ToolType
from deskhand.core.errors import ActionRefused, ReplyDefect
from deskhand.core.json import JsonValue
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.fake import FakeDesktop
from support import need_sandbox, wait_for


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Programs need time that passes."""
    return "asyncio"


class Bench:
    """A shell in a folder of its own, and what its tools need."""

    def __init__(self, root: Path, *, boxed: bool) -> None:
        self.folder, self.documents = root / "shell", root / "documents"
        self.documents.mkdir()
        self.sandbox = find_sandbox(self.folder, [self.documents]) if boxed else None
        if boxed:
            need_sandbox()
        self.shell = Shell(self.folder, self.sandbox)
        self.tools = ToolContext(FakeDesktop())

    async def run(self, *argv: str, **options: object) -> ToolOutcome:
        arguments = RunCommand.model_validate({"argv": list(argv), **options})
        return await self.shell.run_command(self.tools, _call(), arguments)

    async def look(self) -> str:
        return str((await self.shell.look_at_shell(self.tools, _call(), RunCommand(argv=["-"]))).data)


def _call() -> Call:
    return Call(Command("run_command"), None, None)


def fields(outcome: ToolOutcome) -> dict[str, object]:
    return dict(pairs_of(outcome.data))


def printed(outcome: ToolOutcome) -> str:
    return str(fields(outcome)["stdout"])


def running(word: str) -> Sequence[int]:
    """The processes that have this argument."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture
def long() -> str:
    """A number of seconds that nobody else sleeps."""
    return f"{1000 + os.getpid()}.5"


@pytest.fixture(params=[True, False], ids=["in the sandbox", "without one"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(tmp_path, boxed=request.param)


@pytest.fixture
def boxed(tmp_path: Path) -> Bench:
    return Bench(tmp_path, boxed=True)


@pytest.mark.requires("shell.vectors")
@pytest.mark.parametrize("word", ["$(id)", "a b", "* ; ls", "`id`", "'", "-é–漢"])
async def test_an_argument_reaches_the_program_as_it_is(bench: Bench, word: str) -> None:
    assert printed(await bench.run("printf", "%s|%s", word, "end")) == f"{word}|end"


async def test_what_it_does_is_what_the_program_says(bench: Bench) -> None:
    good, bad = await bench.run("true"), await bench.run("sh", "-c", "echo oh >&2; exit 3")
    assert (good.effect, good.evidence) == (Effect.CONFIRMED, "exit code 0")
    assert (bad.effect, bad.evidence) == (Effect.PARTIAL, "exit code 3: oh")
    assert bad.data == {"exit_code": 3, "stdout": "", "stderr": "oh\n", "truncated": False}


async def test_it_reads_what_it_is_given_and_works_in_its_folder(bench: Bench) -> None:
    await bench.run("mkdir", "sub")
    assert printed(await bench.run("tr", "a-z", "A-Z", stdin="words")) == "WORDS"
    assert printed(await bench.run("pwd", cwd="sub")) == f"{bench.folder}/sub\n"
    assert printed(await bench.run("sh", "-c", "echo $HOME")) == f"{bench.folder}\n"


@pytest.mark.parametrize("cwd", ["missing", "circle", "circle/below"])
async def test_what_is_no_folder_is_refused_as_one(bench: Bench, cwd: str) -> None:
    bench.folder.mkdir()
    (bench.folder / "circle").symlink_to("circle")
    with pytest.raises(ActionRefused, match="there is no folder"):
        await bench.run("ls", cwd=cwd)


async def test_a_program_that_does_not_read_its_input_is_no_failure(bench: Bench) -> None:
    assert (await bench.run("true", stdin="x" * 1_000_000)).effect is Effect.CONFIRMED


@pytest.mark.long
@pytest.mark.requires("shell.bounded")
async def test_one_that_does_not_end_is_stopped_with_all_it_started(bench: Bench, long: str) -> None:
    ended = await bench.run("sh", "-c", f"setsid sleep {long} & sleep {long} & echo up; sleep {long}", timeout_s=2)
    assert (ended.effect, ended.evidence, printed(ended)) == (Effect.PARTIAL, "stopped after 2 s", "up\n")
    assert running(long) == []


async def test_what_a_command_leaves_in_the_background_ends_with_it(bench: Bench, long: str) -> None:
    assert printed(await bench.run("sh", "-c", f"setsid sleep {long} & echo started")) == "started\n"
    assert running(long) == []


@pytest.mark.requires("shell.bounded")
async def test_a_cancelled_command_leaves_nothing_running(bench: Bench, long: str) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bench.run, "sleep", long)
        await to_thread.run_sync(wait_for, lambda: running(long))
        tasks.cancel_scope.cancel()
    assert running(long) == []


@pytest.mark.requires("shell.bounded")
async def test_of_a_long_output_the_beginning_and_the_end_are_kept(bench: Bench) -> None:
    ended = await bench.run("seq", "1", "200000")
    text = printed(ended)
    assert (fields(ended)["truncated"], text[:4], text[-7:]) == (True, "1\n2\n", "200000\n")
    assert "bytes left out" in text
    assert len(text) < OUTPUT_LIMIT_BYTES + 100


def test_nothing_of_an_output_within_the_limit_is_left_out() -> None:
    excerpt = StreamExcerpt()
    for size in (1, 40_000, OUTPUT_LIMIT_BYTES - 40_001):
        excerpt.add(b"x" * size)
    assert (excerpt.left_out, len(excerpt.text())) == (0, OUTPUT_LIMIT_BYTES)
    excerpt.add(b"y")
    assert excerpt.left_out == 1


@pytest.mark.parametrize("program", ["no-such-program", "/no/such", "./none", ""])
async def test_a_program_that_is_not_there_is_refused(bench: Bench, program: str) -> None:
    with pytest.raises(ActionRefused, match="there is no program"):
        await bench.run(program)
    assert not bench.tools.delivered


@pytest.mark.parametrize("argv", [[], ["a\0b"], ["\ud800"], "ls -l"], ids=["empty", "NUL", "no text", "a line"])
def test_what_is_no_argument_vector_breaks_the_schema(tmp_path: Path, argv: JsonValue) -> None:
    catalogue = Catalogue(shell_tools(tmp_path))
    with pytest.raises(ReplyDefect, match="run_command: argv"):
        catalogue.validate("run_command", {"argv": argv})


@pytest.mark.requires("shell.sandbox")
async def test_inside_nothing_but_its_folder_can_be_written_and_no_home_be_read(
    boxed: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("home") / "secret"
    secret.write_text("secret")
    script = f"cat {secret} /etc/shadow; ls /root /home; touch /usr/x /etc/x {boxed.documents}/x; touch mine && ls"
    ended = await boxed.run("sh", "-c", script)
    assert printed(ended) == "mine\n"
    assert not (boxed.documents / "x").exists()


@pytest.mark.requires("shell.sandbox")
async def test_inside_documents_are_read_where_they_are(boxed: Bench) -> None:
    (boxed.documents / "a.txt").write_text("one two")
    assert printed(await boxed.run("cat", f"{boxed.documents}/a.txt")) == "one two"
    assert f"Can be read: {boxed.documents}" in await boxed.look()


@pytest.mark.requires("shell.sandbox")
async def test_inside_there_is_no_network_and_nobody_elses_process(boxed: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"import socket; socket.create_connection({server.getsockname()}, 2)"
        ended = await boxed.run("/usr/bin/python3", "-c", connect)
    assert ended.evidence.startswith("exit code 1: ConnectionRefused")
    assert "refused" in str(ended.data)
    assert len(printed(await boxed.run("sh", "-c", "echo /proc/[0-9]*")).split()) < 6


@pytest.mark.requires("shell.sandbox")
@pytest.mark.parametrize("cwd", ["..", "/", "/root", "link"])
async def test_inside_it_cannot_work_elsewhere(boxed: Bench, cwd: str) -> None:
    boxed.folder.mkdir()
    (boxed.folder / "link").symlink_to("/")
    with pytest.raises(ActionRefused, match="is not a folder commands may work in"):
        await boxed.run("ls", cwd=cwd)


@pytest.mark.requires("shell.sandbox")
def test_only_commands_outside_a_sandbox_are_a_shell_to_the_policy(tmp_path: Path) -> None:
    def effect_class(shell: Shell) -> EffectClass:
        return next(t.spec.effect_class for t in shell.tools if t.spec.tool_type is ToolType.ACTION)

    need_sandbox()
    box = find_sandbox(tmp_path, [])
    assert effect_class(Shell(tmp_path, box)) is EffectClass.EDIT
    assert effect_class(Shell(tmp_path, None)) is EffectClass.SHELL


async def test_a_job_in_the_background_announces_its_end(bench: Bench) -> None:
    async with bench.tools.external as external:
        told = await bench.run("sh", "-c", "echo made", background=True)
        assert (told.data, told.effect) == ({"job": "job 1 (sh)"}, Effect.CONFIRMED)
        with anyio.fail_after(20):
            (arrival,) = await external.next_arrivals()
    assert str(arrival) == "job 1 (sh): exit code 0; it printed: made\n"
    assert "stdout:\nmade" in await bench.look()


async def test_it_shows_the_folder_and_what_the_last_command_said(bench: Bench) -> None:
    assert await bench.look() == await bench.look()
    assert "(empty)" in await bench.look()
    await bench.run("sh", "-c", "echo text > a.txt; mkdir b; echo 'x y'; echo oh >&2")
    view = await bench.look()
    assert "a.txt (5 bytes)\nb/\n" in view
    assert "Last command: 'sh' '-c' \"echo text" in view
    assert view.endswith("exit code 0\nstdout:\nx y\n\nstderr:\noh\n")
