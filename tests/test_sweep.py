"""Every key of every kind of native object, damaged in every way, through every codec.

``AGENTMSG_PROFILE=long pytest tests/test_sweep.py -n auto`` tries each damage in each place with each target, and each
stored document with each codec; that takes hours. Else each codec is tried with a sample spread
over all of its places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from agentmsg import NativeBlock, codec_names, get_codec
from agentmsg.model.base import BaseBlock
from agentmsg.testing import damages, exact_return, nothing_hides, owners, returns_through
from data import WHOLE, some
from support.documents import documents

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

CODECS = tuple(get_codec(name) for name in codec_names())
# Canonical documents hold notes: their content is the user's own word.
NATIVE = tuple(codec for codec in CODECS if not codec.caps.everything)


each_native = pytest.mark.parametrize("codec", NATIVE, ids=lambda codec: codec.name)


@each_native
def test_nothing_that_a_damaged_document_says_is_lost_or_hidden(codec: Codec) -> None:
    """Laws 1 and 3f: it is refused, or comes back exactly, from any other format too; no note holds its content."""
    wrong: list[str] = []
    read = 0
    tried = some(damages(documents(codec.name)), 200)
    for index, damage in enumerate(tried):
        targets = CODECS if WHOLE else CODECS[index % len(CODECS) :][:1]
        try:
            read += (nothing_hides if damage.probed else exact_return)(codec, damage.document) is not None
            for target in targets:
                returns_through(codec, damage.document, target)
        except AssertionError as error:
            wrong.append(f"{damage.name}: {str(error)[:300]}")
    assert wrong == [], f"{len(wrong)} of {read}"
    assert read > len(tried) // 12, "the damage is such that nothing is read: it says nothing"


@each_native
def test_every_document_comes_back_from_every_format(codec: Codec) -> None:
    """Law 3f: the output and its loss report on file, in any format, rebuild the document."""
    wrong: list[str] = []
    for target in CODECS:
        for name, document in some(documents(codec.name), 8, least=2):
            try:
                assert returns_through(codec, document, target) is not None
            except AssertionError as error:
                wrong.append(f"{name}: {str(error)[:300]}")
    assert wrong == []


@each_native
def test_little_is_kept_as_it_stands(codec: Codec, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 2 % of blocks are native, and 3 % of objects have a native value in a note: more would be too many."""
    blocks = native = objects = verbatim = 0
    # A share of all recorded documents: reading them is quick, in every profile.
    monkeypatch.setattr("support.documents.recorded", list)
    for _, document in documents.__wrapped__(codec.name):
        for owner in owners(codec.read(document)):
            objects += 1
            blocks += isinstance(owner, BaseBlock)
            native += isinstance(owner, NativeBlock)
            verbatim += any(_is_verbatim(note) for note in owner.notes.values())
    assert native <= 0.02 * blocks, f"{native} of {blocks} blocks are native"
    assert verbatim <= 0.03 * objects, f"{verbatim} of {objects} objects have a native value in a note"


def _is_verbatim(note: Any) -> bool:
    return isinstance(note, dict) and any(
        isinstance(spelling, list) and spelling[:1] == ["="] for spelling in cast("dict[str, list[Any]]", note).values()
    )
