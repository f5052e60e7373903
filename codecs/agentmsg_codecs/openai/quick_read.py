"""Reading fast: the messages that OpenAI's own clients write, with nothing odd about them.

A reader tests the exact number of keys and the types, so that nothing can deviate from what the writer gives, and
nothing needs to be compared; it returns None if the general path has to look. It keeps nothing of the document but
texts, and those only if they are sound: so it may be given what others hold and nobody has checked. Straight-line code
on purpose: here is where the time goes. tests/test_openai.py holds both paths against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import adopt, is_list, maker, speed
from agentmsg_codecs.openai.calls import quick_call
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Native
    from agentmsg_codecs.openai.content import ContentParts
    from agentmsg_codecs.openai.tool_links import Links

    Reader = Callable[[Native, Links], am.Msg | None]


_make_msg = maker(am.Msg)
_make_result = maker(am.ToolResultBlock)
NAMED = adopt({FAMILY: {"/named": True}})
# The number of keys: role and content; with calls, or with a tool_call_id; with the name of a tool too.
_TWO, _THREE, _FOUR = 2, 3, 4
_LIST: Any = list  # so that type checkers ask nothing about what is inside


def _words(role: str) -> Reader:
    """Return the reader of messages of a role whose content is a text."""

    def read(native: Native, _: Links) -> am.Msg | None:
        content = native.get("content")
        if type(content) is not str or len(native) != _TWO or not content:
            return None
        if not (content.isascii() or speed.is_sound(content)):
            return None
        return speed.make_bare(role, (speed.make_bare_text(content),))

    return read


def _assistant(native: Native, links: Links) -> am.Msg | None:
    size = len(native)
    content = native.get("content", links)
    if type(content) is str and content and (content.isascii() or speed.is_sound(content)):
        if size == _TWO:
            return speed.make_bare("assistant", (speed.make_bare_text(content),))
        blocks: list[Any] = [speed.make_bare_text(content)]
    elif content is None:
        blocks = []
    else:
        return None
    entries = native.get("tool_calls")
    if size != _THREE or type(entries) is not _LIST or not entries:
        return None
    calls = list(map(quick_call, entries))
    make = speed.make_bare
    for call in calls:
        if call is None:
            return None
        if not speed.is_parsed(call):
            make = _make_msg
    called = links.names.call
    for call in calls:
        called(call.id, call.name)  # type: ignore[union-attr] # pyright: ignore[reportOptionalMemberAccess] - see above
    return make("assistant", (*blocks, *calls))


def _tool(native: Native, links: Links) -> am.Msg | None:
    link, content, size = native.get("tool_call_id"), native.get("content"), len(native)
    if type(link) is not str or type(content) is not str or not content:
        return None
    if not ((link.isascii() or speed.is_sound(link)) and (content.isascii() or speed.is_sound(content))):
        return None
    if size == _THREE:
        return speed.make_bare(
            "tool", (speed.make_bare_result(link, (speed.make_bare_text(content),), links.names.answer(link)),)
        )
    name = native.get("name")
    if size != _FOUR or type(name) is not str or not speed.is_sound(name):
        return None
    links.names.answer(link)
    return _make_msg("tool", (_make_result(link, (speed.make_bare_text(content),), name, notes=NAMED),))


def held_readers(content: ContentParts) -> Mapping[str, Reader]:
    """Return the readers by role, for documents that others hold.

    Args:
        content: reads the parts of a user's content.
    """
    usual, words = content.user.usual, _words("user")

    def user(native: Native, links: Links) -> am.Msg | None:
        parts: Any = native.get("content")
        if type(parts) is str:
            return words(native, links)
        # One text could be content that is a text: the general path notes that it is a list.
        if type(parts) is not _LIST or len(native) != _TWO or len(parts) < _TWO:
            return None
        blocks = tuple(map(usual, parts))
        # Not `in`, which would ask each block whether it equals None.
        return speed.make_bare("user", blocks) if all(blocks) else None

    others = {role: _words(role) for role in ("system", "developer")}
    return {**others, "user": user, "assistant": _assistant, "tool": _tool}


def fast_readers(content: ContentParts) -> Mapping[str, Reader]:
    """Return the readers by role, for documents that are the reader's own.

    Args:
        content: reads the parts of a user's content.
    """
    held = held_readers(content)
    usual_user = held["user"]
    read = content.user.read

    def user(native: Native, links: Links) -> am.Msg | None:
        message = usual_user(native, links)
        parts = native.get("content")
        if message is not None or not is_list(parts) or len(native) != _TWO or len(parts) < _TWO:
            return message
        return _make_msg("user", tuple(map(read, parts)))

    return {**held, "user": user}
