"""Law 1 for documents of which several values at once are others, or stand where they have no meaning."""

from __future__ import annotations

from random import Random

import pytest

import agentmsg as am
from agentmsg.testing.laws import exact_return
from agentmsg.testing.recombining import Recombiner
from data import effort
from support.documents import documents

# Each documents of its own; with other seeds there are others.
_SEED = 0


@pytest.mark.parametrize("name", am.codec_names())
def test_recombined_documents_come_back(name: am.CodecName) -> None:
    """What is read comes back, whatever is recombined in it."""
    codec, recombiner = am.get_codec(name), Recombiner(document for _, document in documents(name))
    rng = Random(f"{name} {_SEED}")
    read = 0
    for _ in range(effort(2000)):
        document = recombiner.draw(rng)
        read += exact_return(codec, document) is not None
    assert read
