"""Parts in spellings that frameworks write, and that say no more than the usual ones.

Strands and streams cut a cited text into pieces (the mark ``/cut`` has their lengths), and leave out its citations.
Reasoning may lack its inner object. The arguments of calls may be JSON text, in one of the usual styles, or text that
isn't JSON.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate, pairwise
from typing import Any, ClassVar

from agentmsg.formats import Native, Parts, is_list, is_object, is_sequence, mark_of, marked, spelling, tool_arguments

_CITED, _REASONING, _CALL = "citationsContent", "reasoningContent", "toolUse"


def _texts(part: Any) -> list[str]:
    """Return the pieces of a cited text."""
    held = part.get(_CITED) if is_object(part) else None
    parts = held.get("content") if is_object(held) else None
    if not is_list(parts) or not all(is_object(part) and part.keys() == {"text"} for part in parts):
        return []
    texts = [part["text"] for part in parts]
    return texts if all(type(text) is str for text in texts) else []


def _with_texts(part: Native, texts: list[str]) -> Native:
    return {**part, _CITED: {**part[_CITED], "content": [{"text": text} for text in texts]}}


def _cut(native: Native, lengths: Any) -> Native:
    """Return a part with its cited text in pieces of these lengths."""
    texts = _texts(native)
    if len(texts) != 1 or not is_sequence(lengths) or not all(type(length) is int for length in lengths):
        return native
    ends = (*accumulate(lengths, initial=0), len(texts[0]))
    return _with_texts(native, [texts[0][start:end] for start, end in pairwise(ends)])


def _with_arguments(part: Native) -> Native:
    """Return a call whose arguments are an object."""
    text: Any = part[_CALL].get("input")
    if type(text) is not str:
        return part
    found = spelling.styled(text) if text else ({}, "")
    if "raw_input" in tool_arguments.from_object({"_raw": text}):
        found = ({"_raw": text}, "")
    if found is None or not is_object(found[0]):
        return part
    return {**part, _CALL: {**part[_CALL], "input": found[0]}}


def _dumped(value: Any, style: str) -> Any:
    return spelling.dump_styled(value, style) if is_object(value) else None


class BedrockParts(Parts):
    """Parts in the usual spelling, or in another."""

    ways: ClassVar[Any] = {style: partial(_dumped, style=style) for style in spelling.JSON_STYLES}

    @staticmethod
    def usual(part: Any) -> Any:
        """Return a part in the usual spelling."""
        if not is_object(part):
            return part
        cited, said, call = (part.get(key) for key in (_CITED, _REASONING, _CALL))
        texts = _texts(part)
        if len(texts) == 1 and is_object(cited) and not cited.keys() - {"content", "citations"}:
            rest = {key: value for key, value in part.items() if key != _CITED}
            return part if cited.get("citations") else {"text": texts[0], **rest}
        if is_object(said) and "text" in said:
            return {**part, _REASONING: {"reasoningText": said}}
        return _with_arguments(part) if is_object(call) else part

    def read_other(self, part: Any) -> Any:
        """Read a part that no form reads: with its cited text in one piece."""
        texts = _texts(part)
        if len(texts) <= 1:
            return super().read_other(part)
        block = self.read(_with_texts(part, ["".join(texts)]))
        cut = marked(block, self.family, cut=list(map(len, texts[:-1])))
        return cut if self.write(cut) == part else super().read_other(part)

    def write(self, block: Any) -> Any:
        """Write a block that fits."""
        native = super().write(block)
        lengths: Any = mark_of(block, self.family, "/cut") if block.notes else None
        spelt = native if lengths is None else _cut(native, lengths)
        is_cut = spelt is not native and [len(text) for text in _texts(spelt)[:-1]] == list(lengths)
        return spelt if is_cut else native
