"""Work on clusters: the one that is there is used, the summary says which, and a lost worker costs its piece only."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files.engines import ENGINES, Crew
from support.files import ENVIRONMENT, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
# What Ray has in the environment of its workers, besides our import path.
QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}
VARIABLES = {"dask": "DASK_SCHEDULER_ADDRESS", "ray": "RAY_ADDRESS"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges, and no cluster named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="module", params=["dask", "ray"])
def cluster(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Start a cluster of two nodes or workers on this machine; return the engine, and the address."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PYTHONPATH": ENVIRONMENT["PYTHONPATH"], **QUIET}.items():
            patch.setenv(name, value)
        started = _dask() if request.param == "dask" else _ray()
        for address in started:
            yield request.param, address


def _dask() -> Iterator[str]:
    cluster = import_module("distributed").LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    yield cluster.scheduler_address
    cluster.close()


def _ray() -> Iterator[str]:
    cluster: Any = import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


def agentmsg(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, prog_name="agentmsg")


def converted(target: str, *more: str) -> Result:
    """Convert a file of many pieces, some of whose lines are bad."""
    lines("a.jsonl", bad=[3, 150])
    command = ["convert", "a.jsonl", "-f", "openai", "-t", "anthropic", "-o", target, "--losses", f"{target}.l.jsonl"]
    return agentmsg(*command, *more)


# -- before any cluster runs here: Ray would find it


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_a_cluster_that_is_not_there_is_one_error(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody answers is an error that names it; nothing is written."""
    if engine == "dask":
        import_module("distributed")  # brings its settings
        with import_module("dask").config.set({"distributed.comm.timeouts.connect": "2s"}):
            done = converted("b.jsonl", "--engine", engine, "--address", "127.0.0.1:9")
    else:
        monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", "1")
        done = converted("b.jsonl", "--engine", engine, "--address", "127.0.0.1:9")
    assert done.exit_code == 1, done.output
    assert "error [unavailable] no" in done.stderr
    assert "127.0.0.1:9" in done.stderr
    assert not Path("b.jsonl").exists()


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_without_a_cluster_it_is_this_machine(engine: str) -> None:
    """If no cluster is named or runs here, the summary says that this machine did the work."""
    done = converted("b.jsonl", "--engine", engine, "--jobs", "2")
    assert done.exit_code == 3, done.output
    assert f"ran on this machine: no {engine.title()} cluster" in done.stderr


def test_an_address_needs_an_engine() -> None:
    """An address alone is a wrong command line."""
    assert converted("b.jsonl", "--address", "127.0.0.1:9").exit_code == 2


# -- on a cluster


@pytest.mark.parametrize("way", ["address", "variable"])
def test_the_named_cluster_does_the_work(cluster: tuple[str, str], way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """--address and the variable are heeded; the bytes are the same, and the summary says where the work was done."""
    engine, address = cluster
    if way == "variable":
        monkeypatch.setenv(VARIABLES[engine], address)
    done = converted("c.jsonl", "--engine", engine, *(("--address", address) if way == "address" else ()))
    assert done.exit_code == 3, done.output
    told = next(line for line in done.stderr.splitlines() if "ran on" in line)
    assert told.startswith(f"agentmsg: ran on {engine.title()} at {address}: ")
    assert told.endswith(("node", "nodes"))
    assert "worker" in told
    converted("l.jsonl")
    for suffix in ("", ".l.jsonl", ".bad.jsonl"):
        assert Path(f"c.jsonl{suffix}").read_bytes() == Path(f"l.jsonl{suffix}").read_bytes()
    back = agentmsg(
        "restore", "c.jsonl", "c.jsonl.l.jsonl", "-o", "back.jsonl", "--engine", engine, "--address", address
    )
    assert back.exit_code == 0, back.output
    assert len(Path("back.jsonl").read_bytes().splitlines()) == 198


def dying(number: int, folder: str, *, lives: int = 1) -> int:
    """Kill this process as often as it has lives left for a number that is 3."""
    for life in range(lives if number == 3 else 0):
        try:
            Path(folder, str(life)).touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_lost_worker_costs_its_piece(cluster: tuple[str, str]) -> None:
    """If a worker is killed, others run its call again, and nothing else is lost."""
    engine, address = cluster
    crew = Crew(address=address)
    calls = [(number, str(Path.cwd())) for number in range(8)]
    found = sorted(ENGINES[engine](dying, calls, crew, lambda number, size, documents: None))
    assert found == [(number, number) for number in range(8)]
    assert Path("0").exists(), "a worker was killed"
    assert len(crew.workers) >= 1


def refusing(number: int) -> int:
    """Raise an error of ours."""
    raise am.FileError(f"no {number}", code="file")


def test_an_error_of_a_piece_is_that_of_the_run(cluster: tuple[str, str]) -> None:
    """Our errors come from a worker as they are."""
    engine, address = cluster
    with pytest.raises(am.FileError, match="no 1"):
        list(ENGINES[engine](refusing, [(1,)], Crew(address=address), lambda number, size, documents: None))


def test_ray_finds_the_cluster_of_this_machine(cluster: tuple[str, str]) -> None:
    """Without any address, Ray takes the cluster that runs here."""
    engine, address = cluster
    if engine == "ray":
        assert f"ran on Ray at {address}: " in converted("b.jsonl", "--engine", engine).stderr
