r"""Values: the single text of a turn, with its thinking, words and calls, and the tokens for media.

| text | blocks |
| --- | --- |
| ``<think>\n...\n</think>\n\n`` in front | ThinkingBlock |
| ``<tool_call>\n{...}\n</tool_call>`` at the end (Hermes) | ToolUseBlock |
| the JSON of a call, or of a list of calls (function_call) | ToolUseBlock |
| ``<tool_response>\n...\n</tool_response>`` around a result (Hermes) | the result's text |
| ``<image>``, ``<video>``, ``<audio>`` in a user's text | a native block, until its column is read |

Anything that would not be written back identically stays text. Marks: ``/breaks`` (the line breaks around tags),
``/json``, ``/keys`` and ``/text`` (how the JSON of a call and its arguments are spelt), ``/id`` (a call or result with
an id in its row), ``/wrapped`` (a result in tags); on a message ``/listed`` (one call in a list) and ``/tagged`` (calls
in tags instead of JSON alone).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    is_list,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    parse_json,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg_codecs.sharegpt.links import has_own_id
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_TOKENS = re.compile("(" + "|".join(map(re.escape, MEDIA)) + ")")
# The default line breaks before a tag, inside it on both sides, and after it.
_BREAKS: Mapping[str, tuple[int, ...]] = {
    "think": (0, 1, 1, 2),
    "tool_call": (1, 1, 1, 0),
    "tool_response": (0, 1, 1, 0),
}
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_ROOM = len("<think></think>")
_KEYS = ["name", "arguments"]
_KEYS_AND_ID = [*_KEYS, "id"]
_KEY_SETS = ({*_KEYS}, {*_KEYS_AND_ID})
_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")
_make_call = maker(am.ToolUseBlock)
_PLACES = {token: am.NativeBlock(FAMILY, {"type": token}) for token in MEDIA}


# -- tags -------------------------------------------------------------------------------------------------------------


def _inside(text: str, tag: str, at: int, end: int) -> tuple[str, int, int] | None:
    """Return the text inside a tag, and the line breaks before and after that text; None without text.

    Args:
        text: with the tag.
        tag: its name.
        at: the index of the tag.
        end: the index of the end tag.
    """
    found = text[at + len(tag) + 2 : end]
    first = int(len(found) > 1 and found[0] == "\n")
    last = int(len(found) > 1 + first and found[-1] == "\n")
    return (found[first : len(found) - last], first, last) if found and end > at >= 0 else None


def _marks(tag: str, *breaks: int) -> dict[str, Any]:
    return {} if breaks == _BREAKS[tag] else {"breaks": [*breaks]}


def _noting(block: Any, marks: Mapping[str, Any]) -> Any:
    return marked(block, FAMILY, **marks) if marks else block


def _around(tag: str, breaks: Iterable[int]) -> tuple[str, str]:
    """Return the tags and line breaks before and after a text."""
    first, second, third, last = ("\n" * count for count in breaks)
    return f"{first}<{tag}>{second}", f"{third}</{tag}>{last}"


_AROUND = {tag: _around(tag, breaks) for tag, breaks in _BREAKS.items()}


def _tagged(tag: str, text: str, owner: Any = None) -> str:
    """Return a text in tags, with the line breaks that were read with its owner, if any."""
    before, behind = _AROUND[tag]
    noted: Any = mark_of(owner, FAMILY, "/breaks") if owner is not None else None
    if is_sequence(noted) and len(noted) == len(_BREAKS[tag]) and all(type(n) is int and 0 <= n <= 2 for n in noted):  # noqa: PLR2004
        before, behind = _around(tag, noted)
    return f"{before}{text}{behind}"


# -- calls ------------------------------------------------------------------------------------------------------------


def _called(value: Any, style: Any) -> Any:
    """Return the call in an object with a name and arguments; None for anything else."""
    keys = list(value) if is_object(value) else []
    if keys != _KEYS and {*keys} not in _KEY_SETS:
        return None
    name, arguments, link = value["name"], value["arguments"], value.get("id")
    if type(name) is not str or (link is None and "id" in value) or not isinstance(link, (str, type(None))):
        return None
    marks: dict[str, Any] = {} if style == "python" else {"json": style}
    if type(arguments) is str:
        fields, marks["text"] = {"raw_input": arguments}, True
    elif is_object(arguments):
        fields = tool_arguments.from_object(arguments)
    else:
        return None
    if link is not None:
        marks["id"] = True
    if keys not in (_KEYS, _KEYS_AND_ID):
        marks["keys"] = keys
    return _noting(_make_call(id=link, name=name, **fields), marks)


def _object(call: Any, *, is_usual: bool) -> dict[str, Any]:
    """Return the object of a call, for writing as text: it contains frozen values."""
    arguments: Any = tool_arguments.input_object(call)
    if not is_usual and is_marked(call, FAMILY, "/text"):
        arguments = tool_arguments.input_text(call)
    elif type(arguments) is not _OBJECT:
        arguments = speed.one_level(arguments)
    said = {"name": call.name, "arguments": arguments}
    if has_own_id(call, call.id):
        said["id"] = natives.link_of(call.id)
    keys: Any = None if is_usual or not call.notes else mark_of(call, FAMILY, "/keys")
    is_noted = (
        is_sequence(keys) and len(keys) == len(said) and all(isinstance(key, str) and key in said for key in keys)
    )
    return {key: said[key] for key in keys} if is_noted and len({*keys}) == len(said) else said


def _parsed(text: str, written: Callable[[str], str] = str) -> tuple[Any, Any] | None:
    """Return the value of JSON text, and its style, or the text if that has no style; None if it isn't JSON."""
    found = spelling.styled(text, written)
    if found is not None:
        return found
    try:
        return parse_json(text, duplicates="error"), ["=", text]
    except AgentMsgError:
        return None


