"""Tokens of a message or a history, estimated without a model or counted by a tokenizer.

Only what a model would read counts: role, sender and blocks; of a history also its tools, and the schema of its
response format. These don't count: metadata, usage, ids of messages and items, signatures, extras, tool artifacts.

    text, thinking, refusal, compaction     its text, an opaque payload included
    tool_use                                id, name, and the arguments as JSON text (as received, where they were),
                                            and 10 tokens for what is around them in a prompt
    tool_result                             id, name and content; without content the structured value, else the error
    image                                   by its pixels, else 85 tokens
    audio, video                            1 token for each 1,000 bytes, and the transcript. Gemini documents 32 tokens
                                            for a second of audio (32 kB as WAV, 16 kHz, 16 bit), about 260 of video
    file                                    1 token for each 50 bytes (a page of a PDF: 100 kB, 2,000 tokens), for
                                            each 4 bytes of a text; name, title and context; texts and blocks as such
    data, tools, native                     as JSON text; the fallback of a native block, where it has one
    source                                  URL and title
    a block of yours                        its own fields: texts as they are, other values by their repr

Media without bytes (a URL, a file id) count as an image of unknown size.

For an image, the estimate is what Anthropic documents for Claude ("Vision", Calculate image costs): width x height /
750, of an image that is first made smaller if a side is over 1568 pixels or it would cost over 1600 tokens. The first
bytes of PNG, JPEG, GIF and WebP tell its size. With ``detail="low"``, and if no size can be read (a URL, a file id,
another kind of image), it is 85: what OpenAI documents for an image of low detail ("Images and vision", Calculating
costs). Both providers have other numbers for other models.

What a history has beside its messages, and media, cost what they add to a message: a counter of yours is asked for one
with them (tools are a ``ToolsBlock``, a schema is a ``DataBlock``) and for one without.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sized
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import FileError, InvalidMessage, excerpt, is_a, refused
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import (
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    CompactionBlock,
    DataBlock,
    FileBlock,
    ImageBlock,
    NativeBlock,
    RefusalBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolUseBlock,
    VideoBlock,
)
from agentmsg.model.checks import checked
from agentmsg.model.history import History
from agentmsg.model.media import CLASSES, unwrapped
from agentmsg.model.msg import Msg
from agentmsg.model.sources import Base64Source, BlocksSource, TextSource, URLSource
from agentmsg.model.tool_arguments import input_text
from agentmsg.model.tool_use import UNSET
from agentmsg.model.tools import ToolSpec
from agentmsg.optional import extra
from agentmsg.values.text import json_text
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_UNKNOWN_SIZE = 85
_PIXELS_PER_TOKEN, _MOST_TOKENS, _LONGEST_SIDE = 750, 1600, 1568
# Characters of base64 text to look at, a multiple of 4; a JPEG may begin with a small picture of itself.
_START = 1 << 18
# The markers of a JPEG's frame header, which are those of the kinds of coding but three for other tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_Size: TypeAlias = tuple[int, int]
Piece: TypeAlias = "str | int | None"
"""A text, a number of tokens, or nothing."""
Counter: TypeAlias = "Callable[[Msg], int]"
"""Returns the tokens of a message."""

_MEDIA_BYTES, _FILE_BYTES, _TEXT_BYTES = 1000, 50, 4
_MESSAGE, _CALL = 3, 10
_MEDIA = tuple(CLASSES.values())


def approximate_tokens(
    message: Msg | History,
    *,
    chars_per_token: float = 4.0,
    tokens_per_message: int = _MESSAGE,
    tokens_per_image: int = UNSET,
) -> int:
    """Estimate the number of tokens of a message or of a history, without a model.

    It is the number of characters that the model reads (see this module) divided by ``chars_per_token``, rounded up,
    plus the tokens of the message itself and of its media. LangChain's ``count_tokens_approximately`` (langchain-core
    1.7.2) counts the same way, except that it also counts the spelling of Python objects, and base64 as text.

    Args:
        message: the message to count; or a history, with its tools.
        chars_per_token: about 4 for English, 1 to 2 for Chinese and Japanese.
        tokens_per_message: tokens that separate one message from the next.
        tokens_per_image: for each image, and for other media of unknown size, in place of the estimate.

    Raises:
        InvalidMessage: code "type" if it isn't a message, ``chars_per_token`` isn't above 0, or another option isn't a
            whole number.
    """
    _check(tokens_per_message, tokens_per_image)
    if not is_a(chars_per_token, (int, float)) or not chars_per_token > 0:
        raise refused("chars_per_token", chars_per_token, "a number above 0")
    if is_a(message, History):
        size: Any = {"tokens_per_message": tokens_per_message, "tokens_per_image": tokens_per_image}
        return history_tokens(message, partial(approximate_tokens, chars_per_token=chars_per_token, **size))
    texts, tokens = _counted(message, tokens_per_image)
    return math.ceil(sum(map(len, texts)) / chars_per_token) + tokens_per_message + tokens


def token_counter(
    tokenizer: str | Callable[[str], Sized],
    *,
    tokens_per_message: int = _MESSAGE,
    tokens_per_image: int = UNSET,
) -> Callable[[Msg | History], int]:
    """Return a function that counts tokens with a real tokenizer, for example for ``History.trim``.

    It takes a message, or a history with its tools.

    Args:
        tokenizer: a function that returns the tokens of a text, such as any tokenizer's ``encode`` (without the special
            tokens that some add around each text). Or the name of a tiktoken encoding, such as "o200k_base"; tiktoken
            downloads it on first use.
        tokens_per_message: tokens that separate one message from the next.
        tokens_per_image: for each image, and for other media of unknown size, in place of the estimate.

    Raises:
        InvalidMessage: code "type" if it is neither; code "option" if tiktoken has no such encoding.
        FileError: code "unavailable" if tiktoken isn't installed; code "file" if it can't get the encoding.
    """
    encode = _tiktoken(tokenizer) if is_a(tokenizer, str) else tokenizer
    if not callable(encode):  # pyright: ignore[reportUnnecessaryComparison]
        raise refused("tokenizer", tokenizer, "a function or the name of an encoding")
    _check(tokens_per_message, tokens_per_image)

    return _Counter(encode, tokens_per_message, tokens_per_image)


@cache
def counter_of(encoding: str | None) -> Callable[[Msg | History], int]:
    """Return the counter of an encoding of tiktoken; without one, the estimate."""
    return approximate_tokens if encoding is None else token_counter(encoding)


@attrs.frozen
class _Counter:
    """A counter that calls a tokenizer; it can be pickled if the tokenizer can."""

    encode: Callable[[str], Sized]
    tokens_per_message: int
    tokens_per_image: int

    def __call__(self, message: Msg | History) -> int:
        if is_a(message, History):
            return history_tokens(message, self)
        texts, tokens = _counted(message, self.tokens_per_image)
        return self.tokens_per_message + tokens + sum(len(self.encode(text)) for text in texts)


def _check(tokens_per_message: Any, tokens_per_image: Any) -> None:
    for name, value in (("tokens_per_message", tokens_per_message), ("tokens_per_image", tokens_per_image)):
        if value is not UNSET and (type(value) is not int or value < 0):
            raise refused(name, value, "a whole number, at least 0")


def _tiktoken(name: str) -> Callable[[str], list[int]]:
    tiktoken = extra("tiktoken", "tokens", f"the tokenizer {excerpt(name)}")
    try:
        encoding = tiktoken.get_encoding(name)
    except ValueError as error:
        msg = f"tiktoken has no encoding {excerpt(name)}: {excerpt(str(error))}"
        raise InvalidMessage(msg, code="option", path=("tokenizer",)) from None
    except OSError as error:
        # Without a network, requests and urllib3 raise an OSError, too.
        msg = f"tiktoken cannot get the encoding {excerpt(name)}: {excerpt(str(error))}"
        raise FileError(msg, code="file", path=("tokenizer",)) from error
    # Not `encode`, which refuses a text that contains a special token.
    return cast("Callable[[str], list[int]]", encoding.encode_ordinary)


# -- histories ---------------------------------------------------------------------------------------------------------


def checked_counter(counter: Counter | None) -> Counter:
    """Return a counter, if it can be called; without one, the estimate."""
    if counter is not None and not callable(counter):  # pyright: ignore[reportUnnecessaryComparison]
        raise refused("counter", counter, "a function of a message")
    return counter or approximate_tokens


def cost(counter: Counter, message: Msg) -> int:
    """Return what a counter says about a message.

    Raises:
        InvalidMessage: code "type" if it doesn't return a number of tokens.
    """
    tokens: Any = counter(message)
    if not is_a(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        raise refused("what the counter gives", tokens, "a whole number, at least 0")
    return tokens


def history_tokens(history: History, counter: Counter) -> int:
    """Return the tokens of a history: of its messages, and of what it has beside them."""
    return tool_tokens(history, counter) + sum(cost(counter, message) for message in history)


def tool_tokens(history: History, counter: Counter) -> int:
    """Return the tokens of a history's tools, and of the schema of its response format."""
    form = None if history.settings is None else history.settings.response_format
    schema = [DataBlock(form)] if is_mapping(form) else []
    return _beyond(counter, [ToolsBlock(history.tools), *schema]) if history.tools or schema else 0


