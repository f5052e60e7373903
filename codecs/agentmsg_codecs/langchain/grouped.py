"""Tool results inside a human message, as Anthropic has them: split on reading, joined on writing.

A result among the parts of a human message becomes a tool message; the other parts remain user messages. The human
message is a container (`agentmsg.formats`); nothing joins by default, so its messages have seats. The first one has
everything that belongs to the native message as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import Made, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    adopt,
    grouping,
    is_list,
    is_mapping,
    issuers,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    with_note,
)
from agentmsg_codecs.langchain.blocks.v1 import cache_of, is_hint, is_words, make_result, make_text, write_cache
from agentmsg_codecs.langchain.messages.fields import BODY_KEYS
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg_codecs.langchain.blocks.parts import ContentParts


_make_msg = maker(am.Msg)
_make_native = maker(am.NativeBlock)
# Parts with other keys remain native blocks.
_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
_NEEDED = frozenset({"type", "tool_use_id"})


def is_result(block: Any) -> bool:
    """Whether a native block is a tool result that becomes a message."""
    value: Any = block.value if type(block) is am.NativeBlock and block.codec == FAMILY else None
    if not is_mapping(value) or value.get("type") != "tool_result" or not _NEEDED <= value.keys() <= _KEYS:
        return False
    if not isinstance(value.get("content", ""), (str, list)) or not isinstance(value["tool_use_id"], str):
        return False
    return isinstance(value.get("is_error", False), bool) and is_hint(value.get("cache_control", {"type": ""}))


def _read_result(value: Native, parts: ContentParts) -> am.ToolResultBlock:
    part: Native = thaw(value)
    native: Any = part.get("content")
    listed = is_list(native)
    blocks = tuple(map(parts.read, native)) if listed else (make_text(native),) if native else ()
    bare = not blocks or is_words(blocks)
    status = {True: "error", False: "success"}.get(part["is_error"]) if "is_error" in part else None
    note: Native = {"/content": "list"} if listed and bare else {} if "content" in part else {"/content": "absent"}
    return make_result(
        tool_call_id=part["tool_use_id"],
        content=blocks,
        status=status,
        cache=cache_of(part),
        notes=adopt({FAMILY: note}) if note else EMPTY,
    )


def _write_result(block: Any, parts: ContentParts) -> am.NativeBlock:
    part: Native = {"type": "tool_result", "tool_use_id": block.tool_call_id}
    inner: Any = block.content
    noted = mark_of(block, FAMILY, "/content")
    if noted == "list" or (inner and not is_words(inner)):
        part["content"] = [parts.write(item) for item in inner]
    elif inner or noted != "absent":
        part["content"] = inner[0].text if inner else ""
    if block.status is not None:
        part["is_error"] = block.status == "error"
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    return _make_native(codec=FAMILY, value=adopt(thaw(part)))


def make_grouping(parts: ContentParts) -> grouping.Grouping:
    """Return the rule of which messages may share a human message; by default, a tool message is on its own."""

    def may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
        if not group:
            return _may_open(message, parts)
        return (len(group) > 1 or _may_open(group[0], parts)) and _may_follow(group[-1], message, parts)

    return grouping.Grouping(family=FAMILY, may_join=may_join, stands_free=lambda message: message.role == "tool")


def _may_open(message: am.Msg, parts: ContentParts) -> bool:
    """Whether a human message may begin with this one, and have everything around its content."""
    if not BODY_KEYS.isdisjoint(natives.extras_of(message, FAMILY)):
        return False
    if message.role == "tool" and message.name is not None:
        return False
    return _may_stand(message, parts)


def _may_follow(before: am.Msg, message: am.Msg, parts: ContentParts) -> bool:
    """Whether a message has only content, and isn't read as one with the message before."""
    if before.role == message.role == "user":
        return False
    return am.same(message, _make_msg(message.role, message.content)) and _may_stand(message, parts)


def _may_stand(message: am.Msg, parts: ContentParts) -> bool:
    content = message.content
    if message.role == "user":
        return bool(content) and not any(map(is_result, content))
    if message.role != "tool" or len(content) != 1 or type(block := content[0]) is not am.ToolResultBlock:
        return False
    native: Any = _write_result(block, parts)
    return is_result(native) and am.same(_read_result(native.value, parts), block)