def _spelt(value: Any, call: Any, *, is_usual: bool) -> str:
    """Return the text of JSON, spelt like the call, its first or only one, when it was read."""
    noted: Any = None if is_usual or not call.notes else mark_of(call, FAMILY, "/json")
    if isinstance(noted, str) and noted in spelling.JSON_STYLES:
        return spelling.dump_styled(value, noted)
    usual = spelling.dump_styled(value)
    if is_sequence(noted) and len(noted) == 2 and isinstance(noted[1], str):  # noqa: PLR2004 - a text, marked as such
        found = _parsed(noted[1])
        return noted[1] if found is not None and spelling.dump_styled(found[0]) == usual else usual
    return usual


def _escaped(text: str) -> str:
    """Escape the tags of calls in JSON."""
    return text.replace("<tool_call>", "\\u003ctool_call>").replace("</tool_call>", "\\u003c/tool_call>")


def _listed(text: str) -> tuple[list[Any], dict[str, Any]] | None:
    """Return the calls in JSON text, and the marks of their message; None if there is anything else."""
    found = _parsed(text)
    if found is None:
        return None
    entries = found[0] if is_list(found[0]) else [found[0]]
    calls = [_called(entry, found[1]) for entry in entries]
    marks = {"listed": True} if is_list(found[0]) and len(calls) == 1 else {}
    return (calls, marks) if calls and None not in calls else None


# -- what assistants say ----------------------------------------------------------------------------------------------


