"""codecs/README.md is generated, and must be what the codecs say today."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentmsg as am
import agentmsg_codecs
from support.codecs_readme import render

README = Path(__file__).resolve().parents[1] / "codecs" / "README.md"


@pytest.fixture(scope="module")
def text() -> str:
    """Return what the generator writes now."""
    return render()


def test_is_up_to_date(text: str) -> None:
    """The file is what the generator writes: ``python -m support.codecs_readme > codecs/README.md``."""
    assert README.read_text(encoding="utf-8") == text


def test_is_the_same_each_time(text: str) -> None:
    """The generator depends on nothing but the codecs."""
    assert render() == text


def test_tells_every_codec(text: str) -> None:
    """Each codec has its section, and its row and column in the table of pairs."""
    for name in agentmsg_codecs.CODECS:
        assert f"\n## {name}: {am.get_codec(name).title}\n" in text
    assert f"\n| from \\ to | {' | '.join(agentmsg_codecs.CODECS)} |\n" in text


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_canonical_forms_are_exact(text: str, name: str) -> None:
    """Between the canonical forms nothing is ever lost."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
    column = list(agentmsg_codecs.CODECS).index(name)
    assert row.split(" | ")[column + 1].strip(" |") == "exact"
