"""Media columns: ``images``, ``videos`` and ``audios`` hold the addresses for placeholders in the messages.

A placeholder is a part with a type and nothing else (but keys of other parts that are null, and the number of its
address under ``index``), or, as LLaMA-Factory has it, ``<image>``, ``<video>`` or
``<audio>`` in a user's text (the message is marked ``/tokens``). Tokens count only if there is no placeholder part of
their kind; those in an assistant's text, as in ms-swift, only if those of users aren't as many as the addresses. Tool
messages have no placeholders.

A column is read if it holds one address for each placeholder. Otherwise it stays an extra, and the placeholder parts
become native blocks. New images are written in their column; videos and audio only if they were read there, which is
marked ``/column``. An address may be in an object like ``{"path": ..., "bytes": null}``.

Marks of a block: ``/padded`` (the other keys of its placeholder), ``/entry`` (the keys of the object with its address).
"""

from __future__ import annotations

import re
from functools import partial
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    adopt,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    media,
    natives,
    speed,
)
from agentmsg.formats.bodies import sources_at
from agentmsg_codecs.hf.format import KINDS
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from agentmsg.formats import Native

_ROLES = frozenset({"system", "developer", "user", "assistant"})
# Whose texts have tokens: the first of these in which a column finds one for each address.
_TOKEN_ROLES = (frozenset({"user"}), frozenset({"user", "assistant"}))
_SOURCES = (am.URLSource, am.Base64Source)
_make_text = maker(am.TextBlock, "text")
_make_native = maker(am.NativeBlock, "codec", "value")


class _Kind(speed.Record):
    """Media of one kind.

    Attributes:
        word: the type of their parts.
        cls: their class.
        make: makes a block from a source.
        column: the column with the addresses.
        token: the placeholder in a text.
    """

    word: str
    cls: type[Any]
    make: Any
    column: str
    token: str


_KINDS = tuple(_Kind(word, cls, maker(cls, "source"), f"{word}s", f"<{word}>") for word, (cls, _) in KINDS.items())
# The keys of an object with an address.
_ENTRY = frozenset({"bytes", "path", "url", *KINDS})
COLUMNS = frozenset(kind.column for kind in _KINDS)
_BY_WORD: Mapping[Any, _Kind] = {kind.word: kind for kind in _KINDS}
_BY_CLASS: Mapping[Any, _Kind] = {kind.cls: kind for kind in _KINDS}


_PADDING = frozenset({"text", "index", *(key for _, keys in KINDS.values() for key in keys)})


def _placeholder(kind: _Kind, block: Any, index: int) -> am.NativeBlock:
    noted: Any = mark_of(block, FAMILY, "/padded")
    keys = [key for key in noted if isinstance(key, str) and key in _PADDING] if is_sequence(noted) else []
    padding = {key: index if key == "index" else None for key in keys}
    return _make_native(FAMILY, adopt({"type": kind.word, **padding}))


def _awaited(block: Any) -> _Kind | None:
    """Return the kind of a placeholder; None for any other block."""
    if type(block) is not am.NativeBlock or block.codec != FAMILY:
        return None
    value: Any = thaw(block.value)
    word: Any = value.get("type") if is_object(value) and value.keys() <= {"type", *_PADDING} else None
    is_empty = type(word) is str and all(value[key] is None for key in value if key not in ("type", "index"))
    return _BY_WORD.get(word) if is_empty and type(value.get("index", 0)) is int else None


def _placed(block: Any) -> _Kind | None:
    """Return the kind of media that belong in a column; None for any other block."""
    kind = _BY_CLASS.get(block.__class__)
    return kind if kind is not None and _has_address(block) else None


def _has_address(block: Any) -> bool:
    """Whether media belong in a column, which holds their address."""
    source = block.source
    if FAMILY in block.extras or not isinstance(source, _SOURCES) or mark_of(block, FAMILY, "/at"):
        return False
    if type(block) is not am.ImageBlock and not is_marked(block, FAMILY, "/column"):
        return False
    return isinstance(source, am.Base64Source) or bool(source.url)


def _blocks(messages: Sequence[am.Msg]) -> Iterator[Any]:
    """Yield the blocks of the messages that may have media from columns."""
    return (block for message in messages if message.role in _ROLES for block in message.content)


