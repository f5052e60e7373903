"""The canonical codecs: the field table, odd spellings, later versions, hooks, errors, streams.

The laws are in test_laws.py; the frozen bytes in test_stored.py.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import attrs
import msgpack
import pytest

import agentmsg as am
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.testing import exact_return, mutate, notes_never_matter, plant_notes
from agentmsg_codecs.canonical.fields import REQUIRED, SPECS
from agentmsg_codecs.canonical.generated_code import source
from agentmsg_codecs.json import JsonCodec
from agentmsg_codecs.msgpack import MsgpackCodec, frames, unframe
from data import effort
from support.generated_hooks import generated_hooks
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

pytestmark = pytest.mark.codec("json", "msgpack")

each_codec = pytest.mark.parametrize("codec", [JsonCodec(), MsgpackCodec()], ids=lambda codec: codec.name)


def _json(*blocks: Any, **fields: Any) -> dict[str, Any]:
    return {"agentmsg": 1, "messages": [{"role": "user", "content": list(blocks), **fields}]}


# -- the table -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", list(SPECS), ids=lambda cls: cls.__name__)
def test_the_table_names_each_field_once(cls: type) -> None:
    """The table has each field of a class exactly once, and its defaults are the model's."""
    fields = {field.alias: field for field in attrs.fields(cls) if field.init}
    spec = SPECS[cls]
    assert sorted(fields) == sorted(field.name for field in spec.fields)
    for field in spec.fields:
        default = fields[field.name].default
        if field.default is REQUIRED:
            assert default is attrs.NOTHING or cls is am.History
        elif default is not attrs.NOTHING and field.kind != "input" and field.name not in {"id", "created_at"}:
            assert am.same(field.default, default)


def test_the_table_knows_every_block() -> None:
    """Each block class of the model has a row, and no two share a number."""
    ours = [cls for cls in BLOCK_TAGS if cls.__module__.startswith("agentmsg.")]
    numbers = [SPECS[cls].number for cls in ours]
    assert sorted(number or 0 for number in numbers) == list(range(1, len(ours) + 1))


