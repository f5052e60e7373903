"""Media: parts that are mere placeholders, and the columns ``images``, ``videos``, ``audios`` that say what they are.

A placeholder without its image is a native block: where the column holds anything but addresses, or not as many of
them as there are placeholders, it is kept as it is. Tool messages have none.

LLaMA-Factory has ``<image>``, ``<video>`` and ``<audio>`` in the texts of users instead. Their messages are marked
``/tokens``; where no placeholder stands, and as many tokens as the column has entries, these are the images.

New images stand in their column; videos and audio only where they were read there, which is marked ``/column``.
"""

from __future__ import annotations

import re
from itertools import pairwise, repeat
from operator import is_
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    adopt,
    is_bare_text,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    media,
    spelling,
)
from agentmsg_codecs.hf.format import read_url
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from agentmsg.formats import Native

_ROLES = frozenset({"system", "developer", "user", "assistant"})
_SOURCES = (am.URLSource, am.Base64Source)
_make_text = maker(am.TextBlock, "text")


@attrs.frozen
class Kind:
    """Media of one kind.

    Attributes:
        word: the type of their parts.
        cls: their class.
        make: makes a block of a source.
    """

    word: str
    cls: type[Any]
    make: Any

    @property
    def column(self) -> str:
        """The column that says where they are."""
        return f"{self.word}s"

    @property
    def tag(self) -> str:
        """What stands for one in a text."""
        return f"<{self.word}>"

    @property
    def placeholder(self) -> am.NativeBlock:
        """What stands for one among parts."""
        return am.NativeBlock(FAMILY, adopt({"type": self.word}))


_KINDS = (
    Kind("image", am.ImageBlock, maker(am.ImageBlock, "source")),
    Kind("video", am.VideoBlock, maker(am.VideoBlock, "source")),
    Kind("audio", am.AudioBlock, maker(am.AudioBlock, "source")),
)
COLUMNS = frozenset(kind.column for kind in _KINDS)
_BY_WORD: Mapping[Any, Kind] = {kind.word: kind for kind in _KINDS}
_BY_CLASS: Mapping[Any, Kind] = {kind.cls: kind for kind in _KINDS}


def _awaited(block: Any) -> Kind | None:
    """Return the kind of media that a placeholder waits for; None of any other block."""
    if type(block) is not am.NativeBlock or block.codec != FAMILY:
        return None
    value: Any = thaw(block.value)
    word: Any = value.get("type") if is_object(value) and len(value) == 1 else None
    return _BY_WORD.get(word) if type(word) is str else None


def _placed(block: Any) -> Kind | None:
    """Return the kind of media that stand in the column: they were read there, or are new images."""
    kind = _BY_CLASS.get(block.__class__)
    return None if kind is None or _entry(block) is None else kind


def _entry(block: Any) -> str | None:
    """Return what media are in the column; None if they don't stand there."""
    if FAMILY in block.extras or not isinstance(block.source, _SOURCES):
        return None
    if block.notes and mark_of(block, FAMILY, "/at"):
        return None
    if type(block) is not am.ImageBlock and not is_marked(block, FAMILY, "/column"):
        return None
    return media.write_url(block.source) or None


def _blocks(messages: Sequence[am.Msg]) -> Iterator[Any]:
    """Return the blocks of the messages in which media may have a place."""
    return (block for message in messages if message.role in _ROLES for block in message.content)


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


def _count(messages: Sequence[am.Msg], kind: Kind) -> tuple[int, bool]:
    """Return how many media of a kind have a place, and whether that is in texts."""
    placeholders = sum(_awaited(block) is kind for block in _blocks(messages))
    tokens = sum(message.text.count(kind.tag) for message in messages if _is_text(message))
    return placeholders or tokens, not placeholders


# -- reading ----------------------------------------------------------------------------------------------------------


def placed(messages: list[am.Msg], row: Native) -> list[am.Msg]:
    """Return messages that were read, with the media of the columns in their places; those columns are taken out.

    Args:
        messages: as they were read.
        row: the other columns of their row.
    """
    in_texts: dict[str, Iterator[Any]] = {}
    in_parts: dict[str, Iterator[Any]] = {}
    for kind in _KINDS:
        if kind.column not in row:
            continue
        count, is_text = _count(messages, kind)
        sources = _sources(row[kind.column], count)
        if sources is not None:
            del row[kind.column]
            waiting = iter([_made(kind, source) for source in sources])
            (in_texts if is_text else in_parts)[kind.tag if is_text else kind.word] = waiting
    if not (in_texts or in_parts):
        return messages
    return [
        _split(each, in_texts)
        if _is_text(each) and any(tag in each.text for tag in in_texts)
        else _filled(each, lambda block: _awaited(block) if in_parts else None, in_parts)
        for each in messages
    ]


