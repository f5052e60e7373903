"""approximate_tokens and token_counter: which parts of a message count, and how much."""

from __future__ import annotations

import io
import sys
from functools import partial
from importlib import import_module
from typing import Any

import attrs
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import registry

import agentmsg as am
from agentmsg.testing import histories, messages

# For the message itself.
_FRAME = 3


def _tokens(*blocks: Any, role: Any = "user", **fields: Any) -> int:
    """Return the tokens of a message of these blocks beyond those of an empty one, one token per character."""
    one = partial(am.approximate_tokens, chars_per_token=1)
    return one(am.Msg(role, blocks, **fields)) - one(am.Msg(role))


_DATA = am.Base64Source("A" * 4000, "application/x")
_URL = am.URLSource("https://example.com/x")


@pytest.mark.parametrize(
    ("tokens", "block"),
    [
        (5, am.TextBlock("12345")),
        (2, am.TextBlock("東京", citations=[am.Citation(title="not read")], signature=am.Signature("x", "y"))),
        (7, am.ThinkingBlock("123", redacted="4567", signature=am.Signature("x", "abc"))),
        (10 + 2 + 3 + 9, am.ToolUseBlock("c1", "add", {"a": 1.5})),
        (10 + 2 + 3 + 12, am.ToolUseBlock("c1", "add", raw_input='{ "a": 1.5 }')),
        (10 + 3 + 4, am.ToolUseBlock(None, "add", raw_input="{bad")),
        (10 + 1 + 33, am.ToolUseBlock(None, "f", [10**30])),
        (2 + 1 + 5, am.ToolResultBlock("c1", "12345", name="f", artifact={"never": "read"}, structured={"a": 1})),
        (2 + 7, am.ToolResultBlock("c1", structured={"a": 1}, error="not read")),
        (2 + 4, am.ToolResultBlock("c1", error="boom")),
        (2 + 85, am.ToolResultBlock("c1", [am.ImageBlock(_DATA)])),
        (85, am.ImageBlock(_DATA)),
        (85, am.ImageBlock(_URL, detail="high")),
        (3, am.AudioBlock(_DATA)),
        (5 + 3, am.AudioBlock(_DATA, transcript="Hello")),
        (85, am.AudioBlock(am.FileSource("f1"))),
        (3, am.VideoBlock(_DATA)),
        (60, am.FileBlock(_DATA)),
        (4 + 5 + 7 + 60, am.FileBlock(_DATA, name="name", title="title", context="context")),
        (85, am.FileBlock(_URL)),
        (750, am.FileBlock(am.Base64Source("A" * 4000, "text/csv"))),
        (60, am.FileBlock(am.URLSource("data:;base64," + "A" * 3987))),
        (4, am.FileBlock(am.TextSource("text"))),
        (4 + 85, am.FileBlock(am.BlocksSource([am.TextBlock("text"), am.ImageBlock(_URL)]))),
        (1 + 7, am.DataBlock({"a": 1}, name="n")),
        (4, am.RefusalBlock("No! ")),
        (7, am.SourceBlock("url", title="name")),
        (7, am.CompactionBlock("sum", encrypted="4567")),
        (3 + 4 + 2, am.ToolsBlock([am.ToolSpec("add", "adds")])),
        (7, am.ToolsBlock([am.NativeTool("x", {"a": 1})])),
        (7, am.NativeBlock("x", {"a": 1})),
        (2, am.NativeBlock("x", {"a": 1}, fallback="hi")),
    ],
)
def test_blocks_count_as_the_table_says(tokens: int, block: Any) -> None:
    """Each class of blocks counts the text that a model reads, and media by their kind."""
    assert _tokens(block) == tokens


def test_every_class_of_blocks_is_counted() -> None:
    """No class of ours falls back to the default for foreign classes."""
    from agentmsg.model.blocks import BLOCK_TAGS
    from agentmsg.ops import tokens

    ours = {cls for cls in BLOCK_TAGS if cls.__module__.startswith("agentmsg.")}
    assert ours == set(tokens._PIECES)


@attrs.frozen(eq=False, repr=False)
class Weather(am.BaseBlock):
    """A user's block."""

    city: str = attrs.field(default="Paris")
    degrees: int | None = attrs.field(default=24, kw_only=True)