@pytest.mark.parametrize("cls", list(SPECS), ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("key", ["json", "msgpack"])
def test_generated_readers_fill_every_slot(cls: type, key: str) -> None:
    """Every generated reader that makes an object sets all fields of the class before it becomes one."""
    text = source(key, f"read_{cls.__name__}") + source(key, f"rest_{cls.__name__}")
    made = text.split(f"o = draft_{cls.__name__}()")[1:]
    assert made
    for lines in made:
        filled = lines.split(f"o.__class__ = {cls.__name__}")[0]
        assert re.findall(r"o\.(\w+) = ", filled) == [field.name for field in attrs.fields(cls)]
        assert set(re.findall(r" = ([A-Z]\w*)$", filled, re.MULTILINE)) <= {"EMPTY", "False", "None", "UNSET"}


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_the_least_of_each_class_comes_back(name: am.CodecName) -> None:
    """Objects with only their required fields are written and read back."""
    blocks = [
        am.TextBlock("", signature=am.Signature(None, "s"), cache=am.CacheHint(), citations=[am.Citation()]),
        am.ToolUseBlock(None, "f"),
        am.ToolResultBlock(None),
        am.NativeBlock("x", None),
        *(
            am.FileBlock(source)
            for source in (am.URLSource(""), am.Base64Source(""), am.FileSource(""), am.TextSource(""))
        ),
        am.FileBlock(am.BlocksSource(())),
        am.ToolsBlock([am.ToolSpec(""), am.NativeTool("x", None)]),
        *(cls() for cls in (am.ThinkingBlock, am.SourceBlock, am.CompactionBlock)),
    ]
    history = am.History(
        [
            am.Msg("assistant", blocks, id=None, created_at=None, usage=am.Usage()),
            am.Msg("user", id=None, created_at=None),
        ]
    )
    assert am.same(am.loads(am.dumps(history, name), name), history)


def test_what_nobody_asks_for_is_not_compiled() -> None:
    """Readers and writers are compiled when they are first called, and are in all tables then."""
    engine = JsonCodec().engine
    engine.fill()
    read = engine._names["read_TextBlock"]
    assert engine.read_block({"type": "text", "text": "a"}, 0) == am.TextBlock("a")
    assert engine._names["read_TextBlock"] is not read
    assert engine._blocks["text"] is engine._names["read_TextBlock"]
    assert engine._names["read_AudioBlock"].__name__ == engine._names["rest_TextBlock"].__name__ == "first"
    assert engine.read_block({"type": "text", "text": "a", "phase": "b"}, 0) == am.TextBlock("a", phase="b")
    assert engine._names["rest_TextBlock"].__name__ == "rest_TextBlock"


# -- spelling --------------------------------------------------------------------------------------------------

_CALL = {"type": "tool_use", "name": "f"}
_FUTURE = {"type": "hologram", "points": [1, 2]}
ACCEPTED: dict[str, Any] = {
    "list": [{"role": "user", "content": []}],
    "message": {"role": "user", "content": "hi"},
    "text content": {"role": "user", "content": "", "name": None},
    "no content": {"agentmsg": 1, "messages": [{"role": "user"}]},
    "null name": _json(name=None),
    "empty metadata": _json(metadata={}),
    "zulu": _json(created_at="2026-01-02T03:04:05Z"),
    "no seconds": _json(created_at="2026-01-02T03:04"),
    "nine digits": _json(created_at="2026-01-02T03:04:05.123456000+00:00"),
    "default kind": _json({**_CALL, "kind": "function", "input": {}}),
    "no input": _json(_CALL),
    "null input": _json({**_CALL, "input": None}),
    "null text": _json({**_CALL, "raw_input": None}),
    "both": _json({**_CALL, "input": {"a": 1}, "raw_input": '{"a": 1}'}),
    "unknown key": _json(later=[1]),
    "unknown key of a block": _json({"type": "text", "text": "x", "later": None}),
    "explicit extras": _json(extras={"agentmsg": {"later": 1}}),
    "unknown key and no extras": _json(later=1, extras={}),
    "extras with a name of ours": _json(extras={"agentmsg": {"role": "x"}}),
    "extras that are no object": _json(extras={"agentmsg": 5}),
    "own notes": _json(notes={"json": {"name": "explicit"}}),
    "own notes that say nothing": _json(notes={"json": None, "x": 1}),
    "unknown block": _json(_FUTURE),
    "unknown block, spelt out": _json({"type": "native", "codec": "agentmsg", "value": _FUTURE}),
    "block that looks like ours": _json({"type": "native", "codec": "agentmsg", "value": {"type": "text"}}),
    "unknown tool": {"agentmsg": 1, "messages": [], "tools": [{"type": "gadget"}]},
    "result": _json({"type": "tool_result", "content": "3", "structured": None}),
    "message in a list with a key of ours": [{"role": "user", "content": [], "agentmsg": 1}],
}


@pytest.mark.parametrize("document", ACCEPTED.values(), ids=ACCEPTED)
def test_odd_spellings_come_back(document: Any) -> None:
    """A document with odd spellings comes back with them, also through MessagePack."""
    history = exact_return(JsonCodec(), document)
    assert history is not None
    assert am.encode(am.loads(am.dumps(history, "msgpack"), "msgpack"), "json") == document


PACKED: dict[str, Any] = {
    "short": [1, [[2]]],
    "padded": [1, [[2, [], None, None]], None],
    "padded call": [1, [[3, [[8, "f", None]]]]],
    "call with null": [1, [[3, [[8, "f", None, None]]]]],
    "role as text": [1, [["assistant", []]]],
    "text in an array": [1, [[2, [[1, "hi"], "ho"]]]],
    "content as text": [1, [[2, "hi"]]],
    "later items": [1, [[2, [], *[None] * 15, 1, None]], *[None] * 6, "later"],
    "unknown block": [1, [[2, [[99, 1], ["hologram", {}]]]]],
    "explicit default": [1, [[2, [], None, None, None, None, None, None, None, {}]]],
}


@pytest.mark.parametrize("document", PACKED.values(), ids=PACKED)
def test_odd_arrays_come_back(document: Any) -> None:
    """The same for arrays: padding, texts for numbers, and items appended by later versions."""
    history = exact_return(MsgpackCodec(), document)
    assert history is not None
    assert am.encode(am.loads(am.dumps(history, "json"), "json"), "msgpack") == document


def test_notes_hold_no_content() -> None:
    """Content given as a text is noted by a word, not by the text."""
    message = am.decode({"role": "user", "content": "secret"}, "json")[0]
    assert message.notes == {"json": {"content": "str"}}
    assert am.encode(am.History([message.with_content("other")]), "json")["messages"][0]["content"] == "other"


@each_codec
def test_planted_spellings_never_change_meaning(codec: Codec) -> None:
    """Notes with exactly the words of this codec, on every object, change nothing."""
    rng = random.Random(7)
    keys = (*(field.name for spec in SPECS.values() for field in spec.fields), "=", "type", "length", "form")
    tour = grand_tour()
    for _ in range(effort(40)):
        notes_never_matter(codec, plant_notes(tour, rng, (codec.name, codec.family), keys))


# -- versions --------------------------------------------------------------------------------------------------


def test_later_fields_are_kept() -> None:
    """Fields of later versions are kept as extras of our family, and written back."""
    assert am.decode(_json(later=1), "json")[0].extras == {"agentmsg": {"later": 1}}
    packed = am.decode([1, [[2, [], *[None] * 15, "later"]]], "msgpack")
    assert packed[0].extras == {"agentmsg": {"+": ["later"]}}


def test_later_versions_are_refused() -> None:
    """Another version is refused with code "version"."""
    later: list[tuple[Any, am.CodecName]] = [({"agentmsg": 2, "messages": []}, "json"), ([2, []], "msgpack")]
    for document, codec in later:
        with pytest.raises(am.DecodeError) as caught:
            am.decode(document, codec)
        assert (caught.value.code, caught.value.path) == ("version", ("agentmsg",))


# -- errors ----------------------------------------------------------------------------------------------------

_BLOCK = ("messages", 0, "content", 0)
REFUSED: dict[str, tuple[Any, str, tuple[str | int, ...]]] = {
    "text": (_json({"type": "text", "text": 5}), "type", (*_BLOCK, "text")),
    "no text": (_json({"type": "text"}), "required", (*_BLOCK, "text")),
    "null text": (_json({"type": "text", "text": None}), "type", (*_BLOCK, "text")),
    "no type": (_json({"text": "x"}), "required", (*_BLOCK, "type")),
    "odd type": (_json({"type": ["text"]}), "type", (*_BLOCK, "type")),
    "block": (_json("x"), "type", _BLOCK),
    "role": ({"role": 1, "content": []}, "type", ("role",)),
    "no role": (_json() | {"messages": [{"content": []}]}, "required", ("messages", 0, "role")),
    "message": ([{"role": "user", "content": []}, 5], "type", (1,)),
    "counter": (_json(usage={"input": True}), "type", ("messages", 0, "usage", "input")),
    "cost": (_json(usage={"cost": "1"}), "type", ("messages", 0, "usage", "cost")),
    "usage": (_json(usage=[]), "type", ("messages", 0, "usage")),
    "source": (_json({"type": "image", "source": {"type": "x"}}), "schema", (*_BLOCK, "source", "type")),
    "no source": (_json({"type": "image"}), "required", (*_BLOCK, "source")),
    "time": (_json(created_at="yesterday"), "schema", ("messages", 0, "created_at")),
    "nanoseconds": (_json(created_at="2026-01-02T03:04:05.123456789Z"), "schema", ("messages", 0, "created_at")),
    "embedding": (_json(embedding=[0.5, 1]), "type", ("messages", 0, "embedding", 1)),
    "metadata": (_json(metadata=None), "type", ("messages", 0, "metadata")),
    "strict": (
        {"agentmsg": 1, "messages": [], "tools": [{"type": "tool", "name": "f", "strict": 1}]},
        "type",
        ("tools", 0, "strict"),
    ),
    "two truths": (_json({**_CALL, "input": {}, "raw_input": "[]"}), "schema", (*_BLOCK, "raw_input")),
    "two extras": (_json(later=1, extras={"agentmsg": {}}), "schema", ("messages", 0, "extras", "agentmsg")),
    "version": ({"agentmsg": True, "messages": []}, "type", ("agentmsg",)),
    "object": ({"x": 1}, "required", ("agentmsg",)),
    "scalar": (5, "type", ()),
}


@pytest.mark.parametrize(("document", "code", "path"), REFUSED.values(), ids=REFUSED)
def test_refused_with_path_and_code(document: Any, code: str, path: tuple[str | int, ...]) -> None:
    """Anything else is refused with its path and a stable code."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, "json")
    assert (caught.value.code, caught.value.path, caught.value.codec) == (code, path, "json")


def _nested(levels: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(levels - 1):
        block = {"type": "tool_result", "content": [block]}
    return _json(block)


def test_blocks_are_nested_at_most_64_deep() -> None:
    """64 levels of blocks are read, 65 are refused with code "depth", whatever unknown keys each level has."""
    limits = am.Limits(depth=1000)
    deepest = am.decode(_nested(64), "json", limits=limits)
    assert am.encode(deepest, "json") == _nested(64)
    with pytest.raises(am.DecodeError) as caught:
        am.decode(_nested(65), "json", limits=limits)
    assert caught.value.code == "depth"


def test_odd_levels_are_read_once() -> None:
    """An unknown key at each level doesn't restart the reading at each level."""
    block: dict[str, Any] = {"type": "text", "text": "x", "later": 1}
    for _ in range(50):
        block = {"type": "tool_result", "content": [block], "later": 1, "name": None}
    assert exact_return(JsonCodec(), _json(block)) is not None


# -- MessagePack bytes -----------------------------------------------------------------------------------------

_LIBRARY: Any = msgpack
_EXT, _pack = _LIBRARY.ExtType, _LIBRARY.packb
BYTES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "syntax"),
    "truncated": (b"\x92\x01", "syntax"),
    "trailing": (b"\x92\x01\x90\x00", "syntax"),
    "never used": (b"\xc1", "syntax"),
    "bad UTF-8": (b"\x93\x01\x90\xa1\xff", "syntax"),
    "binary": (b"\x93\x01\x90\xc4\x01x", "type"),
    "unknown extension": (_pack([1, [], None, [], {"x": _EXT(5, b"")}]), "type"),
    "extension that is no integer": (_pack([1, [], None, [], {"x": _EXT(1, b"1.5")}]), "syntax"),
    "endless integer": (_pack([1, [], None, [], {"x": _EXT(1, b"9" * 5000)}]), "integer-range"),
    "empty binary": (_pack([1, [], None, [], {"x": [b""]}]), "type"),
    "empty binary as key": (_pack([1, [], None, [], {b"": 1}]), "key"),
    "number as key": (_pack([1, [], None, [], {1: 1}]), "key"),
    "timestamp": (_pack([1, [], None, [], {"x": msgpack.Timestamp(1)}]), "type"),
    "nan": (_pack([1, [], None, [], {"x": [None, float("nan")]}]), "number"),
    "infinite cost": (_pack([1, [[2, [], *[None] * 5, [*[None] * 8, float("inf")]]]]), "type"),
    "huge header": (b"\xdd\xff\xff\xff\xffxxxxx", "syntax"),
    "deep": (b"\x91" * 2000, "depth"),
    "deep metadata": (b"\x95\x01\x90\xc0\x90\x81\xa1x" + b"\x91" * 200 + b"\x90", "depth"),
}


