"""Reading fast: answers as Anthropic and our own writer give them, with nothing odd around their content.

What is usual is told by the exact number of keys and by types, so that nothing can deviate unseen; parts that are not
usual are read as ever, and written again to see that they come back. For anything else there is None, and the general
path looks. tests/test_fast_answers.py holds both paths against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import EMPTY, Unreadable, adopt, maker, same_document
from agentmsg_codecs.anthropic.names import FINISH, RESPONSE, STOP_REASON, STOP_REASONS
from agentmsg_codecs.anthropic.usage import read_usage

if TYPE_CHECKING:
    from agentmsg.formats import Native, Parts


_make_msg = maker(am.Msg)
_LIST: Any = list  # so that type checkers ask nothing about what is inside
# Here a key that is not there is something else than null.
_ABSENT: Any = object()
# The usual keys: id, type, role, model, content, stop_reason, stop_sequence, usage; today's responses have
# stop_details.
_ANSWER = 8
_DETAILED = adopt({RESPONSE: {"stop_details": "null"}})
# Our words for the stop reasons whose default spelling is the native word itself.
_USUAL = {
    word: FINISH.get(word, word)
    for word in STOP_REASONS
    if STOP_REASON.get(FINISH.get(word, word), FINISH.get(word, word)) == word
}


def fast_answer(native: Native, parts: Parts) -> am.Msg | None:
    """Return the message of a usual response; None if the general path must look.

    Args:
        native: the document; plain, checked data.
        parts: the content of responses; filled.
    """
    try:
        own_id, model, content, word = native["id"], native["model"], native["content"], native["stop_reason"]
        if native["type"] != "message" or native["role"] != "assistant" or native["stop_sequence"] is not None:
            return None
        counted = native["usage"]
    except KeyError:
        return None
    if type(own_id) is not str or type(model) is not str or type(content) is not _LIST or counted is None:
        return None
    details = native.get("stop_details", _ABSENT)
    detailed = details is None
    if len(native) != _ANSWER + detailed or type(word) is not str or word not in _USUAL:
        return None
    try:
        usage = read_usage(counted)
        blocks = _content(content, parts)
    except (Unreadable, AgentMsgError):
        return None
    if blocks is None:
        return None
    notes = _DETAILED if detailed else EMPTY
    return _make_msg(
        "assistant",
        blocks,
        own_id,
        None,
        None,
        None,
        model,
        EMPTY,
        EMPTY,
        None,
        usage,
        _USUAL[word],
        None,
        EMPTY,
        notes,
    )


def _content(natives: list[Any], parts: Parts) -> tuple[Any, ...] | None:
    """Return the blocks of the content; None if one has a cache hint, or does not come back."""
    blocks: list[Any] = []
    usual = parts.usual
    for part in natives:
        block = usual(part)
        if block is None:
            block = parts.read(part)
            if getattr(block, "cache", None) is not None or not same_document(parts.write(block), part):
                return None
        blocks.append(block)
    return tuple(blocks)