def _sources(column: Any, count: int) -> list[tuple[Any, list[str]]] | None:
    """Return the sources in a column, each with the keys of its object; None if it hasn't that number of addresses."""
    entries: Any = thaw(column)
    if not count or not is_list(entries) or len(entries) != count:
        return None
    keys = list(map(_keys_of, entries))
    addresses = [entry[at[0]] if at else entry for entry, at in zip(entries, keys, strict=True)]
    found = sources_at(addresses)
    return None if found is None else list(zip(found, keys, strict=True))


def _keys_of(entry: Any) -> list[str]:
    """Return the keys of an object with an address and else only null, the address's first; none for anything else."""
    if not is_object(entry) or not _ENTRY.issuperset(entry):
        return []
    given = [key for key in entry if entry[key] is not None]
    return [*given, *(key for key in entry if entry[key] is None)] if len(given) == 1 and given != ["bytes"] else []


def _length(column: Any) -> int:
    return len(column) if is_sequence(column) else 0


def _is_text(message: am.Msg) -> bool:
    """Whether the content of a user's or an assistant's message is one text."""
    content = message.content
    is_one = len(content) == 1 and message.role in _TOKEN_ROLES[-1] and natives.is_bare_text(content[0], FAMILY)
    return is_one and not is_marked(message, FAMILY, "/list")


def _count(messages: Sequence[am.Msg], kind: _Kind, wanted: int) -> tuple[int, Collection[str]]:
    """Return the number of placeholders of a kind; if they are tokens, also the roles in whose texts they are.

    Args:
        messages: with them.
        kind: of media.
        wanted: the number of addresses.
    """
    waiting = [block for block in _blocks(messages) if _awaited(block) is kind]
    if any(block.value.get("index", index) != index for index, block in enumerate(waiting)):
        return -1, ()
    if waiting:
        return len(waiting), ()
    texts = list(filter(_is_text, messages))
    for roles in _TOKEN_ROLES:
        tokens = sum(message.text.count(kind.token) for message in texts if message.role in roles)
        if tokens == wanted:
            return tokens, roles
    return 0, ()


# -- reading ----------------------------------------------------------------------------------------------------------


def placed(messages: list[am.Msg], row: Native) -> list[am.Msg]:
    """Replace the placeholders in messages that were read by the media of columns, and remove these columns.

    Args:
        messages: as they were read.
        row: the other columns.
    """
    in_texts: dict[str, dict[str, Iterator[Any]]] = {role: {} for role in _ROLES}
    in_parts: dict[str, Iterator[Any]] = {}
    for kind in _KINDS:
        if kind.column not in row:
            continue
        count, roles = _count(messages, kind, _length(row[kind.column]))
        sources = _sources(row[kind.column], count)
        if sources is not None:
            del row[kind.column]
            waiting = iter([_made(kind, *source) for source in sources])
            for role in roles:
                in_texts[role][kind.token] = waiting
            if not roles:
                in_parts[kind.word] = waiting
    if not (in_parts or any(in_texts.values())):
        return messages
    padded = {word: partial(_padded, in_parts[word]) for word in in_parts}
    return [
        _split(each, tokens)
        if (tokens := in_texts.get(each.role)) and _is_text(each) and any(token in each.text for token in tokens)
        else _filled(each, _awaited, padded)
        for each in messages
    ]


def _made(kind: _Kind, source: Any, keys: list[str]) -> Any:
    block = kind.make(source)
    marks: dict[str, Any] = {} if kind.cls is am.ImageBlock else {"column": True}
    marks |= {"entry": keys} if keys else {}
    return marked(block, FAMILY, **marks) if marks else block


def _padded(blocks: Iterator[Any], placeholder: am.NativeBlock) -> Any:
    """Return the next block, for a placeholder."""
    keys = [key for key in thaw(placeholder.value) if key != "type"]
    return marked(next(blocks), FAMILY, padded=keys) if keys else next(blocks)


def _filled(
    message: am.Msg, kind_of: Callable[[Any], _Kind | None], others: Mapping[str, Callable[[Any], Any]]
) -> am.Msg:
    """Replace the blocks of some kinds in a message, each by what a function for its kind returns."""
    if message.role not in _ROLES or not others:
        return message

    def change(block: Any) -> Any:
        kind = kind_of(block)
        return others[kind.word](block) if kind is not None and kind.word in others else block

    return natives.with_each(message, change)  # type: ignore[no-any-return]


