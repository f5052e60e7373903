r"""Thinking in tags before a text: ``<think>\n...\n</think>\n\n``. Tags without any say nothing (Qwen 3).

The mark ``/inline`` on the thinking counts the line breaks after the first tag, before the second one and after it; the
mark ``/unthought`` on a message those inside tags without thinking, and after them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_bare_text, is_sequence, maker, mark_of, marked
from agentmsg_codecs.hf.format import is_entry, is_part
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAGS = re.compile(r"<think>(\n*)(.*?)(\n*)</think>(\n*)(.*)", re.DOTALL)
_NOTHING = re.compile(r"<think>(\n*)</think>(\n*)(?!<think>)")
_USUAL = (1, 1, 2)
_MOST = 9
_make_text = maker(am.TextBlock, "text")
_make_thinking = maker(am.ThinkingBlock, "thinking")


def _split(text: str) -> tuple[str, tuple[int, int, int], str] | None:
    """Return the thinking in front of a text, the line breaks around it, and the rest; None without thinking."""
    found = _TAGS.fullmatch(text) if text.startswith("<think>") else None
    if found is None:
        return None
    breaks = (len(found[1]), len(found[3]), len(found[4]))
    return (found[2], breaks, found[5]) if found[2] and max(breaks) <= _MOST else None


def _bared(text: str) -> tuple[str, list[int]] | None:
    """Return a text without the tags in front, and their line breaks; None if these hold thinking, or don't exist."""
    found = _NOTHING.match(text) if text.startswith("<think>") else None
    breaks = [] if found is None else [len(found[1]), len(found[2])]
    return None if found is None or max(breaks) > _MOST else (text[found.end() :], breaks)


def _join(thought: str, breaks: Sequence[int], said: str) -> str:
    before, after, behind = ("\n" * count for count in breaks)
    return f"<think>{before}{thought}{after}</think>{behind}{said}"


def split_off(message: am.Msg) -> am.Msg:
    """Split the thinking off the text of an assistant's message that was read."""
    content = message.content
    if not content or not is_bare_text(content[0], FAMILY) or mark_of(message, FAMILY, "/list") is True:
        return message
    text: Any = content[0]
    found = _split(text.text)
    if found is None:
        bared = _bared(text.text)
        if bared is None:
            return message
        rest = (_make_text(bared[0]),) if bared[0] else ()
        return marked(message.evolve(content=(*rest, *content[1:])), FAMILY, unthought=bared[1])
    thought, breaks, said = found
    thinking = marked(_make_thinking(thought), FAMILY, inline=list(breaks))
    return message.evolve(content=(thinking, *((_make_text(said),) if said else ()), *content[1:]))


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
    if not thoughts:
        tagged = None if noted is None else _in_front(message, said, noted)
        if tagged is not None:
            return tagged
        looks_so = len(said) == 1 and is_bare_text(said[0], FAMILY) and (_split(said[0].text) or _bared(said[0].text))
        return marked(message, FAMILY, list=True) if looks_so else message
    breaks = _breaks(thoughts[0], is_default=is_default)
    if breaks is None or len(thoughts) > 1 or len(said) > 1 or mark_of(message, FAMILY, "/list") is True:
        return message
    if said and not is_bare_text(said[0], FAMILY):
        return message
    thought, answer = thoughts[0].thinking, said[0].text if said else ""
    joined = _join(thought, breaks, answer)
    if _split(joined) != (thought, tuple(breaks), answer):
        return message
    return message.evolve(content=(_make_text(joined), *message.content[1 + len(said) :]))


def _in_front(message: am.Msg, said: Sequence[Any], noted: Any) -> am.Msg | None:
    """Return a message with tags in front of its text that hold no thinking; None if they can't stand there."""
    if len(said) > 1 or not all(is_bare_text(block, FAMILY) for block in said):
        return None
    if mark_of(message, FAMILY, "/list") is True or not is_sequence(noted) or len(noted) != 2:  # noqa: PLR2004
        return None
    if not all(type(count) is int and 0 <= count <= _MOST for count in noted):
        return None
    answer = said[0].text if said else ""
    joined = "<think>{}</think>{}".format(*("\n" * count for count in noted)) + answer
    if _bared(joined) != (answer, [*noted]):
        return None
    return message.evolve(content=(_make_text(joined), *message.content[len(said) :]))


def may_be_inline(block: Any, *, is_default: bool) -> bool:
    """Whether a block is thinking that may belong into a text, or a text that looks like thinking."""
    if block.__class__ is am.TextBlock:
        return bool(block.text.startswith("<think>"))
    return block.__class__ is am.ThinkingBlock and (is_default or bool(block.notes))


def _is_thought(block: Any) -> bool:
    return type(block) is am.ThinkingBlock and not is_part(block)


def _is_call(block: Any) -> bool:
    return (type(block) is am.ToolUseBlock and not is_part(block)) or is_entry(block)


def _breaks(thinking: Any, *, is_default: bool) -> Sequence[int] | None:
    noted: Any = mark_of(thinking, FAMILY, "/inline") if thinking.notes else None
    if is_sequence(noted) and len(noted) == len(_USUAL) and all(type(n) is int and 0 <= n <= _MOST for n in noted):
        return noted
    is_new = is_default and (not thinking.notes or mark_of(thinking, FAMILY, "/at") is None)
    return _USUAL if is_new else None