def read_answer(text: str, word: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the blocks of an assistant's turn, and the marks of its message.

    Args:
        text: its value.
        word: its sender.
    """
    if "<" not in text and word not in CALL_WORDS:
        return (_make_text(text),) if text else (), {}
    rest, content = text, list[Any]()
    while (found := _thought(rest)) is not None:
        thought, first, last, behind = found
        content.append(_noting(_make_thinking(thought), _marks("think", 0, first, last, behind)))
        rest = rest[len(thought) + first + last + behind + _ROOM :]
    if word in CALL_WORDS:
        listed = _listed(rest)
        if listed is not None:
            return (*content, *listed[0]), listed[1]
    calls: list[Any] = []
    while rest[-14:].rstrip("\n").endswith("</tool_call>"):
        at, end = rest.rfind("<tool_call>"), rest.rfind("</tool_call>")
        inside = _inside(rest, "tool_call", at, end)
        value = None if inside is None else _parsed(inside[0], _escaped)
        call = None if value is None else _called(*value)
        gap = int(at > 0 and rest[at - 1] == "\n")
        # Without words before it, there is no break.
        if inside is None or call is None or (gap and at == 1):
            break
        behind = len(rest) - end - len("</tool_call>")
        rest = rest[: at - gap]
        calls.insert(0, _noting(call, _marks("tool_call", gap if rest else 1, *inside[1:], behind)))
    if rest:
        content.append(_make_text(rest))
    return (*content, *calls), {"tagged": True} if calls and not rest and word in CALL_WORDS else {}


def write_answer(
    content: Sequence[Any], word: str, *, listed: bool = False, tagged: bool = False, is_usual: bool = False
) -> str:
    """Return the value of an assistant's turn.

    Args:
        content: its blocks.
        word: its sender.
        listed: whether its only call is in a list.
        tagged: whether its calls are in tags, whoever the sender is.
        is_usual: whether to write it like a new turn, however it was read.
    """
    thoughts, said, calls = "", "", list[Any]()
    for block in content:
        if type(block) is am.ThinkingBlock:
            thoughts += _tagged("think", block.thinking, None if is_usual else block)
        elif type(block) is am.ToolUseBlock:
            calls.append(block)
        else:
            said += block.text
    if word in CALL_WORDS and calls and not (said or tagged):
        objects = [_object(call, is_usual=is_usual) for call in calls]
        value = objects if len(calls) > 1 or listed else objects[0]
        return thoughts + _spelt(value, calls[0], is_usual=is_usual)
    for call in calls:
        text = _spelt(_object(call, is_usual=is_usual), call, is_usual=is_usual)
        around = _tagged("tool_call", _escaped(text), None if is_usual else call)
        said += around if said else around.removeprefix("\n")
    return thoughts + said


def _thought(text: str) -> tuple[str, int, int, int] | None:
    """Return the thinking in front of a text, and the line breaks inside the tags and after them."""
    end = text.find("</think>") if text[:7] == "<think>" else -1
    inside = _inside(text, "think", 0, end)
    if inside is None or not inside[0].strip("\n"):
        return None
    return (*inside, 2 if text[end + 8 : end + 10] == "\n\n" else int(text[end + 8 : end + 9] == "\n"))


def without_tags(text: str) -> str:
    """Change a text of an assistant's so that no part of it is read as thinking or as a call."""
    if "<" not in text:
        return text
    while [type(block) for block in read_answer(text, "gpt")[0]] != [am.TextBlock]:
        if _thought(text):
            text = text.replace("<think>", "<think >", 1)
        else:
            before, _, behind = text.rpartition("<tool_call>")
            text = f"{before}<tool_call >{behind}"
    return text


def without_end_tag(thought: str) -> str:
    """Change thinking so that it doesn't contain its end tag."""
    return thought.replace("</think>", "</think >")


# -- what users and tools say -----------------------------------------------------------------------------------------


def read_question(text: str) -> tuple[Any, ...]:
    """Return the blocks of a user's turn: its texts, and native blocks for tokens."""
    if "<" not in text:
        return (_make_text(text),) if text else ()
    return tuple([_PLACES.get(piece) or _make_text(piece) for piece in _TOKENS.split(text) if piece])


def without_tokens(text: str) -> str:
    """Change a text of a user's so that it has no tokens."""
    return text if "<" not in text else _TOKENS.sub(lambda token: f"{token[0][:-1]} >", text)


def read_result(text: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a result, and its marks."""
    is_tagged = text[:15] == "<tool_response>" and text[-16:] == "</tool_response>"
    inside = _inside(text, "tool_response", 0, len(text) - 16) if is_tagged else None
    if inside is None:
        return text, {}
    return inside[0], {"wrapped": True, **_marks("tool_response", 0, *inside[1:], 0)}


def write_result(block: Any) -> str:
    """Return the value of a turn with a result: in tags if these were read, or if its text already has some."""
    text = block.content[0].text if block.content else ""
    is_wrapped = bool(text) and is_marked(block, FAMILY, "/wrapped")
    if not is_wrapped:
        return _tagged("tool_response", text) if read_result(text)[1] else text
    noted = _tagged("tool_response", text, block)
    return noted if read_result(noted)[0] == text else _tagged("tool_response", text)
