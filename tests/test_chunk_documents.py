"""Chunks as documents: each comes back exactly or is refused with a typed error, whatever is done to it."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.testing import chunk_return, chunks, mutate
from data import effort
from support.chunk_documents import CHUNKED, chunk_documents
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.codec("langchain", "synaptic")

each_codec = pytest.mark.parametrize("name", list(CHUNKED))


@each_codec
def test_chunks_are_returned_exactly(name: am.CodecName) -> None:
    """Law 1: every recorded chunk is read, and written again unchanged."""
    codec = am.get_codec(name)
    found = chunk_documents(name)
    assert len(found) >= CHUNKED[name]
    for document in found:
        assert chunk_return(codec, document) is not None, document


@each_codec
def test_damaged_chunks_are_returned_or_refused(name: str) -> None:
    """Law 1 on damaged chunks: accepted ones come back exactly, all others raise the one typed error."""
    codec, rng, sources = am.get_codec(name), random.Random(1), chunk_documents(name)
    tries = effort(2_000)
    accepted = sum(chunk_return(codec, mutate(rng.choice(sources), rng)) is not None for _ in range(tries))
    assert accepted > tries // 4


def test_usual_chunks_of_langchain_are_read_as_all_others() -> None:
    """The shortcuts give the same as the general path, down to the last note, on recorded chunks and damaged ones."""
    from agentmsg_codecs.langchain import chunks as of_langchain

    codec: Any = am.get_codec("langchain")
    codec.engine.fill()
    rng, sources = random.Random(3), chunk_documents("langchain")
    usual = 0
    tried = [*sources, *(mutate(rng.choice(sources), rng, changes=1) for _ in range(effort(1_000)))]
    for document in tried:
        quick = of_langchain.quick_read(document)
        if quick is not None:
            usual += 1
            slow = of_langchain._read(document, codec)
            assert am.same(quick, slow)
            assert quick.notes == slow.notes
            assert [part.notes for part in quick.parts] == [part.notes for part in slow.parts]
            assert of_langchain.quick_write(quick) == of_langchain._write(slow, codec) == document
    assert usual > len(tried) // 8


@given(chunks())
def test_usual_chunks_of_langchain_are_written_as_all_others(chunk: am.MsgChunk) -> None:
    """The shortcut for writing gives the same as the general path, for everything that reads back."""
    from agentmsg_codecs.langchain import chunks as of_langchain

    codec: Any = am.get_codec("langchain")
    quick = of_langchain.quick_write(chunk)
    try:
        written = am.encode_chunk(chunk, "langchain")
    except am.EncodeError:
        return
    assert quick is None or quick == written == of_langchain._write(chunk, codec)


@each_codec
def test_sums_are_written(name: am.CodecName) -> None:
    """Whatever is noted about the documents, the sum of two chunks is written and reads back."""
    rng, sources = random.Random(2), chunk_documents(name)
    for _ in range(effort(200)):
        one, two = (am.decode_chunk(rng.choice(sources), name) for _ in range(2))
        try:
            total = one + two
        except am.InvalidMessage:
            assert one.role != two.role
            continue
        try:
            written = am.encode_chunk(total, name)
        except am.EncodeError as error:
            # Neither format has these: two results, or thinking after a text.
            assert (error.code, error.path[:1]) == ("content-loss", ("parts",))  # noqa: PT017 - most are written
            continue
        assert am.same(am.decode_chunk(written, name), total)


@each_codec
def test_edits_of_chunks_win(name: am.CodecName) -> None:
    """A note about a document never outlives what it is about."""
    for document in chunk_documents(name):
        chunk = am.decode_chunk(document, name)
        edited = chunk.evolve(id="edited")
        assert am.same(am.decode_chunk(am.encode_chunk(edited, name), name), edited)


def outcome(encode: Callable[[], Any]) -> Any:
    """Return the written document, losses ignored, or the path of what no document can hold."""
    try:
        return encode()
    except am.EncodeError as error:
        return error.path


@each_codec
@given(chunks())
def test_any_chunk_is_written_exactly_or_refused(name: am.CodecName, chunk: am.MsgChunk) -> None:
    """A chunk of the whole model is written so that it reads back, or refused with the path of its first obstacle."""
    try:
        written = am.encode_chunk(chunk, name)
    except am.AgentMsgError as error:
        assert error.codec == name  # noqa: PT017 - most are written
        json.dumps(outcome(lambda: am.encode_chunk(chunk, name, on_loss="ignore")))
        return
    back = am.decode_chunk(written, name)
    assert am.same(back, chunk.evolve(role=chunk.role or back.role))


@each_codec
@given(st.one_of(st.none(), st.text(), st.dictionaries(st.sampled_from(("content", "type", "data", "id")), st.text())))
def test_what_is_no_chunk_is_refused(name: am.CodecName, document: Any) -> None:
    """Any plain data gives a chunk or one typed error."""
    chunk_return(am.get_codec(name), document)


@pytest.mark.parametrize("junk", ["[", '{"a":', "}", "x", '"', ", 1e", "\\", "12"])
def test_hostile_arguments_take_linear_time(junk: str) -> None:
    """LangChain's reading of unfinished arguments is found in time that grows only with their length."""
    from agentmsg_codecs.langchain.chunks import partial_args

    def work(count: int) -> Callable[[], Any]:
        texts = ['{"a": ' + junk * count, '{"a": "' + junk * count]
        return lambda: [partial_args(text) for text in texts]

    check_growth(work, (20_000, 160_000), 8 * 4)


