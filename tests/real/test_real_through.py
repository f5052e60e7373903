"""Law 9: what a framework's own client sends of a converted history is what it sends of its own messages.

``through/through.py`` of the test data takes recorded answers and requests through the real frameworks, whose clients
send them to a server on the loopback address. Here its rows are judged: nothing is missing but what the report tells as
content, or what the client itself can't do, by its reasons.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import agentmsg
import agentmsg_codecs
from data import shared_dir
from real.library import python_of
from real.through_left import REASONS, reasons_of

pytestmark = pytest.mark.slow

FRAMEWORKS = ("langchain:", "langchain-v1:", "pydantic-ai:", "agentscope:", "vercel:", "vercel-stored:", "vercel-ui:")


def rows_of(framework: str, folder: Path) -> list[dict[str, Any]]:
    """Return what the script found for the pairs of a framework with each provider."""
    script = shared_dir() / "through"
    modules = Path(os.environ["AGENTMSG_REAL_VERCEL"]).parent / "node_modules"
    shutil.copy(script / "vercel.mjs", folder)
    (folder / "node_modules").symlink_to(modules)
    roots = {str(Path(str(package.__file__)).parents[1]) for package in (agentmsg, agentmsg_codecs)}
    found = folder / "rows.json"
    subprocess.run(
        [python_of("through"), script / "through.py", "--only", framework, "--show", "0", "--json", found],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots), "VERCEL_MODULES": str(folder)},
        check=False,  # it fails where a row isn't the same
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=600,
    )
    rows: list[dict[str, Any]] = json.loads(found.read_text())
    return [row for row in rows if "skipped" not in row]


def is_told(row: dict[str, Any]) -> bool:
    """Whether the report of the conversion tells that content is lost."""
    return any(place.endswith(": content") for place in row.get("told", ()))


def fault(row: dict[str, Any]) -> Any:
    """Return what is wrong with a row: that it failed, what is missing or, of an answer, what is sent besides."""
    is_into = row["way"] == "into"
    if "failed" in row or (row["missing"] and (is_into or not is_told(row))):
        return row.get("failed") or row["missing"]
    return row["added"] if is_into and not is_told(row) else None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_clients_send_the_same(framework: str, tmp_path: Path) -> None:
    """An answer arrives whole, and once; what a request has and the framework lacks is told; nothing is refused."""
    rows = rows_of(framework, tmp_path)
    assert len(rows) > 100
    odd = {f"{row['pair']} {row['way']} {row['document']}": (row, why) for row in rows if (why := fault(row))}
    explained = {title: reasons_of(*each) for title, each in odd.items()}
    assert {title: odd[title][1] for title, reasons in explained.items() if reasons is None} == {}
    mine = {left for left in REASONS if any(pair.startswith(framework) for pair in left.pairs.split())}
    assert mine - set().union(*filter(None, explained.values())) == set(), "these are the same by now"
