"""The straight-line writers of AgentScope and Synaptic, compared with their careful paths, the reference."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fitting.fit import fit
from agentmsg.model.construction import replacer
from agentmsg.model.times import write_time
from agentmsg.testing import edit, histories, mutate
from agentmsg.values.frozen import adopt
from agentmsg_codecs.agentscope import AgentScopeCodec
from agentmsg_codecs.agentscope.java import AgentScopeJavaCodec
from agentmsg_codecs.synaptic import SynapticCodec
from benchmarks.data import mixed_history
from data import effort
from support.documents import documents

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

CODECS = (
    AgentScopeCodec(),
    AgentScopeCodec(version=2),
    AgentScopeJavaCodec(),
    AgentScopeJavaCodec(version=1),
    SynapticCodec(),
)
each_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: f"{codec.name} {getattr(codec, 'version', '')}")
_noted_message, _noted_result = replacer(am.Msg, "notes"), replacer(am.ToolResultBlock, "notes")
_with_content = replacer(am.Msg, "content")


def by_care(history: am.History, codec: Codec) -> am.History:
    """Return the history with a mark on each message and result that has no meaning, but leads to the careful path."""

    def marked(owner: Any) -> Any:
        return adopt({**owner.notes, codec.family: {**owner.notes.get(codec.family, {}), "/nothing": True}})

    def careful(message: am.Msg) -> am.Msg:
        if message.role == "tool":
            result: Any = message.content[0]
            message = _with_content(message, (_noted_result(result, marked(result)),))
        return _noted_message(message, marked(message))

    return history.evolve(messages=[careful(message) for message in history])


def same_on_both_paths(history: am.History, codec: Codec) -> None:
    """Write the supported part of a history on both paths, as bytes, so that the order of keys counts."""
    fitting = fit(history, codec).history
    careful = by_care(fitting, codec)
    assert codec.to_bytes(fitting) == codec.to_bytes(careful)


@each_codec
def test_documents_are_written_as_by_care(codec: Codec) -> None:
    """A read document, damaged or not, is written the same on both paths."""
    rng = random.Random(11)
    for _, document in documents(codec.name):
        for one in (document, *(mutate(document, rng) for _ in range(effort(4, least=1)))):
            try:
                history = am.decode(one, codec)
            except AgentMsgError:
                continue
            same_on_both_paths(history, codec)
            same_on_both_paths(edit(history, rng), codec)


@each_codec
def test_a_long_history_is_written_as_by_care(codec: Codec) -> None:
    """The history of the benchmarks is written the same on both paths."""
    same_on_both_paths(mixed_history(60), codec)


@each_codec
@given(history=histories())
def test_any_history_is_written_as_by_care(codec: Codec, history: am.History) -> None:
    """The supported part of any history is written the same on both paths."""
    same_on_both_paths(history, codec)


@each_codec
def test_encoded_data_are_the_callers_own(codec: Codec) -> None:
    """The result of encode shares nothing with the history: changing it changes no message."""
    call = am.Msg("assistant", (am.ToolUseBlock("c1", "f", {"a": {"b": [1]}}),), metadata={"k": {"x": 1}})
    before = am.dumps(call, codec)
    document = am.encode(call, codec)
    natives: list[Any] = [document]
    for native in natives:
        assert type(native) in (dict, list)
        values: list[Any] = [*native.values()] if isinstance(native, dict) else [*native]
        natives += [value for value in values if isinstance(value, (dict, list))]
    for native in natives:
        native.clear()
    assert am.dumps(call, codec) == before


@given(time=st.datetimes(timezones=st.none() | st.timezones()))
def test_times_are_written_as_isoformat_has_them(time: Any) -> None:
    """The short way to write a time gives the same as isoformat."""
    assert write_time(time) == time.isoformat()
