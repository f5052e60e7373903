r"""Messages: each native message is one of ours, also with roles of ms-swift and others, or a call as functions had it.

| message | read like |
| --- | --- |
| role tool_call; content: the JSON of a call | an assistant's message with one call and no text |
| role tool_response, tool_result, environment or function | a tool's |
| role human; gpt or ai | a user's; an assistant's |
| function_call: a name and arguments | one call |

Thinking may be in tags before a text: ``<think>\n...\n</think>\n\n``. Tags without any say nothing (Qwen 3).

Marks of a message: ``/role`` (its role), ``/json`` (how the JSON is spelt, if not by default), ``/function_call`` (its
call is there), ``/unthought`` (the line breaks inside tags without thinking, and after them). The mark ``/inline`` on
thinking counts the line breaks after the first tag, before the second one and after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    speed,
    spelling,
    write_as,
)
from agentmsg.formats.bodies import ToolColumn
from agentmsg.formats.forms import Each, Via
from agentmsg_codecs.hf.format import describe, is_entry, is_part, read_called, write_called
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


CALL = "tool_call"
_USUAL: Mapping[str, str] = {
    **dict.fromkeys(("tool_response", "tool_result", "environment", "function"), "tool"),
    "human": "user",
    **dict.fromkeys(("gpt", "ai"), "assistant"),
}
ROLES = frozenset({CALL, *_USUAL})
_FUNCTION_CALL = "function_call"


def usual(native: Native, role: Any) -> tuple[Native, Mapping[str, Any]] | None:
    """Return a message with its usual role and calls, and the marks of its message; None if these are usual."""
    if role in _USUAL:
        return {**native, "role": _USUAL[role]}, {"role": role}
    if role == "assistant":
        if not has_function_call(native):
            return None
        function = native[_FUNCTION_CALL]
        rest = {key: value for key, value in native.items() if key != _FUNCTION_CALL}
        noted = spelling.spelling_of(native["tool_calls"]) if "tool_calls" in native else True
        return {**rest, "tool_calls": [{"type": "function", "function": function}]}, {_FUNCTION_CALL: noted}
    found = read_called(native.get("content")) if role == CALL and "tool_calls" not in native else None
    if found is None:
        return None
    function, told = found
    link = {"id": function.pop("id")} if "id" in function else {}
    call = {**link, "type": "function", "function": function}
    marks = {} if told == "python" else {"json": told}
    return {**native, "role": "assistant", "content": "", "tool_calls": [call]}, {"role": role, **marks}


def has_function_call(native: Mapping[str, Any]) -> bool:
    """Whether an assistant's message has its call as OpenAI's functions had it."""
    function: Any = native.get(_FUNCTION_CALL)
    if (
        not is_mapping(function)
        or function.keys() != {"name", "arguments"}
        or native.get("tool_calls") not in (None, [])
    ):
        return False
    return isinstance(function["name"], str) and isinstance(function["arguments"], (str, dict))


def unusual(native: Native, message: am.Msg) -> Native:
    """Return a message with the role and calls that were read, if it still has nothing that these can't hold."""
    role: Any = mark_of(message, FAMILY, "/role")
    if isinstance(role, str) and _USUAL.get(role) == message.role:
        native = {**native, "role": role}
    noted = mark_of(message, FAMILY, f"/{_FUNCTION_CALL}")
    calls = native.get("tool_calls")
    is_call = role == CALL and native.get("content") == ""
    if message.role != "assistant" or not (is_call or noted) or not is_list(calls) or len(calls) != 1:
        return native
    call = calls[0]
    function = call.get("function") if is_object(call) and call.keys() <= {"id", "type", "function"} else None
    if not is_object(function) or function.keys() != {"name", "arguments"} or call.get("type") != "function":
        return native
    said = {**({"id": call["id"]} if "id" in call else {}), **function}
    rest = {key: value for key, value in native.items() if key != "tool_calls"}
    if not is_call:
        nothings: Mapping[Any, Native] = {"null": {"tool_calls": None}, "[]": {"tool_calls": []}}
        nothing = nothings.get(noted, {}) if isinstance(noted, str) else {}
        return native if "id" in said or _FUNCTION_CALL in rest else {**rest, _FUNCTION_CALL: function, **nothing}
    return {**rest, "role": role, "content": write_called(said, mark_of(message, FAMILY, "/json"))}


