"""The benchmark of recorded messages: what counts as odd, what is measured, and where the documents come from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from benchmarks import recorded, recordings, sections, targets
from benchmarks.data import mixed_history
from benchmarks.section import Scale
from benchmarks.timing import Rounds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Each test measures, and collecting garbage before each round takes long beside thousands of other tests.
pytestmark = pytest.mark.slow
USUAL = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
ODD: Mapping[str, dict[str, Any]] = {
    "a note": {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    "extras": {"role": "assistant", "content": "Hello", "refusal": None},
    "native": {"role": "user", "content": [{"type": "hologram", "data": "x"}]},
    "extras of a block": {"role": "user", "content": [{"type": "text", "text": "Hi", "x_new": 1}]},
}


@pytest.fixture
def no_test_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the test data."""
    monkeypatch.setattr(recordings, "SHARED", tmp_path / "nowhere")


def _measured(name: str, documents: list[Any]) -> recorded.Measured:
    found = recorded.measure(name, documents, mixed_history(24), Rounds(1))
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_message_is_told_from_usual_ones(kind: str) -> None:
    """A message is odd if it was read with notes, extras or native blocks; a body's own fields don't count."""
    found = _measured("openai", [{"model": "m", "x_new": 1, "messages": [*USUAL, ODD[kind]]}])
    assert found.counts == {recorded.USUAL: 2, recorded.ODD: 1, recorded.ALL: 3}


def test_every_kind_is_read_written_and_converted() -> None:
    """The usual, odd and all messages, and the made ones, are measured in each way, in the same rounds."""
    found = _measured("openai", [[*USUAL, ODD["a note"]]])
    kinds = {recorded.USUAL, recorded.ODD, recorded.ALL, recorded.MADE}
    assert {way: set(runs) for way, runs in found.times.items()} == dict.fromkeys(
        ("decode", "encode", "convert"), kinds
    )


def test_responses_are_measured_whole() -> None:
    """A response isn't split, and one that the codec refuses is counted as such."""
    made = am.History([message for message in mixed_history(12) if message.role == "assistant"][:1])
    response = am.encode(made, "openai-response", on_loss="ignore")
    found = _measured("openai-response", [response, {"error": {"message": "overloaded"}}])
    assert (found.counts[recorded.ALL], found.refused) == (1, 1)


@pytest.mark.usefixtures("no_test_data")
def test_the_samples_have_usual_and_odd_messages() -> None:
    """The documents shipped for use without recordings are read, and some of them are odd in every format."""
    found = recordings.find(None)
    assert found.source == "the shipped samples"
    assert set(found.documents) == {"anthropic", "langchain", "openai"}
    for name, documents in found.documents.items():
        measured = _measured(name, list(documents))
        assert measured.refused == 0
        assert set(measured.counts) == {recorded.USUAL, recorded.ODD, recorded.ALL}


def test_a_folder_of_documents_is_measured(tmp_path: Path) -> None:
    """``--recorded`` takes a folder for each codec, and reports one without documents."""
    (tmp_path / "openai").mkdir()
    (tmp_path / "openai" / "a.json").write_text(json.dumps(USUAL))
    (tmp_path / "openai" / "b.jsonl").write_text(f"{json.dumps([ODD['extras']])}\n{json.dumps(USUAL)}\n")
    measure = sections.SECTIONS["recorded"]
    section = measure(Scale(mixed_history(12), Rounds(1), recordings=tmp_path))
    assert {name: figures.get("messages") for name, figures in section.rows.items()} == {
        "openai: usual": 4, "openai: odd": 1, "openai: all": 5, "openai: made": None,
    }  # fmt: skip
    assert [ratio.name for ratio in targets.ratios({"recorded": section})] == [
        f"openai: {kind} {way} / openai: usual" for kind in ("odd", "all") for way in ("decode", "encode")
    ]
    empty = measure(Scale(mixed_history(12), Rounds(1), recordings=tmp_path / "openai"))
    assert "no CODEC/*.json" in empty.missing[0].why