def split(message: am.Msg, parts: ContentParts) -> list[am.Msg]:
    """Return the messages in a human message; itself if there is only one."""
    content: Any = message.content
    if not any(map(is_result, content)):
        return [message]
    runs: list[tuple[str, list[Any]]] = []
    for block in content:
        if is_result(block):
            runs.append(("tool", [_read_result(block.value, parts)]))
        elif runs and runs[-1][0] == "user":
            runs[-1][1].append(block)
        else:
            runs.append(("user", [block]))
    first = message.evolve(role=runs[0][0], content=runs[0][1])
    pieces = [first, *(_make_msg(role, tuple(blocks)) for role, blocks in runs[1:])]
    rule = make_grouping(parts)
    groups = grouping.containers(grouping.seated([pieces], rule), rule)
    exact = len(groups) == 1 and grouping.is_contained(groups[0], rule) and am.same(_join(pieces, parts), message)
    return pieces if exact else [message]


def _unlinked(messages: list[am.Msg]) -> list[am.Msg]:
    """Return the messages to write: an id that a reader would give to a call counts as made, any other doesn't."""

    def known(own: Any, link: str) -> Any:
        if own == link:
            return None if type(own) is Made else Made(link)
        return str(own) if type(own) is Made else None

    return _with_links(messages, known)


def _with_links(messages: list[am.Msg], id_of: Callable[[Any, str], Any]) -> list[am.Msg]:
    """Return the messages with new ids of calls that may lack one, as OpenAI's first calls did.

    Such a call is the last block of its message, and only in `function_call`. ``id_of`` returns its id from its own and
    that of the result in the next message; None: it stays.
    """
    out: list[am.Msg] | None = None
    for index, message in enumerate(messages):
        content = message.content
        if message.role != "assistant" or not content or type(content[-1]) is not am.ToolUseBlock:
            continue
        if not content[-1].notes or mark_of(content[-1], FAMILY, "/copies") != "f" or index + 1 == len(messages):
            continue
        behind = messages[index + 1]
        # An empty id would be written, so it isn't taken.
        if behind.role != "tool" or not (link := behind.tool_call_id):
            continue
        calls = [block for block in content if type(block) is am.ToolUseBlock]
        result: Any = behind.content[0]
        if len(calls) != 1 or result.name not in (None, calls[0].name):
            continue
        link = id_of(calls[0].id, link)
        if link is not None:
            out = out or list(messages)
            new = message.evolve(content=(*content[:-1], calls[0].evolve(id=link)))
            out[index] = marked(new, FAMILY, linked=True)
    return messages if out is None else out


# Most models are whose the parts are, or their names don't tell.
_OWN_ISSUERS = (None, ANTHROPIC)
# Its signatures stand in Anthropic's parts, and are read as its own; see issuers.py.
_SIGNS = "google"


def separate(messages: list[am.Msg], parts: ContentParts) -> list[am.Msg]:
    """Return the messages that were read, with human messages split; these messages have seats."""
    # A made id isn't written, because a reader makes the same link again.
    messages = _with_links(messages, lambda own, link: Made(link) if own is None else None)
    split_up: dict[int, list[am.Msg]] = {}
    for index, message in enumerate(messages):
        if message.role == "user" and am.NativeBlock in map(type, message.content):
            pieces = split(message, parts)
            if pieces[0] is not message:
                split_up[index] = pieces
        elif message.provider != _SIGNS and issuers.issuer_of_model(message.model) not in _OWN_ISSUERS:
            new = issuers.with_issuer(message, FAMILY, ANTHROPIC)
            if new is not message:
                split_up[index] = [new]
    if not split_up:
        return messages
    groups = (split_up.get(index, message) for index, message in enumerate(messages))
    return grouping.seated(groups, make_grouping(parts))


def _join(pieces: Sequence[am.Msg], parts: ContentParts) -> am.Msg:
    content: list[Any] = []
    for piece in pieces:
        content.extend(piece.content if piece.role == "user" else [_write_result(piece.content[0], parts)])
    note = {key: value for key, value in note_of(pieces[0], FAMILY).items() if key != "seat"}
    return with_note(pieces[0].evolve(role="user", content=content), FAMILY, note)


def gather(messages: Sequence[am.Msg], parts: ContentParts) -> Sequence[am.Msg]:
    """Return the messages to write: those of one human message are joined."""
    marks: set[Any] = set()
    for message in messages:
        if message.notes:
            marks.update(note_of(message, FAMILY))
    if "/linked" in marks:
        messages = _unlinked(list(messages))
    if "seat" not in marks:
        return messages
    rule = make_grouping(parts)
    out: list[am.Msg] = []
    for group in grouping.containers(messages, rule):
        first = group[0]
        is_whole = len(group) == 1 and (first.role != "tool" or not grouping.is_contained(group, rule))
        out.append(first if is_whole else _join(group, parts))
    return out
