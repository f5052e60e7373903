"""A model's thinking as a part of its content, as Mistral has it.

``{"type": "thinking", "thinking": [{"type": "text", "text": ...}, ...], "signature"?, "closed"?}``; other servers write
the thinking as a text. Kimi's programs have ``{"type": "think", "think": ...}``; Databricks has
``{"type": "reasoning", "summary": [{"type": "summary_text", "text": ..., "signature"?}]}``. Marks: ``/str`` (it is a
text), ``/cuts`` (the lengths of its texts, if there are several), ``/think`` (Kimi's), ``/summaries`` (Databricks').
https://docs.mistral.ai/capabilities/reasoning
https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    cells,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    text_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Text, Wrapped
from agentmsg_codecs.openai.names import FAMILY


def _text_of(chunk: Any) -> str:
    if not is_object(chunk) or chunk.get("type") != "text" or len(chunk) != 2:  # noqa: PLR2004 - type and text
        raise Unreadable
    return text_at(chunk, "text")


def _get(part: Native) -> dict[str, Any]:
    value = part["thinking"]
    if type(value) is str:
        return {"thinking": value, "notes": {"/str": True}}
    if not is_list(value):
        raise Unreadable
    texts = list(map(_text_of, value))
    text = "".join(texts)
    return {"thinking": text, "notes": {} if texts == _cut(text, None) else {"/cuts": list(map(len, texts))}}


def _cut(text: str, cuts: Any) -> list[str]:
    """Return the texts that a text was read from; one if it has changed since."""
    sizes: list[Any] = list(cuts) if is_sequence(cuts) else []
    is_known = is_sequence(cuts) and all(type(size) is int and size >= 0 for size in sizes) and sum(sizes) == len(text)
    if not is_known:
        return [text] if text else []
    return [text[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]


def _put(block: am.ThinkingBlock) -> Native:
    text = block.thinking
    if is_marked(block, FAMILY, "/str"):
        return {"thinking": text}
    return {"thinking": [{"type": "text", "text": each} for each in _cut(text, mark_of(block, FAMILY, "/cuts"))]}


THOUGHT = Form("thinking", am.ThinkingBlock, "thinking", (
    Hatch(keys=("thinking",), cells={"thinking": KEEP}, get=_get, put=_put, must=("thinking",), about="thinking"),
    Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "mistral"}), "may",
        cell=cells.signed_by("mistral", is_empty=True)),
))  # fmt: skip


def _is_think(block: Any) -> bool:
    return is_marked(block, FAMILY, "/think")


THINK = Form("think", am.ThinkingBlock, "think", (
    Key("think", "thinking", Text()),
), when=_is_think, notes={"think": True})  # fmt: skip


def _get_summary(part: Native) -> dict[str, Any]:
    entries = part["summary"]
    if not is_list(entries) or len(entries) != 1 or not is_object(entries[0]) or not entries[0].keys() <= _ENTRY:
        raise Unreadable
    entry = entries[0]
    found = {"thinking": text_at(entry, "text")}
    if entry.get("type") != "summary_text":
        raise Unreadable
    return (
        {**found, "signature": am.Signature("anthropic", text_at(entry, "signature"))}
        if "signature" in entry
        else found
    )


def _put_summary(block: am.ThinkingBlock) -> Native:
    signed = {} if block.signature is None else {"signature": block.signature.value}
    return {"summary": [{"type": "summary_text", "text": block.thinking, **signed}]}


def _is_summary(block: Any) -> bool:
    return is_marked(block, FAMILY, "/summaries") and not _is_think(block)


_ENTRY = frozenset({"type", "text", "signature"})
SUMMARY = Form("summary", am.ThinkingBlock, "reasoning", (
    Hatch(keys=("summary",), cells={"thinking": KEEP, "signature": cells.signed_by("anthropic", is_empty=True)},
          get=_get_summary, put=_put_summary, must=("summary",), about="thinking, signature"),
), when=_is_summary, notes={"summaries": True})  # fmt: skip