def _made(kind: Kind, source: Any) -> Any:
    block = kind.make(source)
    return block if kind.cls is am.ImageBlock else marked(block, FAMILY, column=True)


def _filled(message: am.Msg, kind_of: Callable[[Any], Kind | None], blocks: Mapping[str, Iterator[Any]]) -> am.Msg:
    """Return a message with blocks of some kinds replaced: by the next of their kind."""
    if message.role not in _ROLES:
        return message
    content: list[Any] = []
    for block in message.content:
        kind = kind_of(block)
        content.append(next(blocks[kind.word]) if kind is not None and kind.word in blocks else block)
    is_same = all(map(is_, content, message.content))
    return message if is_same else spelling.changed(message, {"content": tuple(content)})


def _split(message: am.Msg, waiting: Mapping[str, Iterator[Any]]) -> am.Msg:
    """Return a message whose text has tokens, with the media in their places."""
    content: list[Any] = []
    for index, text in enumerate(re.split(f"({'|'.join(waiting)})", message.text)):
        if index % 2:
            content.append(next(waiting[text]))
        elif text:
            content.append(_make_text(text))
    return marked(message.evolve(content=content), FAMILY, tokens=True)


# -- writing ----------------------------------------------------------------------------------------------------------


def used(messages: Sequence[am.Msg]) -> list[Kind]:
    """Return the kinds of which media stand in the column: there are some, and no bare placeholders."""
    found: set[str] = set()
    bare: set[str] = set()
    for message in messages:
        if message.role not in _ROLES:
            continue
        for block in message.content:
            cls = block.__class__
            if cls in _BY_CLASS and _placed(block) is not None:
                found.add(_BY_CLASS[cls].word)
            elif cls is am.NativeBlock and (kind := _awaited(block)) is not None:
                bare.add(kind.word)
    return [kind for kind in _KINDS if kind.word in found - bare]


def taken(messages: Sequence[am.Msg], own: Mapping[str, Any]) -> set[str]:
    """Return the columns among the extras of messages that are written which would be read as those of their media."""
    if COLUMNS.isdisjoint(own):
        return set()
    written, columns = unplaced(messages)
    return {
        kind.column
        for kind in _KINDS
        if kind.column in columns
        or (is_sequence(own.get(kind.column)) and _sources(own[kind.column], _count(written, kind)[0]) is not None)
    }


def unplaced(messages: Sequence[am.Msg]) -> tuple[Sequence[am.Msg], dict[str, list[str]]]:
    """Return messages to write with placeholders for their media, or with tokens, and the columns."""
    kinds = used(messages)
    if not kinds:
        return messages, {}
    media_of = [(kind, block) for block in _blocks(messages) if (kind := _placed(block)) in kinds]
    columns = {kind.column: [str(_entry(block)) for each, block in media_of if each is kind] for kind in kinds}
    texts = _with_tokens(messages, kinds, columns)
    endless = {kind.word: repeat(kind.placeholder) for kind in kinds}
    return [_filled(each, _placed, endless) for each in texts], columns


def _with_tokens(
    messages: Sequence[am.Msg], kinds: Sequence[Kind], columns: Mapping[str, list[str]]
) -> Sequence[am.Msg]:
    """Return messages with tokens for the media of those kinds of which all may have them."""
    chosen = list(kinds)
    while chosen:
        bad: set[str] = set()
        texts: list[am.Msg] = []
        for message in messages:
            found = {kind.word for block in message.content if (kind := _placed(block)) in chosen}
            joined = _joined(message, chosen) if found and message.role in _ROLES else message
            texts.append(message if joined is None else joined)
            bad |= found if joined is None else set()
        if not bad:
            wanted = {kind.word: (len(columns[kind.column]), True) for kind in chosen}
            bad = {kind.word for kind in chosen if _count(texts, kind) != wanted[kind.word]}
        if not bad:
            return texts
        chosen = [kind for kind in chosen if kind.word not in bad]
    return messages


def _joined(message: am.Msg, chosen: Collection[Kind]) -> am.Msg | None:
    """Return a message whose media are tokens in its text; None if it wasn't read so, or says more."""
    content: Any = message.content
    kinds = [kind if (kind := _placed(block)) in chosen else None for block in content]
    if mark_of(message, FAMILY, "/tokens") is not True or (None, None) in pairwise(kinds):
        return None
    if not all(kind or is_bare_text(block, FAMILY) for kind, block in zip(kinds, content, strict=True)):
        return None
    text = "".join(kind.tag if kind else block.text for kind, block in zip(kinds, content, strict=True))
    joined = message.evolve(content=(_make_text(text),))
    is_same = all(kind is None or text.count(kind.tag) == kinds.count(kind) for kind in kinds)
    return joined if is_same and _is_text(joined) else None
