"""LangGraph's savers for SQLite and PostgreSQL: their threads are read from their tables."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from real.library import python_of
from real.test_real_recipes import surroundings
from support.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

pytestmark = pytest.mark.slow


def check(place: str, folder: Path) -> None:
    """Run the worker on a place where a saver keeps its tables."""
    command = [python_of("langgraph"), "-m", "real.workers.with_langgraph", place]
    done = subprocess.run(
        command, cwd=folder, env=surroundings(folder), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(name="url", scope="module")
def _url() -> Generator[str]:
    with postgresql() as url:
        yield url


def test_sqlite_savers_threads(tmp_path: Path) -> None:
    """Each thread in the tables of ``SqliteSaver`` is what LangGraph says it is."""
    check(str(tmp_path / "checkpoints.sqlite"), tmp_path)


def test_postgres_savers_threads(tmp_path: Path, url: str) -> None:
    """Each thread in the tables of ``PostgresSaver`` is what LangGraph says it is."""
    check(url, tmp_path)
