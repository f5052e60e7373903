"""The benchmark of streams runs, at a size so tiny that its figures mean nothing."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks.streams import MANY, MEASURES, OFTEN, SDK


@pytest.mark.slow
def test_streams_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The section of streams has ours beside the SDKs', and a promise for growth at everything that is done."""
    assert command.main(["--messages", "12", "--rounds", "1", "--only", "streams"]) == 0
    printed = capsys.readouterr().out
    assert not [name for name in ("agentmsg", MANY, OFTEN, SDK) if f"\n{name} " not in printed]
    assert not [name for name in MEASURES if f"\n{MANY} {name} / {OFTEN}" not in printed]