def media_tokens(history: History, counter: Counter) -> int:
    """Return the tokens of a history's images, audio, video and files, those in results included."""
    return sum(_beyond(counter, [block]) for message in history for block in _media_in(message.content))


def _media_in(blocks: Iterable[BaseBlock]) -> Iterator[BaseBlock]:
    for block in blocks:
        if isinstance(block, _MEDIA):
            yield block
        elif isinstance(block, ToolResultBlock):
            yield from _media_in(block.content)


def _beyond(counter: Counter, blocks: Iterable[BaseBlock]) -> int:
    """Return how many tokens blocks add to a message."""
    return max(0, cost(counter, Msg("user", blocks)) - cost(counter, Msg("user")))


# -- what a model reads ------------------------------------------------------------------------------------------------


def _counted(message: Any, image: int) -> tuple[list[str], int]:
    """Return the texts that a model reads of a message, and the tokens of all else.

    ``image`` is the number of tokens of an image, if the caller told it.
    """
    checked(message, Msg, "message")
    pieces = [message.role, message.name, *_inside(message.content, image)]
    texts = [piece for piece in pieces if isinstance(piece, str) and piece]
    return texts, sum(piece for piece in pieces if isinstance(piece, int))


def _inside(blocks: Iterable[BaseBlock], image: int) -> Iterator[Piece]:
    for block in blocks:
        yield from _PIECES.get(type(block), _of_others)(block, image)


