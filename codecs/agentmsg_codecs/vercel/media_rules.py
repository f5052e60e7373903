"""The rules of the capability table for media that are given differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, is_marked, mark_of, media, natives, rules
from agentmsg_codecs.vercel.media import data_in, is_url
from agentmsg_codecs.vercel.names import FAMILY, USUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def carried(*, is_typed: bool, inner: bool = False) -> Callable[[Any], Any]:
    """Return the rule for media.

    Args:
        is_typed: whether they need a media type.
        inner: whether they are inside a result.
    """

    def rule(block: Any) -> Any:
        source, kind = block.source, media.KINDS[type(block)]
        # The SDK's clients drop a text that is a file of a result.
        is_said = inner and isinstance(source, am.TextSource) and mark_of(block, FAMILY, "/as") is None
        if isinstance(source, am.BlocksSource) or is_said:
            near = rules.document_as_text(block) if kind == "file" else block
            return Drop("this kind of source isn't supported") if near is block else near
        if isinstance(source, am.FileSource) and source.provider is None and not (inner and kind in ("image", "file")):
            return Drop("a file belongs to a provider here")
        if isinstance(source, am.TextSource) and kind not in ("file", media.kind_of(source.media_type)):
            return Drop("this kind of source isn't supported")
        read = source
        if isinstance(source, am.URLSource) and not inner and not is_marked(source, FAMILY, "/tag"):
            if not is_url(source.url):
                return Drop("a URL is absolute here")
            read = data_in(source) or source
        return settled(block, _bare(_typed(read, kind, is_typed=is_typed, inner=inner)), "media tell their type here")

    return rule


def settled(block: Any, source: Any, why: str) -> Any:
    """Return a rule's answer for media with another source: a file becomes what its media type tells.

    Args:
        block: the media.
        source: the source to write.
        why: the reason for another source.
    """
    told = media.kind_of(source.media_type)
    if isinstance(block, am.FileBlock) and told != "file":
        near = media.CLASSES[told](source, cache=block.cache)
        return Swap(near, "the media type tells what it is here", "annotation")
    return block if source is block.source else Swap(block.evolve(source=source), why, "annotation")


def likely_type(source: Any, kind: str) -> str:
    """Return the media type for a source of a kind that lacks one: from its data, else the usual one.

    Clients refuse a document by address that isn't said to be a PDF, and those that providers read are.
    """
    if kind == "file" and isinstance(source, am.URLSource):
        return "application/pdf"
    guess = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else None
    return guess if guess is not None and media.kind_of(guess) == kind else USUAL[kind]


def _typed(source: Any, kind: str, *, is_typed: bool, inner: bool) -> Any:
    """Return a source with a media type of its kind, if one is needed."""
    told = source.media_type
    if told is not None and media.kind_of(told) == kind:
        return source
    if kind == "image" and not is_typed:
        return source
    if kind == "file" and (told is not None or (inner and isinstance(source, (am.URLSource, am.FileSource)))):
        return source
    return source.evolve(media_type="text/plain" if isinstance(source, am.TextSource) else likely_type(source, kind))


def _bare(source: Any) -> Any:
    """Return a source without extras, except for a reference's ids at other providers."""
    if not source.extras:
        return source
    has_ids = isinstance(source, am.FileSource) and source.provider is not None
    own: Mapping[str, Any] = natives.extras_of(source, FAMILY)
    kept = {
        key: own[key] for key in own if has_ids and isinstance(own[key], str) and key not in ("type", source.provider)
    }
    if source.extras.keys() == {FAMILY} and kept and len(kept) == len(own):
        return source
    return source.evolve(extras={FAMILY: kept} if kept else {})
