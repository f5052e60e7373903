"""Laws 1 and 3 if several values at once are changed, or are in places without meaning."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings

import agentmsg as am
from agentmsg.formats.forms.schemas import schema_of
from agentmsg.testing.laws import exact_return, honest_account, owned
from agentmsg.testing.native_objects import natives_of
from data import effort
from support.documents import documents
from support.mixing import Mixer
from support.recombining import Recombiner

# Another seed gives other documents and histories.
_SEED = 0
_MOST = 60
# The number of native objects of each form.
_OF_EACH = 4


def _parts(codec: am.Codec) -> list[Any]:
    """Return native objects of all forms of a codec, even those in none of its documents."""
    found: list[Any] = []
    for described in codec.described:
        strategy = natives_of(schema_of(described, *codec.described))
        for form in described.forms:

            @settings(max_examples=_OF_EACH, derandomize=True, database=None, phases=[Phase.generate])
            @given(strategy(form))
            def collect(native: Any) -> None:
                found.append(native)

            collect()
    return found


@pytest.mark.parametrize("name", am.codec_names())
def test_recombined_documents_come_back(name: am.CodecName) -> None:
    """Read documents come back as the caller's own, whatever keys and objects of the format are recombined in them."""
    codec = am.get_codec(name)
    keys = sorted({key for described in codec.described for form in described.forms.values() for key in form.keys})
    recombiner = Recombiner((document for _, document in documents(name)), keys, _parts(codec))
    rng = Random(f"{name} {_SEED}")
    read = 0
    for _ in range(effort(1000)):
        history = exact_return(codec, recombiner.draw(rng))
        if history is not None:
            owned(codec, history)
            read += 1
    assert read


@cache
def _mixer() -> Mixer:
    return Mixer(history for name in am.codec_names() for history in _some_read(name))


def _some_read(name: am.CodecName) -> list[am.History]:
    """Return the readable ones of a codec's short documents."""
    codec = am.get_codec(name)
    found: list[am.History] = []
    for _, document in sorted(documents(name), key=lambda pair: len(repr(pair[1])))[:_MOST]:
        try:
            found.append(codec.read(document))
        except am.AgentMsgError:
            continue
    return found


@pytest.mark.parametrize("name", am.codec_names())
def test_mixed_histories_come_back_or_are_told(name: am.CodecName) -> None:
    """Other formats' extras and notes are reported or kept, in any place."""
    codec, rng = am.get_codec(name), Random(f"{name} {_SEED}")
    for _ in range(effort(300)):
        honest_account(codec, _mixer().draw(rng))
