"""The rules of the capability table: for blocks that messages for users represent differently, or lack."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, cells, dump_json, is_mapping, is_marked, is_sequence, media, rules
from agentmsg_codecs.vercel.issuers.parts import has_options
from agentmsg_codecs.vercel.media import is_url
from agentmsg_codecs.vercel.media_rules import likely_type, settled
from agentmsg_codecs.vercel.names import UI, USUAL
from agentmsg_codecs.vercel.rules import with_runner
from agentmsg_codecs.vercel.ui.format import read_url

# -- files, data, sources ---------------------------------------------------------------------------------------------


def file(block: Any) -> Any:
    """Keep media given as data or by URL; their media type tells what they are."""
    near = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
    if near is not block:
        return near
    source, kind = block.source, media.KINDS[type(block)]
    if not isinstance(source, (am.Base64Source, am.URLSource)):
        return Drop("files are given as data or by URL here")
    if isinstance(source, am.URLSource) and not (is_url(source.url) or is_marked(source, UI, "/odd")):
        return Drop("a URL is absolute here")
    told = source.media_type
    if isinstance(source, am.URLSource) and told is None:
        data_source = media.read_data_url(source.url)
        told = None if data_source is None else data_source.media_type
    if told is None or (kind != "file" and media.kind_of(told) != kind):
        told = likely_type(source, kind)
    new: Any = source if told == source.media_type else source.evolve(media_type=told)
    if isinstance(new, am.URLSource) and isinstance(read := read_url(new.url, told), am.Base64Source):
        new = read
    return settled(block, cells.bare(new), "files tell their type here")


def data(block: am.DataBlock) -> Any:
    """Keep data, which needs a name here."""
    if block.name is not None:
        return block
    return Swap(block.evolve(name="data"), "data have a name here", "annotation")


def source(block: am.SourceBlock) -> Any:
    """Keep a source, which needs an id here; without a URL, it also needs a title and a media type."""
    changes: dict[str, Any] = {}
    if block.item_id is None and not is_marked(block, UI, "/no-id"):
        changes["item_id"] = block.url or block.title or "source"
    if block.url is None and block.title is None:
        changes["title"] = ""
    if block.url is None and block.media_type is None:
        changes["media_type"] = USUAL["file"]
    return Swap(block.evolve(**changes), "a source has an id here", "annotation") if changes else block


# -- results ----------------------------------------------------------------------------------------------------------


def result(block: am.ToolResultBlock) -> Any:
    """Express a result as one text or one value, and a failure in words."""
    content: Any = block.content
    if block.structured is None and block.error is None and not block.is_error and block.status != "denied":
        text = content[0] if len(content) == 1 else None
        if type(text) is am.TextBlock and text.text:
            return block
    texts = [item if isinstance(item, am.TextBlock) else rules.as_text(item) for item in content]
    words = "\n".join(text.text for text in texts if text is not None and text.text)
    value, error, is_lost = block.structured, None, None in texts
    status = "denied" if block.status == "denied" else "error" if block.is_error else None
    if status is None and type(value) is str and has_options(block, "anthropic"):
        value = [{"type": "text", "text": value}]  # its client sends no text as the result of a server's tool
    if status is None:
        if value is not None and (not content or dump_json(value).decode() == words):
            words, value = (value, None) if isinstance(value, str) else ("", value)
        else:
            value, is_lost = None, is_lost or value is not None
    else:
        parts = [words] if words else []
        if value is not None:
            said = _texts(value)
            is_lost = is_lost or bool(said)
            parts += [dump_json(value).decode()] if said is None else said
        if block.error is not None and block.error not in words:
            parts.append(block.error)
        words, value = "\n".join(parts), None
        if status == "denied":
            words, error = "", words or block.error
    return _changed(block, words, structured=value, error=error, status=status, is_lost=is_lost)


def _texts(value: Any) -> list[str] | None:
    """Return the texts of a list of parts; None for any other value."""
    if not is_sequence(value) or not all(is_mapping(part) and type(part.get("text")) is str for part in value):
        return None
    return [part["text"] for part in value]


def _changed(block: am.ToolResultBlock, words: str, *, is_lost: bool, **fields: Any) -> Any:
    content: Any = (am.TextBlock(words),) if words else ()
    is_same = len(content) == len(block.content) and all(
        isinstance(old, am.TextBlock) and old.text == new.text for old, new in zip(block.content, content, strict=True)
    )
    if not is_same:
        fields["content"] = content
    if fields["status"] is None:
        del fields["status"]  # there is no place for success
    changes = {name: value for name, value in fields.items() if getattr(block, name) is not value}
    changes = {name: value for name, value in changes.items() if name == "content" or getattr(block, name) != value}
    if not changes:
        return block
    return Swap(block.evolve(**changes), "a result is one text or value here", "content" if is_lost else "annotation")


def orphan(block: am.ToolResultBlock) -> Any:
    """Express a result without its call in words, or as the JSON of its value."""
    words = block.text or block.error
    if not words and block.structured is not None:
        words = dump_json(block.structured).decode()
    why = "a result stands with its call here"
    return Swap(am.TextBlock(words), why) if words else Drop(why)


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep the result of a server tool."""
    return with_runner(block, result(block)) if block.kind == "server" else orphan(block)