def _split(message: am.Msg, waiting: Mapping[str, Iterator[Any]]) -> am.Msg:
    """Replace the tokens in the text of a message by media."""
    content: list[Any] = []
    for index, text in enumerate(re.split(f"({'|'.join(waiting)})", message.text)):
        if index % 2:
            content.append(next(waiting[text]))
        elif text:
            content.append(_make_text(text))
    return marked(message.evolve(content=content), FAMILY, tokens=True)


# -- writing ----------------------------------------------------------------------------------------------------------


def _used(messages: Sequence[am.Msg]) -> tuple[list[_Kind], list[int]]:
    """Return the kinds of media that are written in columns, and the indexes of the messages with media.

    Of such a kind there are some media, and no placeholders without media.
    """
    found: set[str] = set()
    bare: set[str] = set()
    owners: list[int] = []
    for index, message in enumerate(messages):
        for block in message.content if message.role in _ROLES else ():
            cls = block.__class__
            if cls in _BY_CLASS and _has_address(block):
                found.add(_BY_CLASS[cls].word)
                owners.append(index)
            elif cls is am.NativeBlock and (kind := _awaited(block)) is not None:
                bare.add(kind.word)
    return [kind for kind in _KINDS if kind.word in found - bare], list(dict.fromkeys(owners))


def unplaced(messages: Sequence[am.Msg]) -> tuple[Sequence[am.Msg], dict[str, list[Any]]]:
    """Replace the media in messages to write by placeholders; also return the columns."""
    kinds, owners = _used(messages)
    if not kinds:
        return messages, {}
    columns: dict[str, list[Any]] = {kind.column: [] for kind in kinds}
    for block in (block for index in owners for block in messages[index].content):
        kind = _placed(block)
        if kind is not None and kind in kinds:
            columns[kind.column].append(_entry(block))
    texts = _with_tokens(messages, owners, kinds, columns)
    numbers = {kind.word: count() for kind in kinds}
    others = {kind.word: partial(_numbered, kind, numbers[kind.word]) for kind in kinds}
    for index in owners:
        texts[index] = _filled(texts[index], _placed, others)
    return texts, columns


def _numbered(kind: _Kind, numbers: Iterator[int], block: Any) -> am.NativeBlock:
    return _placeholder(kind, block, next(numbers))


def _entry(block: Any) -> Any:
    """Return the entry of a column for a block: its address, or an object with it."""
    address, keys = media.write_url(block.source), mark_of(block, FAMILY, "/entry")
    if not is_sequence(keys) or not keys or not all(isinstance(key, str) for key in keys):
        return address
    found = {key: address if key == keys[0] else None for key in keys}
    return found if _keys_of(found) else address


def _with_tokens(
    messages: Sequence[am.Msg], owners: Sequence[int], kinds: Sequence[_Kind], columns: Mapping[str, list[Any]]
) -> list[am.Msg]:
    """Replace the media of the most kinds that are read again as they are if all of these are tokens.

    Args:
        messages: with the media.
        owners: the indexes of the messages that have media.
        kinds: of media.
        columns: their addresses.
    """
    is_read = any(is_marked(messages[index], FAMILY, "/tokens") for index in owners)
    for most in range(len(kinds) if is_read else 0, 0, -1):
        for chosen in combinations(kinds, most):
            texts = list(messages)
            for index in owners:
                texts[index] = _joined(messages[index], chosen)
            row = {kind.column: columns[kind.column] for kind in chosen}
            is_left = any(_placed(block) in chosen for index in owners for block in texts[index].content)
            if not is_left and am.same(tuple(placed(texts, row)), tuple(messages)) and not row:
                return texts
    return list(messages)


def _joined(message: am.Msg, chosen: Collection[_Kind]) -> am.Msg:
    """Join a message that was read from tokens to one text, with tokens for its media, if it holds nothing else."""
    texts: list[Any] = []
    for block in message.content:
        kind = _placed(block)
        texts.append(getattr(block, "text", None) if kind is None or kind not in chosen else kind.token)
    if None in texts or not is_marked(message, FAMILY, "/tokens"):
        return message
    return message.evolve(content=(_make_text("".join(texts)),))
