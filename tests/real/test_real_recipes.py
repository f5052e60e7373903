"""The recipes of the guides, from their text, with real libraries and servers: everything stored comes back."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

import agentmsg
import agentmsg_codecs
from real.library import python_of
from real.workers.run_recipe import CHECKS, CLUSTERS, GUIDE
from support.examples import ROOT, examples
from support.servers import postgresql, redis

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python() -> Path:
    """Return the Python that has the libraries."""
    return Path(python_of("recipes"))


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    """Start a Redis server."""
    with redis() as url:
        yield url


@pytest.fixture(scope="module")
def postgresql_url() -> Iterator[str]:
    """Start a PostgreSQL server."""
    with postgresql() as url:
        yield url


def surroundings(folder: Path, **more: str) -> dict[str, str]:
    """Return the variables of a recipe: our code, no network, and no file outside a folder."""
    ours = {str(Path(package.__path__[0]).parent) for package in (agentmsg, agentmsg_codecs)}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    paths = os.pathsep.join([*sorted(ours), str(ROOT / "tests")])
    return {**clean, "PYTHONPATH": paths, "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1", **more}


def recipe(python: Path, name: str, folder: Path, **more: str) -> None:
    """Run a recipe in its environment, in a folder."""
    command = [str(python), "-m", "real.workers.run_recipe", name]
    done = subprocess.run(
        command, cwd=folder, env=surroundings(folder, **more), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["parquet", "datasets", "duckdb", "polars"])
def test_tables_keep_documents(name: str, python: Path, tmp_path: Path) -> None:
    """Documents that a table holds convert there and back exactly."""
    recipe(python, name, tmp_path)


@pytest.mark.parametrize("name", ["ray", "dask", "spark"])
def test_clusters_convert_tables(name: str, tmp_path: Path) -> None:
    """Rows of a dirty file are converted and restored on a cluster, or say what is wrong with them."""
    python = Path(python_of("clusters"))
    # A folder of its own, with a short name for sockets: else Ray takes a cluster that another test has started.
    with TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as own:
        settings = {"RAY_TMPDIR": own, "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": str(python)}
        recipe(python, name, tmp_path, **settings)


def test_sqlite_keeps_histories(python: Path, tmp_path: Path) -> None:
    """The type for SQLAlchemy stores histories exactly in SQLite."""
    recipe(python, "sqlalchemy", tmp_path, DATABASE_URL=f"sqlite:///{tmp_path / 'chats.db'}")


def test_postgresql_keeps_histories(python: Path, tmp_path: Path, postgresql_url: str) -> None:
    """The type for SQLAlchemy stores histories exactly in PostgreSQL."""
    recipe(python, "sqlalchemy", tmp_path, DATABASE_URL=postgresql_url)


def test_redis_keeps_messages(python: Path, tmp_path: Path, redis_url: str) -> None:
    """A list in Redis holds the messages of a history exactly."""
    recipe(python, "redis", tmp_path, REDIS_URL=redis_url)


@contextmanager
def worker(python: Path, folder: Path, **more: str) -> Generator[None]:
    """Run a worker of Celery for the tasks in a folder."""
    command = [str(python), "-m", "celery", "-A", "tasks", "worker", "--pool", "solo", "--without-mingle"]
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(command, cwd=folder, env=surroundings(folder, **more), stdout=log, stderr=log)
    try:
        yield
    except AssertionError as error:
        error.add_note((folder / "log").read_text(encoding="utf-8", errors="replace"))
        raise
    finally:
        started.terminate()
        started.wait(timeout=60)


def test_celery_passes_histories(python: Path, tmp_path: Path, redis_url: str) -> None:
    """Messages and histories are arguments and results of tasks that another process runs, exactly."""
    tasks, *_ = [each.text for each in examples(GUIDE) if "celery" in each.needs]
    (tmp_path / "tasks.py").write_text(tasks, encoding="utf-8")
    with worker(python, tmp_path, REDIS_URL=redis_url):
        recipe(python, "celery", tmp_path, REDIS_URL=redis_url)


def test_every_recipe_is_run() -> None:
    """Each block of the guides that needs the libraries belongs to a recipe that the tests above run."""
    named = {name for guide in (GUIDE, CLUSTERS) for each in examples(guide) for name in each.needs}
    assert named == {"recipes", *CHECKS}
