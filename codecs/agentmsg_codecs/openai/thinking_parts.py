"""What a model thought as a part of its content, as Mistral has it.

``{"type": "thinking", "thinking": [{"type": "text", "text": ...}, ...], "signature"?, "closed"?}``; other servers write
the thinking as a text. Marks: ``/str`` (it is a text), ``/cuts`` (the lengths of its texts, if they are not one).
https://docs.mistral.ai/capabilities/reasoning
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg.formats import Native, Shape, Unreadable, is_list, is_object, maker, mark_of, marked, text_at, word_at
from agentmsg_codecs.openai.names import FAMILY, MAKER_OF_PARTS, REASONING_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence


_make_thinking = maker(am.ThinkingBlock)
_TEXT = {"type", "text"}


def _text_of(chunk: Any) -> str:
    if not is_object(chunk) or chunk.get("type") != "text" or set(chunk) != _TEXT:
        raise Unreadable
    return text_at(chunk, "text")


def _read(part: Native, _: Any) -> am.ThinkingBlock:
    value = part.get("thinking")
    marks: dict[str, Any] = {}
    if type(value) is str:
        text = value
        marks["str"] = True
    elif is_list(value):
        texts = list(map(_text_of, value))
        text = "".join(texts)
        if texts != _usual(text):
            marks["cuts"] = list(map(len, texts))
    else:
        raise Unreadable
    sealed = word_at(part, "signature")
    block = _make_thinking(text, signature=None if sealed is None else am.Signature(MAKER_OF_PARTS, sealed))
    return marked(block, FAMILY, **marks) if marks else block


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


def _write(block: am.ThinkingBlock) -> Native:
    text = block.thinking
    native: Native = {"type": "thinking"}
    if mark_of(block, FAMILY, "/str") is True:
        native["thinking"] = text
    else:
        native["thinking"] = [{"type": "text", "text": said} for said in _cut(text, mark_of(block, FAMILY, "/cuts"))]
    return native if block.signature is None else {**native, "signature": block.signature.value}


THINKING_PART = Shape(
    cls=am.ThinkingBlock,
    keys={"thinking": frozenset({"type", "thinking", "signature"})},
    read=_read,
    write=_write,
    never=frozenset({"thinking"}),
)


def is_thinking_part(block: Any) -> bool:
    """Whether thinking was read from a part of content, and so stands among the others."""
    if block.__class__ is not am.ThinkingBlock or not block.notes or mark_of(block, FAMILY, "/odd") is not True:
        return False
    place = mark_of(block, FAMILY, "/place")
    return not (isinstance(place, str) and place in REASONING_KEYS)
