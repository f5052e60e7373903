"""A model's thinking as a part of its content, as Mistral has it.

``{"type": "thinking", "thinking": [{"type": "text", "text": ...}, ...], "signature"?, "closed"?}``; other servers write
the thinking as a text. Marks: ``/str`` (it is a text), ``/cuts`` (the lengths of its texts, if there are several).
https://docs.mistral.ai/capabilities/reasoning
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, is_list, is_object, mark_of, text_at
from agentmsg.formats.forms import Form, Hatch, Key, Wrapped
from agentmsg_codecs.openai.names import FAMILY, MAKER_OF_PARTS, REASONING_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence


_TEXT = {"type", "text"}


def _text_of(chunk: Any) -> str:
    if not is_object(chunk) or chunk.get("type") != "text" or set(chunk) != _TEXT:
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
    return {"thinking": text, "notes": {} if texts == _usual(text) else {"/cuts": list(map(len, texts))}}


def _usual(text: str) -> list[str]:
    return [text] if text else []


def _cut(text: str, cuts: Any) -> list[str]:
    """Return the texts that a text was read from; one where it has changed since."""
    sizes: Sequence[Any] = cast("Any", cuts) if isinstance(cuts, list) else ()
    if not isinstance(cuts, list) or not all(type(size) is int and size >= 0 for size in sizes):
        return _usual(text)
    ends = list(accumulate(sizes))
    if (ends[-1] if ends else 0) != len(text):
        return _usual(text)
    return [text[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _put(block: am.ThinkingBlock) -> Native:
    text = block.thinking
    if mark_of(block, FAMILY, "/str") is True:
        return {"thinking": text}
    return {"thinking": [{"type": "text", "text": said} for said in _cut(text, mark_of(block, FAMILY, "/cuts"))]}


THOUGHT = Form("thinking", am.ThinkingBlock, "thinking", (
    Hatch(
        keys=("thinking",),
        cells={"thinking": KEEP},
        get=_get,
        put=_put,
        must=("thinking",),
        about="thinking",
    ),
    Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": MAKER_OF_PARTS}), "may"),
))  # fmt: skip


def is_thinking_part(block: Any) -> bool:
    """Whether thinking was read from a part of content, and so stands among the others."""
    if block.__class__ is not am.ThinkingBlock or not block.notes or mark_of(block, FAMILY, "/odd") is not True:
        return False
    place = mark_of(block, FAMILY, "/place")
    return not (isinstance(place, str) and place in REASONING_KEYS)
