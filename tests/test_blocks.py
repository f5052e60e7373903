"""Blocks, sources, usage and tools: what they accept and refuse, and that they are immutable."""

from __future__ import annotations

import base64
import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg
from agentmsg import (
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    Base64Source,
    BaseBlock,
    BlocksSource,
    CacheHint,
    Citation,
    CompactionBlock,
    DataBlock,
    FileBlock,
    FileSource,
    ImageBlock,
    InvalidMessage,
    Limits,
    Msg,
    NativeBlock,
    NativeTool,
    RefusalBlock,
    Signature,
    SourceBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
    register_block,
    same,
)
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.values.frozen import FrozenDict
from data import effort

SIGNED: dict[str, Any] = {
    "signature": Signature("anthropic", "sig"),
    "cache": CacheHint(ttl="5m"),
    "phase": "commentary",
}
# One rich object of every class of the model.
TOUR: list[Any] = [
    TextBlock("hi", citations=[Citation("u", "t", start=0, end=2)], metadata={"a": [1]}, **SIGNED),
    ImageBlock(URLSource("https://example.com/x.png", "image/png"), detail="low"),
    AudioBlock(Base64Source("AAAA", "audio/wav"), transcript="la"),
    VideoBlock(FileSource("f1", "openai")),
    FileBlock(BlocksSource([TextBlock("page")]), name="a.pdf", title="A", context="c"),
    FileBlock(TextSource("words", "text/plain")),
    DataBlock({"a": [1, 2.5, None]}, name="d"),
    ThinkingBlock("hm", redacted="opaque"),
    ToolUseBlock("c1", "add", {"a": 1}, status="asking", provider="p", kind="server"),
    ToolUseBlock("c1", "add", raw_input='{"a": 1, "a": 2}'),
    ToolUseBlock(None, "add", raw_input="{oops"),
    ToolResultBlock("c1", "done", name="add", structured=[1], artifact={"x": 1}, status="error", error="e"),
    ToolResultBlock(None, [ImageBlock(URLSource("u"))]),
    ApprovalRequestBlock("ap1", "c1", reason="it deletes", signature=Signature("vercel", "c2ln")),
    ApprovalResponseBlock("ap1", approved=False, reason="not now", kind="server"),
    RefusalBlock("no"),
    SourceBlock("u", title="t", media_type="text/html"),
    CompactionBlock("so far", encrypted="zzz"),
    ToolsBlock([ToolSpec("add", "adds", {"type": "object"}, strict=True), NativeTool("openai", {"type": "web"})]),
    NativeBlock("openai", {"type": "odd", "x": [1]}, fallback="odd"),
    Usage(input=1, output=2, cost=0.5, extras={"openai": {"x": 1}}),
]
IDS = [f"{index}-{type(item).__name__}" for index, item in enumerate(TOUR)]
every_class = pytest.mark.parametrize("item", TOUR, ids=IDS)


def _fields(item: Any) -> Any:
    return item.__attrs_attrs__


@every_class
def test_values_survive_pickle_and_copy(item: Any) -> None:
    """Every object equals its copies and its unpickled self, with the same hash."""
    noted = item.evolve(notes={"openai": {"k": "null"}}, extras={"openai": {"deep": [{"a": 1}]}})
    for again in (pickle.loads(pickle.dumps(noted)), copy.copy(noted), copy.deepcopy(noted)):
        assert type(again) is type(noted)
        assert again == noted
        assert hash(again) == hash(noted)
        assert same(again, noted)
        assert again.notes == noted.notes
        assert isinstance(again.extras["openai"]["deep"][0], FrozenDict)


@every_class
def test_no_field_can_be_set_or_added(item: Any) -> None:
    """Setting, adding and deleting attributes fails on every class."""
    for field in _fields(item):
        with pytest.raises(AttributeError):
            setattr(item, field.name, None)
        with pytest.raises(AttributeError):
            delattr(item, field.name)
    with pytest.raises(AttributeError):
        item.surprise = 1


@every_class
def test_containers_are_frozen(item: Any) -> None:
    """No field of any class holds a list or dict that can be changed."""
    for field in _fields(item):
        value: Any = getattr(item, field.name)
        if isinstance(value, dict):
            with pytest.raises(TypeError, match="read-only"):
                value["x"] = 1
        assert type(getattr(item, field.name)).__name__ not in {"bytearray", "dict", "list", "set"}


