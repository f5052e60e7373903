"""The work per message is compared with a record: instructions and bytecodes, which a busy machine doesn't change."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import instructions
from benchmarks.instructions import BYTECODES, INSTRUCTIONS, RECORD, conditions, grown, measured, tasks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def _record(meter: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(RECORD.read_bytes())[meter]
    return found


@pytest.mark.parametrize("meter", [BYTECODES, pytest.param(INSTRUCTIONS, marks=pytest.mark.slow)])
def test_no_task_takes_much_more_than_recorded(meter: str) -> None:
    """Nothing takes over 10 % more than its record; ``python -m benchmarks.instructions --record`` writes a new one."""
    if meter == INSTRUCTIONS and shutil.which("valgrind") is None:
        pytest.skip("there is no valgrind to count instructions with; bytecodes are counted anyway")
    record = _record(meter)
    others = {
        name: f"{was}, here {conditions(meter)[name]}"
        for name, was in record["conditions"].items()
        if was != conditions(meter)[name]
    }
    if others:
        pytest.skip(f"recorded elsewhere: {others}")
    assert not grown(measured(meter), record["counts"])


def test_everything_is_recorded() -> None:
    """The record has each task, counted by both meters, and no other."""
    assert [set(_record(meter)["counts"]) for meter in (BYTECODES, INSTRUCTIONS)] == [set(tasks())] * 2


def test_growth_is_told() -> None:
    """Ten percent more are allowed, less is fine, and tasks without a record are reported."""
    record = {"a": 100, "b": 100, "c": 100}
    assert grown({"a": 110, "b": 20, "c": 111, "d": 1}, record) == [
        "c: 111 a message, recorded 100",
        "d: not recorded",
    ]


def test_counts_are_the_same_each_time() -> None:
    """Two processes count the same bytecodes, and decoding takes some."""
    first, second = measured(BYTECODES), measured(BYTECODES)
    assert first == second
    assert first["json.decode"] > 100
    assert first["orjson.decode"] == 0


def test_the_record_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--record`` writes the counts, with what they depend on; a later count is compared with them."""
    counts = dict.fromkeys(tasks(), 100.0)
    monkeypatch.setattr(instructions, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(instructions, "measured", {BYTECODES: counts, INSTRUCTIONS: counts}.__getitem__)
    assert instructions.main(["--record"]) == 0
    record = json.loads((tmp_path / "record.json").read_bytes())
    assert record[BYTECODES] == {"conditions": conditions(BYTECODES), "counts": counts}
    assert instructions.main([]) == 0
    counts["json.decode"] = 120.0
    assert instructions.main([]) == 1
    assert "bytecodes: json.decode: 120 a message, recorded 100" in capsys.readouterr().out