@attrs.frozen(eq=False, repr=False)
class Loud(am.TextBlock):
    """A block derived from one of ours."""

    volume: int = attrs.field(default=11, kw_only=True)


def test_blocks_of_others_count_by_their_fields() -> None:
    """Texts count unchanged, other values by their repr; a class derived from a block of ours counts as that."""
    assert _tokens(Weather()) == 5 + 2
    assert _tokens(Weather("Rom", degrees=None, metadata={"not": "read"})) == 3
    assert _tokens(Loud("abc")) == 3


def test_a_message_counts_role_and_sender() -> None:
    """Beside its blocks a message counts its role, its sender and 3 tokens; four characters are one token."""
    assert am.approximate_tokens(am.Msg("user")) == _FRAME + 1
    assert am.approximate_tokens(am.Msg.user("12345")) == _FRAME + 3
    assert am.approximate_tokens(am.Msg.user("12345", name="ada!")) == _FRAME + 4
    assert am.approximate_tokens(am.Msg.user("12345"), chars_per_token=2.5, tokens_per_message=0) == 4
    assert am.approximate_tokens(am.Msg.user("x"), chars_per_token=5) == _FRAME + 1
    image = am.Msg("user", [am.ImageBlock(_URL), am.ImageBlock(_DATA)])
    assert am.approximate_tokens(image, tokens_per_image=500) == _FRAME + 1 + 1000
    quiet = {"metadata": {"a": "not read"}, "usage": am.Usage(input=9), "id": "m1", "structured": {"a": 1}}
    assert _tokens(am.TextBlock("abc"), **quiet) == 3


@given(messages())
def test_any_message_can_be_counted(message: am.Msg) -> None:
    """The count is a whole number, the same each time, and grows with the text."""
    count = am.approximate_tokens(message)
    assert isinstance(count, int)
    assert count == am.approximate_tokens(message) >= _FRAME
    longer = message.evolve(content=[*message.content, am.TextBlock("four")])
    assert am.approximate_tokens(longer) == count + 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("chars_per_token", value) for value in (0, -1, float("nan"), "4", None)),
        *(("tokens_per_message", value) for value in (-1, 0.5, True, "3")),
        *(("tokens_per_image", value) for value in (-1, None)),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(name: str, value: Any) -> None:
    """A message must be a message, and the options possible numbers of tokens."""
    with pytest.raises(am.InvalidMessage) as raised:
        am.approximate_tokens(am.Msg.user("x"), **{name: value})
    assert raised.value.path == (name,)
    if name != "chars_per_token":
        with pytest.raises(am.InvalidMessage):
            am.token_counter("bytes", **{name: value})
    with pytest.raises(am.InvalidMessage):
        am.approximate_tokens("x")  # type: ignore[arg-type]  # possible for a caller without a type checker


# -- images and histories ----------------------------------------------------------------------------------------------


@pytest.mark.slow  # Pillow makes the images: it comes with what draws plots
@pytest.mark.parametrize(
    ("form", "how"),
    [
        ("PNG", {}),
        ("GIF", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True, "exif": b"Exif\x00\x00" + b"a" * 60_000}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"exif": b"Exif\x00\x00"}),
    ],
)
def test_an_image_counts_by_its_pixels(form: str, how: dict[str, Any]) -> None:
    """The size stands in the first bytes: width x height / 750, after scaling; a caller's number goes before."""
    image: Any = import_module("PIL.Image")
    for size, tokens in (((300, 150), 60), ((1, 1), 1), ((2000, 3000), 1600), ((3136, 100), 105)):
        file = io.BytesIO()
        image.new("RGB", size).save(file, form, **how)
        source = am.Base64Source.from_bytes(file.getvalue(), "image/x")
        for given_as in (source, am.URLSource(f"data:image/x;base64,{source.data}")):
            assert _tokens(am.ImageBlock(given_as)) == tokens
        folded = am.Base64Source("\n".join(source.data[i : i + 76] for i in range(0, len(source.data), 76)))
        assert _tokens(am.ToolResultBlock(None, [am.ImageBlock(folded)])) == tokens
        assert _tokens(am.ImageBlock(source, detail="low")) == 85
        assert am.approximate_tokens(am.Msg("user", [am.ImageBlock(source)]), tokens_per_image=9) == _FRAME + 1 + 9
        for end in range(12, 30, 4):  # cut off in the header
            assert _tokens(am.ImageBlock(source.evolve(data=source.data[:end]))) in {85, tokens}