def _of_call(block: ToolUseBlock, image: int) -> Iterable[Piece]:
    return (_CALL, block.id, block.name, input_text(block))


def _of_result(block: ToolResultBlock, image: int) -> Iterator[Piece]:
    yield block.tool_call_id
    yield block.name
    if block.content:
        yield from _inside(block.content, image)
    elif block.structured is not None:
        yield json_text(block.structured)
    else:
        yield block.error


def _of_audio(block: AudioBlock, image: int) -> Iterator[Piece]:
    yield block.transcript
    yield from _of_source(block.source, _MEDIA_BYTES, image)


def _of_file(block: FileBlock, image: int) -> Iterator[Piece]:
    yield from (block.name, block.title, block.context)
    yield from _of_source(block.source, _FILE_BYTES, image)


def _of_source(source: Any, each: int, image: int) -> Iterator[Piece]:
    """Yield what a model reads of media that cost one token per ``each`` bytes."""
    if isinstance(source, TextSource):
        yield source.text
    elif isinstance(source, BlocksSource):
        yield from _inside(source.content, image)
    elif isinstance(source, Base64Source) or (isinstance(source, URLSource) and source.url.startswith("data:")):
        text = source.data if isinstance(source, Base64Source) else source.url
        per = _TEXT_BYTES if (source.media_type or "").startswith("text/") else each
        yield math.ceil(len(text) * 3 / 4 / per)
    else:
        yield _UNKNOWN_SIZE if image is UNSET else image


