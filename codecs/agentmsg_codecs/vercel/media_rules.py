"""The rules of the capability table for media that are given differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, Drop, Swap, is_marked, media, natives, rules
from agentmsg_codecs.vercel.media import held_in, is_url
from agentmsg_codecs.vercel.names import FAMILY, USUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def carried(*, is_typed: bool, inner: bool = False) -> Callable[[Any], Any]:
    """Return the rule for media: their type tells what they are.

    Args:
        is_typed: whether they must tell it.
        inner: whether they stand inside a result.
    """

    def rule(block: Any) -> Any:
        source, kind = block.source, media.KINDS[type(block)]
        if isinstance(source, am.BlocksSource):
            said = rules.document_as_text(block) if kind == "file" else block
            return Drop("no place for what is given so") if said is block else said
        if isinstance(source, am.FileSource) and source.provider is None and not (inner and kind in ("image", "file")):
            return Drop("a file belongs to a provider here")
        if isinstance(source, am.TextSource) and kind not in ("file", media.kind_of(source.media_type)):
            return Drop("no place for what is given so")
        given = source
        if isinstance(source, am.URLSource) and not inner and not is_marked(source, FAMILY, "/tag"):
            if not is_url(source.url):
                return Drop("a URL is absolute here")
            given = held_in(source) or source
        near = _bare(_told(given, kind, is_typed=is_typed, inner=inner))
        told = media.kind_of(near.media_type)
        if kind == "file" and told != "file":
            return Swap(
                media.CLASSES[told](near, cache=block.cache), "the media type tells what it is here", "annotation"
            )
        if near is source:
            return block
        return Swap(block.evolve(source=near), "media tell their type here", "annotation")

    return rule


def _told(source: Any, kind: str, *, is_typed: bool, inner: bool) -> Any:
    """Return a source with a media type, where one is needed; it tells the kind of media."""
    told = source.media_type
    if told is not None and media.kind_of(told) == kind:
        return source
    if kind == "image" and not is_typed:
        return source
    if kind == "file" and (told is not None or (inner and isinstance(source, (am.URLSource, am.FileSource)))):
        return source
    guess = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else None
    usual = "text/plain" if isinstance(source, am.TextSource) else USUAL[kind]
    return source.evolve(media_type=guess if guess is not None and media.kind_of(guess) == kind else usual)


def _bare(source: Any) -> Any:
    """Return a source without what has no place beside it: only a reference says more."""
    if not source.extras:
        return source
    is_owned = isinstance(source, am.FileSource) and source.provider is not None
    own: Mapping[str, Any] = natives.extras_of(source, FAMILY) if is_owned else EMPTY
    kept = {key: value for key, value in own.items() if isinstance(value, str) and key not in ("type", source.provider)}
    if source.extras.keys() == {FAMILY} and len(kept) == len(own):
        return source
    return source.evolve(extras={FAMILY: kept} if kept else {})
