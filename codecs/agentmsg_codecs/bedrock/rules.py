"""The rules of the capability table, for blocks that Bedrock represents differently or doesn't support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, Unreadable, is_mapping, is_marked, media, rules
from agentmsg_codecs.bedrock.format import CITED_PLACES, is_guarded, is_search_result, read_citation, write_citation
from agentmsg_codecs.bedrock.names import ALIASES, DOCUMENTS, FAMILY, IMAGES, PROVIDER, S3, SOUNDS, VIDEOS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Rule


def _nearest(source: Any, formats: Mapping[str, str]) -> Any:
    """Return the source of media with a type that has a format here, or a Drop with the reason."""
    source = media.unwrapped(source)
    if isinstance(source, am.URLSource) and not source.url.startswith(S3):
        return Drop("media are given as data, or in S3, here")
    if not isinstance(source, (am.Base64Source, am.URLSource)):
        return Drop("this kind of source isn't supported")
    if formats is DOCUMENTS and source.media_type is None:
        # A document may leave its format open.
        return _without_extras(source)
    media_type = (source.media_type or "").partition(";")[0].strip().lower()
    if not media_type and isinstance(source, am.Base64Source):
        media_type = media.guess_media_type(source.data) or ""
    media_type = ALIASES.get(media_type, media_type)
    if media_type not in formats.values():
        return Drop(f"no format for {media_type or 'media without a type'} here")
    return _without_extras(source if media_type == source.media_type else source.evolve(media_type=media_type))


def _without_extras(source: Any) -> Any:
    """Return a source without extras, except those of an S3 location."""
    own = source.extras.get(FAMILY) if isinstance(source, am.URLSource) else None
    kept = {key: own[key] for key in own if key != "uri"} if is_mapping(own) else {}
    if not source.extras or (source.extras.keys() == {FAMILY} and kept == own):
        return source
    return source.evolve(extras={FAMILY: kept} if kept else {})


def media_rule(formats: Mapping[str, str]) -> Rule:
    """Return the rule for media of some formats."""

    def rule(block: Any) -> Any:
        near = _nearest(block.source, formats)
        if isinstance(near, Drop):
            return rules.audio_as_text(block) if isinstance(block, am.AudioBlock) else near
        if near is block.source:
            return block
        return Swap(block.evolve(source=near), "media have a format here", "annotation")

    return rule


def document(block: am.FileBlock) -> Any:
    """Keep a document given as data, in S3, or as text; give it a name, which is required here."""
    source: Any = block.source
    if isinstance(source, am.BlocksSource):
        if is_search_result(block) and not source.content:
            return block
        texts = tuple(item for item in source.content if isinstance(item, am.TextBlock))
        if not texts:
            return Drop("documents are made of texts here")
        near: Any = source
        bare = tuple(am.TextBlock(item.text) for item in texts)
        if len(bare) < len(source.content) or any(not am.same(a, b) for a, b in zip(bare, texts, strict=True)):
            near = am.BlocksSource(bare)
        near = _without_extras(near)
    elif isinstance(source, am.TextSource):
        kind = source.media_type if source.media_type in (None, *DOCUMENTS.values()) else "text/plain"
        near = _without_extras(source if kind == source.media_type else source.evolve(media_type=kind))
    else:
        near = _nearest(source, DOCUMENTS)
        if isinstance(near, Drop):
            return near
    title = block.title if block.name is None else None
    name = block.name if block.name is not None else title or "document"
    if near is source and name == block.name:
        return block
    new = block.evolve(source=near, name=name, title=None if title else block.title)
    return Swap(new, "documents have a format and a name here", "annotation")


MEDIA: Mapping[type[Any], Rule] = {
    am.ImageBlock: media_rule(IMAGES),
    am.AudioBlock: media_rule(SOUNDS),
    am.VideoBlock: media_rule(VIDEOS),
    am.FileBlock: document,
}


def text(block: am.TextBlock) -> Any:
    """Keep a text, with the citations that the schema allows."""
    if not block.citations:
        return block
    if is_guarded(block):
        return Swap(block.evolve(citations=()), "no citations here", "annotation")
    kept = tuple(filter(_is_own, block.citations))
    if len(kept) == len(block.citations):
        return block
    return Swap(block.evolve(citations=kept), "a citation says where in a document", "annotation")


def _is_own(citation: am.Citation) -> bool:
    if citation.kind not in CITED_PLACES and not is_marked(citation, FAMILY, "/odd"):
        return False
    bare = citation.evolve(notes={})
    try:
        return am.same(read_citation(write_citation(bare)), bare)
    except (Unreadable, am.AgentMsgError):
        return False


def thinking_rule(otherwise: str | None) -> Rule:
    """Return the rule for thinking: keep it if it is unsigned, or signed here.

    Args:
        otherwise: "drop" or "text", for all other thinking.
    """

    def rule(block: am.ThinkingBlock) -> Any:
        owner = block.signature.provider if block.signature is not None else None
        if block.redacted is not None:
            if not block.thinking and block.signature is None:
                return block
            return Swap(block.evolve(thinking="", signature=None), "thinking is readable or opaque here")
        if owner in (None, PROVIDER):
            return block
        return rules.thinking_otherwise(block, otherwise, f"only {owner} can read this")

    return rule


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep the result of a tool that Bedrock runs."""
    if block.kind != "server":
        return rules.result_as_text(block)
    return result(block) if block.provider == PROVIDER else rules.server_as_text(block)


def result(block: am.ToolResultBlock) -> Any:
    """Move structured content and an error into the content of a result; its status shows a failure."""
    content = block.content
    if block.structured is not None:
        content = (*content, am.DataBlock(block.structured))
    if block.error is not None and block.error not in block.text:
        content = (*content, am.TextBlock(block.error))
    status = block.status if block.status in ("success", "error", None) else "error" if block.is_error else None
    if block.error is not None and status is None:
        status = "error"
    if content is block.content and status == block.status and block.error is None:
        return block
    new = block.evolve(content=content, structured=None, error=None, status=status)
    return Swap(new, "a result is its content and a status here", "annotation")
