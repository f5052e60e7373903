"""Marks that readers set on results and sound, for writers and the capability table.

Marks on a message: ``/list`` (content that could be a text is a list), ``/copies`` (see reasoning.py); on blocks:
``/refusal`` (it is in the field of that name), ``/named`` (a result whose message has a name), ``/function`` (and whose
role is ``function``), ``/value`` (and whose content isn't a text), ``/legacy`` and ``/no-id`` (see calls.py),
``/annotated`` (a cited text in a request).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import mark_of, marked, note_of
from agentmsg_codecs.openai.calls import is_legacy
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats import Native


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


def of_function(message: am.Msg) -> am.Msg:
    """Return the message of a function of old, or of one that has an id."""
    result: Any = message.content[0]
    marks = {"legacy": True} if result.tool_call_id is None else {"function": True, "named": True}
    return message.evolve(content=(marked(result, FAMILY, **marks),))


def is_cited(block: Any) -> bool:
    """Whether a block is a text with citations."""
    return type(block) is am.TextBlock and bool(block.citations)


def is_content(native: Native) -> bool:
    """Whether a native result says blocks: nothing, a text or a list."""
    content = native.get("content")
    return content is None or type(content) in (str, list)


def only(native: Native, keys: Sequence[str]) -> Native:
    """Return some keys of a native object, where it has them."""
    return {key: native[key] for key in keys if key in native}


def is_reference(block: am.AudioBlock) -> bool:
    """Whether sound is a reference to what was said before."""
    return isinstance(block.source, am.FileSource) and block.transcript is None and not block.extras


def is_answer(block: am.AudioBlock) -> bool:
    """Whether sound is what a response says."""
    told: Any = block.extras.get(FAMILY, {})
    return block.item_id is not None and block.transcript is not None and type(told.get("expires_at")) is int


def uncited(block: Any) -> Any:
    """Return a text without its citations."""
    rest = {key: value for key, value in note_of(block, FAMILY).items() if key != "/annotated"}
    notes = {key: value for key, value in block.notes.items() if key != FAMILY}
    return block.evolve(citations=(), notes={**notes, FAMILY: rest} if rest else notes)
