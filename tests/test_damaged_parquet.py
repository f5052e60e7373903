"""Parquet files with damaged bytes, and files with bad first rows: Arrow's errors and ours."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from support.files import process

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_damaged_metadata_never_ends_the_process() -> None:
    """Whatever a Parquet file claims, reading it gives rows or our errors: Arrow's own ways out are avoided."""
    done = process("-m", "support.damaged_rows")
    assert done.returncode == 0, done.stderr
    rows, errors = map(int, done.stdout.split())
    assert min(rows, errors) > 100


def test_the_only_column_is_the_one(tmp_path: Path) -> None:
    """A file of one text column needs no further option, even if its first rows aren't documents."""
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    rows = [None, "{]", '{"messages":[{"role":"user","content":"Hi"}]}']
    parquet.write_table(pa.table({"log": rows}), tmp_path / "a.parquet")
    found = am.load_lines(tmp_path / "a.parquet", "openai")
    for code in ("required", "syntax"):
        with pytest.raises(am.DecodeError) as caught:
            next(found)
        assert caught.value.code == code
    assert [history[0].text for history in found] == ["Hi"]
