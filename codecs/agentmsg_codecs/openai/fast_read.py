"""Reading fast: the messages that OpenAI's own clients write, with nothing odd about them. Imports calls and content.

A reader tests the exact number of keys and the types, so that nothing can deviate from what the writer gives, and
nothing needs to be compared; it returns None where the general path has to look. Straight-line code on purpose: here is
where the time goes. tests/test_openai.py holds both paths against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_values import adopt
from agentmsg.plain import is_list
from agentmsg_codecs.openai.calls import quick_call
from agentmsg_codecs.openai.content import make_text
from agentmsg_codecs.openai.words import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.shapes import Native
    from agentmsg_codecs.openai.content import ContentParts
    from agentmsg_codecs.openai.linked import Links

    Reader = Callable[[Native, Links], am.Msg | None]

__all__ = ["NAMED", "fast_readers"]

_make_msg = maker(am.Msg)
_make_result = maker(am.ToolResultBlock)
NAMED = adopt({FAMILY: {"/named": True}})
# The number of keys: role and content; with calls, or with a tool_call_id; with the name of a tool too.
_TWO, _THREE, _FOUR = 2, 3, 4


def _system(native: Native, _: Links) -> am.Msg | None:
    content = native.get("content")
    if len(native) != _TWO or type(content) is not str or not content:
        return None
    return _make_msg(native["role"], (make_text(content),))


def _assistant(native: Native, links: Links) -> am.Msg | None:
    size = len(native)
    content = native.get("content", links)
    if type(content) is str and content:
        if size == _TWO:
            return _make_msg("assistant", (make_text(content),))
        blocks: list[Any] = [make_text(content)]
    elif content is None:
        blocks = []
    else:
        return None
    entries = native.get("tool_calls")
    if size != _THREE or not is_list(entries) or not entries:
        return None
    for entry in entries:
        call = quick_call(entry)
        if call is None:
            return None
        blocks.append(call)
    called = links.names.call
    for block in blocks:
        if block.__class__ is am.ToolUseBlock:
            called(block.id, block.name)
    return _make_msg("assistant", tuple(blocks))


def _tool(native: Native, links: Links) -> am.Msg | None:
    link, content, size = native.get("tool_call_id"), native.get("content"), len(native)
    if type(link) is not str or type(content) is not str or not content:
        return None
    if size == _THREE:
        return _make_msg("tool", (_make_result(link, (make_text(content),), links.names.answer(link)),))
    name = native.get("name")
    if size != _FOUR or type(name) is not str:
        return None
    links.names.answer(link)
    return _make_msg("tool", (_make_result(link, (make_text(content),), name, notes=NAMED),))


def fast_readers(content: ContentParts) -> Mapping[str, Reader]:
    """Return the readers by role.

    Args:
        content: reads the parts of a user's content.
    """
    read = content.user.read

    def user(native: Native, links: Links) -> am.Msg | None:
        parts = native.get("content")
        if type(parts) is str or not is_list(parts):
            return _system(native, links)
        # One text could be content that is a text: the general path notes that it is a list.
        if len(native) != _TWO or len(parts) < _TWO:
            return None
        return _make_msg("user", tuple(map(read, parts)))

    return {"system": _system, "developer": _system, "user": user, "assistant": _assistant, "tool": _tool}