@pytest.mark.parametrize(("raw", "code"), BYTES.values(), ids=BYTES)
def test_bytes_that_are_refused(raw: bytes, code: str) -> None:
    """MessagePack that is damaged, or holds what JSON can't, is refused with one typed error."""
    with pytest.raises(am.DecodeError) as caught:
        am.loads(raw, "msgpack")
    assert caught.value.code == code
    assert caught.value.codec == "msgpack"


def test_keys_given_twice() -> None:
    """A duplicate key is refused if the policy asks for that; else the last one counts."""
    raw = b"\x95\x01\x90\xc0\x90\x82\xa1x\x01\xa1x\x02"
    assert am.loads(raw, "msgpack").metadata == {"x": 2}
    with pytest.raises(am.DecodeError) as caught:
        am.loads(raw, "msgpack", duplicates="error")
    assert caught.value.code == "duplicate-key"


def test_limits_of_bytes_and_depth() -> None:
    """Callers choose how large and deep a document may be."""
    raw = am.dumps(grand_tour(), "msgpack")
    for limits, code in ((am.Limits(bytes=10), "bytes"), (am.Limits(depth=3), "depth")):
        with pytest.raises(am.DecodeError) as caught:
            am.loads(raw, "msgpack", limits=limits)
        assert caught.value.code == code


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_streams_may_be_cut_anywhere(size: int) -> None:
    """A stream of documents reads the same, however it is cut."""
    histories = [am.History([message]) for message in grand_tour()]
    raw = b"".join(frames(histories))
    chunks = [raw[at : at + size] for at in range(0, len(raw), size)]
    assert am.same(tuple(unframe(chunks)), tuple(histories))


