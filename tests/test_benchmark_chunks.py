"""The benchmark of chunks runs, at a size so tiny that its figures mean nothing."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks.chunks import MANY, OFTEN, ONE_BY_ONE


@pytest.mark.slow
def test_chunks_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The section of chunks has ours beside langchain-core's, and a promise for both speed and growth."""
    assert command.main(["--messages", "12", "--rounds", "1", "--only", "chunks"]) == 0
    printed = capsys.readouterr().out
    assert not [name for name in ("agentmsg", MANY, OFTEN, "langchain-core", ONE_BY_ONE) if f"\n{name} " not in printed]
    assert printed.count("chunks add / ") == 2
