"""What becomes of blocks that this format has otherwise, or not at all: the rules of the capability table."""

from __future__ import annotations

from operator import is_
from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, dump_json, media, rules
from agentmsg_codecs.pydantic_ai.citations import is_own
from agentmsg_codecs.pydantic_ai.content import is_structured
from agentmsg_codecs.pydantic_ai.format import FINISH, kind_of
from agentmsg_codecs.pydantic_ai.names import CLASSES, OUTCOMES

_TTLS = (None, "5m", "1h")


def hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep that a cache is wanted, for how long."""
    near = value.evolve(kind="ephemeral", extras={}) if value.kind != "ephemeral" or value.extras else value
    return near if near.ttl in _TTLS else near.evolve(ttl="1h")


def citations(value: tuple[am.Citation, ...], _: Any) -> tuple[am.Citation, ...]:
    """Keep the citations that come back."""
    kept = tuple(citation for citation in value if is_own(citation))
    return value if len(kept) == len(value) else kept


def _own_kind(block: Any, source: Any) -> bool:
    """Whether data, or a file that a provider keeps, is read as the same kind of media."""
    return CLASSES[kind_of(source.media_type)] is type(block)


def _typed(block: Any, source: Any) -> Any:
    """Return data with a media type that tells its kind; None if there is none."""
    if source.media_type is not None and _own_kind(block, source):
        return source
    guess = media.guess_media_type(source.data)
    if guess is not None and CLASSES[kind_of(guess)] is type(block):
        return source.evolve(media_type=guess)
    usual = {am.ImageBlock: "image/png", am.AudioBlock: "audio/wav", am.VideoBlock: "video/mp4"}
    return source.evolve(media_type=usual.get(type(block), "application/octet-stream"))


def _bare(source: Any) -> Any:
    return source.evolve(extras={}) if source.extras else source


def said_media(block: Any) -> Any:
    """Keep media at a URL, as data, and at a provider; a document that is given as text is text."""
    source: Any = block.source
    if isinstance(source, am.URLSource):
        new = _bare(source)
    elif isinstance(source, am.Base64Source):
        new = _typed(block, _bare(source))
    elif isinstance(source, am.FileSource):
        if source.provider is None or not _own_kind(block, source):
            return Drop("a file that a provider keeps has a provider, and a type")
        new = _bare(source)
    else:
        return rules.file_as_text(block) if isinstance(block, am.FileBlock) else Drop("media are data, or at a URL, here")
    if new is source:
        return block
    return Swap(block.evolve(source=new), "data has the type of its kind here", "annotation")


def file_of_model(block: Any) -> Any:
    """Keep media that a model made as data; at a URL there is no place for it."""
    source: Any = block.source
    found = media.read_data_url(source.url) if isinstance(source, am.URLSource) else source
    if not isinstance(found, am.Base64Source):
        answer = rules.file_as_text(block) if isinstance(block, am.FileBlock) else None
        return answer or Drop("media of a model are data here")
    new = _typed(block, _bare(found))
    return block if new is source else Swap(block.evolve(source=new), "media of a model are data here", "annotation")


def words(block: am.TextBlock) -> Any:
    """Keep a text that says something."""
    return block if block.text else Drop("there are no words in it", "annotation")


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thinking; what is redacted says nothing else."""
    if block.redacted is None or (not block.thinking and block.signature is None and block.item_id is None):
        return block
    return Swap(block.evolve(thinking="", signature=None, item_id=None), "thinking is readable or opaque here")


def call(block: am.ToolUseBlock) -> Any:
    """Keep calls; those of free text are of functions here."""
    return rules.custom_as_function(block)


def _content(block: am.ToolResultBlock) -> tuple[Any, ...]:
    """Return the content of a result with its error."""
    if block.error is None or block.error in block.text:
        return block.content
    return (*block.content, am.TextBlock(block.error))


def result(block: am.ToolResultBlock) -> Any:
    """Tell a result in one text, in JSON, or in a list with media; that it failed is its outcome."""
    content, structured = _content(block), block.structured
    level = "annotation"
    has_media = any(map(_is_media, content))
    if structured is not None and content:
        structured, level = None, "content"
    if structured is not None and not is_structured(structured):
        content, structured = (am.TextBlock(dump_json(structured).decode()),), None
    if has_media:
        items = tuple(map(_item, content))
        content = content if all(map(is_, items, content)) else items
    elif len(content) == 1 and type(content[0]) is am.DataBlock and is_structured(content[0].data):
        content, structured = (), content[0].data
    elif len(content) > 1 or (content and type(content[0]) is not am.TextBlock):
        texts = [text for text in map(rules.as_text, content) if text is not None]
        level = level if len(texts) == len(content) else "content"
        content = (am.TextBlock("\n".join(text.text for text in texts)),)
    if content and not has_media and not content[0].text:
        content = ()
    status = block.status
    if status not in (None, *OUTCOMES.values()):
        status = "error" if block.is_error else None
    if block.error is not None and status is None:
        status = "error"
    name = "unknown" if block.name is None else block.name
    changes = {"name": name, "content": content, "structured": structured, "status": status, "error": None, "error_type": None}
    if all(getattr(block, name) is value for name, value in changes.items()):
        return block
    return Swap(block.evolve(**changes), "a result is a text, JSON, or a list with media here", level)


def _is_media(item: Any) -> bool:
    """Whether a block of a result is written as media there: files of providers have no place."""
    return type(item) in CLASSES.values() and isinstance(item.source, (am.URLSource, am.Base64Source))


def _item(item: Any) -> Any:
    """Return an item beside media: JSON that would be read as a text, or as media, is text."""
    if type(item) is am.DataBlock and (isinstance(item.data, str) or not is_structured([item.data])):
        return am.TextBlock(dump_json(item.data).decode())
    return item


def finish(word: str, _: Any) -> str:
    """Keep the words that the library has; a refusal is one of the content filter."""
    if word in FINISH.values():
        return word
    return "content_filter" if word == "refusal" else "stop"




def kind(value: str, _: Any) -> str:
    """Keep calls that the provider runs; any other is of a function."""
    return value if value == "server" else "function"


def provider(value: str, block: Any) -> str | None:
    """Keep who runs a tool of the provider's."""
    return value if block.kind == "server" else None


def needs_id(block: Any) -> bool:
    """Whether a call or a result has no id."""
    return (block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id) is None