@every_class
def test_notes_are_not_compared(item: Any) -> None:
    """Notes count neither for ==, nor for hash, nor for same, and aren't shown; extras do and are."""
    noted = item.evolve(notes={"f": {"a": "null"}})
    assert noted == item
    assert hash(noted) == hash(item)
    assert same(noted, item)
    assert repr(noted) == repr(item)
    other = item.evolve(extras={"f": {"a": 1}})
    assert other != item
    assert not same(other, item)
    assert "extras" in repr(other)


@every_class
def test_values_can_be_referred_to_weakly(item: Any) -> None:
    """A cache may hold any object by weak reference."""
    mine = copy.deepcopy(item)
    link = weakref.ref(mine)
    assert link() is mine
    del mine
    if link() is not None:
        gc.collect()  # takes a second in a process with many objects
    assert link() is None


def test_classes_are_never_equal_to_each_other() -> None:
    """Objects of two classes are never equal, whatever their fields, nor equal to plain values."""
    assert RefusalBlock("x") != TextBlock("x")
    assert URLSource("x") != TextSource("x")
    assert TextBlock("x") != "x"
    assert TextBlock("x").__eq__("x") is NotImplemented
    assert ToolUseBlock("1", "x").__eq__("x") is NotImplemented


def test_block_tags_cover_all_blocks() -> None:
    """Every block class of ours has its own tag."""
    assert len(set(BLOCK_TAGS.values())) == len(BLOCK_TAGS)
    assert {type(item) for item in TOUR if isinstance(item, BaseBlock)} <= set(BLOCK_TAGS)