_TOOLS = [am.ToolSpec("add", "adds", {"type": "object"}), am.NativeTool("x", {"a": 1})]


def test_a_history_counts_its_tools_and_the_schema_of_its_answer() -> None:
    """A history costs what its messages cost, and what its tools and schema add to one."""
    plain = am.History.of("12345")
    one = am.token_counter(_utf8)
    for count in (one, partial(am.approximate_tokens, chars_per_token=1)):
        assert count(plain) == count(plain[0])
        assert count(plain.evolve(tools=_TOOLS)) == count(plain) + 3 + 4 + 17 + 7
        schema = plain.with_settings(response_format={"schema": {}})
        assert count(schema) == count(plain) + len('{"schema":{}}')
        assert count(plain.with_settings(response_format="json", model="m")) == count(plain)


# -- tokenizers --------------------------------------------------------------------------------------------------------


def _bytes() -> tiktoken.Encoding:
    """Return an encoding with one token per byte, except for two words and a mark."""
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256, b"user": 257}
    return tiktoken.Encoding("bytes", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 300})


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register encodings with tiktoken that need no network."""
    assert tiktoken.list_encoding_names()
    constructors = registry.ENCODING_CONSTRUCTORS
    assert constructors is not None
    monkeypatch.setitem(registry.ENCODINGS, "bytes", _bytes())
    monkeypatch.setitem(constructors, "elsewhere", _unreachable)


def _unreachable() -> dict[str, Any]:
    msg = "the network is down"
    raise ConnectionError(msg)


def _utf8(text: str) -> bytes:
    return text.encode()


_TOKENIZERS: list[Any] = ["bytes", _bytes().encode_ordinary, _utf8]


@pytest.mark.parametrize("tokenizer", _TOKENIZERS, ids=["name", "method", "function"])
def test_a_tokenizer_counts(tokenizer: Any) -> None:
    """By name or as a function, a tokenizer gets each text that a model reads; a mark in it is ordinary text."""
    count = am.token_counter(tokenizer)
    words = am.Msg.system("東<|end|>")
    assert count(words) == _FRAME + len(b"system") + 3 + 7
    assert count(am.Msg("system", [am.ImageBlock(_URL)])) == _FRAME + 6 + 85
    spare = am.token_counter(tokenizer, tokens_per_message=0, tokens_per_image=1)
    assert spare(am.Msg("system", [am.ImageBlock(_URL)], name="x")) == 6 + 1 + 1


def test_a_tokenizer_merges_within_a_text_only() -> None:
    """Texts are counted one by one: the end of one and the start of the next never form a token."""
    count = am.token_counter("bytes")
    assert count(am.Msg.user("abab")) == _FRAME + 1 + 2
    assert count(am.Msg("user", [am.TextBlock("a"), am.TextBlock("b")])) == _FRAME + 1 + 2


@given(histories(3), st.integers(0, 300))
def test_a_history_is_trimmed_by_a_tokenizer(history: am.History, most: int) -> None:
    """A tokenizer's counter counts any message, and works in trim."""
    count = am.token_counter("bytes")
    assert sum(map(count, history.trim(max_tokens=most, counter=count, keep_system=False))) <= most


def test_an_encoding_that_is_not_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown name, an unreachable one and a missing package each have an error with the command that helps."""
    with pytest.raises(am.InvalidMessage, match="tiktoken has no encoding 'o300k'") as unknown:
        am.token_counter("o300k")
    with pytest.raises(am.FileError, match="cannot get the encoding 'elsewhere': 'the network is down'") as far:
        am.token_counter("elsewhere")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(am.FileError, match=r"pip install 'agentmsg\[tokens\]'") as missing:
        am.token_counter("o200k_base")
    assert [error.value.code for error in (unknown, far, missing)] == ["option", "file", "unavailable"]
    with pytest.raises(am.InvalidMessage, match="a function or the name"):
        am.token_counter(7)  # type: ignore[arg-type]  # possible for a caller without a type checker