def test_streams_that_end_early() -> None:
    """A stream that ends inside a document gives the whole ones, then an error with the document's number."""
    raw = b"".join(frames([am.History(), am.History()]))
    stream = unframe([raw[:-1]])
    assert am.same(next(stream), am.History())
    with pytest.raises(am.DecodeError) as caught:
        next(stream)
    assert (caught.value.code, caught.value.path) == ("syntax", (1,))


def test_one_document_is_one_line() -> None:
    """JSON never holds a newline, so a file of documents is JSON Lines."""
    assert b"\n" not in am.dumps(grand_tour(), "json")


def test_arrays_are_small() -> None:
    """MessagePack takes at most 0.85 of the bytes of JSON."""
    assert len(am.dumps(grand_tour(), "msgpack")) <= 0.85 * len(am.dumps(grand_tour(), "json"))


# -- hooks -----------------------------------------------------------------------------------------------------


@am.register_block("test_poll")
@attrs.frozen
class Poll(am.BaseBlock):
    """A block class of a user, without code for any codec."""

    question: str
    options: tuple[str, ...] = ()
    votes: dict[str, int] = attrs.field(factory=dict[str, int], kw_only=True)
    ends: datetime | None = attrs.field(default=None, kw_only=True)
    picture: am.ImageBlock | None = attrs.field(default=None, kw_only=True)


