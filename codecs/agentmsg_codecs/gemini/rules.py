"""The rules of the capability table, for blocks that Gemini represents differently or doesn't support."""

from __future__ import annotations

from operator import is_
from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, cells, is_marked, media, rules
from agentmsg_codecs.gemini.format import is_data_url, is_of_code
from agentmsg_codecs.gemini.names import FAMILY, OUTCOMES, PROVIDER

# The media type of untyped media, by the kind of their block.
_USUAL = {"image": "image/png", "audio": "audio/wav", "video": "video/mp4", "file": "application/octet-stream"}


def carried_media(block: Any) -> Any:
    """Keep media given as data or by URI, with a media type of their kind."""
    said = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
    if said is not block:
        return said
    source, kind = block.source, media.KINDS[type(block)]
    if isinstance(source, am.FileSource):
        if source.provider != PROVIDER:
            return Drop(f"a file of {source.provider or 'another provider'} is unknown here")
        source = am.URLSource(source.file_id, source.media_type)
    source = media.unwrapped(source)
    if not isinstance(source, (am.Base64Source, am.URLSource)):
        return Drop("this kind of source isn't supported")
    if isinstance(source, am.URLSource) and is_data_url(source.url):
        return Drop("data are base64 here")
    told = _media_type(block, source, kind)
    if told != source.media_type:
        source = source.evolve(media_type=told)
    if source is block.source and not source.extras:
        return _titled(block)
    new = block.evolve(source=cells.bare(source))
    return Swap(_titled(new), "the media type tells what it is here", "annotation")


def _media_type(block: Any, source: Any, kind: str) -> str | None:
    """Return the media type to write for media of a kind."""
    told: str | None = source.media_type
    if told is None and is_marked(block, FAMILY, "/untyped"):
        return None
    if told is None and isinstance(source, am.Base64Source):
        told = media.guess_media_type(source.data)
    if told is not None and media.kind_of(told) == kind:
        return told
    # A link to a file needs no type.
    return None if kind == "file" and isinstance(source, am.URLSource) else _USUAL[kind]


def _titled(block: Any) -> Any:
    if not isinstance(block, am.FileBlock) or block.title is None or block.name is not None:
        return block
    return block.evolve(name=block.title, title=None)


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thoughts; drop those that only another provider can read."""
    own = block.signature is not None and block.signature.provider == PROVIDER and bool(block.signature.value)
    if block.redacted is not None and not block.thinking:
        return Drop("only its own provider can read this")
    return block if block.thinking or own or block.signature is None else Drop("only its own provider can read this")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep results of Google's tools: the output of code, an object from any other tool."""
    if block.kind != "server":
        return rules.result_as_text(block)
    texts = [item for item in block.content if type(item) is am.TextBlock and item.text]
    fits = block.provider == PROVIDER and block.name is not None and len(texts) == len(block.content)
    if is_of_code(block):
        fits = fits and len(texts) <= 1 and block.status in (None, *OUTCOMES.values())
    else:
        fits = fits and not texts and block.status is None
    return block if fits and block.error is None and block.error_type is None else rules.server_as_text(block)


def _is_shown(block: Any) -> bool:
    """Whether a block becomes a part of a result, rather than text."""
    if isinstance(block, am.NativeBlock):
        return block.codec == FAMILY
    if type(block) not in media.KINDS:
        return False
    answer = carried_media(block)
    return answer is block or (isinstance(answer, Swap) and type(answer.new) is type(block))


def _texts_of(block: am.ToolResultBlock) -> list[am.TextBlock]:
    """Return the text of a result: its texts, else its value if that is a text, else its error."""
    words = [said for item in block.content if not _is_shown(item) and (said := rules.as_text(item)) is not None]
    if not words and isinstance(block.structured, str):
        return [am.TextBlock(block.structured)]
    if not words and block.structured is None and (block.error or block.is_error):
        return [am.TextBlock(block.error or "")]
    return words if len(words) <= 1 else [am.TextBlock("\n".join(word.text for word in words))]


def result(block: am.ToolResultBlock) -> Any:
    """Write a result as one text or one value, followed by media; its status shows a failure."""
    content = block.content
    is_one = len(content) == 1 and type(content[0]) is am.TextBlock
    if is_one and block.structured is None and block.error is None and not block.is_error:
        return block  # the usual case: one text
    words, shown = _texts_of(block), [item for item in block.content if _is_shown(item)]
    content = (*words, *shown)
    is_same = len(content) == len(block.content) and all(map(is_, content, block.content))
    new = block if is_same else block.evolve(content=content)
    if words and block.structured is not None:
        new = new.evolve(structured=None)
    if block.is_error and block.status != "error":
        new = new.evolve(status="error")
    if block.error is not None and any(block.error in word.text for word in words):
        new = new.evolve(error=None)
    if new is block:
        return block
    told = [item for item in block.content if _is_shown(item) or rules.as_text(item) is not None]
    is_lost = len(told) < len(block.content) or (new.structured is not block.structured and bool(block.content))
    return Swap(new, "a result is one text or value here", "content" if is_lost else "annotation")
