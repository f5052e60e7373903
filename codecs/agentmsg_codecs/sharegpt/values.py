r"""Values: what a turn says in one text: what was thought, said and called, and where media stand.

| text | blocks |
| --- | --- |
| ``<think>\n...\n</think>\n\n`` in front | ThinkingBlock |
| ``<tool_call>\n{...}\n</tool_call>`` at the end (Hermes) | ToolUseBlock |
| the JSON of a call, or of a list of calls (function_call) | ToolUseBlock |
| ``<tool_response>\n...\n</tool_response>`` around a result (Hermes) | the result's text |
| ``<image>``, ``<video>``, ``<audio>`` in a user's text | a native block, until its column is read |

What would not be written again, to the last letter, stays text. Marks: ``/breaks`` (the line breaks around tags),
``/json`` and ``/flipped`` (how the JSON of a call is spelt), ``/id`` (a call or result that says its id), ``/listed``
on a message (one call in a list), ``/wrapped`` (a result in tags).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    is_bare_text,
    is_list,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    parse_json,
    tool_arguments,
)
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_THINK = re.compile(r"<think>(\n?)(.+?)(\n?)</think>(\n{0,2})", re.DOTALL)
_CALL = re.compile(r"(\n?)<tool_call>(\n?)((?:(?!</?tool_call>).)*?)(\n?)</tool_call>\Z", re.DOTALL)
_RESULT = re.compile(r"<tool_response>(\n?)(.*?)(\n?)</tool_response>", re.DOTALL)
_TOKENS = re.compile("(" + "|".join(map(re.escape, MEDIA)) + ")")
_THINK_BREAKS, _CALL_BREAKS, _RESULT_BREAKS = (1, 1, 2), (1, 1, 1), (1, 1)
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "python": {"ensure_ascii": False},
    "ascii": {},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "indented": {"ensure_ascii": False, "indent": 2},
    "wide": {"ensure_ascii": False, "indent": 4},
}
_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")
_make_call = maker(am.ToolUseBlock)


# -- JSON -------------------------------------------------------------------------------------------------------------


def dump(value: Any, style: str) -> str:
    """Return the text of JSON in one of the styles."""
    import json  # noqa: PLC0415 - loaded when a first row needs it

    return json.dumps(value, **_STYLES[style])


def styled(text: str) -> tuple[Any, str] | None:
    """Return the value of a JSON text, and its style; None if it isn't JSON, or spelt in another way."""
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None
    style = next((name for name in _STYLES if dump(value, name) == text), None)
    return None if style is None else (value, style)


def style_of(mark: Any) -> str | None:
    """Return the style that a mark names, if it names one."""
    return mark if isinstance(mark, str) and mark in _STYLES else None


def _called(value: Any, **marks: Any) -> Any:
    """Return the call of an object with a name and arguments; None if it is another one."""
    if not is_object(value) or not {"name", "arguments"} <= value.keys() <= {"name", "arguments", "id"}:
        return None
    name, arguments, link = value["name"], value["arguments"], value.get("id")
    if type(name) is not str or not is_object(arguments) or ("id" in value and type(link) is not str):
        return None
    marks |= {"id": True} if link is not None else {}
    marks |= {"flipped": True} if next(iter(value)) == "arguments" else {}
    block = _make_call(id=link, name=name, **tool_arguments.from_object(arguments))
    return marked(block, FAMILY, **marks) if marks else block


def _object(call: Any) -> dict[str, Any]:
    said = {"name": call.name, "arguments": tool_arguments.input_copy(call)}
    is_flipped = call.notes and mark_of(call, FAMILY, "/flipped") is True
    said = {key: said[key] for key in reversed(said)} if is_flipped else said
    return said if call.id is None else {**said, "id": natives.link_of(call.id)}


def _style(call: Any) -> str:
    return (style_of(mark_of(call, FAMILY, "/json")) if call.notes else None) or "python"


# -- tags -------------------------------------------------------------------------------------------------------------


def _breaks(owner: Any, usual: tuple[int, ...]) -> list[int]:
    noted: Any = mark_of(owner, FAMILY, "/breaks") if owner.notes else None
    fits = is_sequence(noted) and len(noted) == len(usual) and all(type(n) is int for n in noted)
    return list(noted) if fits and all(0 <= n <= most for n, most in zip(noted, usual, strict=True)) else [*usual]


def _with_breaks(block: Any, found: tuple[int, ...], usual: tuple[int, ...]) -> Any:
    return block if found == usual else marked(block, FAMILY, breaks=list(found))


def _lines(count: int) -> str:
    return "\n" * count


def _split_thoughts(text: str) -> tuple[list[Any], str]:
    """Return what was thought in front of a text, and the text behind it."""
    thoughts: list[Any] = []
    while (found := _THINK.match(text)) is not None:
        breaks = (len(found[1]), len(found[3]), len(found[4]))
        thoughts.append(_with_breaks(_make_thinking(found[2]), breaks, _THINK_BREAKS))
        text = text[found.end() :]
    return thoughts, text


def _join_thoughts(thoughts: Sequence[Any], text: str) -> str:
    for block in reversed(thoughts):
        before, after, behind = _breaks(block, _THINK_BREAKS)
        thought = block.thinking
        before = 1 if thought[:1] == "\n" else before
        after = 1 if thought[-1:] == "\n" else after
        behind = _THINK_BREAKS[2] if text[:1] == "\n" else behind
        text = f"<think>{_lines(before)}{thought}{_lines(after)}</think>{_lines(behind)}{text}"
    return text