_TAGS = r"(?s)<think>(\n*)(.*?)(\n*)</think>(\n*)(.*)"
_NOTHING = r"<think>(\n*)</think>(\n*)(?!<think>)"
_USUAL_BREAKS = (1, 1, 2)
_MOST = 9
_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")


def _split(text: str) -> tuple[str, tuple[int, ...], str] | None:
    """Return the thinking in front of a text, the line breaks around it, and the rest; None without tags.

    Tags without thinking have no line breaks behind it.
    """
    if not text.startswith("<think>"):
        return None
    found: tuple[str, tuple[int, ...], str] | None = None
    if (nothing := speed.compiled(_NOTHING).match(text)) is not None:
        found = "", (len(nothing[1]), len(nothing[2])), text[nothing.end() :]
    elif (tags := speed.compiled(_TAGS).fullmatch(text)) is not None and tags[2]:
        found = tags[2], (len(tags[1]), len(tags[3]), len(tags[4])), tags[5]
    return None if found is None or max(found[1]) > _MOST else found


def _join(thought: str, breaks: Sequence[int], said: str) -> str:
    first, *middle, last = ("\n" * count for count in breaks)
    return f"<think>{first}{thought}{''.join(middle)}</think>{last}{said}"


def split_off(message: am.Msg) -> am.Msg:
    """Split the thinking off the text of an assistant's message that was read."""
    content = message.content
    if not content or not natives.is_bare_text(content[0], FAMILY) or mark_of(message, FAMILY, "/list") is True:
        return message
    text: Any = content[0]
    found = _split(text.text)
    if found is None:
        return message
    thought, breaks, said = found
    thinking = (marked(_make_thinking(thought), FAMILY, inline=list(breaks)),) if thought else ()
    new = message.evolve(content=(*thinking, *((_make_text(said),) if said else ()), *content[1:]))
    return new if thought else marked(new, FAMILY, unthought=list(breaks))


def put_back(message: am.Msg, *, is_default: bool) -> am.Msg:
    """Put the thinking of an assistant's message to write into its text, if it belongs there.

    A text that would be read as thinking is marked to be written as a list of parts.

    Args:
        message: that fits.
        is_default: whether new thinking belongs there.
    """
    noted: Any = mark_of(message, FAMILY, "/unthought") if message.notes else None
    for block in message.content if noted is None else ():
        if may_be_inline(block, is_default=is_default):
            break
    else:
        if noted is None:
            return message
    thoughts: list[Any] = [block for block in message.content if _is_thought(block)]
    said: list[Any] = [block for block in message.content if not (_is_thought(block) or _is_call(block))]
    breaks = _breaks(thoughts[0], is_default=is_default) if thoughts else _counts(noted, 2)
    thought = thoughts[0].thinking if thoughts else ""
    text = None if breaks is None or len(thoughts) > 1 else _in_front(message, thought, breaks, said)
    if text is not None:
        return message.evolve(content=(_make_text(text), *message.content[len(thoughts) + len(said) :]))
    is_text = len(said) == 1 and not thoughts and natives.is_bare_text(said[0], FAMILY)
    return marked(message, FAMILY, list=True) if is_text and _split(said[0].text) else message


def _in_front(message: am.Msg, thought: str, breaks: Sequence[int], said: Sequence[Any]) -> str | None:
    """Return the text of a message with tags in front of what it says; None if they can't stand there."""
    if len(said) > 1 or not all(natives.is_bare_text(block, FAMILY) for block in said):
        return None
    answer = said[0].text if said else ""
    joined = _join(thought, breaks, answer)
    is_read = _split(joined) == (thought, tuple(breaks), answer)
    return joined if is_read and mark_of(message, FAMILY, "/list") is not True else None


def may_be_inline(block: Any, *, is_default: bool) -> bool:
    """Whether a block is thinking that may belong into a text, or a text that looks like thinking."""
    if block.__class__ is am.TextBlock:
        return bool(block.text.startswith("<think>"))
    if block.__class__ is not am.ThinkingBlock:
        return False
    return is_default or (bool(block.notes) and mark_of(block, FAMILY, "/inline") is not None)


def _is_thought(block: Any) -> bool:
    return type(block) is am.ThinkingBlock and not is_part(block)


def _is_call(block: Any) -> bool:
    return (type(block) is am.ToolUseBlock and not is_part(block)) or is_entry(block)


def _breaks(thinking: Any, *, is_default: bool) -> Sequence[int] | None:
    noted: Any = mark_of(thinking, FAMILY, "/inline") if thinking.notes else None
    is_new = is_default and (not thinking.notes or mark_of(thinking, FAMILY, "/at") is None)
    return _counts(noted, len(_USUAL_BREAKS)) or (_USUAL_BREAKS if is_new else None)


