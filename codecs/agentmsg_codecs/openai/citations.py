"""Annotations: what a text is based on, by offsets in characters.

Those that the schema does not have (other kinds, missing fields) are marked ``/odd`` and keep all that they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Shape, Unreadable, is_list, natives, object_at, read_as, text_at, word_at, write_as
from agentmsg_codecs.openai.content import odd
from agentmsg_codecs.openai.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence


CITED = frozenset({"url", "title", "start_index", "end_index"})


def _read(native: Native, _: Any) -> am.Citation:
    kind = text_at(native, "type")
    if not kind:
        raise Unreadable
    if kind != "url_citation":
        other: am.Citation = odd(am.Citation(kind=kind))
        return other
    inner = object_at(native, kind)
    citation = am.Citation(
        word_at(inner, "url"),
        word_at(inner, "title"),
        None,
        natives.count_at(inner, "start_index"),
        natives.count_at(inner, "end_index"),
        kind,
        extras=natives.rest_of(inner, CITED, ITEM),
    )
    told = (citation.url, citation.title, citation.start, citation.end)
    if None in told:
        citation = odd(citation)
    return citation


def _write(citation: am.Citation) -> Native:
    if citation.kind != "url_citation":
        return {"type": citation.kind}
    fields = {
        "start_index": citation.start,
        "end_index": citation.end,
        "title": citation.title,
        "url": citation.url,
    }
    inner = {key: value for key, value in fields.items() if value is not None}
    return {"type": "url_citation", "url_citation": natives.with_rest(inner, citation, ITEM)}


_SHAPE = Shape(
    cls=am.Citation,
    keys={None: frozenset({"type"}), "url_citation": frozenset({"type", "url_citation"})},
    tag_of=lambda citation: citation.kind,
    read=_read,
    write=_write,
)


def citation_keys(citation: am.Citation) -> frozenset[str]:
    """Return the keys of the annotation that a citation is."""
    return _SHAPE.keys.get(citation.kind, _SHAPE.keys[None])


def read_annotations(native: Any) -> tuple[am.Citation, ...]:
    """Return the citations of a message.

    Raises:
        Unreadable: where the annotations are none.
    """
    if native is None:
        return ()
    if not is_list(native):
        raise Unreadable
    return tuple(read_as(_SHAPE, entry, FAMILY) for entry in native)


def write_annotations(said: Sequence[Any]) -> list[Native]:
    """Return the annotations of the one text that some blocks are; none where it has no citations."""
    if len(said) != 1 or type(said[0]) is not am.TextBlock:
        return []
    return [write_as(_SHAPE, citation, FAMILY) for citation in said[0].citations]