POLLS = (
    Poll("Which?"),
    Poll(
        "Which?", ("a", "b"), votes={"a": 2}, ends=datetime(2026, 1, 1, tzinfo=UTC), item_id="i", extras={"x": {"y": 1}}
    ),
    Poll("Which?", picture=am.ImageBlock.from_url("https://example.org/a.png")),
)


@each_codec
@pytest.mark.parametrize("poll", POLLS, ids=range(len(POLLS)))
def test_blocks_of_users_need_no_code(codec: Codec, poll: Poll) -> None:
    """A registered class is read and written by its fields' types."""
    history = am.History([am.Msg("user", (poll, am.TextBlock("x")), id=None, created_at=None)])
    raw = am.dumps(history, codec)
    assert am.same(am.loads(raw, codec), history)
    rng = random.Random(1)
    for _ in range(effort(40)):
        exact_return(codec, mutate(am.encode(history, codec), rng))


def test_blocks_of_users_coerce_nothing() -> None:
    """A value of the wrong type is refused with its path, also in a user's class."""
    with pytest.raises(am.DecodeError) as caught:
        am.decode(_json({"type": "test_poll", "question": "?", "options": ["a", 5]}), "json")
    assert (caught.value.code, caught.value.path) == ("type", (*_BLOCK, "options", 1))


def _write_no(block: am.RefusalBlock) -> Any:
    return {"type": "refusal", "no": block.refusal}


def _read_no(value: Any, _: Any) -> am.RefusalBlock:
    return am.RefusalBlock(value["no"])


def test_one_hook_changes_a_mapping() -> None:
    """Hooks registered on a codec's converter before its first use replace ours, for that codec alone."""
    codec = JsonCodec()
    converter = codec.engine.converter
    converter.register_unstructure_hook(am.RefusalBlock, _write_no)
    converter.register_structure_hook(am.RefusalBlock, _read_no)
    history = am.History([am.Msg("user", (am.RefusalBlock("never"),), id=None, created_at=None)])
    document = am.encode(history, codec)
    assert document["messages"][0]["content"] == [{"type": "refusal", "no": "never"}]
    assert am.same(am.decode(document, codec), history)
    assert am.encode(history, "json") != document
    with pytest.raises(am.DecodeError) as caught:
        am.decode(_json({"type": "refusal"}), codec)
    assert (caught.value.code, caught.value.path) == ("required", (*_BLOCK, "no"))


def _generated(codec: Any) -> Any:
    """Return a codec with hooks that cattrs generated, instead of ours."""
    for cls in SPECS:
        structure, unstructure = generated_hooks(codec.engine, cls)
        codec.engine.converter.register_structure_hook(cls, structure)
        codec.engine.converter.register_unstructure_hook(cls, unstructure)
    return codec


@pytest.mark.parametrize("make", [JsonCodec, MsgpackCodec])
def test_generated_hooks_give_the_same(make: Any) -> None:
    """With hooks that cattrs generates from the classes, the same documents are written and read."""
    ours, theirs = make(), _generated(make())
    usual = [message for message in grand_tour() if "agentmsg" not in str(message.extras)]
    for message in usual:
        blocks = [block for block in message.content if getattr(block, "codec", "") != "agentmsg"]
        blocks = [block for block in blocks if not isinstance(block, am.ToolsBlock)]
        history = am.History([message.evolve(content=blocks, extras={}, notes={})])
        document = am.encode(history, ours)
        assert am.encode(history, theirs) == document
        assert am.same(am.decode(document, theirs), am.decode(document, ours))


GENERATED = [name for name in REFUSED if name not in {"two truths", "two extras"}]


@pytest.mark.parametrize("name", GENERATED)
def test_generated_hooks_raise_the_same(name: str) -> None:
    """Errors have the same class, code and path, whoever wrote the hook."""
    document, code, path = REFUSED[name]
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, _generated(JsonCodec()))
    assert (caught.value.code, caught.value.path) == (code, path)
