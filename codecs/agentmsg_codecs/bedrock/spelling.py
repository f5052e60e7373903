"""Parts in spellings that frameworks write, and that say no more than the usual ones; marks of the blocks record them.

Strands and streams cut a cited text into pieces (``/cut``), and leave out its citations (``/uncited``). Reasoning may
lack its inner object (``/flat``). The arguments of calls may be JSON text (``/text``), in one of the usual styles, or
text that isn't JSON.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, ClassVar

from agentmsg import thaw
from agentmsg.formats import Parts, is_list, is_object, is_sequence, spelling, tool_arguments

_CITED, _REASONING, _CALL = "citationsContent", "reasoningContent", "toolUse"
_CITATIONS: dict[str, Any] = {"absent": {}, "null": {"citations": None}, "[]": {"citations": []}}


def _inside(part: Any, key: str) -> Any:
    """Return the object inside a part with a key, or None."""
    held = part.get(key) if is_object(part) else None
    return held if is_object(held) else None


# -- cited texts ------------------------------------------------------------------------------------------------------


def _texts(held: Any) -> list[str]:
    parts = held.get("content") if held is not None else None
    if not is_list(parts) or not all(is_object(part) and part.keys() == {"text"} for part in parts):
        return []
    texts = [part["text"] for part in parts]
    return texts if all(type(text) is str for text in texts) else []


def _joined(part: Any) -> Any:
    held = _inside(part, _CITED)
    texts = _texts(held)
    if len(texts) <= 1:
        return None
    return {**part, _CITED: {**held, "content": [{"text": "".join(texts)}]}}, list(map(len, texts[:-1]))


def _cut(native: Any, lengths: Any) -> Any:
    held = _inside(native, _CITED)
    texts = _texts(held)
    if len(texts) != 1 or not is_sequence(lengths) or not all(type(length) is int for length in lengths):
        return None
    ends = (*accumulate(lengths, initial=0), len(texts[0]))
    return {**native, _CITED: {**held, "content": [{"text": texts[0][start:end]} for start, end in pairwise(ends)]}}


def _cited(part: Any) -> Any:
    held = _inside(part, _CITED)
    texts = _texts(held)
    if len(texts) != 1 or held.keys() - {"content", "citations"} or held.get("citations"):
        return None
    how = next((how for how, said in _CITATIONS.items() if {"content": held["content"], **said} == held), None)
    rest = {key: value for key, value in part.items() if key != _CITED}
    return None if how is None else ({"text": texts[0], **rest}, how)


def _uncited(native: Any, how: Any) -> Any:
    if type(how) is not str or how not in _CITATIONS or not is_object(native) or "text" not in native:
        return None
    rest = {key: value for key, value in native.items() if key != "text"}
    return {_CITED: {"content": [{"text": native["text"]}], **thaw(_CITATIONS[how])}, **rest}


# -- reasoning, and arguments -----------------------------------------------------------------------------------------


def _nested(part: Any) -> Any:
    held = _inside(part, _REASONING)
    return ({**part, _REASONING: {"reasoningText": held}}, True) if held is not None and "text" in held else None


def _flat(native: Any, _: Any) -> Any:
    held = _inside(native, _REASONING)
    return {**native, _REASONING: held["reasoningText"]} if held is not None and "reasoningText" in held else None


def _parsed(part: Any) -> Any:
    held: Any = _inside(part, _CALL) or {}
    text: Any = held.get("input")
    if type(text) is not str:
        return None
    found: tuple[Any, str] | None = spelling.styled(text) if text else ({}, "empty")
    if "raw_input" in tool_arguments.from_object({"_raw": text}):
        found = ({"_raw": text}, "raw")
    if found is None or not is_object(found[0]):
        return None
    return {**part, _CALL: {**held, "input": found[0]}}, found[1]


def _unparsed(native: Any, style: Any) -> Any:
    held: Any = _inside(native, _CALL) or {}
    args: Any = held.get("input")
    if not is_object(args) or type(style) is not str:
        return None
    if style in ("empty", "raw"):
        text: Any = args.get("_raw") if style == "raw" else ""
    else:
        text = spelling.dump_styled(args, style) if style in spelling.JSON_STYLES else None
    return None if text is None else {**native, _CALL: {**held, "input": text}}


class BedrockParts(Parts):
    """Parts in the usual spelling, or in another."""

    other_spellings: ClassVar[Any] = {
        "cut": (_joined, _cut), "uncited": (_cited, _uncited), "flat": (_nested, _flat), "text": (_parsed, _unparsed),
    }  # fmt: skip
