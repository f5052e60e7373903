"""Bytes that version 1 once wrote: every later version reads them, and this one writes them again."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentmsg as am
from support.grand_tour import grand_tour

V1 = Path(__file__).parent / "stored" / "v1"
CODECS: tuple[am.CodecName, ...] = ("json", "msgpack")


def _notes(history: am.History) -> list[object]:
    """Return the notes of all messages and blocks, which ``same`` ignores."""
    return [
        history.notes,
        *(message.notes for message in history),
        *(block.notes for message in history for block in message.content),
    ]


@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_are_read(codec: am.CodecName) -> None:
    """The stored bytes read as the grand tour, notes included."""
    history = am.loads((V1 / f"grand_tour.{codec}").read_bytes(), codec)
    assert am.same(history, grand_tour())
    own = [{key: note for key, note in dict(notes).items() if key != codec} for notes in _notes(history)]  # type: ignore[call-overload]
    assert own == _notes(grand_tour())


@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_are_written(codec: am.CodecName) -> None:
    """The grand tour is written as the stored bytes, down to the last one, also after reading them."""
    stored = (V1 / f"grand_tour.{codec}").read_bytes()
    assert am.dumps(grand_tour(), codec) == stored
    assert am.dumps(am.loads(stored, codec), codec) == stored


@pytest.mark.parametrize("codec", CODECS)
def test_stored_bytes_through_the_other_form(codec: am.CodecName) -> None:
    """Bytes stored in one form come back exactly after a conversion to the other."""
    stored = (V1 / f"grand_tour.{codec}").read_bytes()
    other: am.CodecName = "msgpack" if codec == "json" else "json"
    passed = am.loads(am.dumps(am.loads(stored, codec), other), other)
    assert am.dumps(passed, codec) == stored
