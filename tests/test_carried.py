"""Law 3d, measured: what each format carries of every field, alone. A lazy writer is honest, but shows here."""

from __future__ import annotations

import pytest

import agentmsg as am
from support.carried import measured, stored


@pytest.mark.parametrize("name", am.codec_names())
def test_a_format_carries_what_it_carried(name: am.CodecName) -> None:
    """The table in stored/carried.txt; ``python -m support.carried`` writes it anew."""
    codec = am.get_codec(name)
    found, known = measured(codec), stored(codec)
    assert {label: mark for label, mark in found.items() if known.get(label) != mark} == {}
    assert known.keys() == found.keys()
