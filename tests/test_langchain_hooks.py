"""The codec ``langchain`` with generated and with hand-written hooks, for blocks that v1 can't hold.

Such blocks are in ``non_standard`` parts, through hooks that cattrs generates. Here the same hooks are hand-written, as
a user would register them, and both codecs are compared: documents, blocks, spellings and refusals.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return, histories, honest_account, json_values, mutate, texts
from agentmsg.values.frozen import plain_copy, thaw
from agentmsg_codecs.langchain import LangChainCodec


@am.register_block("langchain_hooks_ballot")
@attrs.frozen(repr=False, eq=False)
class Ballot(am.BaseBlock):
    """A block class of a user, with a field of each kind of type that cattrs must read strictly."""

    question: str
    votes: tuple[int, ...] = ()
    share: float | None = attrs.field(default=None, kw_only=True)
    closed: bool = attrs.field(default=False, kw_only=True)
    names: Mapping[str, str] = attrs.field(factory=dict[str, str], kw_only=True)


# -- hand-written hooks -----------------------------------------------------------------------------------------------


def _exactly(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(kind)
        return value

    return read


def _or_null(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _each(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: tuple(map(read, _exactly(list)(value)))


def _entries(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: {_text(key): read(item) for key, item in _exactly(dict)(value).items()}


def _json(value: Any) -> Any:
    return value


def _object(cls: type[Any], readers: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return the reader of an object with exactly these keys."""

    def read(value: Any) -> Any:
        given = {key: readers[key](item) for key, item in _exactly(dict)(value).items()}
        return cls(**given)

    return read


_text = _exactly(str)
_words = _or_null(_text)


def _signature(value: Any) -> Any:
    found = _exactly(dict)(value)
    if not {"provider", "value"} <= found.keys():
        raise KeyError("provider")
    return _object(am.Signature, {"provider": _words, "value": _text, "extras": _entries(_json)})(found)


_COMMON: Mapping[str, Callable[[Any], Any]] = {
    "item_id": _words,
    "phase": _words,
    "metadata": _entries(_json),
    "cache": _or_null(_object(am.CacheHint, {"kind": _text, "ttl": _words, "extras": _entries(_json)})),
    "signature": _or_null(_signature),
}
READERS: Mapping[type[Any], Callable[[Any], Any]] = {
    am.DataBlock: _object(am.DataBlock, {**_COMMON, "data": _json, "name": _words}),
    am.SourceBlock: _object(am.SourceBlock, {**_COMMON, "url": _words, "title": _words, "media_type": _words}),
    am.CompactionBlock: _object(am.CompactionBlock, {**_COMMON, "text": _words, "encrypted": _words}),
    Ballot: _object(
        Ballot,
        {
            **_COMMON,
            "question": _text,
            "votes": _each(_exactly(int)),
            "share": _or_null(_exactly(float)),
            "closed": _exactly(bool),
            "names": _entries(_text),
        },
    ),
}


def _write_common(block: am.BaseBlock) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if block.item_id is not None:
        out["item_id"] = block.item_id
    if block.phase is not None:
        out["phase"] = block.phase
    if block.metadata:
        out["metadata"] = block.metadata
    if block.cache is not None:
        out["cache"] = {} if block.cache.kind == "ephemeral" else {"kind": block.cache.kind}
        if block.cache.ttl is not None:
            out["cache"]["ttl"] = block.cache.ttl
        out["cache"] |= _write_extras(block.cache)
    if block.signature is not None:
        own = {"provider": block.signature.provider, "value": block.signature.value}
        out["signature"] = own | _write_extras(block.signature)
    return out


def _write_extras(owner: Any) -> dict[str, Any]:
    return {"extras": owner.extras} if owner.extras else {}


def _write_data(block: am.DataBlock) -> dict[str, Any]:
    out = {**_write_common(block), "data": block.data}
    return out if block.name is None else {**out, "name": block.name}


def _write_words(*names: str) -> Callable[[Any], dict[str, Any]]:
    def write(block: Any) -> dict[str, Any]:
        own = {name: getattr(block, name) for name in names}
        return {**_write_common(block), **{name: value for name, value in own.items() if value is not None}}

    return write


def _write_ballot(block: Ballot) -> dict[str, Any]:
    out = {**_write_common(block), "question": block.question}
    if block.votes:
        out["votes"] = list(block.votes)
    if block.share is not None:
        out["share"] = block.share
    if block.closed:
        out["closed"] = True
    return {**out, "names": dict(block.names)} if block.names else out


WRITERS: Mapping[type[Any], Callable[[Any], dict[str, Any]]] = {
    am.DataBlock: _write_data,
    am.SourceBlock: _write_words("url", "title", "media_type"),
    am.CompactionBlock: _write_words("text", "encrypted"),
    Ballot: _write_ballot,
}