def _split_calls(text: str) -> tuple[str, list[Any]]:
    """Return a text, and the calls in tags at its end."""
    calls: list[Any] = []
    while (found := _CALL.search(text)) is not None:
        said = styled(_unescaped(found[3]))
        call = None if said is None else _called(said[0], **({} if said[1] == "python" else {"json": said[1]}))
        if call is None or _escaped(_unescaped(found[3])) != found[3]:
            break
        # A break in front belongs to the tag where something stands before it.
        if not found.start() and found[1]:
            break
        text = text[: found.start()]
        gap = len(found[1]) if text else _CALL_BREAKS[0]
        calls.insert(0, _with_breaks(call, (gap, len(found[2]), len(found[4])), _CALL_BREAKS))
    return text, calls


def _join_calls(text: str, calls: Sequence[Any]) -> str:
    for call in calls:
        gap, before, after = _breaks(call, _CALL_BREAKS)
        gap = 0 if not text else 1 if text[-1:] == "\n" else gap
        said = _escaped(dump(_object(call), _style(call)))
        text += f"{_lines(gap)}<tool_call>{_lines(before)}{said}{_lines(after)}</tool_call>"
    return text


def _escaped(text: str) -> str:
    """Return JSON without the tags around it: they may stand in its texts."""
    return text.replace("<tool_call>", "\\u003ctool_call>").replace("</tool_call>", "\\u003c/tool_call>")


def _unescaped(text: str) -> str:
    return text.replace("\\u003ctool_call>", "<tool_call>").replace("\\u003c/tool_call>", "</tool_call>")


# -- what a turn says -------------------------------------------------------------------------------------------------


def _read_calls(text: str) -> tuple[list[Any], bool] | None:
    """Return the calls of JSON, and whether one stands in a list; None if it holds none."""
    found = styled(text)
    if found is None:
        return None
    value, style = found
    entries = value if is_list(value) else [value]
    marks = {} if style == "python" else {"json": style}
    calls = [_called(entry, **marks) for entry in entries]
    return (calls, is_list(value) and len(calls) == 1) if calls and None not in calls else None


def read_answer(text: str, word: str) -> tuple[tuple[Any, ...], bool]:
    """Return the blocks of an assistant's turn, and whether its one call stands in a list.

    Args:
        text: its value.
        word: who it is from.
    """
    thoughts, rest = _split_thoughts(text)
    listed = _read_calls(rest) if word in CALL_WORDS else None
    if listed is None:
        said, calls = _split_calls(rest)
        listed = [*((_make_text(said),) if said else ()), *calls], False
    content, is_listed = (*thoughts, *listed[0]), listed[1]
    if write_answer(content, word, is_listed=is_listed) == text:
        return content, is_listed
    return ((_make_text(text),) if text else ()), False


def write_answer(content: Sequence[Any], word: str, *, is_listed: bool) -> str:
    """Return the value of an assistant's turn; arguments as of ``read_answer``."""
    thoughts = [block for block in content if type(block) is am.ThinkingBlock]
    calls = [block for block in content if type(block) is am.ToolUseBlock]
    said = "".join(block.text for block in content if type(block) is am.TextBlock)
    if word in CALL_WORDS and calls and not said:
        objects = list(map(_object, calls))
        rest = dump(objects if len(calls) > 1 or is_listed else objects[0], _style(calls[0]))
    else:
        rest = _join_calls(said, calls)
    return _join_thoughts(thoughts, rest)


def spoken(text: str) -> str:
    """Return a text that an assistant says such that none of it is read as thinking, or as a call."""
    while [type(block) for block in read_answer(text, "gpt")[0]] != [am.TextBlock]:
        text = text.replace("<think>", "<think >", 1) if _THINK.match(text) else _without_last(text)
    return text


def _without_last(text: str) -> str:
    before, _, behind = text.rpartition("<tool_call>")
    return f"{before}<tool_call >{behind}"


def thinkable(thought: str) -> str:
    """Return a thought that its tags can hold."""
    return thought.replace("</think>", "</think >")


def read_media(text: str) -> tuple[Any, ...]:
    """Return the blocks of a user's turn: its texts, and native blocks where media stand."""
    found: list[Any] = []
    for piece in _TOKENS.split(text):
        if piece in MEDIA:
            found.append(am.NativeBlock(FAMILY, {"type": piece}))
        elif piece:
            found.append(_make_text(piece))
    return tuple(found)


def asked(text: str) -> str:
    """Return a text of a user's in which no media stand."""
    return _TOKENS.sub(lambda token: f"{token[0][:-1]} >", text)


def unwrapped(message: am.Msg) -> am.Msg:
    """Return the message of a result that was read, without the tags around its text."""
    result: Any = message.content[0]
    text = result.content[0].text if result.content else ""
    found = _RESULT.fullmatch(text)
    if found is None or not found[2] or not is_bare_text(result.content[0], FAMILY):
        return message
    breaks = (len(found[1]), len(found[3]))
    bare = _with_breaks(marked(result.evolve(content=(_make_text(found[2]),)), FAMILY, wrapped=True), breaks, (1, 1))
    return message.evolve(content=(bare,))


def wrapped(message: am.Msg) -> am.Msg:
    """Return the message of a result to write, in tags where such were read, or where its text has some already."""
    result: Any = message.content[0]
    text = result.content[0].text if result.content else ""
    is_wrapped = bool(result.notes) and mark_of(result, FAMILY, "/wrapped") is True
    if not text or not (is_wrapped or _RESULT.fullmatch(text)):
        return message
    before, after = _breaks(result, _RESULT_BREAKS)
    before, after = 1 if text[:1] == "\n" else before, 1 if text[-1:] == "\n" else after
    said = f"<tool_response>{_lines(before)}{text}{_lines(after)}</tool_response>"
    return message.evolve(content=(result.evolve(content=(_make_text(said),)),))