# The classes without their types, to pass what a type checker would refuse.
ANY: Any = agentmsg
WRONG: dict[str, tuple[Any, str, tuple[str | int, ...]]] = {
    "audio without source": (lambda: ANY.AudioBlock(None), "required", ("source",)),
    "cache is a text": (lambda: ANY.TextBlock("x", cache="5m"), "type", ("cache",)),
    "citation is a text": (lambda: ANY.TextBlock("x", citations=["u"]), "type", ("citations", 0)),
    "citations are a text": (lambda: ANY.TextBlock("x", citations="u"), "type", ("citations",)),
    "content is a mapping": (lambda: ANY.ToolResultBlock("c", {"a": 1}), "type", ("content",)),
    "content is a number": (lambda: ANY.ToolResultBlock("c", 5), "type", ("content",)),
    "content of texts": (lambda: ANY.ToolResultBlock("c", ["a"]), "type", ("content", 0)),
    "cost is nan": (lambda: ANY.Usage(cost=float("nan")), "type", ("cost",)),
    "cost is a bool": (lambda: ANY.Usage(cost=True), "type", ("cost",)),
    "data is a set": (lambda: ANY.DataBlock({1}), "type", ("data",)),
    "data has an odd key": (lambda: ANY.DataBlock({"a": {1: 2}}), "key", ("data", "a", 1)),
    "extras are a list": (lambda: ANY.TextBlock("x", extras=[]), "type", ("extras",)),
    "image of a text": (lambda: ANY.ImageBlock("https://x"), "type", ("source",)),
    "input is bytes": (lambda: ANY.ToolUseBlock("c", "f", {"a": b""}), "type", ("input", "a")),
    "input tokens are a bool": (lambda: ANY.Usage(input=True), "type", ("input",)),
    "input tokens are a float": (lambda: ANY.Usage(input=1.0), "type", ("input",)),
    "input tokens are too many": (lambda: ANY.Usage(input=10**4300), "integer-range", ("input",)),
    "name is None": (lambda: ANY.ToolUseBlock("c", None), "type", ("name",)),
    "native is nan": (lambda: ANY.NativeBlock("f", float("nan")), "number", ("value",)),
    "parameters are a list": (lambda: ANY.ToolSpec("f", parameters=[]), "type", ("parameters",)),
    "raw_input is a dict": (lambda: ANY.ToolUseBlock("c", "f", raw_input={}), "type", ("raw_input",)),
    "strict is 1": (lambda: ANY.ToolSpec("f", strict=1), "type", ("strict",)),
    "surrogate": (lambda: ANY.TextBlock("\ud800"), "surrogate", ("text",)),
    "text is bytes": (lambda: ANY.TextBlock(b"x"), "type", ("text",)),
    "tool is a dict": (lambda: ANY.ToolsBlock([{}]), "type", ("tools", 0)),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_wrong_values_are_refused(name: str) -> None:
    """Nothing is coerced: a value of the wrong type is refused with code and path."""
    make, code, path = WRONG[name]
    with pytest.raises(InvalidMessage) as caught:
        make()
    assert (caught.value.code, caught.value.path) == (code, path)


def test_nesting_has_a_limit() -> None:
    """Blocks go 64 levels deep, all counted; such a message can be compared, hashed, shown and pickled."""

    def nest(levels: int) -> Any:
        block: Any = TextBlock("x")
        for level in range(levels):
            block = ToolResultBlock("c", [block]) if level % 2 else FileBlock(BlocksSource([block]))
        return block

    deepest = Msg.of(nest(63))
    assert deepest == deepest.evolve(content=[nest(63)])
    assert same(deepest.content, (nest(63),))
    assert hash(deepest.content) == hash((nest(63),))
    assert pickle.loads(pickle.dumps(deepest)) == deepest
    assert len(repr(deepest)) <= 2000
    for levels in (64, 500):
        with pytest.raises(InvalidMessage) as caught:
            Msg("user", [nest(levels)])
        assert caught.value.code == "depth"


# -- tool calls: input or raw_input -------------------------------------------------------------------------


def test_the_text_is_kept_while_it_says_the_input() -> None:
    """A raw_input that parses to the input is kept byte for byte; any other is discarded."""
    text = '{ "b" : 1.10, "a":"\\u00e9" }'
    assert ToolUseBlock("c", "f", {"b": 1.1, "a": "é"}, raw_input=text).raw_input == text
    others: list[Any] = [{"b": 1.1}, {"a": "é", "b": 1.1}, {"b": 1, "a": "é"}, None, [], text]
    for other in others:
        block = ToolUseBlock("c", "f", other, raw_input=text)
        assert block.raw_input is None
        assert same(block.input, other)


def test_input_is_strict_about_types() -> None:
    """1, True and 1.0 are different inputs: a text is discarded for each of the others."""
    for value, text in ((1, "true"), (True, "1"), (1.0, "1"), (1, "1.0"), (0.0, "-0.0")):
        assert ToolUseBlock("c", "f", {"a": value}, raw_input=f'{{"a":{text}}}').raw_input is None


def test_without_input_the_text_is_parsed() -> None:
    """With a text only, the input is its value; with neither or an empty text, it is empty."""
    assert ToolUseBlock("c", "f", raw_input='{"a":[1]}').input == {"a": [1]}
    assert ToolUseBlock("c", "f").input == {}
    assert ToolUseBlock("c", "f", raw_input="").input == {}
    assert ToolUseBlock("c", "f", raw_input="").raw_input == ""
    assert ToolUseBlock("c", "f", None).input is None
    assert ToolUseBlock("c", "f", None).is_valid


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "NaN", '{"a": 1}}', '{"a": "\\ud800"}', "[" * 200 + "]" * 200])
def test_invalid_text_is_kept(text: str) -> None:
    """A text that isn't JSON makes an invalid call, which keeps it byte for byte and reports it as significant."""
    block = ToolUseBlock("c", "f", raw_input=text)
    assert not block.is_valid
    assert block.input is None
    assert block.raw_input == text
    assert block.significant_text == text
    assert block != ToolUseBlock("c", "f", raw_input=text + " ")
    assert block != ToolUseBlock("c", "f", None)
    assert not same(block, ToolUseBlock("c", "f", None))
    assert pickle.loads(pickle.dumps(block)).raw_input == text


def test_evolving_a_call() -> None:
    """A new input drops the old text, a new text the old input; other changes keep both."""
    block = ToolUseBlock("c", "f", raw_input='{"a": 1}')
    assert block.evolve(input={"a": 2}).raw_input is None
    assert block.evolve(input={"a": 2}).input == {"a": 2}
    assert block.evolve(input={"a": 1}).raw_input == '{"a": 1}'
    assert block.evolve(raw_input='{"b":2}').input == {"b": 2}
    assert block.evolve(name="g").raw_input == '{"a": 1}'
    assert block.evolve(raw_input=None).input == {"a": 1}
    invalid = ToolUseBlock("c", "f", raw_input="{oops")
    assert invalid.evolve(name="g").raw_input == "{oops"
    assert invalid.evolve(input={"a": 1}).is_valid
    assert invalid.evolve(raw_input="{}").is_valid


