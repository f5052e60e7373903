"""Images: parts that are only placeholders, and the column ``images`` with their images, in order.

A placeholder without its image is a native block: if the column holds anything but addresses, or a different number of
them than there are placeholders, it is kept unchanged. Tool messages have none.

LLaMA-Factory has ``<image>`` in user texts instead. Their messages are marked ``/tokens``; if there is no placeholder,
and there are as many tokens as the column has entries, these are the images.
"""

from __future__ import annotations

from itertools import pairwise
from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import adopt, is_bare_text, is_list, is_sequence, maker, mark_of, marked, media, spelling
from agentmsg_codecs.hf.format import read_url
from agentmsg_codecs.hf.names import FAMILY, PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COLUMN = "images"
TAG = "<image>"
_ROLES = frozenset({"system", "developer", "user", "assistant"})
_SOURCES = (am.URLSource, am.Base64Source)
_make_image = maker(am.ImageBlock, "source")
_make_text = maker(am.TextBlock, "text")
_PLACEHOLDER = am.NativeBlock(FAMILY, adopt(PLACEHOLDER))


def _is_placeholder(block: Any) -> bool:
    return type(block) is am.NativeBlock and block.codec == FAMILY and thaw(block.value) == PLACEHOLDER


def _is_placed(block: Any) -> bool:
    """Whether an image stands in the column: it was read there, or in another format."""
    return block.__class__ is am.ImageBlock and _entry(block) is not None


def _entry(image: Any) -> str | None:
    """Return what an image is in the column; None if it doesn't stand there."""
    if FAMILY in image.extras or not isinstance(image.source, _SOURCES):
        return None
    if image.notes and mark_of(image, FAMILY, "/at"):
        return None
    return media.write_url(image.source) or None


def _blocks(messages: Sequence[am.Msg], kind: type) -> Iterator[Any]:
    """Return the blocks of a class where images may have a place."""
    return (block for message in messages if _holds(message, kind) for block in message.content if type(block) is kind)


def _holds(message: am.Msg, kind: type) -> bool:
    """Whether a block of a class stands in a message, where images may have a place."""
    return message.role in _ROLES and kind in map(type, message.content)


def _replaced(
    messages: Sequence[am.Msg], kind: type, test: Callable[[Any], bool], new: Callable[[Any], Any]
) -> list[am.Msg]:
    def one(message: am.Msg) -> am.Msg:
        if not _holds(message, kind):
            return message
        content = tuple([new(block) if test(block) else block for block in message.content])
        is_same = all(map(is_, content, message.content))
        return message if is_same else spelling.changed(message, {"content": content})

    return list(map(one, messages))


def _sources(column: Any, count: int) -> list[Any] | None:
    """Return the sources that a column has for so many placeholders; None if it hasn't."""
    entries: Any = thaw(column)
    if not count or not is_list(entries) or len(entries) != count:
        return None
    if not all(type(entry) is str and entry for entry in entries):
        return None
    found = list(map(read_url, entries))
    return found if list(map(media.write_url, found)) == entries else None


def _is_text(message: am.Msg) -> bool:
    """Whether the content of a user's message is one text."""
    content = message.content
    is_one = message.role == "user" and len(content) == 1 and is_bare_text(content[0], FAMILY)
    return is_one and not (message.notes and mark_of(message, FAMILY, "/list") is True)


def _count(messages: Sequence[am.Msg]) -> tuple[int, bool]:
    """Return how many images have a place, and whether that is in texts."""
    placeholders = sum(map(_is_placeholder, _blocks(messages, am.NativeBlock)))
    tokens = sum(message.text.count(TAG) for message in messages if _is_text(message))
    return placeholders or tokens, not placeholders


def placed(messages: Sequence[am.Msg], column: Any) -> list[am.Msg] | None:
    """Return messages that were read, with the images of the column in their places; None if it has not got them."""
    count, in_texts = _count(messages)
    sources = _sources(column, count)
    if sources is None:
        return None
    waiting = iter(sources)
    if in_texts:
        return [_split(each, waiting) if _is_text(each) and TAG in each.text else each for each in messages]
    return _replaced(messages, am.NativeBlock, _is_placeholder, lambda _: _make_image(next(waiting)))


def _split(message: am.Msg, sources: Iterator[Any]) -> am.Msg:
    content: list[Any] = []
    for index, text in enumerate(message.text.split(TAG)):
        content += [_make_image(next(sources))] if index else []
        content += [_make_text(text)] if text else []
    return marked(message.evolve(content=content), FAMILY, tokens=True)


def has_column(messages: Sequence[am.Msg]) -> bool:
    """Whether images of messages that are written stand in the column: there are some, and no bare placeholders."""
    images, natives = _blocks(messages, am.ImageBlock), _blocks(messages, am.NativeBlock)
    return any(map(_is_placed, images)) and not any(map(_is_placeholder, natives))


def is_taken(messages: Sequence[am.Msg], column: Any) -> bool:
    """Whether a column among the extras of messages that are written would be read as that of their images."""
    return is_sequence(column) and _sources(column, _count(messages)[0]) is not None


def unplaced(messages: Sequence[am.Msg]) -> tuple[list[am.Msg], list[str]]:
    """Return messages to write with placeholders for their images, or with tokens, and the column."""
    column = [entry for image in _blocks(messages, am.ImageBlock) if (entry := _entry(image)) is not None]
    texts = _with_tokens(messages)
    if texts is not None and _count(texts) == (len(column), True):
        return texts, column
    return _replaced(messages, am.ImageBlock, _is_placed, lambda _: _PLACEHOLDER), column


def _with_tokens(messages: Sequence[am.Msg]) -> list[am.Msg] | None:
    """Return messages with tokens for their images; None if one of them can't have them."""
    out: list[am.Msg] = []
    for message in messages:
        has_images = am.ImageBlock in map(type, message.content) and any(map(_is_placed, message.content))
        joined = _joined(message) if has_images else message
        if joined is None:
            return None
        out.append(joined)
    return out


def _joined(message: am.Msg) -> am.Msg | None:
    """Return a message whose images are tokens in its text; None if it wasn't read so, or says more."""
    content: Any = message.content
    kinds = [_is_placed(block) for block in content]
    if mark_of(message, FAMILY, "/tokens") is not True or (False, False) in pairwise(kinds):
        return None
    if not all(is_image or is_bare_text(block, FAMILY) for is_image, block in zip(kinds, content, strict=True)):
        return None
    text = "".join(TAG if is_image else block.text for is_image, block in zip(kinds, content, strict=True))
    joined = message.evolve(content=(_make_text(text),))
    return joined if _is_text(joined) and text.count(TAG) == sum(kinds) else None