def _of_tools(block: ToolsBlock, image: int) -> Iterator[Piece]:
    for tool in block.tools:
        if isinstance(tool, ToolSpec):
            yield from (tool.name, tool.description, json_text(tool.parameters or {}))
        else:
            yield json_text(tool.value)


_COMMON = frozenset(field.name for field in attrs.fields(BaseBlock))


def _of_others(block: Any, image: int) -> Iterator[Piece]:
    """Yield what a model reads of a block of an unknown class: derived from ours, or a user's own."""
    for cls in type(block).__mro__[1:]:
        if cls in _PIECES:
            yield from _PIECES[cls](block, image)
            return
    fields: Any = attrs.fields(cast("Any", type(block)))
    for field in fields:
        value = getattr(block, field.name)
        if field.name not in _COMMON and value is not None:
            yield value if isinstance(value, str) else repr(value)


_PIECES: Mapping[type, Callable[[Any, int], Iterable[Piece]]] = {
    TextBlock: lambda block, image: (block.text,),
    ImageBlock: lambda block, image: (_image_tokens(block) if image is UNSET else image,),
    AudioBlock: _of_audio,
    VideoBlock: lambda block, image: _of_source(block.source, _MEDIA_BYTES, image),
    FileBlock: _of_file,
    DataBlock: lambda block, image: (block.name, json_text(block.data)),
    ThinkingBlock: lambda block, image: (block.thinking, block.redacted),
    ToolUseBlock: _of_call,
    ToolResultBlock: _of_result,
    ApprovalRequestBlock: lambda block, image: (block.reason,),
    ApprovalResponseBlock: lambda block, image: (block.reason,),
    RefusalBlock: lambda block, image: (block.refusal,),
    SourceBlock: lambda block, image: (block.url, block.title),
    CompactionBlock: lambda block, image: (block.text, block.encrypted),
    ToolsBlock: _of_tools,
    NativeBlock: lambda block, image: (json_text(block.value) if block.fallback is None else block.fallback,),
}


def _image_tokens(block: ImageBlock) -> int:
    """Return about how many tokens an image costs; see this module."""
    source = unwrapped(block.source)
    size = _size(source) if isinstance(source, Base64Source) and block.detail != "low" else None
    if size is None:
        return _UNKNOWN_SIZE
    scale = min(1, _LONGEST_SIDE / max(size))
    return min(_MOST_TOKENS, math.ceil(size[0] * scale * size[1] * scale / _PIXELS_PER_TOKEN))


def _size(source: Base64Source) -> _Size | None:
    """Return the width and height of an image; None if its bytes don't tell them."""
    start = "".join(source.data[:_START].split())
    try:
        data = Base64Source(start[: len(start) // 4 * 4] if len(source.data) > _START else start).decode()
    except InvalidMessage:
        return None
    try:
        size = _told(data)
    except struct.error:  # the header ends too early
        return None
    return size if size and all(size) else None


def _told(data: bytes) -> _Size | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack_from(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return struct.unpack_from("<HH", data, 6)
    if data.startswith(b"\xff\xd8"):
        return _of_jpeg(data)
    return _of_webp(data) if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _of_jpeg(data: bytes) -> _Size:
    """Return the size from the frame header (ITU-T T.81, B.2.2), after segments that each tell their length."""
    place = 2
    while True:
        _, marker, length, _, height, width = struct.unpack_from(">BBHBHH", data, place)
        if marker in _FRAMES:
            return width, height
        place += 2 + length


def _of_webp(data: bytes) -> _Size | None:
    """Return the size from the first chunk (RFC 9649): lossy, lossless, or with more to come."""
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if data[12:16] == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] == b"VP8X":
        low, high, wide, tall = struct.unpack_from("<HBHB", data, 24)
        return low + (high << 16) + 1, wide + (tall << 16) + 1
    return None
