"""Reasoning: a summary or the words themselves, and an opaque payload for the next request.

Several texts of a summary are one text here, separated by empty lines; their lengths are marked (``/lengths``).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, adopt, cells, is_list, is_sequence, mark_of, natives
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.openai_responses.names import FAMILY, PROVIDER

_SEPARATOR = "\n\n"


def _texts(value: Any, tag: str) -> list[str] | None:
    """Return the texts of a list of parts with a tag and a text; None if it is anything else."""
    if not is_list(value):
        return None
    parts: list[Any] = value
    is_plain = all(type(part) is dict and part.keys() == {"type", "text"} and part["type"] == tag for part in parts)
    return [part["text"] for part in parts] if is_plain and all(type(part["text"]) is str for part in parts) else None


def _read(native: Native) -> dict[str, Any]:
    odd: list[str] = []
    marks: dict[str, Any] = {}
    summary, content, value = (native.get(key) for key in ("summary", "content", "encrypted_content"))
    raw = _texts(content, "reasoning_text")
    if summary is None and (raw or (type(value) is str and value)):
        summary, marks["/summary"] = [], "null" if "summary" in native else "absent"
    told = _texts(summary, "summary_text")
    if told is None:
        raise Unreadable
    is_raw = bool(raw) and not told
    if raw and not told:
        told = raw
    elif "content" in native:
        if content is None or content == []:
            marks["/content"] = "null" if content is None else "[]"
        else:
            odd.append("content")
    if "encrypted_content" in native and not (type(value) is str and value):
        if value is None:
            marks["/encrypted"] = "null"
        else:
            odd.append("encrypted_content")
    if told not in ([], [_SEPARATOR.join(told)] if told != [""] else None):
        marks["/lengths"] = list(map(len, told))
    signature = am.Signature(PROVIDER, value) if type(value) is str and value else None
    return {
        "thinking": _SEPARATOR.join(told), "raw": is_raw, "signature": signature, "notes": adopt(marks), "odd": odd
    }  # fmt: skip


def _split(block: Any) -> list[str]:
    """Return the texts of reasoning: as they were read, or one."""
    text, lengths = block.thinking, mark_of(block, FAMILY, "/lengths") if block.notes else None
    if is_sequence(lengths) and all(type(length) is int and length >= 0 for length in lengths):
        found: list[str] = []
        at = 0
        for length in lengths:
            found.append(text[at : at + length])
            at += length + len(_SEPARATOR)
        if _SEPARATOR.join(found) == text and lengths:
            return found
    return [text] if text else []


def _write(block: Any) -> Native:
    texts = _split(block)
    own = natives.extras_of(block, FAMILY)
    # An earlier version marked it.
    is_raw = block.raw or (bool(block.notes) and mark_of(block, FAMILY, "/raw") is True)
    is_raw = is_raw and bool(texts) and "content" not in own
    summary = [] if is_raw else [{"type": "summary_text", "text": text} for text in texts]
    noted = mark_of(block, FAMILY, "/summary") if block.notes and not summary else None
    native: Native = {} if noted == "absent" else {"summary": None if noted == "null" else summary}
    if is_raw:
        native["content"] = [{"type": "reasoning_text", "text": text} for text in texts]
    elif block.notes and "content" not in own and mark_of(block, FAMILY, "/content") in ("null", "[]"):
        native["content"] = None if mark_of(block, FAMILY, "/content") == "null" else []
    if block.signature is not None:
        native["encrypted_content"] = block.signature.value
    elif block.notes and "encrypted_content" not in own and mark_of(block, FAMILY, "/encrypted") == "null":
        native["encrypted_content"] = None
    return native


def _raw(value: Any, block: Any) -> bool:
    """Whether words come back as the model's own: where there are some, and no other content."""
    return value and bool(block.thinking) and not natives.has_extra(block, FAMILY, "content")


_SUMMARY = {
    "type": "object", "properties": {"type": {"const": "summary_text"}, "text": {"type": "string"}},
    "required": ["type", "text"], "additionalProperties": False,
}  # fmt: skip
REASONING = Hatch(
    keys=("summary", "content", "encrypted_content"),
    cells={"thinking": KEEP, "raw": _raw, "signature": cells.signed_by(PROVIDER, family=FAMILY)},
    get=_read,
    put=_write,
    odd=("content", "encrypted_content"),
    schema={"summary": {"type": "array", "items": _SUMMARY}},
    about="thinking; its signature",
)