def test_deep_documents_are_refused() -> None:
    """A chunk nested too deeply is a typed error, in both formats."""
    deep: Any = 1
    for _ in range(3000):
        deep = {"a": deep}
    for name in CHUNKED:
        document = {**chunk_documents(name)[0], "deep": deep}
        with pytest.raises(am.DecodeError) as caught:
            am.decode_chunk(document, name)
        assert (caught.value.code, caught.value.codec) == ("depth", name)


def test_histories_of_chunks_are_read_as_before() -> None:
    """A chunk in a history is a message there, as always."""
    for name in CHUNKED:
        for document in chunk_documents(name)[:20]:
            history = am.decode([document], name)
            assert am.encode(history, name) == [document]


def test_path_of_what_is_wrong() -> None:
    """The error of an unreadable chunk names the key."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode_chunk({"content": "", "tool_call_chunks": [{"index": "a"}]}, "synaptic")
    assert (caught.value.codec, caught.value.path) == ("synaptic", ("tool_call_chunks",))


def test_path_of_what_is_lost() -> None:
    """A chunk with more than the format's chunks can hold is refused, with its path."""
    for chunk, path in (
        (am.MsgChunk("user", "x"), ("role",)),
        (am.MsgChunk(done=True), ("done",)),
        (am.MsgChunk(parts=[am.TextBlock("x"), am.ThinkingBlock("y")]), ("parts", 0)),
    ):
        with pytest.raises(am.EncodeError) as caught:
            am.encode_chunk(chunk, "synaptic")
        assert (caught.value.code, caught.value.path) == ("content-loss", path)
    assert am.encode_chunk(am.MsgChunk("assistant", "x", done=True), "synaptic", on_loss="ignore") == {"content": "x"}


IMAGE = am.ImageBlock(am.URLSource("z"))
LOST: list[tuple[am.MsgChunk, tuple[Any, ...]]] = [
    (am.MsgChunk("assistant", "x", done=True), ()),
    (am.MsgChunk("assistant", [am.TextBlock("x"), am.RefusalBlock("y")]), ("refusals",)),
    (am.MsgChunk("assistant", [am.TextBlock("x"), am.RefusalBlock("y"), IMAGE]), ("images", "refusals")),
    (am.MsgChunk("assistant", "x", structured={"a": 1}), ("structured",)),
]


@pytest.mark.parametrize(("chunk", "words"), LOST)
def test_a_caller_allows_what_a_chunk_loses(chunk: am.MsgChunk, words: tuple[Any, ...]) -> None:
    """Each kind of content that is lost must be named, as for ``encode``; errors name the words."""
    for left, word in enumerate(words):
        with pytest.raises(am.EncodeError) as caught:
            am.encode_chunk(chunk, "synaptic", allow=words[:left] + words[left + 1 :])
        assert (caught.value.code, f"allow=['{word}']" in str(caught.value)) == ("content-loss", True)
    with pytest.raises(am.EncodeError):
        am.encode_chunk(chunk, "synaptic")
    # Annotations go where the caller said that something may.
    for more in (chunk, chunk.evolve(done=True)):
        assert am.encode_chunk(more, "synaptic", allow=["audio", *words]) == {"content": "x"}
    with pytest.raises(am.InvalidMessage):
        am.encode_chunk(chunk, "synaptic", allow="thoughts")  # type: ignore[arg-type]


def test_an_answer_comes_through_the_chunks_of_langchain() -> None:
    """The chunks of a split answer are LangChain's too: written, read and added up they are the answer."""
    message = am.Msg.assistant(
        "Let me look.",
        tool_calls=[{"id": "a", "name": "f", "input": {"x": [1, "two"]}}, {"id": "b", "name": "g", "input": {}}],
        id="m",
        created_at=None,
        usage=am.Usage(input=1, output=2, total=3),
        finish_reason="tool_use",
    )
    documents = [am.encode_chunk(chunk, "langchain") for chunk in am.chunks_of(message, size=3)]
    acc = am.Accumulator(am.decode_chunk(document, "langchain") for document in documents)
    assert am.same(acc.to_msg(), message)