class _ByHand:
    """Hooks that count their calls, so that no test passes by using the generated ones."""

    def __init__(self) -> None:
        self.codec = LangChainCodec()
        self.read: dict[type[Any], int] = dict.fromkeys(READERS, 0)
        self.written: dict[type[Any], int] = dict.fromkeys(READERS, 0)
        for cls in READERS:
            self._register(cls)

    def _register(self, cls: type[Any]) -> None:
        def read(value: Any, _: Any) -> Any:
            self.read[cls] += 1
            return READERS[cls](value)

        def write(block: Any) -> Any:
            self.written[cls] += 1
            return WRITERS[cls](block)

        self.codec.engine.converter.register_structure_hook(cls, read)
        self.codec.engine.converter.register_unstructure_hook(cls, write)


GENERATED = LangChainCodec()
BY_HAND = _ByHand()
each_codec = pytest.mark.parametrize("codec", [GENERATED, BY_HAND.codec], ids=["generated", "by hand"])


# -- blocks -----------------------------------------------------------------------------------------------------------


def _perhaps(strategy: st.SearchStrategy[Any], absent: Any = None) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(absent), strategy)


def _made(cls: type[Any], *required: st.SearchStrategy[Any], **own: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    families = st.sampled_from(("langchain", "langchain.extras", "x"))
    entries = st.dictionaries(texts(), json_values(), max_size=2)
    extras = _perhaps(st.dictionaries(families, entries, max_size=2), {})
    kinds = st.sampled_from(("ephemeral", "", "x"))
    return st.builds(
        cls,
        *required,
        item_id=_perhaps(texts()),
        phase=_perhaps(texts()),
        metadata=_perhaps(entries, {}),
        cache=_perhaps(st.builds(am.CacheHint, kinds, _perhaps(texts()), extras=extras)),
        signature=_perhaps(st.builds(am.Signature, _perhaps(texts()), texts(), extras=extras)),
        extras=extras,
        **own,
    )


def _blocks() -> st.SearchStrategy[Any]:
    words = _perhaps(texts())
    ballots = _made(
        Ballot,
        texts(),
        st.lists(st.integers(-9, 2**70), max_size=2).map(tuple),
        share=_perhaps(st.floats(allow_nan=False, allow_infinity=False)),
        closed=st.booleans(),
        names=st.dictionaries(texts(), texts(), max_size=2),
    )
    return st.one_of(
        _made(am.DataBlock, json_values(), name=words),
        _made(am.SourceBlock, words, title=words, media_type=words),
        _made(am.CompactionBlock, words, encrypted=words),
        ballots,
    )


def _with_blocks(history: am.History, blocks: list[Any]) -> am.History:
    """Return the history with blocks in its messages, of any role, and inside a server's result."""
    inside = am.ToolResultBlock("s1", blocks, kind="server")
    messages = [message.evolve(content=(*message.content, *blocks)) for message in history]
    return history.evolve(messages=[*messages, am.Msg("assistant", [inside, *blocks], id=None, created_at=None)])


def _written(codec: LangChainCodec, history: am.History) -> tuple[Any, list[tuple[Any, ...]]]:
    losses: list[am.Loss] = []
    document = am.encode(history, codec, losses=losses)
    return plain_copy(thaw(document), 250), [(loss.path, loss.kind, loss.level, loss.why) for loss in losses]


def _read(codec: LangChainCodec, document: Any) -> tuple[Any, Any]:
    """Return the history with its notes, or the error."""
    try:
        history = am.decode(plain_copy(document), codec)
    except am.AgentMsgError as error:
        return None, (type(error), error.code, error.path, str(error))
    return history, am.encode(history, "json")


def _same_readings(document: Any) -> Any:
    """Check that both codecs read the same; return the history, or None if both refuse."""
    (ours, told), (theirs, told_too) = _read(GENERATED, document), _read(BY_HAND.codec, document)
    assert am.same(ours, theirs), f"{ours!r} is not {theirs!r}"
    assert same_document(told, told_too) if ours is not None else told == told_too, "another spelling or refusal"
    return ours


@given(st.lists(_blocks(), max_size=3))
def test_both_write_and_read_the_same(blocks: list[Any]) -> None:
    """The same blocks give the same document, losses and blocks, whoever wrote the hooks."""
    history = _with_blocks(am.History([am.Msg("user", "hi", id=None, created_at=None)]), blocks)
    document, losses = _written(GENERATED, history)
    by_hand, losses_too = _written(BY_HAND.codec, history)
    assert same_document(by_hand, document)
    assert losses_too == losses
    read = _same_readings(document)
    assert [type(block) for block in read[0].content[1:]] == [type(block) for block in blocks]


@each_codec
@given(history=histories(2), blocks=st.lists(_blocks(), max_size=2), seed=st.integers(0, 2**32))
def test_the_account_is_honest_with_both(
    codec: LangChainCodec, history: am.History, blocks: list[Any], seed: int
) -> None:
    """Law 3 holds for blocks in non_standard parts, whoever wrote the hooks."""
    honest_account(codec, _with_blocks(history, blocks), rng=random.Random(seed))


def _parts(blocks: list[Any]) -> list[Any]:
    document, _ = _written(GENERATED, am.History([am.Msg("user", blocks, id=None, created_at=None)]))
    (message,) = document
    content: list[Any] = message["data"]["content"]
    return content


def _human(parts: Any) -> list[Any]:
    data: dict[str, Any] = {"content": parts, "additional_kwargs": {}, "response_metadata": {}, "type": "human"}
    return [{"type": "human", "data": {**data, "name": None, "id": None}}]


@given(blocks=st.lists(_blocks(), min_size=1, max_size=2), seed=st.integers(0, 2**32))
def test_both_read_damaged_parts_the_same(blocks: list[Any], seed: int) -> None:
    """A damaged part is the same block, or the same NativeBlock, for both; and law 1 holds for both."""
    rng = random.Random(seed)
    parts = _parts(blocks)
    for _ in range(8):
        document = _human(mutate(parts, rng))
        _same_readings(document)
        for codec in (GENERATED, BY_HAND.codec):
            exact_return(codec, plain_copy(document))


DATA = {"type": "data", "data": 1}
BALLOT = {"type": "langchain_hooks_ballot", "question": "?"}
ODD_VALUES: dict[str, Any] = {
    "no tag": {"data": 1},
    "tag of nobody": {"type": "nobody", "data": 1},
    "tag of v1": {"type": "text", "text": "x"},
    "nothing required": {"type": "data"},
    "unknown key": {**DATA, "x": 1},
    "null name": {**DATA, "name": None},
    "number for a text": {**DATA, "name": 5},
    "null metadata": {**DATA, "metadata": None},
    "pairs for metadata": {**DATA, "metadata": [["a", 1]]},
    "object for a list": {**BALLOT, "votes": {}},
    "text for a list": {**BALLOT, "votes": ""},
    "empty metadata": {**DATA, "metadata": {}},
    "text for a cache": {**DATA, "cache": "5m"},
    "unknown key of a cache": {**DATA, "cache": {"x": 1}},
    "extras of a cache": {**DATA, "cache": {"extras": {"x": {}}}},
    "signature without value": {**DATA, "signature": {"provider": None}},
    "signature without provider": {**DATA, "signature": {"value": "s"}},
    "extras": {**DATA, "extras": {"x": {"y": 1}}},
    "empty extras": {**DATA, "extras": {}},
    "notes": {**DATA, "notes": {"langchain": {"/shape": "str"}}},
    "empty notes": {**DATA, "notes": {}},
    "extras of a signature": {**DATA, "signature": {"provider": None, "value": "s", "extras": {"x": {}}}},
    "notes of a signature": {**DATA, "signature": {"provider": None, "value": "s", "notes": {}}},
    "text for votes": {**BALLOT, "votes": "12"},
    "object for votes": {**BALLOT, "votes": {"1": 2}},
    "texts for votes": {**BALLOT, "votes": ["1"]},
    "truths for votes": {**BALLOT, "votes": [True]},
    "fractions for votes": {**BALLOT, "votes": [1.0]},
    "whole share": {**BALLOT, "share": 1},
    "number for a truth": {**BALLOT, "closed": 0},
    "null for a truth": {**BALLOT, "closed": None},
    "list for names": {**BALLOT, "names": []},
    "number for a name": {**BALLOT, "names": {"a": 1}},
    "default": {**BALLOT, "closed": False, "votes": []},
}


@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
@pytest.mark.parametrize("inside", [False, True], ids=["in content", "in a result"])
def test_both_read_odd_values_the_same(value: Any, inside: bool) -> None:
    """Both read the same values as blocks, and keep the same values whole."""
    part: Any = {"type": "non_standard", "value": value}
    if inside:
        part = {"type": "server_tool_result", "tool_call_id": "s", "output": 5, "extras": {"content": [part]}}
    document = _human([part, {"type": "text", "text": "x"}])
    assert _same_readings(document) is not None
    for codec in (GENERATED, BY_HAND.codec):
        assert exact_return(codec, plain_copy(document)) is not None


def test_the_hooks_by_hand_were_asked() -> None:
    """The codec with hand-written hooks uses them for each class, to read and to write; the other doesn't."""
    hooks = _ByHand()
    blocks = [am.DataBlock(1), am.SourceBlock("u"), am.CompactionBlock("t"), Ballot("?")]
    history = am.History([am.Msg("user", blocks, id=None, created_at=None)])
    document = am.encode(history, hooks.codec)
    assert all(hooks.written.values())
    assert am.same(am.decode(plain_copy(thaw(document)), hooks.codec), history)
    assert all(hooks.read.values())
    before = (dict(hooks.read), dict(hooks.written))
    assert am.same(am.decode(am.encode(history, GENERATED), GENERATED), history)
    assert (hooks.read, hooks.written) == before
