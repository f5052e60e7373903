"""Grounding of a response: the sources of its text, read as citations.

``groundingMetadata`` stays an extra of the candidate, and only that is written: citations follow from it. Any other
citations of a message are lost, and reported. Gemini counts bytes of UTF-8, agentmsg characters.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_mapping, is_sequence, natives
from agentmsg_codecs.gemini.names import CANDIDATE, snake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_METADATA = "groundingMetadata"
# The keys whose object makes a chunk: pages, maps, and results of a file search.
_SOURCES = ("web", "maps", "retrievedContext")


def grounded(blocks: Sequence[Any], candidate: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the blocks of a response with the citations from its candidate's metadata, and no others."""
    found: dict[int, list[am.Citation]] = {}
    for index, citation in _citations(blocks, candidate):
        found.setdefault(index, []).append(citation)
    return tuple(
        block if type(block) is not am.TextBlock else _with_citations(block, tuple(found.get(index, ())))
        for index, block in enumerate(blocks)
    )


def ungrounded(blocks: Sequence[Any]) -> tuple[Any, ...]:
    """Return the blocks of a response as its parts alone tell them."""
    return tuple([_with_citations(block, ()) if type(block) is am.TextBlock else block for block in blocks])


def regrounded(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return the messages with the citations that a reader would make; unchanged if they have these."""
    out = list(map(_regrounded, messages))
    return messages if all(map(is_, out, messages)) else out


def _regrounded(message: am.Msg) -> am.Msg:
    content: tuple[Any, ...] = message.content
    new = grounded(content, natives.extras_of(message, CANDIDATE))
    return message if all(map(is_, new, content)) else message.with_content(new)


def _with_citations(block: am.TextBlock, citations: tuple[am.Citation, ...]) -> am.TextBlock:
    is_same = len(citations) == len(block.citations) and all(map(am.same, citations, block.citations))
    return block if is_same else block.evolve(citations=citations)


def _citations(blocks: Sequence[Any], candidate: Mapping[str, Any]) -> Iterator[tuple[int, am.Citation]]:
    """Yield each citation with the index of its text: one for each source of each segment."""
    metadata = _at(candidate, _METADATA)
    chunks = _at(metadata, "groundingChunks")
    supports = _at(metadata, "groundingSupports")
    if not is_sequence(chunks) or not is_sequence(supports):
        return
    for support in supports:
        place = _place(blocks, _at(support, "segment"))
        indices = _at(support, "groundingChunkIndices")
        if place is None or not is_sequence(indices):
            continue
        index, start, end = place
        for number in indices:
            if type(number) is int and 0 <= number < len(chunks):
                source = _source(chunks[number])
                if source is not None:
                    yield index, am.Citation(start=start, end=end, **source)


def _source(chunk: Any) -> dict[str, Any] | None:
    """Return a source as fields of a citation; None if its kind is unknown."""
    for kind in _SOURCES:
        held = _at(chunk, kind)
        if is_mapping(held):
            said = {"url": held.get("uri"), "title": held.get("title"), "cited_text": held.get("text")}
            return {"kind": kind, **{name: text for name, text in said.items() if isinstance(text, str)}}
    return None


def _place(blocks: Sequence[Any], segment: Any) -> tuple[int, int, int] | None:
    """Return the index of a segment's text, and its span in characters; None if no text has it."""
    first, start, end = _at(segment, "partIndex"), _at(segment, "startIndex"), _at(segment, "endIndex")
    said = _at(segment, "text")
    start = 0 if start is None else start
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        return None
    texts = [index for index, block in enumerate(blocks) if type(block) is am.TextBlock]
    for index in sorted(texts, key=lambda index: index != first):
        raw = blocks[index].text.encode()
        try:
            before, text = raw[:start].decode(), raw[start:end].decode()
        except UnicodeDecodeError:
            continue
        if end <= len(raw) and said in (None, text):
            return index, len(before), len(before) + len(text)
    return None


def _at(owner: Any, key: str) -> Any:
    """Return the value of a key in either spelling; None if there is none."""
    if not is_mapping(owner):
        return None
    value = owner.get(key)
    return owner.get(snake(key)) if value is None else value