def _counts(noted: Any, length: int) -> Sequence[int] | None:
    """Return the line breaks that a mark counts; None for anything else."""
    if not is_sequence(noted) or len(noted) != length:
        return None
    return noted if all(type(count) is int and 0 <= count <= _MOST for count in noted) else None


_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_FORMS = {role: f"{role}_message" for role in ("system", "developer", "user", "assistant", "tool")}


def unpaired(message: am.Msg) -> am.Msg:
    """Remove a made id from a result that was read if the message has another one, which isn't a text.

    After the message is moved, the made id would be written in its place.
    """
    if not message.extras or message.role != "tool" or not natives.has_extra(message, FAMILY, "tool_call_id"):
        return message
    block: Any = message.content[0]
    if not isinstance(block.tool_call_id, am.Made):
        return message
    name = None if block.name is None or natives.is_marked(block, FAMILY, "/no-name") else str(block.name)
    return message.evolve(content=(block.evolve(tool_call_id=None, name=name),))


class Messages:
    """Reads and writes single messages.

    Args:
        reasoning: the key for thinking that wasn't read from one; "think" for tags in front of the text; None if there
            is none.
        by_text: whether new arguments are written as JSON text.

    Attributes:
        described: the forms.
        reasoning: the key for thinking, or None.
        tools: the column of tools.
    """

    def __init__(self, *, reasoning: str | None, by_text: bool) -> None:
        self._is_inline = reasoning == "think"
        # Thinking that can't be in front of a text gets a key.
        self.reasoning = "reasoning_content" if self._is_inline else reasoning
        calls = Each(Via(self._read_call, self._write_call, native={}))
        self.described = describe(calls, reasoning=self.reasoning, by_text=by_text)
        self.tools = ToolColumn(self.described, "tool", "bare_tool", style="list")

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    def read(self, native: Any) -> am.Msg:
        """Read a native message, without made ids; if the model can't express it, its role is ``native``.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        found = None if role in _FORMS and "function_call" not in native else usual(native, role)
        if found is None:
            return self._read(native, role)
        message = self.read(found[0])
        return natives.read_whole(native, FAMILY) if message.role == "native" else marked(message, FAMILY, **found[1])

    def _read(self, native: Any, role: str) -> am.Msg:
        if role not in _FORMS:
            return natives.read_whole(native, FAMILY)
        shape: Any = self.described.shapes[_FORMS[role]]
        try:
            message: am.Msg = shape.exact[role](native)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        content = native.get("content") if role == "assistant" else None
        return split_off(message) if type(content) is str and content.startswith("<think>") else message

    def write(self, message: am.Msg) -> Any:
        """Write a message that fits."""
        role = message.role
        if speed.how_bare(message) == speed.SAID and role in _FORMS:
            text: Any = message.content[0]
            if not text.text.startswith("<think>"):
                return {"role": role, "content": text.text}  # the usual case
        kept = natives.native_of(message, FAMILY) if role == "native" else None
        if kept is not None:
            return kept
        if role == "assistant":
            message = self.put_back(message)
        shape = self.described.shapes[_FORMS[role]]
        if not message.notes:
            return write_as(shape, message, FAMILY) if message.extras else shape.write(message)
        return unusual(write_as(shape, message, FAMILY), message)

    def put_back(self, message: am.Msg) -> am.Msg:
        """Put the thinking of an assistant's message into its text, if it belongs there."""
        return put_back(message, is_default=self._is_inline)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _read_call(self, entry: Any) -> am.ToolUseBlock | am.NativeBlock:
        if type(entry) is _OBJECT:
            try:
                return self.described.shapes["call"].read(entry, am.ToolUseBlock)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                pass
        return marked(natives.native_part(entry, FAMILY), FAMILY, call=True)

    def _write_call(self, block: am.ToolUseBlock | am.NativeBlock) -> Any:
        if isinstance(block, am.NativeBlock):
            return thaw(block.value)
        if block.notes or block.extras:
            return write_as(self.described.shapes["call"], block, FAMILY)
        return self.described.names.writers["call"](block)  # nothing marks it as another form's

    def comes_back(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read if this native block is written among the calls; None if that is a call."""
        back = self._read_call(thaw(block.value))
        return back if isinstance(back, am.NativeBlock) else None
