"""Every document of a format comes back from every other format: the document written, and its loss report on file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from data import WHOLE
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg_codecs import CodecName

NAMES = am.codec_names()


def tried(source: CodecName) -> Iterator[tuple[str, Any, CodecName]]:
    """Yield documents with the formats to write: each with the next one in turn, in the profile ``long`` with all."""
    for number, (title, document) in enumerate(documents(source)):
        for target in NAMES if WHOLE else (NAMES[number % len(NAMES)],):
            yield title, document, target


def plain(document: Any) -> Any:
    """Return a document as another program reads it."""
    return document if isinstance(document, bytes) else json.loads(json.dumps(am.thaw(document)))


@pytest.mark.parametrize("source", NAMES)
def test_documents_come_back_from_every_format(source: CodecName) -> None:
    """What is restored is written as the document that was read."""
    torn: list[str] = []
    for title, document, target in tried(source):
        done = am.convert(document, source, target)
        back = am.decode(plain(done.document), target)
        again = am.encode(am.restore(back, am.load_losses(done.dump_losses())), source)
        if plain(again) != plain(document):
            torn.append(f"{title} to {target}")
    assert torn == []
