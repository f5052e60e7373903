"""Where the blocks of a message were read, and where they are written: in its content, or under another key.

Marks on a message: ``/list`` (its content is a list, although a text would do), ``/copies`` (see reasoning.py),
``/latest_reminder`` (its role). Marks on blocks:

| mark | block |
| --- | --- |
| /no-id | a call or result that was read without an id, and needs none |
| /legacy | a ``function_call``, or the result of a message with the role ``function``; the reader makes their ids |
| /function | a result with an id in a message of the role ``function`` |
| /named | a result whose message has a name |
| /value | a result whose content is neither a text nor a list |
| /call | the native block of an entry of ``tool_calls`` that isn't a call |
| /type | a call of an unknown type, which is its kind |
| /object | a call whose arguments aren't text |
| /flat | a call without an object ``function``; the key of its arguments |
| /word | the type of such a call |
| /refusal | a refusal in the field of that name |
| /images | an image in the field of that name |
| /part | an image, sound, video or file of a part that only compatible servers have; its form |
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import given, is_marked, mark_of, natives
from agentmsg_codecs.openai.hints import is_message_hint, is_odd
from agentmsg_codecs.openai.names import FAMILY, REASONING_KEYS


def is_thinking_part(block: Any) -> bool:
    """Whether thinking was read from a part of content, where it stays."""
    return block.__class__ is am.ThinkingBlock and is_odd(block) and place_of(block, None) is None


def is_thinking_field(block: Any) -> bool:
    """Whether thinking isn't a part of content."""
    return block.__class__ is am.ThinkingBlock and not is_thinking_part(block)


def place_of(block: Any, default: str | None) -> str | None:
    """Return the field that thinking was read from, else the default."""
    place = mark_of(block, FAMILY, "/place") if block.notes else None
    return place if isinstance(place, str) and place in REASONING_KEYS else default


def is_field_audio(block: Any) -> bool:
    """Whether sound belongs in the ``audio`` of an assistant message, not in its content."""
    return isinstance(block, am.AudioBlock) and (
        given(block.item_id) is not None or isinstance(block.source, am.FileSource)
    )


def is_told_audio(block: am.AudioBlock) -> bool:
    """Whether a response tells sound in words: it holds data, and a reference only if it was read."""
    return not isinstance(block.source, am.Base64Source) and not (
        isinstance(block.source, am.FileSource) and is_odd(block)
    )


def is_field_image(block: Any) -> bool:
    """Whether an image belongs in the ``images`` of its message, not in its content."""
    return block.__class__ is am.ImageBlock and is_marked(block, FAMILY, "/images")


def is_native_entry(block: Any) -> bool:
    """Whether a native block belongs among the calls, not in content."""
    return isinstance(block, am.NativeBlock) and is_marked(block, FAMILY, "/call")


def is_called(block: Any) -> bool:
    """Whether a block belongs among the calls."""
    return isinstance(block, am.ToolUseBlock) or is_native_entry(block)


def is_beside(block: Any) -> bool:
    """Whether a block of an assistant isn't content: thinking, images, sound and calls have their own keys."""
    return is_called(block) or is_thinking_field(block) or is_field_audio(block) or is_field_image(block)


# -- calls and results ------------------------------------------------------------------------------------------------


def is_legacy(block: Any) -> bool:
    """Whether a call or result is written in the old form; an id that its reader makes is already removed."""
    if not is_marked(block, FAMILY, "/legacy") or natives.link_at(block) is not None:
        return False
    return FAMILY not in block.extras and block.name is not None and not has_more(block)


def has_more(block: Any) -> bool:
    """Whether a call has a signature or cache hint of its own, for which an old call has no place."""
    return block.signature is not None or (block.cache is not None and not is_message_hint(block.cache))


def is_function(block: Any) -> bool:
    """Whether a result is written with the role ``function``: an old one, and one that got an id."""
    if block.tool_call_id is None or block.name is None:
        return is_legacy(block)
    return is_marked(block, FAMILY, "/function") and is_named(block)


def is_named(block: Any) -> bool:
    """Whether the message of a result has a name of its own."""
    return is_marked(block, FAMILY, "/named") or is_marked(block, FAMILY, "/legacy")


def is_value(block: Any) -> bool:
    """Whether the content of a result's message is any JSON, neither a text nor a list."""
    if block.content or block.structured is None or isinstance(block.structured, (str, list)):
        return False
    return is_marked(block, FAMILY, "/value")
