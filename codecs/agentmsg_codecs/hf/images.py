"""Images: parts that are mere placeholders, and the column ``images`` that says, in order, what stands in their places.

A placeholder without its image is a native block: where the column holds anything but addresses, or not as many of
them as there are placeholders, it is kept as it is. Tool messages have none.

LLaMA-Factory has ``<image>`` in the texts of users instead. Their messages are marked ``/tokens``; where no placeholder
stands, and as many tokens as the column has entries, these are the images.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import adopt, is_bare_text, is_list, is_sequence, maker, mark_of, marked, media
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
    if type(block) is not am.ImageBlock or FAMILY in block.extras or not isinstance(block.source, _SOURCES):
        return False
    return bool(media.write_url(block.source)) and not (block.notes and mark_of(block, FAMILY, "/at"))


def _blocks(messages: Sequence[am.Msg]) -> Iterator[Any]:
    return (block for message in messages if message.role in _ROLES for block in message.content)


def _replaced(messages: Sequence[am.Msg], test: Callable[[Any], bool], new: Callable[[Any], Any]) -> list[am.Msg]:
    def one(message: am.Msg) -> am.Msg:
        if message.role not in _ROLES or not any(map(test, message.content)):
            return message
        return message.evolve(content=[new(block) if test(block) else block for block in message.content])

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
    placeholders = sum(map(_is_placeholder, _blocks(messages)))
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
    return _replaced(messages, _is_placeholder, lambda _: _make_image(next(waiting)))


def _split(message: am.Msg, sources: Iterator[Any]) -> am.Msg:
    content: list[Any] = []
    for index, text in enumerate(message.text.split(TAG)):
        content += [_make_image(next(sources))] if index else []
        content += [_make_text(text)] if text else []
    return marked(message.evolve(content=content), FAMILY, tokens=True)


def has_column(messages: Sequence[am.Msg]) -> bool:
    """Whether images of messages that are written stand in the column: there are some, and no bare placeholders."""
    return any(map(_is_placed, _blocks(messages))) and not any(map(_is_placeholder, _blocks(messages)))


def is_taken(messages: Sequence[am.Msg], column: Any) -> bool:
    """Whether a column among the extras of messages that are written would be read as that of their images."""
    return is_sequence(column) and _sources(column, _count(messages)[0]) is not None


def unplaced(messages: Sequence[am.Msg]) -> tuple[list[am.Msg], list[str]]:
    """Return messages to write with placeholders for their images, or with tokens, and the column."""
    column = [media.write_url(block.source) for block in _blocks(messages) if _is_placed(block)]
    joined = [_joined(message) if any(map(_is_placed, message.content)) else message for message in messages]
    texts = [message for message in joined if message is not None]
    if len(texts) == len(messages) and _count(texts) == (len(column), True):
        return texts, column
    return _replaced(messages, _is_placed, lambda _: _PLACEHOLDER), column


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
