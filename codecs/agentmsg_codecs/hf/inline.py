r"""Thinking in tags before a text: ``<think>\n...\n</think>\n\n``. Tags without any say nothing (Qwen 3).

The mark ``/inline`` on the thinking counts the line breaks after the first tag, before the second one and after it; the
mark ``/unthought`` on a message those inside tags without thinking, and after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_sequence, maker, mark_of, marked, natives, speed
from agentmsg_codecs.hf.format import is_entry, is_part
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAGS = r"(?s)<think>(\n*)(.*?)(\n*)</think>(\n*)(.*)"
_NOTHING = r"<think>(\n*)</think>(\n*)(?!<think>)"
_USUAL = (1, 1, 2)
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
    return _counts(noted, len(_USUAL)) or (_USUAL if is_new else None)


def _counts(noted: Any, length: int) -> Sequence[int] | None:
    """Return the line breaks that a mark counts; None for anything else."""
    if not is_sequence(noted) or len(noted) != length:
        return None
    return noted if all(type(count) is int and 0 <= count <= _MOST for count in noted) else None
