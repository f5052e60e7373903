r"""Values: the single text of a turn, with its thinking, words and calls, the tokens for media, and results.

| text | blocks |
| --- | --- |
| ``<think>\n...\n</think>\n\n`` in front | ThinkingBlock |
| ``<think>\n</think>\n\n`` in front (Qwen 3) | none |
| ``<tool_call>\n{...}\n</tool_call>`` at the end (Hermes) | ToolUseBlock |
| the JSON of a call, or of a list of calls (function_call) | ToolUseBlock |
| ``<image>``, ``<video>``, ``<audio>`` in a user's text | a native block, until its column is read |
| ``<tool_response>\n...\n</tool_response>`` (Hermes); several of these | a result with the text inside; one for each |

A result may be JSON with the name of its call, and perhaps the id, such as
``{"tool_call_id": "c", "name": "f", "content": 1}``. All of it stays the text, because models read it.

Anything that would not be written back identically stays text. Marks: ``/breaks`` (the line breaks around tags, where
they aren't the usual ones), ``/wrapped`` (a result is in tags), ``/json``, ``/keys`` and ``/text`` (how the JSON of a
call and its arguments are spelt), ``/id`` (a call or result with an id in its row); on a message ``/listed`` (one call
in a list), ``/tagged`` (calls in tags instead of JSON alone) and ``/unthought`` (the line breaks in and behind the tags
of thinking without any, and how much thinking is before them).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    grouping,
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
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, MEDIA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


# The default line breaks before a tag, inside it on both sides, and after it.
_BREAKS: Mapping[str, tuple[int, ...]] = {
    "think": (0, 1, 1, 2),
    "tool_call": (1, 1, 1, 0),
    "tool_response": (0, 1, 1, 0),
}
MOST = 2
"""The most line breaks that a mark may count in one place."""


def trimmed(found: str) -> tuple[str, int, int]:
    """Return what stands in a tag without the line breaks at its ends, and these."""
    if len(found) > 2 and found[0] == found[-1] == "\n":  # noqa: PLR2004 - the usual case
        return found[1:-1], 1, 1
    first = int(len(found) > 1 and found[0] == "\n")
    last = int(len(found) > 1 + first and found[-1] == "\n")
    return found[first : len(found) - last], first, last


def between(text: str, tag: str, at: int, end: int) -> tuple[str, int, int] | None:
    """Return the text in a tag, and the line breaks before and after that text; None without text.

    Args:
        text: with the tag.
        tag: its name.
        at: the index of the tag.
        end: the index of the end tag.
    """
    found = text[at + len(tag) + 2 : end]
    return trimmed(found) if found and end > at >= 0 else None


def break_marks(tag: str, *breaks: int) -> dict[str, Any]:
    """Return the mark for line breaks that aren't the usual ones."""
    return {} if breaks == _BREAKS[tag] else {"breaks": [*breaks]}


def breaks_of(tag: str, owner: Any) -> tuple[int, ...]:
    """Return the line breaks that were read with the owner of a text, else the usual ones."""
    noted: Any = mark_of(owner, FAMILY, "/breaks")
    is_valid = is_sequence(noted) and len(noted) == len(_BREAKS[tag])
    return tuple(noted) if is_valid and all(type(n) is int and 0 <= n <= MOST for n in noted) else _BREAKS[tag]


def noting(block: Any, marks: Mapping[str, Any]) -> Any:
    """Mark a block, if there are any marks."""
    return marked(block, FAMILY, **marks) if marks else block


def _sides(tag: str, breaks: Iterable[int]) -> tuple[str, str]:
    """Return the tags and line breaks before and after a text."""
    first, second, third, last = ("\n" * count for count in breaks)
    return f"{first}<{tag}>{second}", f"{third}</{tag}>{last}"


def around(tag: str, text: str, breaks: Iterable[int]) -> str:
    """Return a text in tags, with line breaks before the first one, inside them, and after the last one."""
    before, behind = _sides(tag, breaks)
    return f"{before}{text}{behind}"


_SIDES = {tag: _sides(tag, breaks) for tag, breaks in _BREAKS.items()}


def in_tags(tag: str, text: str, owner: Any = None) -> str:
    """Return a text in tags, with the line breaks that were read with its owner, if any."""
    before, behind = _SIDES[tag] if owner is None else _sides(tag, breaks_of(tag, owner))
    return f"{before}{text}{behind}"


