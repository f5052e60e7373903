"""What readers note on results and sound, and what writers and the capability table ask about it.

Marks on a message: ``/list`` (content that could be a text is a list), ``/copies`` (see reasoning.py); on blocks:
``/refusal`` (it stands in the field of that name), ``/named`` (a result whose message has a name), ``/function`` (and
its role is ``function``), ``/value`` (and its content isn't a text), ``/legacy`` and ``/no-id`` (see calls.py),
``/annotated`` (a cited text in a request).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import mark_of
from agentmsg_codecs.openai.calls import is_legacy
from agentmsg_codecs.openai.names import FAMILY


def is_function(block: Any) -> bool:
    """Whether a result stands in a message of the role ``function``: those of old, and some that have an id."""
    if block.tool_call_id is None or block.name is None:
        return is_legacy(block)
    return bool(block.notes) and mark_of(block, FAMILY, "/function") is True and is_named(block)


def is_value(block: Any) -> bool:
    """Whether a result stands in its message as the value that it is, neither as a text nor as a list."""
    if block.content or block.structured is None or isinstance(block.structured, (str, list)):
        return False
    return bool(block.notes) and mark_of(block, FAMILY, "/value") is True


def is_named(block: Any) -> bool:
    """Whether the message of a result has a name of its own."""
    return mark_of(block, FAMILY, "/named") is True or mark_of(block, FAMILY, "/legacy") is True


def is_field_audio(block: Any) -> bool:
    """Whether sound stands in the ``audio`` of an assistant message, not in its content."""
    return isinstance(block, am.AudioBlock) and (block.item_id is not None or isinstance(block.source, am.FileSource))
