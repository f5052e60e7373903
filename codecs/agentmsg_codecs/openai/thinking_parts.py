"""A model's thinking as a part of its content, as Mistral has it.

``{"type": "thinking", "thinking": [{"type": "text", "text": ...}, ...], "signature"?, "closed"?}``; other servers write
the thinking as a text. Kimi's programs have ``{"type": "think", "think": ...}``. Marks: ``/str`` (it is a
text), ``/cuts`` (the lengths of its texts, if there are several), ``/think`` (Kimi's).
https://docs.mistral.ai/capabilities/reasoning
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, is_list, is_marked, is_object, is_sequence, mark_of, text_at
from agentmsg.formats.forms import Form, Hatch, Key, Text, Wrapped
from agentmsg_codecs.openai.names import FAMILY, MAKER_OF_PARTS


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
    Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": MAKER_OF_PARTS}), "may"),
))  # fmt: skip


def is_think(block: Any) -> bool:
    """Whether thinking was read from a part of Kimi's programs."""
    return is_marked(block, FAMILY, "/think")


THINK = Form("think", am.ThinkingBlock, "think", (
    Key("think", "thinking", Text()),
), when=is_think, notes={"think": True})  # fmt: skip
