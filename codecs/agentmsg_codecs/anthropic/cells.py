"""Cells that many rows share: cache hints, citations and sources."""

from __future__ import annotations

import math
from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, cells, is_marked, media, natives, usually
from agentmsg_codecs.anthropic.kinds import DOCUMENT_TYPES, IMAGE_TYPES, VIDEO_TYPES, is_known_place, is_usual
from agentmsg_codecs.anthropic.names import FAMILY, PLACES, TTLS

if TYPE_CHECKING:
    from collections.abc import Mapping


def _is_odd(owner: Any) -> bool:
    return is_marked(owner, FAMILY, "/odd")


def _evolved(owner: Any, **wanted: Any) -> Any:
    changes = {name: value for name, value in wanted.items() if value is not getattr(owner, name)}
    return owner.evolve(**changes) if changes else owner


# -- cache hints ------------------------------------------------------------------------------------------------------


def hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint, or return the nearest one that the schema has."""
    is_usual_hint = value.kind == "ephemeral" and (value.ttl is None or value.ttl in TTLS)
    return value if is_usual_hint or _is_odd(value) else value.evolve(kind="ephemeral", ttl=_nearest_ttl(value.ttl))


_UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 1440}


def _nearest_ttl(ttl: str | None) -> str | None:
    """Return the time that is nearest by ratio; None, for the provider's default, if it isn't a number and a unit."""
    if ttl is None or ttl in TTLS:
        return ttl
    number, unit = ttl[:-1], _UNITS.get(ttl[-1:])
    if unit is None or not (number.isascii() and number.isdigit()) or len(number) > 9 or not int(number):  # noqa: PLR2004 - a float holds that
        return None
    wanted = int(number) * unit
    return min(TTLS, key=lambda known: abs(math.log(wanted / TTLS[known])))


# -- citations --------------------------------------------------------------------------------------------------------


def _is_supported(citation: am.Citation) -> bool:
    if citation.kind is None or citation.kind not in PLACES:
        return False
    native = {**natives.extras_of(citation, FAMILY), "cited_text": citation.cited_text, "url": citation.url}
    return _is_odd(citation) or is_known_place(native, citation.kind)


citations = cells.those(_is_supported)
"""Keep the citations that the schema has, or that were read."""


# -- sources ----------------------------------------------------------------------------------------------------------


@usually("type(value) is by_url and value.media_type is None and not value.extras", by_url=am.URLSource)
def image_source(source: Any, _: Any) -> Any:
    """Keep the source of an image; guess a media type that is missing."""
    return _source(source, IMAGE_TYPES, "images")


def video_source(source: Any, _: Any) -> Any:
    """Keep the source of a video."""
    return _source(source, VIDEO_TYPES, "videos")


def document_source(source: Any, block: Any) -> Any:
    """Keep the source of a document; data that is text becomes text."""
    if isinstance(source, am.BlocksSource):
        return _blocks(source, block)
    if isinstance(source, am.TextSource) and not (_is_odd(source) or is_usual(source, DOCUMENT_TYPES)):
        source = source.evolve(media_type="text/plain")
    if isinstance(source, am.Base64Source) and not _is_odd(source) and (source.media_type or "").startswith("text/"):
        text = _decoded(source.data)
        if text is not None:
            return am.TextSource(text, "text/plain")
    return _source(source, DOCUMENT_TYPES, "documents")


def _decoded(data: str) -> str | None:
    import base64  # noqa: PLC0415 - needed by few

    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        return None


def _source(source: Any, types: Mapping[type[Any], frozenset[str | None]], what: str) -> Any:
    if type(source) not in types:
        return Drop(f"{what} can't have this kind of source here")
    if isinstance(source, am.FileSource) and source.provider != FAMILY:
        return Drop(f"a file of {source.provider or 'another provider'} is unknown here")
    usual = types[type(source)]
    kind: str | None = None if None in usual else source.media_type
    if not (_is_odd(source) or kind in usual):
        if kind is None and isinstance(source, am.Base64Source):
            kind = media.guess_media_type(source.data)
        if kind not in usual:
            return Drop(f"no {what} of {f'the type {kind}' if kind else 'an unknown type'} here")
    return _evolved(source, media_type=kind)


# -- documents made of blocks -----------------------------------------------------------------------------------------


def _blocks(source: am.BlocksSource, block: am.FileBlock) -> Any:
    kept = tuple(new for old in source.content if (new := _inner(old)) is not None)
    if source.content and not kept:
        return Drop("nothing of it has a place in a document")
    is_same = len(kept) == len(source.content) and all(map(is_, kept, source.content))
    return source if is_same else source.evolve(content=kept)


def _inner(block: Any) -> Any:
    """Return the nearest text or image that a document can contain; None for everything else."""
    if type(block) is am.ImageBlock:
        source = image_source(block.source, block)
        return None if isinstance(source, Drop) else _evolved(block, source=source)
    return block if type(block) is am.TextBlock else None


# -- results ----------------------------------------------------------------------------------------------------------


def status(value: str, block: am.ToolResultBlock) -> str | None:
    """Keep success and error; any other word is an error or nothing."""
    return value if value in ("success", "error") else "error" if block.is_error else None