@pytest.mark.parametrize("looked", [False, True])
def test_a_look_changes_nothing(looked: bool) -> None:
    """A change gives the same result whether or not the input was read before."""
    block = ToolUseBlock("c", "f", raw_input='{"a":1}')
    if looked:
        assert block.input
    custom = block.evolve(kind="custom")
    assert (custom.input, custom.raw_input) == ({"a": 1}, None)
    assert repr(block.evolve(kind="server")) == repr(
        ToolUseBlock("c", "f", {"a": 1}, raw_input='{"a":1}', kind="server")
    )


def test_custom_calls_take_free_text() -> None:
    """The input of a custom call is its text, which is always valid and complete."""
    block = ToolUseBlock("c", "grep", raw_input='{"not": "parsed"', kind="custom")
    assert block.is_valid
    assert block.input == '{"not": "parsed"'
    assert block.significant_text is None


def test_spelling_counts_only_where_it_says_more() -> None:
    """Calls are equal if their inputs are, unless a text says more (a key twice, a rounded number)."""
    plain = ToolUseBlock("c", "f", {"a": 1.1})
    for text in ('{"a":1.1}', '{ "a" : 1.10 }', '{"\\u0061":11e-1}'):
        block = ToolUseBlock("c", "f", raw_input=text)
        assert block.significant_text is None
        assert block == plain
        assert hash(block) == hash(plain)
        assert same(block, plain)
    for text in ('{"a":1.1,"a":1.1}', '{"a":1.10000000000000000000001}'):
        block = ToolUseBlock("c", "f", raw_input=text)
        assert block.significant_text == text
        assert block.input == {"a": 1.1}
        assert block != plain
        assert not same(block, plain)
    big = ToolUseBlock("c", "f", raw_input='{"a": 123456789012345678901234567890}')
    assert big.input == {"a": 123456789012345678901234567890}
    assert big.significant_text is None


def test_threads_may_share_a_call() -> None:
    """16 threads that read one call's input at once get the same, frozen value."""

    def look(block: ToolUseBlock) -> Any:
        assert block.is_valid
        assert block.significant_text is None
        return block.input

    with ThreadPoolExecutor(16) as pool:
        for index in range(effort(50)):
            block = ToolUseBlock("c", "f", raw_input=f'{{"a": [{index}, {{"b": 1}}]}}')
            values = list(pool.map(look, [block] * 16))
            assert all(value == {"a": [index, {"b": 1}]} for value in values)
            assert all(isinstance(value, FrozenDict) for value in values)


def test_results_tell_success_and_failure() -> None:
    """A result is an error if it has an error text, or one of three words as status."""
    assert ToolResultBlock("c", "x").ok
    assert ToolResultBlock("c", "x", status="success").ok
    for status in ("error", "denied", "interrupted"):
        assert ToolResultBlock("c", "x", status=status).is_error
    assert ToolResultBlock("c", "x", error="boom").is_error
    assert ToolResultBlock("c", [TextBlock("a"), ImageBlock(URLSource("u")), TextBlock("b")]).text == "a\nb"
    assert ToolResultBlock("c", "").content == ()


# -- sources and usage ---------------------------------------------------------------------------------------


@given(st.binary(max_size=50))
def test_bytes_come_back_from_any_spelling_of_base64(data: bytes) -> None:
    """Both alphabets, with or without padding and line breaks, decode to the bytes; the text is kept."""
    standard, safe = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
    for text in (
        standard,
        safe,
        standard.rstrip("="),
        safe.rstrip("="),
        "\r\n ".join(standard),
        f" {safe}\n",
    ):
        source = Base64Source(text)
        assert source.data == text
        assert source.decode() == data
    assert Base64Source.from_bytes(data, "x/y").decode() == data


@pytest.mark.parametrize("text", ["a", "ab=c", "ab!c", "ä", "====a", "data:image/png;base64,AAAA", "ab\0c", "💥"])
def test_wrong_base64_is_a_typed_error(text: str) -> None:
    """A text that isn't base64 is kept unchanged, and decoding it raises a typed error."""
    with pytest.raises(InvalidMessage) as caught:
        Base64Source(text).decode()
    assert (caught.value.code, caught.value.path) == ("syntax", ("data",))