# -- results -----------------------------------------------------------------------------------------------------------

_TAG = "tool_response"
_START, _END = f"<{_TAG}>", f"</{_TAG}>"
_NEXT = re.compile(f"{_END}(\\n{{0,{MOST}}}){_START}")
# The usual line breaks around a result behind another one.
_USUAL = (1, 1, 1, 0)


def read_results(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the texts of the results in a turn, each with the marks of its result."""
    core = text.rstrip("\n") if text[:15] == _START else ""
    behind = len(text) - len(core)
    if core[-16:] != _END or behind > MOST:
        return [(text, {})]
    body = core[15:-16]
    found = _pieces(body, behind) if _END in body else []
    if found or not body:
        return found or [(text, {})]
    inside, *breaks = trimmed(body)
    return [(inside, {"wrapped": True, **break_marks(_TAG, 0, *breaks, behind)})]


def _pieces(body: str, behind: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the results between the first tag and the last; none if the tags in between are part of a text."""
    pieces = _NEXT.split(body)
    if any(_START in piece or _END in piece for piece in pieces[::2]):
        return []
    found: list[tuple[str, dict[str, Any]]] = []
    gaps = (0, *map(len, pieces[1::2]))
    for number, (piece, gap) in enumerate(zip(pieces[::2], gaps, strict=True), 1):
        inside, *inner = trimmed(piece)
        breaks = (gap, *inner, behind if number == len(gaps) else 0)
        own = break_marks(_TAG, *breaks) if number == 1 else {} if breaks == _USUAL else {"breaks": [*breaks]}
        found.append((inside, {"wrapped": True, **own}))
    return found


def _texts(value: str) -> list[str]:
    return [text for text, _ in read_results(value)]


def _text_of(block: Any) -> str:
    """Return the text of a result that fits; an empty one for any other."""
    only = block.content[0] if len(block.content) == 1 else None
    return only.text if isinstance(only, am.TextBlock) else ""


def write_result(block: Any) -> str:
    """Return the value of a turn with a result: in tags if these were read, or if its text already has some."""
    text = _text_of(block)
    if text and is_marked(block, FAMILY, "/wrapped"):
        for value in (in_tags(_TAG, text, block), in_tags(_TAG, text)):
            if _texts(value) == [text]:
                return value
    return text if text[:15] != _START or _texts(text) == [text] else in_tags(_TAG, text)


def write_results(blocks: Sequence[Any]) -> str:
    """Return the value of a turn with several results."""
    last, texts = len(blocks) - 1, list(map(_text_of, blocks))
    noted = "".join([_in_place(block, number, last) for number, block in enumerate(blocks)])
    if _texts(noted) == texts:
        return noted
    return "\n".join([in_tags(_TAG, text) if text else _START + _END for text in texts])


def _in_place(block: Any, number: int, last: int) -> str:
    """Return a result among others, with the line breaks that were read with it."""
    text, is_noted = _text_of(block), mark_of(block, FAMILY, "/breaks") is not None
    before, inner, end, behind = breaks_of(_TAG, block) if text or is_noted else (1, 0, 0, 0)
    before = (before if is_noted else 1) if number else 0
    behind = behind if number == last else 0
    return around(_TAG, text, (before, inner, end, behind))


def answered(block: Any) -> tuple[str | None, str | None]:
    """Return the id and the name of the call that a result answers if its text is JSON that says these (Hermes)."""
    text = _text_of(block)
    if text[:1] != "{" or '"content"' not in text:
        return None, None
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None, None
    if not is_object(value) or not value.keys() <= {"tool_call_id", "name", "content"}:
        return None, None
    link, name = value.get("tool_call_id"), value.get("name")
    return link if isinstance(link, str) else None, name if isinstance(name, str) else None


def _may_stand(message: am.Msg) -> bool:
    """Whether the text of a result has none of the tags."""
    if message.role != "tool" or len(message.content) != 1:
        return False
    text = _text_of(message.content[0])
    return _START not in text and _END not in text


def _may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
    return grouping.all_of(group, _may_stand) and _may_stand(message) and not message.extras


GROUPING = grouping.Grouping(family=FAMILY, may_join=_may_join)
"""Which results share a turn: only those that were read from one."""


_TOKENS = re.compile("(" + "|".join(map(re.escape, MEDIA)) + ")")
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_ROOM = len("<think></think>")
_NO_THOUGHT = re.compile(f"<think>(\n{{0,{MOST}}})</think>(\n{{0,{MOST}}})(?!<think>)")
_KEYS = ["name", "arguments"]
_KEYS_AND_ID = [*_KEYS, "id"]
# As in Llama 3.
_PARAMETERS = "parameters"
_KEY_SETS = tuple({"name", *keys, *more} for keys in ((), ("arguments",), (_PARAMETERS,)) for more in ((), ("id",)))
_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")
_make_call = maker(am.ToolUseBlock)
_PLACES = {token: am.NativeBlock(FAMILY, {"type": token}) for token in MEDIA}


# The notes of a usual call: its row has no id.
UNLINKED = natives.without_id(FAMILY)


def is_said(block: Any, link: str | None) -> bool:
    """Whether the row contains the id of a call or result."""
    if link is None or not block.notes or block.notes is UNLINKED:
        return False
    return is_marked(block, FAMILY, "/id")


# -- calls ------------------------------------------------------------------------------------------------------------


def called(value: Any, style: Any = "python") -> Any:
    """Return the call in an object with a name and arguments; None for anything else."""
    keys = list(value) if is_object(value) else []
    if keys != _KEYS and {*keys} not in _KEY_SETS:
        return None
    name, link = value["name"], value.get("id")
    arguments = value["arguments"] if "arguments" in value else value.get(_PARAMETERS, {})
    if type(name) is not str or (type(link) is not str and "id" in value):
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
    return noting(_make_call(id=link, name=name, **fields), marks)


def object_of(call: Any, *, is_usual: bool) -> dict[str, Any]:
    """Return the object of a call, for writing as text: it contains frozen values."""
    arguments: Any = tool_arguments.input_object(call)
    if not is_usual and is_marked(call, FAMILY, "/text"):
        arguments = tool_arguments.input_text(call)
    elif type(arguments) is not _OBJECT:
        arguments = speed.one_level(arguments)
    said = {"name": call.name, "arguments": arguments}
    if is_said(call, call.id):
        said["id"] = natives.link_of(call.id)
    keys: Any = None if is_usual or not call.notes else mark_of(call, FAMILY, "/keys")
    return said if keys is None else _under(keys, said)


def _under(keys: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Return what a call says under the keys that were read; or as it is, if these can't say it."""
    if not is_sequence(keys) or not all(isinstance(key, str) for key in keys) or {*keys} not in _KEY_SETS:
        return said
    known = {**said, _PARAMETERS: said["arguments"]}
    is_all = len({*keys}) == len(keys) and ("id" in keys) == ("id" in said)
    is_left_out = not {"arguments", _PARAMETERS} & {*keys} and said["arguments"] != {}
    return {key: known[key] for key in keys} if is_all and not is_left_out else said


def _spelt(value: Any, call: Any, *, is_usual: bool) -> str:
    """Return the text of JSON, spelt like the call, its first or only one, when it was read."""
    noted: Any = None if is_usual or not call.notes else mark_of(call, FAMILY, "/json")
    text = None if noted is None else spelling.dump_as_told(value, noted)
    return spelling.dump_styled(value) if text is None else text


def _escaped(text: str) -> str:
    """Escape the tags of calls in JSON."""
    return text.replace("<tool_call>", "\\u003ctool_call>").replace("</tool_call>", "\\u003c/tool_call>")


def _listed(text: str) -> tuple[list[Any], dict[str, Any]] | None:
    """Return the calls in JSON text, and the marks of their message; None if there is anything else."""
    found = spelling.parse_told(text)
    if found is None:
        return None
    entries = found[0] if is_list(found[0]) else [found[0]]
    calls = [called(entry, found[1]) for entry in entries]
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
    rest = text
    content: list[Any] = []
    while (found := _thought(rest)) is not None:
        thought, first, last, behind = found
        content.append(noting(_make_thinking(thought), break_marks("think", 0, first, last, behind)))
        rest = rest[len(thought) + first + last + behind + _ROOM :]
    marks: dict[str, Any] = {}
    nothing = _NO_THOUGHT.match(rest) if rest[:7] == "<think>" else None
    if nothing is not None:
        marks["unthought"] = [len(nothing[1]), len(nothing[2]), len(content)]
        rest = rest[nothing.end() :]
    if word in CALL_WORDS:
        listed = _listed(rest)
        if listed is not None:
            return (*content, *listed[0]), {**marks, **listed[1]}
    calls: list[Any] = []
    while rest[-14:].rstrip("\n").endswith("</tool_call>"):
        at, end = rest.rfind("<tool_call>"), rest.rfind("</tool_call>")
        inside = between(rest, "tool_call", at, end)
        value = None if inside is None else spelling.parse_told(inside[0], _escaped)
        call = None if value is None else called(*value)
        gap = int(at > 0 and rest[at - 1] == "\n")
        # Without words before it, there is no break.
        if inside is None or call is None or (gap and at == 1):
            break
        behind = len(rest) - end - len("</tool_call>")
        rest = rest[: at - gap]
        calls.insert(0, noting(call, break_marks("tool_call", gap if rest else 1, *inside[1:], behind)))
    if rest:
        content.append(_make_text(rest))
    if calls and not rest and word in CALL_WORDS:
        marks["tagged"] = True
    return (*content, *calls), marks


def write_answer(
    content: Sequence[Any],
    word: str,
    *,
    listed: bool = False,
    tagged: bool = False,
    unthought: Any = None,
    is_usual: bool = False,
) -> str:
    """Return the value of an assistant's turn.

    Args:
        content: its blocks.
        word: its sender.
        listed: whether its only call is in a list.
        tagged: whether its calls are in tags, whoever the sender is.
        unthought: the mark for tags without thinking, or None.
        is_usual: whether to write it like a new turn, however it was read.
    """
    thoughts, said = "", ""
    calls: list[Any] = []
    for block in content:
        if type(block) is am.ThinkingBlock:
            thoughts += in_tags("think", block.thinking, None if is_usual else block)
        elif type(block) is am.ToolUseBlock:
            calls.append(block)
        else:
            said += block.text
    thoughts += _unthought(unthought, content)
    if word in CALL_WORDS and calls and not (said or tagged):
        objects = [object_of(call, is_usual=is_usual) for call in calls]
        value = objects if len(calls) > 1 or listed else objects[0]
        return thoughts + _spelt(value, calls[0], is_usual=is_usual)
    for call in calls:
        text = _spelt(object_of(call, is_usual=is_usual), call, is_usual=is_usual)
        around = in_tags("tool_call", _escaped(text), None if is_usual else call)
        said += around if said else around.removeprefix("\n")
    return thoughts + said


def _thought(text: str) -> tuple[str, int, int, int] | None:
    """Return the thinking in front of a text, and the line breaks inside the tags and after them."""
    end = text.find("</think>") if text[:7] == "<think>" else -1
    inside = between(text, "think", 0, end)
    if inside is None or not inside[0].strip("\n"):
        return None
    return (*inside, 2 if text[end + 8 : end + 10] == "\n\n" else int(text[end + 8 : end + 9] == "\n"))


def _unthought(noted: Any, content: Sequence[Any]) -> str:
    """Return the tags without thinking that were read, if there still is as much thinking before them."""
    if not is_sequence(noted) or len(noted) != 3 or not all(type(n) is int and 0 <= n <= MOST for n in noted[:2]):  # noqa: PLR2004
        return ""
    is_same = sum(type(block) is am.ThinkingBlock for block in content) == noted[2]
    return around("think", "", (0, noted[0], 0, noted[1])) if is_same else ""


def spoken(text: str) -> str:
    """Change a text of an assistant's so that no part of it is read as thinking or as a call."""
    if "<" not in text:
        return text
    while [getattr(block, "text", None) for block in read_answer(text, "gpt")[0]] != [text]:
        if _thought(text) or _NO_THOUGHT.match(text):
            text = text.replace("<think>", "<think >", 1)
        else:
            before, _, behind = text.rpartition("<tool_call>")
            text = f"{before}<tool_call >{behind}"
    return text


def thinkable(thought: str) -> str:
    """Change thinking so that it doesn't contain its end tag."""
    return thought.replace("</think>", "</think >")


# -- what users say ---------------------------------------------------------------------------------------------------


def read_question(text: str) -> tuple[Any, ...]:
    """Return the blocks of a user's turn: its texts, and native blocks for tokens."""
    if "<" not in text:
        return (_make_text(text),) if text else ()
    return tuple([_PLACES.get(piece) or _make_text(piece) for piece in _TOKENS.split(text) if piece])


def asked(text: str) -> str:
    """Change a text of a user's so that it has no tokens."""
    return text if "<" not in text else _TOKENS.sub(lambda token: f"{token[0][:-1]} >", text)
