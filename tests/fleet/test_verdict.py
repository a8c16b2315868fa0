"""Verdicts on nodes, and what is refused before a cluster is asked."""

import sys
from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.fleet.cluster import Cluster
from deskhand.fleet.verdict import Facts, difference, facts_function

OURS = Facts("0.1.0", "c0de", "3.11.7")


@pytest.mark.requires("fleet.nodes")
@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (OURS, ""),
        (OURS._replace(deskhand=""), "Deskhand is not installed there"),
        (OURS._replace(deskhand="0.2.0"), "it has Deskhand 0.2.0, this machine 0.1.0"),
        (OURS._replace(python="3.12.1"), "it runs Python 3.12.1, this machine 3.11.7"),
        (OURS._replace(code="0ther"), "its Deskhand 0.1.0 has other code than the one of this machine"),
    ],
)
def test_a_node_is_to_have_the_same_versions(theirs: Facts, reason: str) -> None:
    assert difference(theirs, OURS) == reason


def test_the_facts_are_those_of_the_package_that_runs() -> None:
    facts = Facts(*facts_function()())
    assert facts.python == sys.version.split()[0]
    assert facts == Facts(*facts_function()())


@pytest.mark.requires("fleet.nodes")
def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingRequirement, match="the extra `ray` is not installed") as caught:
        Cluster("auto")
    assert 'pip install "deskhand[ray]"' in caught.value.fix


@pytest.mark.requires("fleet.nodes")
@pytest.mark.parametrize("address", ["here", "10.0.0.1", "ray://10.0.0.1:10001", ":6379"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="is no address of a cluster"):
        Cluster(address)


@pytest.mark.requires("fleet.nodes")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--in-place",), "--in-place would change copies on the nodes"),
        (("--desktop", ":7"), "the tasks would share the desktop :7"),
        (("--param", "output=/tmp/of-all.txt"), "/tmp/of-all.txt would be written on a node and not here"),
    ],
)
def test_a_batch_that_nodes_cannot_carry_out_is_refused(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("save.yaml").write_text(
        "playbook: 1\nname: save\nparams:\n  output: {type: path, default: out.txt}\n"
        "host:\n  - {status: FINISH, result: done}\nagents: {}\n"
    )
    Path("tasks.jsonl").write_text('{"id": "one", "task": "Write"}\n')
    argv = ("run", "--mode", "batch", "--tasks", "tasks.jsonl", "--playbook", "save.yaml", "--ray", "10.0.0.1:6379")
    done = console(*argv, *options, "--out", "out")
    assert done.code == 2
    assert told in done.err
