"""The rules of the capability table: for blocks that this format represents differently, or lacks."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, is_mapping, is_marked, issuers, mark_of, media, natives, note_of, rules
from agentmsg_codecs.openai_responses.client_tools import is_call, is_result, is_text
from agentmsg_codecs.openai_responses.format import SERVED, is_value, made_image
from agentmsg_codecs.openai_responses.input_parts import is_raw
from agentmsg_codecs.openai_responses.item_keys import has_own_id, is_own_id, lacks_id, own_link
from agentmsg_codecs.openai_responses.message_items import is_phase
from agentmsg_codecs.openai_responses.names import CLIENT_TOOLS, FAMILY, ITEM, PROVIDER, XAI
from agentmsg_codecs.openai_responses.outcomes import is_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Rule

# -- parts of message items -------------------------------------------------------------------------------------------


def _is_listed(block: Any) -> bool:
    """Whether a part of a message item is written as a part: the item has an id, or was read so."""
    if block.item_id is not None and message_id(block.item_id, block) is not None:
        return True
    return bool(block.notes) and (note_of(block, ITEM).get("/content") == "list" or is_marked(block, FAMILY, "/more"))


def message_id(value: str, block: Any) -> str | None:
    """Keep the id of a message item."""
    is_read = bool(block.notes) and note_of(block, ITEM).get("/id") is True
    return value if is_read or is_own_id(value, block, "message") else None


def answer_id(value: str, block: Any) -> str | None:
    """Keep the id of a message item of a response: an empty one says that it has none."""
    return message_id(value, block) if value else None


def phase(value: str, _: Any) -> str | None:
    """Keep a phase that the schema has."""
    return value if is_phase(value) else None


def _supported(citation: am.Citation, block: Any) -> am.Citation | None:
    """Return the nearest citation that the schema has, or that was read; None without a URL."""
    told = (citation.start, citation.end, citation.title, citation.url)
    is_own = citation.kind == "url_citation" and None not in told
    if citation.cited_text is None and citation.kind and (is_own or mark_of(citation, FAMILY, "/odd") is True):
        return citation
    if citation.url is None:
        return None
    start, end = citation.start or 0, len(block.text) if citation.end is None else citation.end
    title = citation.title or ""
    return am.Citation(citation.url, title, kind="url_citation", start=start, end=end)


def part_citations(value: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep the citations that the schema has, or that were read; others with a URL are of the whole text."""
    near = [_supported(citation, block) for citation in value]
    kept = tuple(citation for citation in near if citation is not None)
    return value if len(kept) == len(value) and all(map(is_, kept, value)) else kept