def test_large_media_are_refused_by_their_length() -> None:
    """Data beyond the limit is refused before anything is decoded, even if it is invalid."""
    with pytest.raises(InvalidMessage) as caught:
        Base64Source("!" * 2000).decode(Limits(inline_media=1000))
    assert caught.value.code == "bytes"
    assert Base64Source("A" * 1332).decode(Limits(inline_media=1000)) == bytes(999)


def test_media_can_be_made_from_urls_and_bytes() -> None:
    """The two short ways to make a media block, for each media class."""
    for cls in (ImageBlock, AudioBlock, VideoBlock, FileBlock):
        assert cls.from_url("https://x", "a/b") == cls(URLSource("https://x", "a/b"))
        assert cls.from_bytes(b"abc") == cls(Base64Source("YWJj"))


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "http://169.254.169.254/", "javascript:alert(1)", "../../x"])
def test_urls_are_texts(url: str) -> None:
    """Any text is a URL, kept unchanged; it is neither opened nor judged."""
    assert ImageBlock.from_url(url).source == URLSource(url)


def test_usage_adds_up() -> None:
    """``+`` sums each counter; a counter that neither side has stays None; the extras of both are kept."""
    left = Usage(input=1, cost=0.5, extras={"a": 1, "b": 1})
    right = Usage(input=2, output=3, extras={"b": 2, "c": 3})
    total = left + right
    assert (total.input, total.output, total.cost, total.total) == (3, 3, 0.5, None)
    assert total.extras == {"a": 1, "b": 1, "c": 3}
    assert left + Usage() == left
    with pytest.raises(TypeError):
        left + 1  # type: ignore[operator]


# -- blocks of your own --------------------------------------------------------------------------------------


def test_a_block_of_ones_own() -> None:
    """A frozen attrs class derived from BaseBlock is a block like ours once it has a tag."""

    @register_block("poll")
    @attrs.frozen
    class PollBlock(BaseBlock):
        question: str
        _hidden: int = attrs.field(default=0, kw_only=True)

    block = PollBlock("Tea?", metadata={"a": 1})
    assert BLOCK_TAGS[PollBlock] == "poll"
    message = Msg("user", [block])
    assert message.first(PollBlock) == block
    assert block == PollBlock("Tea?", metadata={"a": 1})
    assert same(message, message.evolve(content=[PollBlock("Tea?", metadata={"a": 1})]))
    assert not same(block, PollBlock("Coffee?", metadata={"a": 1}))
    assert "Tea?" in repr(block)


def test_a_block_derived_from_a_call() -> None:
    """A class derived from ToolUseBlock compares its own fields too."""

    @attrs.frozen(repr=False, eq=False)
    class Traced(ToolUseBlock):
        trace: str = attrs.field(default="", kw_only=True)

    assert Traced("c", "f", raw_input='{ "a":1}', trace="x") == Traced("c", "f", {"a": 1}, trace="x")
    assert Traced("c", "f", trace="x") != Traced("c", "f", trace="y")
    assert not same(Traced("c", "f", trace="x"), Traced("c", "f", trace="y"))
    assert Traced("c", "f") != ToolUseBlock("c", "f")


def test_what_is_no_block_class_is_not_registered() -> None:
    """A taken tag, a class without the decorator, and anything but a class are refused."""

    class Undecorated(BaseBlock):
        pass

    @attrs.frozen
    class Other(BaseBlock):
        x: int = 0

    for cls, tag, code in (
        (Other, "text", "key"),
        (Undecorated, "u", "type"),
        (int, "i", "type"),
        (5, "n", "type"),
    ):
        with pytest.raises(InvalidMessage) as caught:
            ANY.register_block(tag)(cls)
        assert caught.value.code == code


def test_replacing_follows_the_same_rule_as_evolve() -> None:
    """copy.replace (Python 3.13) calls a method that drops the input for a new text, and the text for a new input."""
    block = ToolUseBlock("c", "f", {"a": 1})
    assert block.__replace__(raw_input='{"b": 2}').input == {"b": 2}
    assert ToolUseBlock("c", "f", raw_input='{"b": 2}').__replace__(input={"c": 3}).raw_input is None
