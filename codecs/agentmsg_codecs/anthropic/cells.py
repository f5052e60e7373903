"""Cells that many rows share: the nearest cache hint, citations and sources that the format has."""

from __future__ import annotations

import base64
import binascii
import math
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, carried_extras, mark_of, media, usually
from agentmsg_codecs.anthropic.media import DOCUMENT_TYPES, IMAGE, IMAGE_TYPES, is_search_result, is_usual, source_keys
from agentmsg_codecs.anthropic.names import FAMILY, PLACES, TTLS
from agentmsg_codecs.anthropic.shapes import TEXT, citation_keys, is_known_place, is_usual_hint

if TYPE_CHECKING:
    from collections.abc import Mapping


_BARE: dict[str, Any] = {"item_id": None, "phase": None, "metadata": {}, "signature": None}
_HINT_EXTRAS = carried_extras((FAMILY, lambda _: frozenset({"type", "ttl"})))
_CITATION_EXTRAS = carried_extras((FAMILY, citation_keys))
_SOURCE_EXTRAS = carried_extras((FAMILY, source_keys))
_TEXT_EXTRAS = carried_extras((FAMILY, lambda _: TEXT.keys["text"]))
_IMAGE_EXTRAS = carried_extras((FAMILY, lambda _: IMAGE.keys["image"]))


def _is_odd(owner: Any) -> bool:
    return bool(owner.notes) and mark_of(owner, FAMILY, "/odd") is True


def _evolved(owner: Any, **wanted: Any) -> Any:
    changes = {name: value for name, value in wanted.items() if value is not getattr(owner, name)}
    return owner.evolve(**changes) if changes else owner


# -- cache hints ------------------------------------------------------------------------------------------------------


def hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint; one that the schema does not have becomes the nearest that it has."""
    extras = _HINT_EXTRAS(value.extras, value) if value.extras else value.extras
    if is_usual_hint(value) or _is_odd(value):
        return value if extras is value.extras else value.evolve(extras=extras)
    return value.evolve(kind="ephemeral", ttl=_nearest_ttl(value.ttl), extras=extras)


_UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 1440}


def _nearest_ttl(ttl: str | None) -> str | None:
    """Return the time that is nearest by ratio; None, the provider's default, if it isn't a number and unit."""
    if ttl is None or ttl in TTLS:
        return ttl
    number, unit = ttl[:-1], _UNITS.get(ttl[-1:])
    if unit is None or not (number.isascii() and number.isdigit()) or len(number) > 9 or not int(number):  # noqa: PLR2004 - a float holds that
        return None
    wanted = int(number) * unit
    return min(TTLS, key=lambda known: abs(math.log(wanted / TTLS[known])))


# -- citations --------------------------------------------------------------------------------------------------------


def citations(value: tuple[am.Citation, ...], _: Any) -> tuple[am.Citation, ...]:
    """Keep the citations whose kind the schema has."""
    kept = tuple(new for old in value if (new := _citation(old)) is not None)
    return value if len(kept) == len(value) and all(map(_is, kept, value)) else kept


def _is(a: object, b: object) -> bool:
    return a is b


def _citation(citation: am.Citation) -> am.Citation | None:
    if citation.kind not in PLACES:
        return None
    own: Any = citation.extras.get(FAMILY)
    rest: dict[str, Any] = {**own} if isinstance(own, dict) else {}
    if not (_is_odd(citation) or is_known_place(citation, rest)):
        return None
    new: am.Citation = _evolved(
        citation,
        start=None,
        end=None,
        url=citation.url if "url" in citation_keys(citation) else None,
        extras=_CITATION_EXTRAS(citation.extras, citation),
    )
    return new


# -- sources ----------------------------------------------------------------------------------------------------------


@usually("type(value) is by_url and value.media_type is None and not value.extras", by_url=am.URLSource)
def image_source(source: Any, _: Any) -> Any:
    """Keep the source of an image; its media type is found out if it is not told."""
    return _source(source, IMAGE_TYPES, "images")


def document_source(source: Any, block: Any) -> Any:
    """Keep the source of a document; bytes that are text are given as text."""
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
    try:
        return base64.b64decode(data, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _source(source: Any, types: Mapping[type[Any], frozenset[str | None]], what: str) -> Any:
    if type(source) not in types:
        return Drop(f"{what} are not given so here")
    if isinstance(source, am.FileSource) and source.provider != FAMILY:
        return Drop(f"a file of {source.provider or 'another provider'} is unknown here")
    usual = types[type(source)]
    kind: str | None = None if None in usual else source.media_type
    if not (_is_odd(source) or kind in usual):
        if kind is None and isinstance(source, am.Base64Source):
            kind = media.guess_media_type(source.data)
        if kind not in usual:
            return Drop(f"no {what} of the type {kind or 'that is not told'} here")
    extras = _SOURCE_EXTRAS(source.extras, source) if source.extras else source.extras
    return _evolved(source, media_type=kind, extras=extras)


# -- documents made of blocks -----------------------------------------------------------------------------------------


def _blocks(source: am.BlocksSource, block: am.FileBlock) -> Any:
    named = is_search_result(block)
    kept = tuple(new for old in source.content if (new := _inner(old)) is not None)
    if source.content and not kept:
        return Drop("nothing of it has a place in a document")
    content = source.content if len(kept) == len(source.content) and all(map(_is, kept, source.content)) else kept
    # A search result has no object for its source, where extras could stand.
    extras: Any = {} if named and source.extras else _SOURCE_EXTRAS(source.extras, source)
    return _evolved(source, content=content, extras=extras)


def _inner(block: Any) -> Any:
    """Return the nearest text or image that may stand inside a document; None for everything else."""
    if type(block) is am.TextBlock:
        cells = {"citations": citations(block.citations, block), "extras": _TEXT_EXTRAS(block.extras, block)}
    elif type(block) is am.ImageBlock:
        source = image_source(block.source, block)
        if isinstance(source, Drop):
            return None
        cells = {"source": source, "detail": None, "extras": _IMAGE_EXTRAS(block.extras, block)}
    else:
        return None
    cells["cache"] = None if block.cache is None else hint(block.cache, block)
    bare = {name: value for name, value in _BARE.items() if getattr(block, name) != value}
    return _evolved(block, **cells, **bare)