def citations(value: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep citations of a part; a text that is none has none."""
    return part_citations(value, block) if _is_listed(block) else ()


def text(block: am.TextBlock) -> Any:
    """Keep a text; an empty one that is no part would be an item without content, which parts runs."""
    return block if block.text or _is_listed(block) else Drop("an empty text has no place here", "annotation")


def refusal(block: am.RefusalBlock) -> Any:
    """Keep a refusal that is a part of an item with an id."""
    return block if _is_listed(block) else rules.refusal_as_text(block)


# -- other items ------------------------------------------------------------------------------------------------------


def thinking_rule(otherwise: str | None) -> Rule:
    """Return the rule for thinking: what OpenAI's models can go on from has its payload, or an id.

    Args:
        otherwise: what becomes of the rest: "drop" or "text".
    """

    def rule(block: am.ThinkingBlock) -> Any:
        owner = block.signature.provider if block.signature is not None else None
        is_signed = owner == PROVIDER and bool(block.signature and block.signature.value)
        is_known = is_signed or is_own_id(block.item_id, block, "reasoning") or is_marked(block, FAMILY, "/alone")
        if is_known and block.redacted is None:
            return block
        why = f"only {owner} can read this" if owner else "reasoning needs its payload here"
        return rules.thinking_otherwise(block, otherwise, why)

    return rule


def is_served(block: Any) -> bool:
    """Whether the provider ran a tool whose calls are items."""
    is_own = block.provider == PROVIDER
    if is_own and block.server is not None:
        return has_own_id(block, "mcp")
    # Under that key stands what is no object.
    if not block.is_valid or not is_mapping(block.input) or "_raw" in block.input:
        return False
    if not is_own:
        is_search = block.provider == XAI and block.name == "x_search"
        return is_search and (block.item_id is not None or lacks_id(block))
    if block.name == "tool_search":
        return True
    if block.name == "program":
        is_told = block.id is not None and type(natives.extras_of(block, FAMILY).get("fingerprint")) is str
        return is_told and block.input.keys() == {"code"} and is_own_id(block.item_id, block, "program")
    if block.name == "web_search":
        return has_own_id(block, "web_search")
    keys = SERVED.get(block.name)
    return keys is not None and {*keys} >= {*block.input} != set() and has_own_id(block, block.name)


def call(block: am.ToolUseBlock) -> Any:
    """Keep a call; one of a tool that another provider runs is text."""
    if block.kind in CLIENT_TOOLS and not is_call(block):
        return Swap(block.evolve(kind="function"), "this is a function's call here", "annotation")
    if block.kind == "custom" and not isinstance(block.input, str):
        return Swap(block.evolve(kind="function", input=block.input), "the input of a custom tool is text")
    if block.kind != "server":
        return block
    if not is_served(block):
        return rules.server_as_text(block)
    if block.name in _LINKED or block.id is None or own_link(block.id, block) is not None:
        return block
    return Swap(block.evolve(id=None), "calls of OpenAI's tools have their item's id alone", "annotation")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep the results of OpenAI's tools; others of servers are text. ``outcomes.placed`` has seen those in items."""
    if block.kind != "server":
        return rules.result_as_text(block)
    if is_outcome(block):
        return block
    fits = _LINKED.get(block.name or "") if block.provider == PROVIDER else None
    return block if fits is not None and fits(block) else rules.server_as_text(block)


def _is_programs(block: am.ToolResultBlock) -> bool:
    is_told = block.structured is None and block.error is None and is_text(block)
    return is_told and block.tool_call_id is not None and block.item_id is not None


# What OpenAI runs whose results are items, linked to their calls, with what tells results that fit.
_LINKED: Mapping[str, Callable[[am.ToolResultBlock], bool]] = {
    "program": _is_programs, "tool_search": lambda block: not block.content,
}  # fmt: skip


def compaction(block: am.CompactionBlock) -> Any:
    """Keep a summary that OpenAI can read."""
    is_own = block.encrypted is not None and not issuers.is_foreign(block, FAMILY, ("openai",))
    return block if is_own else rules.compaction_as_text(block)


def result(block: am.ToolResultBlock) -> Any:
    """Put structured content and an error into the content of a result."""
    if block.kind == "function" and is_value(block):
        return block
    plain = block
    if block.kind in CLIENT_TOOLS:
        if is_result(block):
            return block
        plain = block.evolve(kind="function")
    answer = rules.structured_as_text(plain)
    new: am.ToolResultBlock = answer.new if isinstance(answer, Swap) else plain
    if new.error is not None and new.error in new.text:
        new = new.evolve(error=None)
    if new is block:
        return block
    is_lost = new.structured is not None or new.error is not None
    return Swap(new, "a result is its content here", "content" if is_lost else "annotation")


# -- media ------------------------------------------------------------------------------------------------------------


def _carried(block: Any, unknown: str) -> Any:
    """Keep media given by URL, as data, or by the id of a file.

    Args:
        block: the media.
        unknown: the media type of data that doesn't tell its own.
    """
    source = block.source
    if isinstance(source, am.FileSource):
        if source.provider not in (PROVIDER, None):
            return Drop(f"a file of {source.provider} is unknown here")
        plain = source.provider == PROVIDER and source.media_type is None and not source.extras
        new: Any = source if plain else am.FileSource(source.file_id, PROVIDER)
    elif isinstance(source, (am.URLSource, am.Base64Source)):
        new = media.as_url(source)
        if isinstance(new, am.Base64Source) and new.media_type is None and not is_raw(source):
            new = am.Base64Source(new.data, unknown)
    else:
        return Drop("this kind of source isn't supported")
    return block if new is source else Swap(block.evolve(source=new), "only data has a media type here", "annotation")


def image(block: am.ImageBlock) -> Any:
    """Keep an image given by URL, as data, or by the id of a file; ``auto`` is how it is looked at anyhow."""
    return _carried(block, "image/png")


def sound(block: am.AudioBlock) -> Any:
    """Keep sound that was read: only compatible servers take it."""
    return _carried(block, "audio/wav") if is_marked(block, FAMILY, "/odd") else rules.audio_as_text(block)


def video(block: am.VideoBlock) -> Any:
    """Keep a video that was read: only compatible servers take it."""
    return _carried(block, "video/mp4") if is_marked(block, FAMILY, "/odd") else Drop("no place for videos here")


def made(block: am.ImageBlock) -> Any:
    """Keep an image that OpenAI's tool made; nothing else of the assistant's is one."""
    source: Any = block.source
    if not isinstance(source, am.Base64Source) or not has_own_id(block, "image_generation"):
        return Drop("no place for the assistant's images here")
    near = made_image(source.data)
    return block if am.same(near, source) else Swap(block.evolve(source=near), "data tells its type here", "annotation")


def file(block: am.FileBlock) -> Any:
    """Keep a file given by URL, as data, or by its id; a document given as text is text."""
    said = rules.document_as_text(block)
    if said is not block:
        return said
    answer = _carried(block, "application/octet-stream")
    if block.name is not None or block.title is None or isinstance(answer, Drop):
        return answer
    named = (answer.new if isinstance(answer, Swap) else block).evolve(name=block.title, title=None)
    return Swap(named, "a file has a file name, not a title", "annotation")
