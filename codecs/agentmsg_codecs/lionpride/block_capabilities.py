"""The blocks that lionpride's messages support, and the text for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Drop, Row, Swap, cells, is_marked, rules
from agentmsg_codecs.lionpride.names import DETAILS, FAMILY, SLOTS, is_uuid, own_id
from agentmsg_codecs.lionpride.urls import is_web_url

if TYPE_CHECKING:
    from collections.abc import Mapping


TEXTS: Mapping[type[am.BaseBlock], Row] = {**rules.TEXT_ROWS, am.TextBlock: Row({"text": KEEP})}


def slot_of(block: Any, role: str) -> str | None:
    """Return the field that holds data in messages of a role; None if data becomes text there."""
    if not isinstance(block, am.DataBlock):
        return None
    own = (*SLOTS.get(role, ()), *(("instruction", "image_detail") if role == "user" else ()))
    return block.name if block.name in own else None


def data_row(role: str) -> Row:
    """Return the row of data in messages of a role: keep data with a field of its own, make other data text."""

    def rule(block: am.DataBlock) -> Any:
        slot = slot_of(block, role)
        if slot is None:
            return rules.data_as_text(block)
        if block.data is None:
            return Drop("an empty field has no meaning", "annotation")
        if slot == "instruction" and isinstance(block.data, str):
            return Swap(am.TextBlock(block.data), "an instruction that is a text is a TextBlock", "annotation")
        return block

    return Row({"data": KEEP, "name": KEEP}, rule)


def image_rule(block: am.ImageBlock) -> Any:
    """Keep an image with a URL that lionpride accepts; drop any other."""
    source = block.source
    if not isinstance(source, am.URLSource) or not (is_web_url(source.url) or is_marked(block, FAMILY, "/odd")):
        return Drop("an image is given by URL (http, https) here")
    if source.media_type is None and not source.extras:
        return block
    return Swap(block.evolve(source=am.URLSource(source.url)), "an image is only a URL here", "annotation")


def carried_detail(detail: str, block: Any) -> str | None:
    """Keep a detail that lionpride lists, or the one that was read."""
    return detail if detail in DETAILS or is_marked(block, FAMILY, "/detail") else None


def result_rule(block: am.ToolResultBlock) -> Any:
    """Keep a result that is one text or one JSON value; an error has a field of its own."""
    changes: dict[str, Any] = {}
    level: Any = "annotation"
    link = block.tool_call_id
    if link is not None and not is_marked(block, FAMILY, "/free") and not is_uuid(link):
        changes["tool_call_id"] = own_id(link)
    texts = [text for item in block.content if (text := rules.as_text(item)) is not None]
    if len(block.content) > 1 or (block.content and not isinstance(block.content[0], am.TextBlock)):
        level = "annotation" if len(texts) == len(block.content) else "content"
        changes["content"] = (am.TextBlock("\n".join(text.text for text in texts)),) if texts else ()
    if block.is_error and block.error is None:
        words = "\n".join(text.text for text in texts)
        changes |= {"error": words or block.status, "status": None}
        if words:
            changes["content"] = ()
    if not changes.get("content", block.content) and isinstance(block.structured, str):
        changes |= {"content": (am.TextBlock(block.structured),), "structured": None}
    return Swap(block.evolve(**changes), "a result is one value and an error here", level) if changes else block


def carried_value(value: Any, block: am.ToolResultBlock) -> Any:
    """Keep the structured value of a result without content."""
    return None if block.content else value


IMAGE = Row({"source": KEEP, "detail": carried_detail}, image_rule)
CALL = Row({"id": KEEP, "name": KEEP, "input": KEEP, "raw_input": cells.arguments_text}, rules.call_as_function)
RESULT = Row({"tool_call_id": KEEP, "structured": carried_value, "error": KEEP}, result_rule)
